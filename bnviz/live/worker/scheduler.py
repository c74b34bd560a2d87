"""Scheduler of many runs on one core. Each slice goes to the run that has used the least time."""

from __future__ import annotations

import math
import time
from bisect import bisect_left
from collections.abc import Callable
from typing import Any

from bnviz.config import RunConfig
from bnviz.live import log
from bnviz.live.protocol.heartbeat import Heartbeat
from bnviz.live.protocol.server_messages import words_of_failure
from bnviz.live.protocol.wire import Header
from bnviz.live.worker import gpu, map_work
from bnviz.live.worker.best_search import BestSearch
from bnviz.live.worker.hub_link import Send
from bnviz.live.worker.map_work import MapWork
from bnviz.live.worker.probe_schedule import TypicalCosts
from bnviz.live.worker.replay import Replay
from bnviz.live.worker.run import WorkerRun
from bnviz.live.worker.slow_probes import Link, MeasurerLink, OwnMeasurer

SLICE_SECONDS = 0.01
# Maximum head start, in seconds of work, of a run that becomes active again.
LAG_SECONDS = 0.05
# Share of a busy worker's time for background jobs, and the maximum credit and debt of these jobs
# in seconds.
BACKGROUND_SHARE = 0.15
MOST_BACKGROUND_CREDIT = 0.1
# Upper limits of the bins of slice lengths, in seconds of CPU time. One more bin counts longer
# slices.
BORDERS = (0.001, 0.002, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5, 1.0)

# Methods that handle the hub's messages to a run, by message type. Their arguments are all fields
# of the message except `HEAD`.
REQUESTS: dict[str, Callable[..., None]] = {
    "ack": WorkerRun.acknowledge,
    "set_knobs": WorkerRun.set_knobs,
    "control": WorkerRun.control,
    "step": WorkerRun.single_step,
    "want": WorkerRun.want,
    "checkpoint_wanted": WorkerRun.offer_checkpoint,
    "send_checkpoint": WorkerRun.send_checkpoint,
}
HEAD = ("type", "run", "generation")

# Jobs that get slices: a run, all maps together, or a background job of a run.
AnyJob = WorkerRun | MapWork | Replay | BestSearch


