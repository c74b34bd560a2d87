"""Memory returns to the system after runs have ended, but not continuously."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import pytest

from bnviz.live.memory import PAUSE_SECONDS, FreedMemory, trim
from tests.live.conftest import until
from tests.red_team.measuring import resident


def test_memory_goes_back_once_for_all_runs_that_have_ended_within_a_pause():
    trimmed: list[float] = []
    now = [0.0]
    memory = FreedMemory(lambda: trimmed.append(now[0]), lambda: now[0])
    pause = PAUSE_SECONDS
    for now[0], ended in ((1, 1), (pause, 3), (pause + 1, 4), (3 * pause, 4), (9 * pause, 4)):
        memory.give_back(ended)
    assert trimmed == [PAUSE_SECONDS, 3 * PAUSE_SECONDS]


@pytest.mark.skipif(not Path("/proc/self/oom_score_adj").exists(), reason="only on Linux")
def test_if_memory_runs_out_the_server_is_killed_last(served):
    def score(pid: object) -> int:
        return int(Path(f"/proc/{pid}/oom_score_adj").read_text("utf-8"))

    _, hub = served
    worker = hub.registry.workers.living()[0]
    until(lambda: worker.ready)
    until(lambda: worker.load["measurer"])
    assert score("self") < score(worker.pid) < score(worker.load["measurer"]["pid"])


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc gives memory back")
def test_freed_memory_goes_back_to_the_system():
    blocks = [bytearray(b"x" * 50_000) for _ in range(4_000)]
    # Keep every tenth block, so that the C library keeps the gaps between these blocks.
    kept = blocks[::10]
    full = resident(os.getpid())
    del blocks
    trim()
    assert full - resident(os.getpid()) > 100
    assert len(kept) == 400
