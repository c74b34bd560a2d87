"""Many runs on one core: short slices, each to whoever has had the least of the worker's time."""

from __future__ import annotations

import math
import time
from typing import Any, Protocol

from bnviz.live import log
from bnviz.live.best_search import BestSearch
from bnviz.live.replay import Replay
from bnviz.live.wire import Header
from bnviz.live.worker_run import Send, WorkerRun

SLICE_SECONDS = 0.01
# Who slept is owed no more than this.
LAG_SECONDS = 0.05
MESSAGE_CHARACTERS = 300


class Job(Protocol):
    """What the scheduler gives slices to: a run, or work beside one."""

    used: float
    weight: float
    urgent: bool

    def due(self, now: float) -> float:
        """When there is work, seconds of `time.perf_counter`."""
        ...

    def work(self, deadline: float) -> None:
        """Take one slice."""
        ...


class Scheduler:
    """The runs of a worker and the jobs beside them. No threads, no pipes.

    Attributes:
        busy_seconds: spent on work so far.
        typical_costs: seconds that probes took the last time, whatever the run.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self.typical_costs: dict[str, float] = {}
        self._runs: dict[str, WorkerRun] = {}
        self._beside: dict[tuple[str, str], Replay | BestSearch] = {}
        self._floor = 0.0
        self._last_accrual = time.perf_counter()
        self.busy_seconds = 0.0

    # Messages.

    def handle(self, header: Header, payload: bytes) -> None:
        """Take in one message of the hub. Trouble with one run ends that run only."""
        kind = header["type"]
        if kind == "ping":
            self._send({"type": "pong", "busy": self.busy_seconds, "runs": len(self._runs)})
        elif kind == "start":
            self._start(header, payload)
        elif (run := self._runs.get(header["run"])) is not None and run.epoch == header["epoch"]:
            try:
                self._tell(run, kind, header)
            except Exception as problem:
                self._fail(run, problem)

    def _start(self, header: Header, payload: bytes) -> None:
        name = header["run"]
        self._end(name)
        try:
            checkpoint = self._nearest_checkpoint(header, payload)
            run = WorkerRun(header, checkpoint, self._send, self.typical_costs)
        except Exception as problem:
            self._report(name, header["epoch"], problem)
            return
        run.used = self._floor
        self._runs[name] = run

    def _nearest_checkpoint(self, header: Header, payload: bytes) -> bytes | None:
        """The hub's, or for a fork one that its parent has kept here, if that is nearer."""
        forward, parent = header["forward"], self._runs.get(header["parent"] or "")
        kept = parent.ring.nearest(forward) if parent and forward is not None else None
        if kept and (not payload or kept[0] > header["checkpoint_step"]):
            return kept[1]
        return payload or None

    def _tell(self, run: WorkerRun, kind: str, header: Header) -> None:
        if kind == "ack":
            run.acknowledge()
        elif kind == "ack_replayed":
            if isinstance(replay := self._beside.get((run.id, "replay")), Replay):
                replay.acknowledge()
        elif kind == "change":
            run.change(header["number"], header["values"])
        elif kind == "control":
            run.control(header["order"], header["playing"], header["pace"], header["awake"])
        elif kind == "step":
            run.single_step()
        elif kind == "want":
            run.want(header["probes"])
        elif kind == "replay":
            replay = self._beside.setdefault((run.id, kind), Replay(run, [], self._send))
            assert isinstance(replay, Replay)
            replay.extend(header["steps"])
        elif kind == "best":
            self._beside.setdefault((run.id, kind), BestSearch(run, self._send))
        elif kind == "end":
            self._end(run.id)

    def _end(self, name: str) -> None:
        self._runs.pop(name, None)
        self._beside = {key: job for key, job in self._beside.items() if key[0] != name}

    # Work.

    def wait(self) -> float:
        """Seconds until there is work: 0 for now, infinity for not before a message."""
        now = time.perf_counter()
        return max(0.0, min((job.due(now) for job in self._jobs()), default=math.inf) - now)

    def work(self) -> None:
        """One slice to the job that is due and has had the least, if there is one."""
        began = time.perf_counter()
        self._accrue(began)
        due = [job for job in self._jobs() if job.due(began) <= began]
        if not due:
            return
        job = min(due, key=lambda job: (not job.urgent, job.used))
        job.used = max(job.used, self._floor - LAG_SECONDS)
        if not job.urgent:
            self._floor = max(self._floor, job.used)
        try:
            job.work(began + SLICE_SECONDS)
        except Exception as problem:
            self._failed(job, problem)
        spent = time.perf_counter() - began
        job.used += spent / job.weight
        self.busy_seconds += spent
        if isinstance(job, Replay | BestSearch) and job.done:
            self._put_away(job)

    def _jobs(self) -> list[Any]:
        return [*self._runs.values(), *self._beside.values()]

    def _accrue(self, now: float) -> None:
        """Let every run that works earn its share of measuring time."""
        seconds, self._last_accrual = now - self._last_accrual, now
        working = [run for run in self._runs.values() if run.due(now) < math.inf]
        for run in working:
            run.accrue(seconds, len(working))

    def _failed(self, job: Job, problem: Exception) -> None:
        if isinstance(job, WorkerRun):
            self._fail(job, problem)
            return
        log.event("job failed", exc_info=True, kind=type(job).__name__)
        self._put_away(job)

    def _put_away(self, job: Job) -> None:
        self._beside = {key: kept for key, kept in self._beside.items() if kept is not job}

    def _fail(self, run: WorkerRun, problem: Exception) -> None:
        self._end(run.id)
        self._report(run.id, run.epoch, problem)

    def _report(self, name: str, epoch: int, problem: Exception) -> None:
        log.event("run failed", exc_info=True, run=name)
        message = f"{type(problem).__name__}: {problem}"[:MESSAGE_CHARACTERS]
        self._send({"type": "error", "run": name, "epoch": epoch, "message": message})
