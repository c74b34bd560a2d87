"""Map work of a worker, which trains stacks of networks to their last step.

All maps together are one job with the time share of one run. It works on one stack at a time.
"""

from __future__ import annotations

import math
import time
from collections import deque
from functools import partial

import torch

from bnviz.config import RunConfig
from bnviz.device import CPU_LIMITS
from bnviz.live import log
from bnviz.live.protocol.server_messages import words_of_failure
from bnviz.live.protocol.wire import Header
from bnviz.live.worker import gpu
from bnviz.live.worker.builder import Builder
from bnviz.live.worker.hub_link import Send
from bnviz.pieces import Pieces
from bnviz.sweeps.device_stacks import run_on_device
from bnviz.sweeps.rows import plain_outcome, read_cells
from bnviz.sweeps.stacks import run_stack

# Types of the messages from the hub that concern maps.
KINDS = ("stack", "drop_map")
# Seconds charged per second of map work. The charge exceeds 1 second, because map work also evicts
# the data of runs from the core's caches.
MARGIN = 1.5
# First estimate, in seconds, of the duration of the longest piece of GPU work, which is the
# recording of a step.
FIRST_PIECE_ON_GPU = 1.0


class MapWork:
    """Queue of stacks that the hub has requested, trained in slices.

    Attributes:
        used: worker seconds divided by `weight`. The job with the smallest value is next.
        weight: share of the worker for all maps together, relative to a run in view.
        urgent: always False, because nobody waits for the next cells of a map.
    """

    urgent = False

    def __init__(self, send: Send) -> None:
        self.used, self.weight = 0.0, 1 / MARGIN
        self.kind_of_work, self.config = "stack", RunConfig()
        self._send = send
        # Requests of the hub. The first request is the one being worked on.
        self._queue: deque[Header] = deque()
        self._job: StackJob | None = None
        # Key of the last map trained on the GPU, and the memory pool of its recorded steps.
        self._on_gpu: tuple[str, object | None] = "", None

    # Requests of the hub.

    def handle(self, header: Header) -> None:
        if header["type"] != "drop_map":
            self._queue.append(header)
            return
        key = header["map"]
        if self._job is not None and self._queue[0]["map"] == key:
            self._job.close()
            self._job = None
        self._queue = deque(kept for kept in self._queue if kept["map"] != key)
        if self._on_gpu[0] == key:
            self._on_gpu = "", None

    def _pool(self, key: str) -> object | None:
        """Return the memory pool for the recorded steps of a map."""
        if self._on_gpu[0] != key:
            self._on_gpu = "", None
            self._on_gpu = key, gpu.new_pool()
        return self._on_gpu[1]

    # Interface for the scheduler.

    @property
    def id(self) -> str:
        """Name of the current or next job. It has a colon, so it differs from the ids of runs."""
        return "map:{map}:{number}".format(**self._queue[0]) if self._queue else "map"

    @property
    def step_seconds(self) -> float:
        return self._job.longest if self._job is not None else 0.0

    def charge(self, seconds: float) -> None:
        self.used += seconds / self.weight

    def accrue(self, seconds: float, runs: float) -> None:
        """Do nothing, because only runs have a measuring budget. Maps do not measure probes."""

    def due(self, now: float) -> float:
        if self._job is not None:
            return self._job.due(now)
        return now if self._queue else math.inf

    def work(self, deadline: float) -> None:
        """Work on the first stack for one slice. Send its result or exception when it ends."""
        header = self._queue[0]
        head = {"map": header["map"], "number": header["number"]}
        try:
            if self._job is None:
                pool = self._pool(header["map"]) if header["on_gpu"] else None
                self._job = StackJob(header, pool)
            job = self._job
            self.kind_of_work, self.config = job.kind_of_work, job.config
            done = job.work(deadline)
            # A thread builds the networks outside the slices, so add its time here.
            self.used += job.built_seconds
            job.seconds += job.built_seconds
            job.built_seconds = 0.0
            if not done:
                return
            answer = job.answer
        except Exception as problem:
            log.event("stack failed", exc_info=True, map=head["map"])
            answer = {"type": "stack_failed", **words_of_failure(gpu.explained(problem))}
        self._job = None
        self._queue.popleft()
        self._send({**answer, **head})


class StackJob(Builder):
    """Stack of networks that is trained to its last step.

    Attributes:
        seconds: CPU time so far, including charged building time.
        longest: duration in seconds of the longest piece of work so far; at first an estimate.
    """

    kind_of_work = "stack"

    def __init__(self, header: Header, pool: object | None) -> None:
        self._cells, self._pool = read_cells(header), pool
        self.config = self._cells[0].config
        self.seconds = 0.0
        operations = self.config.flops_per_step() * len(self._cells)
        self.longest = (
            FIRST_PIECE_ON_GPU if header["on_gpu"] else operations / CPU_LIMITS.flops_per_second
        )
        self.answer: Header = {}
        self._work = self._begin(header)

    def work(self, deadline: float) -> bool:
        """Work until `deadline`, or until networks must be built. Return whether the job ended."""
        while True:
            began, cpu = time.perf_counter(), time.thread_time()
            try:
                with torch.no_grad():
                    next(self._work)
            except StopIteration as end:
                self.answer = end.value
                return True
            now = time.perf_counter()
            self.seconds += time.thread_time() - cpu
            self.longest = max(self.longest, now - began)
            if self.building is not None or now >= deadline:
                return False

    def close(self) -> None:
        """Stop the work and free its memory, including its GPU memory."""
        super().close()
        # The generator and this job refer to each other, so without this, their memory would not be
        # freed at once.
        self._work.close()

    def _begin(self, header: Header) -> Pieces[Header]:
        build = partial(self.build, self.config)
        if header["on_gpu"]:
            outcomes = yield from run_on_device(self._cells, build, pool=self._pool)
        else:
            outcomes = yield from run_stack(self._cells, build)
        found = [plain_outcome(outcome) for outcome in outcomes]
        seconds = self.seconds + self.built_seconds
        return {"type": "stacked", "seconds": seconds, "outcomes": found}
