"""Fair allocation of limited places: who gets the next place, and who gives one up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeVar

Place = TypeVar("Place")
Holder = Callable[[Place], str]


def in_turns(
    waiting: Iterable[Place], taken: Iterable[Place], holder: Holder[Place]
) -> list[Place]:
    """Sort waiting items by the number of places that their holder has when their turn comes.

    The order of `waiting` breaks ties.
    """
    count: Counter[str] = Counter(map(holder, taken))
    turns = []
    for each in waiting:
        turns.append((count[holder(each)], each))
        count[holder(each)] += 1
    return [each for _, each in sorted(turns, key=lambda turn: turn[0])]


def of_those_with_most(taken: Iterable[Place], new: Place, *holders: Holder[Place]) -> list[Place]:
    """Return the places of the holder with the most, who must give up one; [] if nobody must.

    A holder gives up a place only if it keeps at least as many places as the new holder then has.
    Otherwise the two holders would take the same place from each other forever. The functions
    `holders` return the holder of a place, from coarse (address) to fine (browser).
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
