"""Places are short: who gets the next one, and who gives one up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeVar

Place = TypeVar("Place")
Holder = Callable[[Place], str]


def in_turns(
    waiting: Iterable[Place], taken: Iterable[Place], holder: Holder[Place]
) -> list[Place]:
    """Order what waits by how many places its holder has by then.

    Args:
        waiting: in the order that decides among equals.
        taken: the places that are taken.
        holder: finds whose a place is.
    """
    count: Counter[str] = Counter(map(holder, taken))
    turns = []
    for each in waiting:
        turns.append((count[holder(each)], each))
        count[holder(each)] += 1
    return [each for _, each in sorted(turns, key=lambda turn: turn[0])]


def of_those_with_most(taken: Iterable[Place], new: Place, *holders: Holder[Place]) -> list[Place]:
    """Find the places of which one is given up for a new holder.

    Holders are compared by address first, for example, and within an address by browser. Whoever
    has the most gives a place up if that leaves them at least as many as the new holder gets.
    Otherwise the two would take the same place from each other in turns.

    Args:
        taken: the places that are taken.
        new: the place that is wanted.
        holders: find whose a place is, from the widest to the narrowest.

    Returns:
        The places of the holder who has the most, or none.
    """
    taken = list(taken)
    for number, holder in enumerate(holders):
        own = sum(holder(place) == holder(new) for place in taken)
        giving = _of_most(taken, holder)
        if len(giving) > own + 1:
            for narrower in holders[number + 1 :]:
                giving = _of_most(giving, narrower)
            return giving
        taken = [place for place in taken if holder(place) == holder(new)]
    return []


def _of_most(places: list[Place], holder: Holder[Place]) -> list[Place]:
    count = Counter(map(holder, places))
    most = max(count, key=count.__getitem__, default="")
    return [place for place in places if holder(place) == most]