class Scheduler:
    """Scheduler of a worker's runs, their background jobs and its maps, without threads or pipes.

    Args:
        settle: function that waits until the work of a slice is done, called at the end of each
            slice.

    Attributes:
        maps: work for all maps, which together get the share of one run.
        ended: number of runs that have ended in this worker.
        idle: seconds without work since the last slice.
    """

    def __init__(
        self, send: Send, heartbeat: Heartbeat | None = None,
        link: Link | None = None, settle: Callable[[], None] = lambda: None,
    ) -> None:  # fmt: skip
        self._send, self._heartbeat, self._settle = send, heartbeat or Heartbeat(), settle
        self.costs = TypicalCosts()
        self.link: Link = link or MeasurerLink()
        self.slices = SliceTimes()
        self.maps = MapWork(send)
        self.runs: dict[str, WorkerRun] = {}
        self._background: dict[tuple[str, str], Replay | BestSearch] = {}
        # Largest value of `used` among jobs that got a slice in their normal turn. A new run begins
        # with this value.
        self._floor = 0.0
        self._background_credit = 0.0
        self._cpu, self.idle = time.thread_time(), 0.0
        self.busy_seconds, self.ended = 0.0, 0

    # Messages.

    def handle(self, header: Header, payload: bytes) -> None:
        """Handle a message from the hub. An exception in a run ends only that run."""
        kind = header["type"]
        if kind == "ping":
            self._send(
                {
                    "type": "pong", "busy": self.busy_seconds, "runs": len(self.runs),
                    "slices": self.slices.to_json(), "measurer": self.link.status(),
                }
            )  # fmt: skip
        elif kind == "start":
            self._start(header, payload)
        elif kind in map_work.KINDS:
            self.maps.handle(header)
        elif (run := self.runs.get(header["run"])) and run.generation == header["generation"]:
            with self._heartbeat.slice_of(run.id, run.step_seconds):
                try:
                    self._dispatch(run, kind, header)
                except Exception as problem:
                    self._fail_run(run, gpu.explained(problem))

    def _start(self, header: Header, payload: bytes) -> None:
        name = header["run"]
        self._end(name)
        try:
            checkpoint = self._nearest_checkpoint(header, payload)
            costs = self.costs.of(RunConfig(**header["config"]))
            run = WorkerRun(header, checkpoint, self._send, costs, self.link)
        except Exception as problem:
            self._send_error(name, header["generation"], problem)
            return
        run.used = self._floor
        self.link.warm_up()
        self.runs[name] = run

    def _nearest_checkpoint(self, header: Header, payload: bytes) -> bytes:
        """Return the checkpoint to begin from: the hub's, or a later one of the parent run."""
        parent, until = self.runs.get(header["parent"] or ""), header["forked_at"]
        if parent is not None and parent.config != RunConfig(**header["config"]):
            parent = None  # the parent has restarted with other knobs
        if parent is None or until is None:
            return payload
        checkpoint_step, checkpoint = parent.checkpoints.nearest(until)
        return checkpoint if checkpoint_step > header["checkpoint_step"] else payload

    def _dispatch(self, run: WorkerRun, kind: str, header: Header) -> None:
        match kind:
            case "ack_replayed":
                if isinstance(replay := self._background.get((run.id, "replay")), Replay):
                    replay.acknowledge()
            case "replay":
                replay = self._background.setdefault((run.id, kind), Replay(run, []))
                assert isinstance(replay, Replay)
                replay.extend(header["steps"])
            case "best":
                self._background.setdefault((run.id, kind), BestSearch(run))
            case "end":
                self._end(run.id)
            case _ if kind in REQUESTS:
                facts = {name: value for name, value in header.items() if name not in HEAD}
                REQUESTS[kind](run, **facts)

    def _end(self, name: str) -> None:
        run = self.runs.pop(name, None)
        if run is not None:
            self.ended += 1
            run.close()
            self.link.forget(name)
        for key, job in self._background.items():
            if key[0] == name:
                job.close()
        self._background = {key: job for key, job in self._background.items() if key[0] != name}

    def take_answers(self) -> None:
        for header, payload in self.link.answers():
            run = self.runs.get(header["run"])
            if run is None:
                continue
            try:
                run.take_slow_values(header, payload)
            except Exception as problem:
                self._fail_run(run, problem)

    # Work.

    def wait(self) -> float:
        """Return the seconds until work is due: 0 if it is due now, infinity without any work."""
        if self._measured_here() is not None:
            return 0.0
        now = time.perf_counter()
        jobs: list[AnyJob] = [*self.runs.values(), *self._background.values(), self.maps]
        return max(0.0, min(job.due(now) for job in jobs) - now)

    def work(self) -> None:
        """Give one slice to a background job, or to the due run that has used the least time."""
        now = time.perf_counter()
        runs = self._accrue(now)
        background = [(key, job) for key, job in self._background.items() if job.due(now) <= now]
        job: AnyJob
        if runs and not (background and self._background_credit > 0):
            job = min(runs, key=lambda run: (not run.urgent, run.used))
            job.used = max(job.used, self._floor - LAG_SECONDS)
            if not job.urgent:
                self._floor = max(self._floor, job.used)
            self._slice(job, job, now)
        elif background:
            # The first background job has waited the longest.
            key, job = background[0]
            self._slice(job, job.run, now, contended=bool(runs))
            if self._background.pop(key, None) and not job.done:
                self._background[key] = job
        if isinstance(self.link, OwnMeasurer) and (name := self._measured_here()) is not None:
            with self._heartbeat.slice_of(name, self.runs[name].step_seconds):
                self.link.work()
                try:
                    self._settle()
                except Exception as problem:
                    # If the GPU is lost, the run that is being measured is to blame.
                    gpu.explained(problem)
                    raise

    def _measured_here(self) -> str | None:
        """Return the id of the run whose slow probes this process measures next, or None."""
        return self.link.working if isinstance(self.link, OwnMeasurer) else None

    def _slice(
        self, job: AnyJob, run: WorkerRun | MapWork, now: float,
        *, contended: bool = True,
    ) -> None:  # fmt: skip
        """Let a job work for one slice, and charge the time to its run."""
        began = time.thread_time()
        with self._heartbeat.slice_of(run.id, run.step_seconds):
            try:
                job.work(now + SLICE_SECONDS)
                self._settle()
            except Exception as problem:
                self._fail_job(job, gpu.explained(problem))
        spent = time.thread_time() - began
        self.busy_seconds += spent
        config = run.config
        size = f"{config.layer_count}×{config.width}, batch {config.batch_size}"
        self.slices.add(spent, f"{job.kind_of_work} of {config.network} {size}")
        if isinstance(job, WorkerRun | MapWork):
            job.charge(spent)
            earned = spent * BACKGROUND_SHARE / (1 - BACKGROUND_SHARE)
            self._background_credit = min(self._background_credit + earned, MOST_BACKGROUND_CREDIT)
        elif contended:
            self._background_credit = max(self._background_credit - spent, -MOST_BACKGROUND_CREDIT)

    def _accrue(self, now: float) -> list[WorkerRun | MapWork]:
        """Add to the measuring budget of each job that has work. Return the jobs that are due.

        The time added is the worker's CPU time plus its idle time, without that of other programs.
        """
        cpu = time.thread_time()
        seconds, self._cpu, self.idle = cpu - self._cpu + self.idle, cpu, 0.0
        jobs: list[WorkerRun | MapWork] = [*self.runs.values(), self.maps]
        dues = [(job, job.due(now)) for job in jobs]
        working = [job for job, due in dues if due < math.inf]
        shares = sum(job.weight for job in working)
        for job in working:
            job.accrue(seconds, shares / job.weight)
        return [job for job, due in dues if due <= now]

    def _fail_job(self, job: AnyJob, problem: Exception) -> None:
        if isinstance(job, WorkerRun):
            self._fail_run(job, problem)
            return
        log.event("job failed", exc_info=True, kind=type(job).__name__)
        if isinstance(job, BestSearch):
            job.give_up()
        self._background = {
            key: checkpoint for key, checkpoint in self._background.items() if checkpoint is not job
        }

    def _fail_run(self, run: WorkerRun, problem: Exception) -> None:
        self._end(run.id)
        self._send_error(run.id, run.generation, problem)

    def _send_error(self, name: str, generation: int, problem: Exception) -> None:
        log.event("run failed", exc_info=True, run=name)
        facts = words_of_failure(problem)
        self._send({"type": "error", "run": name, "generation": generation, **facts})


class SliceTimes:
    """Number of slices by length, and the longest slice."""

    def __init__(self) -> None:
        self._counts = [0] * (len(BORDERS) + 1)
        self._longest, self._longest_name = 0.0, ""

    def add(self, seconds: float, name: str) -> None:
        self._counts[bisect_left(BORDERS, seconds)] += 1
        if seconds > self._longest:
            self._longest, self._longest_name = seconds, name

    def to_json(self) -> dict[str, Any]:
        return {
            "borders_seconds": BORDERS,
            "counts": self._counts,
            "longest_seconds": round(self._longest, 4),
            "longest": self._longest_name,
        }
