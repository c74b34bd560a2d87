"""Drags of live knobs, sent all at once or slowly, with a training step for each value."""

from __future__ import annotations

from typing import Any

from tests.live.conftest import Watcher


def drag(hand: Watcher, knob: str, values: list[Any], number: int = 1) -> int:
    """Send a whole drag at once and return the number of its last message."""
    return [hand.set_knob(knob, value, number) for value in values][-1]


def slowly(hand: Watcher, knob: str, values: list[Any], number: int = 1) -> None:
    """Send a drag so slowly that the run takes a step before the next value is sent."""
    for value in values:
        answer = hand.answer(hand.set_knob(knob, value, number))
        hand.live.reach(hand.run, answer["step"] + 1)


def rates(count: int, last: float = 0.5) -> list[float]:
    return [last * (at + 1) / count for at in range(count)]
