"""Who has to give way where places are short: whoever has the most, compared with who has none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeVar

Place = TypeVar("Place")


def of_those_with_most(
    places: Iterable[Place], new: Place, *whose: Callable[[Place], str]
) -> list[Place]:
    """The places of the holder who has the most, if that is two more than the holder of `new` has.

    Otherwise taking one would only turn the matter round.

    Args:
        places: those that are taken.
        new: what there is no place for.
        whose: the holder of a place, in order: by the second one, only the places are compared
            that have the same first holder as `new`.

    Returns:
        The places, or none.
    """
    places = list(places)
    for holder in whose:
        count = Counter(map(holder, places))
        most = max(count, key=count.__getitem__, default="")
        if count[most] > count[holder(new)] + 1:
            return [place for place in places if holder(place) == most]
        places = [place for place in places if holder(place) == holder(new)]
    return []
