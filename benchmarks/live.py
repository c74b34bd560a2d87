"""Measure live runs without browsers: ten runs on two workers, and the cost of being watched.

Ten runs that differ only in their seed train at full pace on two worker processes. Each run has
a viewer that acknowledges frames at once. Printed are the frames per second of each run, and the
ratio of the smallest to the largest step count. Then one watched pair of networks is compared with
the same pair trained in this process.
"""

from __future__ import annotations

import statistics
import threading
import time

from benchmarks.viewers import processor_seconds
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
    print(f"    frames/s per run: {rates[0]:.1f} to {rates[-1]:.1f}  (wanted: 2 or more)")
    print(
        f"    smallest ÷ largest step count: {min(steps) / max(steps):.2f}  (wanted: 0.7 or more)"
        f"  [{min(steps) / took:.0f} to {max(steps) / took:.0f} steps/s]"
    )


def bare_rate() -> float:
    """Return the steps per CPU second of the default pair, without any measurement."""
    experiment = Experiment(RunConfig())
    for _ in range(50):
        experiment.step()
    start, steps = time.process_time(), 0
    while time.process_time() - start < ROUND_SECONDS / 2:
        experiment.step()
        steps += 1
    return steps / (time.process_time() - start)


def watched_rates(live: LiveHub) -> tuple[float, float, float]:
    """Measure the default pair, watched at full pace.

    Returns:
        Steps per CPU second of the worker process, then steps and frames per second of real time.
    """
    run, watcher = begin(live, RunConfig())
    live.reach(run, 100)
    (pid,) = live.pids()
    step, frames = live.info(run).step, len(watcher.frames())
    used, start = processor_seconds(pid), time.perf_counter()
    pause(ROUND_SECONDS)
    used, took = processor_seconds(pid) - used, time.perf_counter() - start
    steps, shown = live.info(run).step - step, len(watcher.frames()) - frames
    live.hub.pause(OWNER, run)
    until(lambda: live.info(run).status == "paused")
    return steps / used, steps / took, shown / took


def one_run() -> None:
    ratios, clocked, frames = [], [], []
    with serving(workers=1, runs_per_owner=ROUNDS) as live:
        for _ in range(ROUNDS):
            watched, steps, shown = watched_rates(live)
            ratios.append(watched / bare_rate())
            clocked.append(steps)
            frames.append(shown)
    print(
        f"    one pair, watched ÷ bare, steps per second of CPU time:"
        f" {statistics.median(ratios):.2f}  [{statistics.median(clocked):.0f} steps/s and"
        f" {statistics.median(frames):.1f} frames/s in real time, median of {ROUNDS} rounds]"
    )


if __name__ == "__main__":
    main()
