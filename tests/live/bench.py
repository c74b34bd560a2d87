"""A worker's scheduler without its process, and an undisturbed experiment for comparison."""

from __future__ import annotations

import copy
import itertools
import json
import math
import threading
import time
from collections.abc import Iterable
from functools import cache
from typing import Any

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.live.protocol.frames import encode_body
from bnviz.live.worker.__main__ import warm
from bnviz.live.worker.probe_schedule import TypicalCosts
from bnviz.live.worker.scheduler import Scheduler
from bnviz.live.worker.slow_probes import MeasurerLink
from bnviz.probes import PROBES
from tests.live.conftest import PATIENCE, SMALL, arrays_of

EVERY_PAGE = [name for name, entry in PROBES.items() if entry.default_view]
START = {
    "type": "start", "log": [], "catch_up_to": None,
    "checkpoint_step": 0, "parent": None, "forked_at": None,
    "pace": "full", "playing": True, "attended": True, "frames_wanted": True, "in_view": True,
    "command_number": 0, "origin": 0,
    "pause_at": 1_000, "max_steps": 10**6, "wants": (), "checkpoint_bytes": 10**8,
    "checkpoint_seconds": 0.2, "plan": None, "planned": 0,
}  # fmt: skip


@cache
def warmed() -> TypicalCosts:
    """Return the probe costs that a worker has measured before its first run."""
    scheduler = Scheduler(lambda *_: None)
    warm(scheduler, RunConfig())
    return scheduler.costs


class Bench:
    """A worker's scheduler, with a stand-in for the hub that acknowledges at once and records all
    messages.

    Args:
        measurer: link to the process for slow probes, shared by consecutive benches.
    """

    # Unique per bench, so that no reply to an earlier bench is taken for a reply to this one.
    generations = itertools.count(1)

    def __init__(self, measurer: MeasurerLink) -> None:
        self.heard: list[tuple[dict[str, Any], bytes]] = []
        self.generation = next(self.generations)
        self.scheduler = Scheduler(self._send)
        self.scheduler.link = measurer
        self.scheduler.costs = copy.deepcopy(warmed())
        self._runs: list[str] = []

    def end(self) -> None:
        for run in self._runs:
            self.tell(run, "end")

    def _send(self, header: dict[str, Any], payload: bytes = b"") -> None:
        self.heard.append((header, payload))

    def start(
        self, run: str, config: RunConfig = SMALL, payload: bytes = b"", **facts: Any
    ) -> None:
        facts = {"generation": self.generation, **facts}
        header = {**START, "run": run, "config": config.model_dump(), **facts}
        self._runs.append(run)
        self.scheduler.handle(json.loads(json.dumps(header)), payload)

    def tell(self, run: str, kind: str, **facts: Any) -> None:
        self.scheduler.handle(
            {"type": kind, "run": run, "generation": self.generation, **facts}, b""
        )

    def work_until(self, condition: Any) -> None:
        answered, deadline, pause = 0, time.monotonic() + PATIENCE, threading.Event()
        while not condition():
            assert time.monotonic() < deadline
            if wait := self.scheduler.wait():
                # Idle as a worker does.
                began = time.perf_counter()
                pause.wait(min(wait, 0.005))
                self.scheduler.idle += time.perf_counter() - began
            self.scheduler.take_answers()
            self.scheduler.work()
            for header, _ in self.heard[answered:]:
                kind = {"frame": "ack", "replayed": "ack_replayed"}.get(header["type"])
                if kind:
                    self.tell(header["run"], kind)
            answered = len(self.heard)

    def settle(self) -> None:
        """Let the scheduler work until neither it nor the measurer has anything left to do."""
        scheduler = self.scheduler
        idle = lambda: scheduler.wait() == math.inf and not scheduler.link.status()["unanswered"]  # noqa: E731
        self.work_until(idle)

    def settle_frame(self) -> None:
        """Let the scheduler work until no frame is being built."""
        runs = self.scheduler.runs
        self.work_until(lambda: all(run._frames.frame is None for run in runs.values()))

    def headers(self, kind: str, run: str = "r") -> list[dict[str, Any]]:
        return [h for h, _ in self.heard if h["type"] == kind and h["run"] == run]

    def bodies(self, run: str = "r", kind: str = "frame") -> list[dict[str, Any]]:
        return [json.loads(p) for h, p in self.heard if h["type"] == kind and h["run"] == run]

    def step_of(self, run: str) -> int:
        return max((header["step"] for header in self.headers("frame", run)), default=-1)


class Alone:
    """Experiment that runs undisturbed, without a scheduler.

    Args:
        changes: live changes by step.
    """

    def __init__(self, config: RunConfig, changes: dict[int, dict[str, Any]]) -> None:
        self._config, self._changes = config, changes
        self._start()

    def _start(self) -> None:
        self._experiment = Experiment(self._config)
        self._change()

    def _change(self) -> None:
        values = self._changes.get(self._experiment.step_number)
        if values:
            self._experiment.update(**values)

    def arrays(self, step: int, probes: Iterable[str]) -> dict[str, bytes]:
        """Return the arrays at a step. Start over if the experiment has already passed the step."""
        if step < self._experiment.step_number:
            self._start()
        while self._experiment.step_number < step:
            self._experiment.step()
            self._change()
        return arrays_of(json.loads(encode_body(self._experiment.snapshot(probes))))


# Recently used experiments, kept because tests compare a run's frames in order of step, so that an
# experiment can continue from the previous frame.
_kept: dict[str, Alone] = {}
MOST_KEPT = 8


def undisturbed(
    config: RunConfig,
    step: int,
    changes: dict[int, dict[str, Any]] | None = None,
    probes: Iterable[str] = EVERY_PAGE,
) -> dict[str, bytes]:
    """Return the arrays of an undisturbed experiment at one step."""
    key = repr((config, sorted((changes or {}).items())))
    alone = _kept.pop(key, None) or Alone(config, dict(changes or {}))
    _kept[key] = alone
    if len(_kept) > MOST_KEPT:
        del _kept[next(iter(_kept))]
    return alone.arrays(step, probes)


def same_as_undisturbed(frame: dict[str, Any], config: RunConfig, changes=None) -> None:
    # Do not compare the rotation of the weights per step, because it depends on the steps at which
    # a viewer requested it.
    shown = {name: got for name, got in arrays_of(frame).items() if "weights.turned" not in name}
    probes = {name.split(".")[1] for name in shown}
    alone = undisturbed(config, frame["step"], changes, probes)
    assert shown
    assert {name: alone[name] for name in shown} == shown
