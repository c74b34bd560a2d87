"""The live path without browsers: ten watched runs share two workers; what being watched costs.

(d) Ten runs that differ only in their seed, each with a viewer that acknowledges at once, at full
pace on two workers: frames a second of each, and the smallest step count over the largest.
Then one pair, at full pace and watched, against the same pair stepped bare in this process.
"""

from __future__ import annotations

import statistics
import threading
import time

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from tests.live.conftest import LiveHub, Watcher, serving, until

RUNS, WORKERS = 10, 2
SECONDS = 20.0
ROUNDS, ROUND_SECONDS = 4, 4.0
OWNER = "b" * 64


def main() -> None:
    ten_runs()
    one_run()


def pause(seconds: float) -> None:
    threading.Event().wait(seconds)


def begin(live: LiveHub, config: RunConfig) -> tuple[str, Watcher]:
    run = live.hub.start(OWNER, config, pace="full")
    return run, live.watch(run)


def ten_runs() -> None:
    with serving(workers=WORKERS, runs_per_owner=RUNS) as live:
        watched = [begin(live, RunConfig(seed=seed)) for seed in range(RUNS)]
        for run, _ in watched:
            live.reach(run, 20)
        steps = [live.info(run).step for run, _ in watched]
        frames = [len(watcher.frames()) for _, watcher in watched]
        start = time.perf_counter()
        pause(SECONDS)
        took = time.perf_counter() - start
        steps = [
            live.info(run).step - before for (run, _), before in zip(watched, steps, strict=True)
        ]
        frames = [len(w.frames()) - before for (_, w), before in zip(watched, frames, strict=True)]
    rates = sorted(count / took for count in frames)
    print(f"(d) {RUNS} watched runs, {WORKERS} workers, {took:.0f} s at full pace")
    print(f"    frames/s of each: {rates[0]:.1f} to {rates[-1]:.1f}  (wanted: 2 or more)")
    print(
        f"    smallest ÷ largest step count: {min(steps) / max(steps):.2f}  (wanted: 0.7 or more)"
        f"  [{min(steps) / took:.0f} to {max(steps) / took:.0f} steps/s]"
    )


def bare_rate() -> float:
    """Steps a second of the opening pair with nothing measured."""
    experiment = Experiment(RunConfig())
    for _ in range(50):
        experiment.step()
    start, steps = time.perf_counter(), 0
    while time.perf_counter() - start < ROUND_SECONDS:
        experiment.step()
        steps += 1
    return steps / (time.perf_counter() - start)


def watched_rate(live: LiveHub) -> tuple[float, float]:
    """Steps and frames a second of the opening pair at full pace, watched."""
    run, watcher = begin(live, RunConfig())
    live.reach(run, 100)
    step, frames, start = live.info(run).step, len(watcher.frames()), time.perf_counter()
    pause(ROUND_SECONDS)
    took = time.perf_counter() - start
    rates = (live.info(run).step - step) / took, (len(watcher.frames()) - frames) / took
    live.hub.pause(OWNER, run)
    until(lambda: live.info(run).status == "paused")
    return rates


def one_run() -> None:
    ratios, bare, watched, frames = [], [], [], []
    with serving(workers=1, runs_per_owner=ROUNDS) as live:
        for _ in range(ROUNDS):
            steps, shown = watched_rate(live)
            pause(0.5)
            alone = bare_rate()
            ratios.append(steps / alone)
            bare.append(alone)
            watched.append(steps)
            frames.append(shown)
    print(
        f"    one pair, watched ÷ bare: {statistics.median(ratios):.2f}"
        f"  [{statistics.median(watched):.0f} ÷ {statistics.median(bare):.0f} steps/s,"
        f" {statistics.median(frames):.1f} frames/s, median of {ROUNDS} rounds]"
    )


if __name__ == "__main__":
    main()
