"""Records of steps without a viewer, from the worker that takes the steps to the browsers that
receive the records.

The hub's parts and a worker's scheduler are real, but run without processes. The recorded spans are
compared with the observed steps after random events.
"""

from __future__ import annotations

import copy
import itertools
import random
import threading
import time
from collections import deque
from typing import Any

import pytest

from bnviz.live.protocol.wire import Unpacker, pack
from bnviz.live.runs.admission import inherit, new_run
from bnviz.live.runs.history import History
from bnviz.live.runs.registry import RunRegistry
from bnviz.live.runs.run import Run
from bnviz.live.runs.viewer import Viewer
from bnviz.live.runs.viewers import Viewers
from bnviz.live.runs.worker_messages import WorkerMessages
from bnviz.live.runs.worker_process import WorkerProcess
from bnviz.live.settings import Settings
from bnviz.live.worker.scheduler import Scheduler
from bnviz.live.worker.slow_probes import MeasurerLink
from tests.live.bench import warmed
from tests.live.conftest import OWNER, PATIENCE, SOME, LiveHub, until
from tests.live.conftest import SMALL as WATCHED
from tests.live.engine import SMALL

PLACE = WorkerProcess(0, lambda *_: None)
# Size limit of the history in bytes, so small that frames of a run of a hundred steps are thinned
# out.
CAP = 150_000
EVENTS = {
    "work": 16, "join": 4, "leave": 4, "hide": 4, "show": 2, "reload": 3, "sleep": 1, "pause": 2,
    "replay": 2, "fork": 1.5, "die": 2, "start_over": 0.3, "compare": 2,
}  # fmt: skip


class Passed:
    """Steps of a run, as seen by an independent observer of its step number.

    Attributes:
        steps: for each step, "seen", "unseen" or "either". "either" means that a viewer came or
            left around that step, or that a frame begun at that step may have been lost.
        shown: steps whose frames the hub received.
    """

    def __init__(self) -> None:
        self.steps: dict[int, str] = {}
        self.shown: set[int] = set()

    def up_to(self, step: int) -> Passed:
        past = Passed()
        past.steps = {at: how for at, how in self.steps.items() if at < step}
        past.shown = {at for at in self.shown if at <= step}
        return past

    def unseen(self, *how: str) -> set[int]:
        return {step for step, left in self.steps.items() if left in how} - self.shown


