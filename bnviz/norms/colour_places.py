"""Assignment of colours and line styles to networks."""

from collections.abc import Sequence

PLACES = 6  # number of colours, and number of line styles
_OWN = {"none": 0, "batch": 1}


def colour_places(norms: Sequence[str]) -> dict[str, int]:
    """Return each network's colour index; BN and the network without a norm have fixed indices."""
    free = (place for place in range(PLACES) if place not in _OWN.values())
    return {norm: _OWN[norm] if norm in _OWN else next(free) for norm in norms}
