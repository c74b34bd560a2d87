"""Check that many simultaneous visitors do not disturb each other.

(a) A default run shares one worker with the costliest valid runs, one after the other. Measured:
the longest gap between the frames of the default run. (b) Forty default runs train at the pace
`watch` on two workers. Measured: frames and steps of each, the longest time between layer Jacobians
and between frames, and the ratio of the smallest to the largest step count. (c) Three hundred
sockets watch one run. Measured: frames, dropped frames, CPU time of the server. (d) CPU time of the
workers' slices in (a) and (b), and the longest slice.

`python -m benchmarks.load a b` runs only these parts.
"""

from __future__ import annotations

import itertools
import os
import statistics
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from benchmarks.heavy import LINK, heaviest, step_seconds
from benchmarks.sockets import three_hundred
from bnviz.config import RunConfig
from bnviz.live.worker.scheduler import BORDERS
from tests.conftest import MNIST
from tests.live.conftest import LiveHub, Watcher, serving, until

OWNER = "c" * 64
RUNS = 40
BESIDE_SECONDS, FORTY_SECONDS = 12.0, 30.0


def main(parts: list[str]) -> None:
    if MNIST.is_dir():
        os.environ.setdefault("BNVIZ_DATA", str(MNIST))
    else:
        print("MNIST not found: (a) uses digits instead, so its load is lighter than it should be")
    times = Slices()
    if "a" in parts:
        beside_heavy_runs(times)
    if "b" in parts:
        forty_runs(times)
    if "c" in parts:
        three_hundred()
    if {"a", "b"} & set(parts):
        times.report()


class Slices:
    """Histogram of slice times, summed over several workers.

    A slice is one turn of work on a run.
    """

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()
        self._longest: list[tuple[float, str]] = []

    def add(self, live: LiveHub) -> list[tuple[float, str]]:
        """Add a hub's last reported slices, and return the longest slice of each worker process."""
        found = []
        for worker in live.call(live.hub.viewers.status)["workers"]:
            slices: dict[str, Any] = worker["slices"]
            self._counts.update(dict(enumerate(slices["counts"])))
            found.append((slices["longest_seconds"], slices["longest"]))
        self._longest += found
        return found

    def report(self) -> None:
        total = sum(self._counts.values())
        print(f"(d) {total} slices; share with at most this CPU time:")
        passed = 0
        for at, border in enumerate(BORDERS):
            passed += self._counts[at]
            print(f"    {1000 * border:6.0f} ms: {100 * passed / total:6.2f} %")
        longest, what = max(self._longest)
        print(f"    longest: {1000 * longest:.0f} ms, {what}")


def pause(seconds: float) -> None:
    threading.Event().wait(seconds)


def pongs(live: LiveHub) -> None:
    """Wait until every worker process has reported its status."""
    before = [worker["busy_seconds"] for worker in live.call(live.hub.viewers.status)["workers"]]
    until(
        lambda: all(
            worker["slices"] and worker["busy_seconds"] > seen
            for worker, seen in zip(
                live.call(live.hub.viewers.status)["workers"], before, strict=True
            )
        )
    )


class Clocked(Watcher):
    """Viewer that records the arrival times of frames."""

    def __init__(self, live: LiveHub, run: str) -> None:
        self.came: list[float] = []
        super().__init__(live, run)

    async def _take(self, text: str) -> None:
        before = len(self.messages)
        await super()._take(text)
        if self.messages[before]["type"] == "frame":
            self.came.append(time.monotonic())

    def longest_gap(self, since: float) -> float:
        """Return the longest time without a frame between `since` and now, in seconds."""
        moments = [since, *(at for at in self.came if at >= since), time.monotonic()]
        return max(later - earlier for earlier, later in itertools.pairwise(moments))