class Pair:
    """A hub's parts, a scheduler, and the pipe between them, whose unread messages can be lost.

    Args:
        measurer: link to the process for slow probes.
        chance: source of random choices.

    Attributes:
        past: observed steps of the run.
    """

    def __init__(self, measurer: MeasurerLink, chance: random.Random) -> None:
        self.chance, self._measurer = chance, measurer
        self.registry = RunRegistry(Settings(checkpoint_seconds=0.1, away_seconds=0))
        # Call functions at once, because there is no event loop.
        self.registry.call_soon = lambda call, *arguments: call(*arguments)  # type: ignore[method-assign]
        self.registry.send = self._to_worker  # type: ignore[method-assign]
        self.worker_messages = WorkerMessages(self.registry)
        self.watching = Viewers(self.registry)
        self.pipe: deque[tuple[dict[str, Any], bytes]] = deque()
        self.viewers: list[Viewer] = []
        self._new_worker()
        self.begin(None)

    def _new_worker(self) -> None:
        self.pipe.clear()
        self.scheduler = Scheduler(lambda *message: self.pipe.append(self._travelled(*message)))
        self.scheduler.link, self.scheduler.costs = self._measurer, copy.deepcopy(warmed())

    @staticmethod
    def _travelled(header: dict[str, Any], payload: bytes = b"") -> tuple[dict[str, Any], bytes]:
        return next(Unpacker().feed(pack(header, payload)))

    def _to_worker(self, run: Run, kind: str, payload: bytes = b"", **facts: Any) -> None:
        header = {"type": kind, "run": run.id, "generation": run.placement.generation, **facts}
        self.scheduler.handle(*self._travelled(header, payload))

    # Methods for the run and its viewers.

    def begin(self, step: int | None) -> None:
        """Begin a run, or fork the present run at a step. Nobody watches it yet."""
        parent = None if step is None else self.run
        self.run = new_run(
            SMALL, None, owner=OWNER, pace="full", playing=True, attended=True, changes=(),
            from_step=step, parent=parent and parent.id, wants=(), history=History(CAP),
        )  # fmt: skip
        inherit(self.run, parent)
        self.run.placement.assign(PLACE.worker_index)
        self.past = Passed() if step is None else self.past.up_to(step)
        self.registry.runs[self.run.id] = self.run
        self.start()
        if parent is not None:
            self.registry.end(parent, "its tab has moved on")

    def start(self) -> None:
        self._arrives_at = self.run.newest_step
        self.past = self.past.up_to(self._arrives_at)
        self._changed, self._begun = False, set[int]()
        self.registry.start_on_worker(self.run)

    def _looks(self, call: Any, *arguments: Any) -> None:
        before = self.run.frames_wanted
        call(*arguments)
        self._changed |= self.run.frames_wanted != before

    def join(self) -> None:
        self.viewers.append(viewer := Viewer(_nowhere, 5.0))
        self._looks(self.watching.join, self.run.id, viewer)
        self.watching.want(viewer, [SOME])

    def leave(self) -> None:
        while self.viewers:
            self._looks(self.watching.leave, self.viewers.pop())

    def hide(self) -> None:
        for viewer in self.viewers:
            self._looks(self.watching.hide, viewer, True)

    def show(self) -> None:
        if self.viewers:
            self._looks(self.watching.hide, self.chance.choice(self.viewers), False)

    def reload(self) -> None:
        self.leave()
        self.work(self.chance.randrange(3))
        self.join()

    def sleep(self) -> None:
        """Put an unwatched run to sleep. The next viewer wakes it."""
        if not self.run.frames_wanted:
            self.run.attended = False
            self.registry.send_control(self.run)

    def pause(self) -> None:
        self.run.playing = False
        self.registry.send_control(self.run)
        self.work(2)
        self.registry.play(self.run)

    # What happens.

    def work(self, steps: int | None = None) -> None:
        """Let the run take some steps unless it is paused, and let the hub read some messages."""
        goal = len(self.past.steps) + (self.chance.randrange(12) if steps is None else steps)
        pause, deadline = threading.Event(), time.monotonic() + PATIENCE
        while len(self.past.steps) < goal and self.scheduler.wait() < PATIENCE:
            assert time.monotonic() < deadline
            if wait := self.scheduler.wait():
                pause.wait(min(wait, 0.001))
            self._slice()
            if self.chance.random() < 0.5:
                self.read()

    def _slice(self) -> None:
        """Do one unit of work. If it completes a step, record whether the step was seen."""
        worker = self.scheduler.runs[self.run.id]
        before, framing = worker.step, worker._frames.frame is not None
        self.scheduler.take_answers()
        self.scheduler.work()
        if worker._frames.frame is not None and not framing:
            self._begun.add(before)
        if before >= self._arrives_at and worker.step == before + 1:
            how = "seen" if self.run.frames_wanted else "unseen"
            self.past.steps[before] = "either" if self._changed or before in self._begun else how
            self._changed = False

    def read(self) -> None:
        """Let the hub receive all messages."""
        while self.pipe:
            self._read_one()

    def _read_one(self) -> None:
        header, payload = self.pipe.popleft()
        if header["run"] == self.run.id and header["generation"] == self.run.placement.generation:
            if header["type"] in ("frame", "replayed"):
                self.past.shown.add(header["step"])
            self.worker_messages.receive(PLACE, header, payload)

    def replay(self) -> None:
        self.read()
        steps = {self.chance.randint(0, self.run.step) for _ in range(3)}
        self.registry.send(self.run, "replay", steps=sorted(steps))
        self.work()

    def fork(self) -> None:
        self.read()
        self.viewers.clear()
        self.begin(self.chance.randint(self.run.step // 2, self.run.step))

    def die(self) -> None:
        """Kill the worker. The messages that the hub has not read by then are lost."""
        for _ in range(self.chance.randint(0, len(self.pipe))):
            self._read_one()
        self.scheduler.handle({"type": "end", "run": self.run.id, "generation": 0}, b"")
        self._new_worker()
        self.start()

    def start_over(self) -> None:
        self.run.start_over()
        self.past = Passed()
        self.start()

    def compare(self) -> None:
        """Check that the recorded spans contain exactly the unseen steps."""
        self.work(1)
        self.registry.send_control(self.run)
        self.read()
        spans = list(self.run.history.unseen)
        record = {step for first, last in spans for step in range(first, last + 1)}
        assert self.past.unseen("unseen") <= record
        assert record <= self.past.unseen("unseen", "either")
        assert all(first <= last for first, last in spans)
        assert all(one[1] + 1 < other[0] for one, other in itertools.pairwise(spans))


async def _nowhere(_text: str) -> None:
    raise AssertionError("nothing is sent here")


@pytest.mark.parametrize("seed", range(3))
def test_on_record_are_exactly_the_steps_that_nobody_looked_at(measurer, monkeypatch, seed):
    # Allow only one unit of work per slice, so that any event can occur between two units.
    monkeypatch.setattr("bnviz.live.worker.scheduler.SLICE_SECONDS", 0.0)
    chance = random.Random(seed)
    pair = Pair(measurer, chance)
    first = ["work", "join", "leave", "work", "work", "compare"]
    events = chance.choices(list(EVENTS), list(EVENTS.values()), k=60)
    for event in [*first, *events, "compare"]:
        getattr(pair, event)()


def test_who_comes_back_hears_what_nobody_saw_before_the_next_frame(live: LiveHub):
    run = live.hub.start(OWNER, WATCHED, pace="full")
    first = live.watch(run)
    first.frame_at(1)
    assert first.said("hello")[0]["unseen"]["spans"] == []
    first.leave()
    until(lambda: live.info(run).reason == "unwatched")
    back = live.watch(run)
    unseen = live.hub.registry.runs[run].history.unseen
    until(lambda: unseen.plain()["spans"])
    # A span is sent before the next frame, so a frame beyond the last span was watched.
    until(lambda: back.frames() and back.frames()[-1]["step"] > unseen.plain()["spans"][-1][1])
    # Hide the page and show it again before the run goes to sleep.
    with live.limited(grace_seconds=3_600.0):
        live.call(lambda: live.hub.viewers.hide(back.viewer, hidden=True))
        hidden_at = live.info(run).step
        placement = live.hub.registry.runs[run].placement
        until(lambda: placement.checkpoint.step > hidden_at + 20)
        live.call(lambda: live.hub.viewers.hide(back.viewer, hidden=False))
    back.frame_at(live.info(run).step + 1)
    told = live.call(lambda: live.hub.registry.runs[run].history.unseen.plain())
    assert len(told["spans"]) == 2
    known, shown = [], None
    for message in back.messages:
        if message["type"] == "hello":
            known = message["unseen"]["spans"]
        elif message["type"] == "unseen":
            known = message["spans"]
        elif message["type"] == "frame":
            crossed = [span for span in told["spans"] if shown is not None
                       and shown < span[0] and span[1] < message["step"]]  # fmt: skip
            assert [span for span in crossed if span not in known] == []
            shown = message["step"]
    assert known == told["spans"]
