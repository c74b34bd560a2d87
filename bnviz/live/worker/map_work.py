"""What a worker does for maps: a stack of networks run to its last step, an edge measured.

All maps of a worker as one job: they weigh as one run, and one stack is in work at a time.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import torch

from bnviz.checks import FLOPS_PER_SECOND
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.live import log
from bnviz.live.protocol.server_messages import words_of
from bnviz.live.protocol.wire import Header, problem_text
from bnviz.live.worker.builder import ThreadedBuild
from bnviz.live.worker.hub_link import Send
from bnviz.pieces import Pieces
from bnviz.sweeps.cells import Cell, plain_outcome
from bnviz.sweeps.stacks import Build, at_once, run_stack

Made = TypeVar("Made")

EDGE = "sharpness"


class StackJob:
    """One message of the hub that asks for work, in slices.

    Attributes:
        map: its key.
        head: the facts of the message that every answer repeats.
        name: in whose slice the worker is, for the heartbeat.
        config: of its first network.
        seconds: of CPU time so far ...
        built_seconds: ... and for building its networks, beside its slices.
        longest: the longest piece so far, or an estimate.
        answer: the message for the hub once it is done, but for `head`.
    """

    what = "stack"

    def __init__(self, header: Header) -> None:
        self.map, self.head, self.name = header["map"], head_of(header), slice_name(header)
        self.config = RunConfig.from_query(header["cells"][0])
        self.seconds = self.built_seconds = 0.0
        self.longest = self.config.flops_per_step() / FLOPS_PER_SECOND * len(header["cells"])
        self.answer: dict[str, Any] = {}
        self._building: ThreadedBuild[Any] | None = None
        self._work = self._begin(header)

    def due(self, now: float) -> float:
        """When there is work: at any time but while networks are built."""
        return now if self._building is None else self._building.due(now)

    def work(self, deadline: float) -> bool:
        """Pieces until `deadline`. Returns whether all is done."""
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
            if self._building is not None or now >= deadline:
                return False

    def close(self) -> None:
        """It is not needed any more."""
        if self._building is not None:
            self._building.abandon()

    def _begin(self, header: Header) -> Pieces[dict[str, Any]]:
        steps = header["steps"]
        cells = [Cell(RunConfig.from_query(query), steps) for query in header["cells"]]
        yield
        outcomes = yield from run_stack(cells, self._build)
        found = [plain_outcome(outcome) for outcome in outcomes]
        return {"type": "stacked", "seconds": self.seconds, "outcomes": found}

    def _build(self, make: Callable[[], Made]) -> Pieces[Made]:
        self._building = building = ThreadedBuild(self.config, make)
        while not building.done:
            yield
        self._building = None
        self.built_seconds += building.seconds
        self.seconds += building.seconds
        return building.result()


class EdgeJob(StackJob):
    """The edge of stability of a network at step 0."""

    what = "edge"

    def _begin(self, header: Header) -> Pieces[dict[str, Any]]:
        return {"type": "edged", "edge": (yield from measure_edge(self.config, self._build))}


def measure_edge(config: RunConfig, build: Build = at_once) -> Pieces[float | None]:
    """The edge of stability of a network at step 0; networks that are too large have none."""

    def ready() -> Experiment:
        # torch's autograd takes longer than a slice may when it is first used.
        _warm_up()
        return Experiment(config)

    experiment = yield from build(ready)
    found = yield from experiment.moment().probe((EDGE,))
    values = found[config.norms[0]].get(EDGE)
    return float(values["edge"]) if values else None


@cache
def _warm_up() -> None:
    tiny = RunConfig(depth=1, width=2, batch_size=2, norms=("none",), device="cpu")
    Experiment(tiny).snapshot((EDGE,))


def head_of(header: Header) -> Header:
    """The facts of a message that every answer repeats."""
    return {"map": header["map"], "number": header["number"]}


def slice_name(header: Header) -> str:
    """What a heartbeat calls the slices of a message's work; no run's id has a colon."""
    return f"map:{header['map']}:{header['number']}"


# The messages of the hub that are meant for maps.
KINDS = ("stack", "edge", "drop_map")
# What a run beside maps loses besides their time (they take its values out of the core's caches)
# is charged to them.
MARGIN = 1.5


class MapWork:
    """The stacks asked for, in order. A waiting one costs nothing.

    Attributes:
        used: seconds of the worker's time; the scheduler keeps account of them.
        urgent: never: nobody waits for a map's next cells as for a frame.
        what: the kind of work that the last slice did ...
        config: ... and the first network of its stack.
    """

    urgent = False

    def __init__(self, send: Send) -> None:
        self.used = 0.0
        self.what, self.config = "stack", RunConfig()
        self._send = send
        self._waiting: deque[Header] = deque()
        self._piece: StackJob | None = None

    # What the hub asks for.

    def handle(self, header: Header) -> None:
        """Take in a message: a stack or an edge to be worked on, or a map that is over."""
        if header["type"] != "drop_map":
            self._waiting.append(header)
            return
        key = header["map"]
        self._waiting = deque(kept for kept in self._waiting if kept["map"] != key)
        if self._piece is not None and self._piece.map == key:
            self._piece.close()
            self._piece = None

    # What the scheduler asks for.

    @property
    def id(self) -> str:
        """Of the stack in work, or of the next."""
        if self._piece is not None:
            return self._piece.name
        return slice_name(self._waiting[0]) if self._waiting else "map"

    @property
    def step_seconds(self) -> float:
        """How long a step of the stack in work takes."""
        return self._piece.longest if self._piece is not None else 0.0

    def accrue(self, seconds: float, runs: float) -> None:
        """Runs earn time for measuring; maps measure nothing."""

    def due(self, now: float) -> float:
        """When there is work: a time of the monotonic clock, infinity for not before a message."""
        if self._piece is not None:
            return self._piece.due(now)
        return now if self._waiting else math.inf

    def work(self, deadline: float) -> None:
        """One slice of the stack in work, or of the next. What is wrong with it ends it alone."""
        head = self._piece.head if self._piece is not None else head_of(self._waiting[0])
        try:
            if self._piece is None:
                self._piece = _open(self._waiting.popleft())
            piece = self._piece
            self.what, self.config = piece.what, piece.config
            done = piece.work(deadline)
            # Networks are built beside the slices.
            self.used, piece.built_seconds = self.used + piece.built_seconds, 0.0
            if not done:
                return
            answer = piece.answer
        except Exception as problem:
            log.event("stack failed", exc_info=True, map=head["map"][:8])
            facts = {**words_of(problem), "message": problem_text(problem)}
            answer = {"type": "stack_failed", **facts}
        self._piece = None
        self._send({**answer, **head})


def _open(header: Header) -> StackJob:
    return EdgeJob(header) if header["type"] == "edge" else StackJob(header)
