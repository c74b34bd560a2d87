"""Run histories that contain frames, for tests."""

from __future__ import annotations

from bnviz.live.runs.history import History
from bnviz.records import Change

BODY = b"x" * 1000
CAP = 200_000


def filled(steps, centres=(), cap=CAP) -> History:
    history = History(cap)
    for step in steps:
        for centre in centres:
            if centre == step:
                history.add_break(centre)
        history.add(step, BODY)
    return history


def steps_of(history: History) -> list[int]:
    return [frame.step for frame in history]


def change(step: int, drag: int = 0, rate: float = 0.1) -> Change:
    return Change(step, {"learning_rate": rate}, drag)