def beside_heavy_runs(times: Slices) -> None:
    print("(a) a default run at pace fast and a heavy run, on one worker")
    for name, config in {"the reported link": LINK, **heaviest()}.items():
        step = step_seconds(config)
        allowed = 1.0 if step <= 0.25 else 4 * step
        with serving(workers=1, runs_per_owner=2) as live:
            heavy = live.hub.start(OWNER, config, pace="full")
            other = Clocked(live, heavy)
            until(lambda: live.info(heavy).status == "running")  # noqa: B023
            run = live.hub.start(OWNER, RunConfig(), pace="fast")
            watcher = Clocked(live, run)
            watcher.frame_at(20)
            since, first = time.monotonic(), len(watcher.came)
            pause(BESIDE_SECONDS)
            gap, frames = watcher.longest_gap(since), len(watcher.came) - first
            steps = max((frame["step"] for frame in other.frames()), default=-1)
            pongs(live)
            (longest,) = times.add(live)
            for each in (watcher, other):
                each.leave()
        verdict = "ok" if gap <= allowed else "TOO LONG"
        print(
            f"    {name}: longest gap {gap:.2f} s (allowed {allowed:.2f}; a step of one network"
            f" {step:.3f} s) {verdict}; {frames / BESIDE_SECONDS:.1f} frames/s; the heavy run was"
            f" shown at step {steps}; longest slice {1000 * longest[0]:.0f} ms: {longest[1]}",
            flush=True,
        )


def forty_runs(times: Slices) -> None:
    limits = {"runs_per_owner": RUNS, "starts_per_minute": RUNS, "max_runs": 48}
    with serving(workers=2, **limits) as live:
        runs = [live.hub.start(OWNER, RunConfig(seed=seed)) for seed in range(RUNS)]
        watchers = [Clocked(live, run) for run in runs]
        for watcher in watchers:
            watcher.frame_at(1)
        seen = [len(watcher.frames()) for watcher in watchers]
        steps = [watcher.frames()[-1]["step"] for watcher in watchers]
        since = time.monotonic()
        pause(FORTY_SECONDS)
        took = time.monotonic() - since
        frames = [w.frames()[before:] for w, before in zip(watchers, seen, strict=True)]
        gaps = [watcher.longest_gap(since) for watcher in watchers]
        walked = [shown[-1]["step"] - at for shown, at in zip(frames, steps, strict=True)]
        jacobians = [oldest(w, since) for w in watchers]
        behind = sum(bool(live.hub.registry.runs[run].behind) for run in runs)
        pongs(live)
        times.add(live)
        for watcher in watchers:
            watcher.leave()
    shown = [len(each) / took for each in frames]
    rows: list[tuple[str, list[float], Callable[[list[float]], float], str]] = [
        ("frames/s", shown, min, "at least 1.2"),
        ("steps/s", [count / took for count in walked], min, "at least 5"),
        ("longest gap between frames, s", gaps, max, "at most 2"),
        ("longest time between layer Jacobians, s", jacobians, max, "at most 4"),
    ]
    print(f"(b) {RUNS} default runs at the watch pace, two workers, {took:.0f} s")
    for name, values, worst, wanted in rows:
        median = statistics.median(values)
        print(f"    {name}: worst {worst(values):.2f}, median {median:.2f}  (wanted: {wanted})")
    ratio = min(walked) / max(walked)
    print(f"    smallest ÷ largest step count: {ratio:.2f}  (wanted: at least 0.7)")
    print(f"    {behind} of {RUNS} runs did not show every step")


def oldest(watcher: Clocked, since: float) -> float:
    """Return the longest time between two frames with new layer Jacobians, in seconds."""
    moments, last = [since], -1
    for frame, came in zip(watcher.frames(), watcher.came, strict=False):
        at = frame["networks"]["none"]["measured_at"].get("jacobian", -1)
        if at > last:
            last = at
            if came >= since:
                moments.append(came)
    moments.append(time.monotonic())
    return max(later - earlier for earlier, later in itertools.pairwise(moments))


if __name__ == "__main__":
    main(sys.argv[1:] or ["a", "b", "c"])
