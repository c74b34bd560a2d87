"""Which colour and line style each network has, as a place in lists of them."""

from collections.abc import Sequence

PLACES = 6  # colours, and line styles
_OWN = {"none": 0, "batch": 1}


def colour_places(norms: Sequence[str]) -> dict[str, int]:
    """The place of each network: the plain one and BN have their own, which no other takes.

    Args:
        norms: of networks that are shown together, in order.
    """
    free = (place for place in range(PLACES) if place not in _OWN.values())
    return {norm: _OWN[norm] if norm in _OWN else next(free) for norm in norms}
