"""Drags of live knobs, as fast as they can be sent or a step at a time."""

from __future__ import annotations

from typing import Any

from tests.live.conftest import Watcher


def drag(hand: Watcher, knob: str, values: list[Any], number: int = 1) -> int:
    """A whole drag as fast as it can be sent. Returns the number of its last value."""
    return [hand.set_knob(knob, value, number) for value in values][-1]


def slowly(hand: Watcher, knob: str, values: list[Any], number: int = 1) -> None:
    """A drag so slow that a step is taken with each of its values."""
    for value in values:
        answer = hand.answer(hand.set_knob(knob, value, number))
        hand.live.reach(hand.run, answer["step"] + 1)


def rates(count: int, last: float = 0.5) -> list[float]:
    return [last * (at + 1) / count for at in range(count)]
