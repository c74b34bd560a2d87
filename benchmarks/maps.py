"""Measure the map on a server: how soon it is drawn, and how much it slows down a watched run.

(a) The default map (4×64, digits, 16 rates × 7 batch sizes, two networks, 200 steps) is computed on
two workers and polled as often as a page polls it. The server's CPU time per poll is also measured.
(b) A pair of networks is watched at full pace, alternately alone and beside a map. Measured are its
steps and frames per second. (c) Memory is measured after a map of 64 × 64 cells and four networks.
"""

from __future__ import annotations

import os
import statistics
import threading
import time
from pathlib import Path
from typing import Any

from bnviz.config import RunConfig
from bnviz.sweeps.setting import USUAL, MapSetting, Span
from tests.live.conftest import LiveHub, Watcher, serving, until

OWNER, STRANGER = "b" * 64, "c" * 64
WORKERS = 2
POLL_SECONDS = 0.25
FIRST = 4 * 3
ROUNDS, ROUND_SECONDS = 4, 4.0
BROWSERS, POLLS = 300, 2


def main() -> None:
    setting = USUAL.replace(config=USUAL.config.replace(depth=4))
    with serving(workers=WORKERS) as live:
        until(live.all_ready)
        draw(live, setting)
    for workers in (1, WORKERS):
        beside(setting, workers)
    memory()


def poll(live: LiveHub, key: str) -> dict[str, Any]:
    return live.call(lambda: live.hub.maps.poll(key, OWNER, 0, True).plain())


def draw(live: LiveHub, setting: Any) -> None:
    began = time.perf_counter()
    key = live.hub.maps.open(OWNER, setting)
    at: dict[str, float] = {}
    while "finished" not in at:
        told = poll(live, key)
        now = time.perf_counter() - began
        if told["progress"]["phase"] != "first":
            at.setdefault("first picture", now)
        if told["progress"]["phase"] not in ("first", "base"):
            at.setdefault("base grid", now)
        if told["status"] == "finished":
            at["finished"] = now
        threading.Event().wait(0.05)
    count = told["progress"]["done"]
    print(f"(a) the default map, {WORKERS} workers: {count} networks, {told['n']} points")
    first, base, end = at["first picture"], at["base grid"], at["finished"]
    print(f"    first picture of {FIRST} cells per network: {first:.1f} s  (wanted: 1.5 or less)")
    print(f"    base grid: {base:.1f} s  (wanted: 12 or less)")
    print(f"    refined: {end:.1f} s  (wanted: 120 or less)  [{count / end:.0f} networks/s]")
    seconds = live.call(lambda: one_poll(live, key))
    print(f"    a poll takes {1e3 * seconds:.2f} ms; {BROWSERS} browsers, {POLLS} polls/s each: "
          f"{seconds * BROWSERS * POLLS:.1%} of a core")  # fmt: skip


def one_poll(live: LiveHub, key: str, times: int = 500) -> float:
    maps, began = live.hub.maps, time.thread_time()
    for _ in range(times):
        maps.encode(maps.poll(key, OWNER, 0, True))
    return (time.thread_time() - began) / times


def beside(setting: Any, workers: int) -> None:
    with serving(workers=workers) as live:
        run = live.hub.start(OWNER, RunConfig(), pace="full")
        watcher = live.watch(run)
        live.reach(run, 200)
        key = live.hub.maps.open(STRANGER, setting.replace(steps=300), wanted=False)
        found: dict[bool, list[tuple[float, float]]] = {False: [], True: []}
        for turn in range(2 * ROUNDS):
            found[turn % 2 == 1].append(rates(live, run, watcher, key, wanted=turn % 2 == 1))
    (alone, frames_alone), (shared, frames_shared) = (
        map(statistics.median, zip(*found[wanted], strict=True)) for wanted in (False, True)
    )
    print(f"(b) a watched pair at full pace, {workers} workers: with a map ÷ alone")
    print(
        f"    steps per second: {shared / alone:.2f} (wanted: 0.5 or more)"
        f"  [{shared:.0f} ÷ {alone:.0f}]"
    )
    print(f"    frames per second: {frames_shared / frames_alone:.2f} (wanted: 0.5 or more)  "
          f"[{frames_shared:.1f} ÷ {frames_alone:.1f}]")  # fmt: skip


def rates(
    live: LiveHub, run: str, watcher: Watcher, key: str, *, wanted: bool
) -> tuple[float, float]:
    """Return steps and frames per second of a run, while a map is computed if `wanted`."""

    def polled() -> None:
        live.call(lambda: live.hub.maps.poll(key, STRANGER, 0, wanted))

    polled()
    under_way = lambda: live.hub.maps.status()["map_stacks_under_way"]  # noqa: E731
    until(lambda: bool(under_way()) == wanted, 300)
    step, frames, began = live.info(run).step, len(watcher.frames()), time.perf_counter()
    while (took := time.perf_counter() - began) < ROUND_SECONDS:
        polled()
        threading.Event().wait(POLL_SECONDS)
    return (live.info(run).step - step) / took, (len(watcher.frames()) - frames) / took


def memory() -> None:
    """Measure the peak memory after the largest map.

    The networks are small, because their size does not affect this memory.
    """
    small = USUAL.config.replace(norms=("none", "batch", "layer", "rms"), depth=2, width=16)
    setting = MapSetting(
        small, Span("learning_rate", 0.01, 50.0, 64), Span("batch_size", 2, 512, 64), steps=3
    )
    with serving(workers=WORKERS) as live:
        until(live.all_ready)
        before = megabytes(os.getpid())
        key = live.hub.maps.open(OWNER, setting)
        until(lambda: poll(live, key)["status"] == "finished", 600)
        workers = live.hub.registry.workers
        assert workers is not None
        largest = max(megabytes(worker.pid) for worker in workers.living() if worker.pid)
        print(f"(c) a 64×64 map of four networks, {poll(live, key)['progress']['done']:,} trained")
        print(f"    largest worker: {largest:.0f} MB (wanted: under 1,024)")
        print(f"    the server's process: {megabytes(os.getpid()) - before:.0f} MB more")


def megabytes(process: int) -> float:
    """Return the peak memory of a process in MB."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    main()
