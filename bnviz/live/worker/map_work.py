"""All maps of a worker as one job: they weigh as one run, and one stack is in work at a time."""

from __future__ import annotations

import math
from collections import deque

from bnviz.config import RunConfig
from bnviz.live import log
from bnviz.live.protocol.messages import said
from bnviz.live.protocol.wire import Header, problem_text
from bnviz.live.worker.reports import Send
from bnviz.live.worker.stack_work import EdgePiece, MapPiece, head_of, slice_name

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
        self._piece: MapPiece | None = None

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
            facts = {**said(problem), "message": problem_text(problem)}
            answer = {"type": "stack_failed", **facts}
        self._piece = None
        self._send({**answer, **head})


def _open(header: Header) -> MapPiece:
    return EdgePiece(header) if header["type"] == "edge" else MapPiece(header)
