"""Memory goes back to the system after runs have ended, and not all the time."""

from __future__ import annotations

from bnviz.live.memory import PAUSE_SECONDS, FreedMemory, trim


def test_memory_goes_back_once_for_all_runs_that_have_ended_within_a_pause():
    trimmed: list[float] = []
    now = [0.0]
    memory = FreedMemory(lambda: trimmed.append(now[0]), lambda: now[0])
    pause = PAUSE_SECONDS
    for now[0], ended in ((1, 1), (pause, 3), (pause + 1, 4), (3 * pause, 4), (9 * pause, 4)):
        memory.give_back(ended)
    assert trimmed == [PAUSE_SECONDS, 3 * PAUSE_SECONDS]


def test_the_system_takes_it():
    trim()
