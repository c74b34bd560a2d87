"""What the hub does with the messages of its workers. Runs on the event loop."""

from __future__ import annotations

import dataclasses

from bnviz.checks import FLOPS_PER_SECOND
from bnviz.live import log
from bnviz.live.protocol import server_messages
from bnviz.live.protocol.frames import compose, read_change
from bnviz.live.protocol.wire import Header
from bnviz.live.runs import run_messages
from bnviz.live.runs.live_knobs import confirm
from bnviz.live.runs.registry import RunRegistry
from bnviz.live.runs.run import Run
from bnviz.live.runs.worker_process import WorkerProcess
from bnviz.live.runs.workers import WorkerClient
from bnviz.records import Break

# The search for the best rates takes a thousand steps and more. Networks that take more seconds a
# step than this are searched only when somebody asks.
SEARCHED_UNASKED = 0.01


class WorkerMessages:
    """One method for each kind of message.

    Args:
        state: of the hub.
        maps: take the messages of their stacks.
    """

    def __init__(self, state: RunRegistry, maps: WorkerClient | None = None) -> None:
        self._state, self._maps = state, maps

    def receive(self, worker: WorkerProcess, header: Header, payload: bytes) -> None:
        """Take in one message; of a run that has moved to another worker since, it is dropped."""
        kind = header["type"]
        if kind == "ready":
            worker.ready = True
            log.event("worker ready", worker=worker.number, pid=worker.pid)
            if self._maps is not None:
                self._maps.look_after()
            return
        if kind == "pong":
            worker.take_pong(header)
            return
        if self._maps is not None and self._maps.receive(header):
            return
        with self._state.lock:
            run = self._state.runs.get(header["run"])
            if (
                run is not None
                and run.generation == header["generation"]
                and run.worker == worker.number
            ):
                _HANDLERS[kind](self, run, header, payload)

    def _frame(self, run: Run, header: Header, payload: bytes) -> None:
        self._state.send(run, "ack")
        self._state.frames += 1
        # A frame of an earlier step may come after the news that the run has gone on.
        run.step = max(run.step, header["step"])
        if run.catch_up_to is not None and header["step"] >= run.catch_up_to:
            run.catch_up_to = None
        _take_stops(run, header)
        if run.behind != header["behind"]:
            run.behind = header["behind"]
            self._state.tell_status(run)
        seq = run.history.add(header["step"], payload)
        self._take_breaks(run, header)
        self._search(run, header)
        if run.viewers:
            frame = compose(run.id, seq, run.standing(), payload).decode()
            for viewer in run.viewers:
                viewer.offer_frame(seq, frame)

    def _take_breaks(self, run: Run, header: Header) -> None:
        found = {
            norm: Break(**broke) for norm, broke in header["breaks"].items() if broke is not None
        }
        for norm, broke in found.items():
            if run.breaks.get(norm) != broke:
                run.history.add_break(broke.step)
        run.breaks = found

    def _search(self, run: Run, header: Header) -> None:
        """Once a network is in trouble, search for the best rate of each."""
        if run.searched or not (run.breaks or header["stuck"]):
            return
        if run.config.flops_per_step() <= SEARCHED_UNASKED * FLOPS_PER_SECOND:
            self._state.search(run)

    def _unseen(self, run: Run, header: Header, payload: bytes) -> None:
        """Steps were passed while nobody looked. Whoever looks now is told before the next frame
        comes, to which no line is drawn from the last one.
        """
        run.step = max(run.step, header["last"])
        run.history.pass_unseen(header["first"], header["last"])
        for viewer in run.viewers:
            viewer.offer(run_messages.unseen(run))

    def _replayed(self, run: Run, header: Header, payload: bytes) -> None:
        self._state.send(run, "ack_replayed")
        run.history.add(header["step"], payload, replayed=True)
        run.history_changed = True

    def _changed(self, run: Run, header: Header, payload: bytes) -> None:
        """Values took effect; `change` is null where the run had them already."""
        pending = run.pending.pop(header["number"], None)
        change = read_change(header["change"]) if header["change"] else None
        if header["planned"] is not None:
            run.take_planned(change, header["planned"])
            self._state.tell(run, run_messages.knobs(run))
        elif change is not None and run.plan is not None and run.plan.yields:
            run.plan = dataclasses.replace(run.plan, changes=())
        _take_stops(run, header)
        if change is not None:
            run.log.add(change)
            run.history.add_change(change)
        if pending is not None:
            confirm(pending, header["step"])

    def _plan_refused(self, run: Run, header: Header, payload: bytes) -> None:
        """One of the plan's changes is none for the run as it is now: it is left out."""
        run.planned = header["planned"]
        log.event("planned change refused", run=run.id, problem=header["message"])
        self._state.tell(
            run,
            server_messages.notice(
                "planned_refused", **server_messages.words_of(server_messages.read_words(header))
            ),
        )

    def _state_changed(self, run: Run, header: Header, payload: bytes) -> None:
        _take_stops(run, header)
        # While nobody looks no frames come, but the run steps on.
        run.step = max(run.step, header["step"])
        if header["reason"] == "reached":
            run.reached_at = header["step"]
        if header["reason"] is not None and header["order"] == run.order:
            run.playing, run.reason = False, header["reason"]
        self._state.tell_status(run)

    def _checkpoint(self, run: Run, header: Header, payload: bytes) -> None:
        run.checkpoint = (header["step"], payload)

    def _checkpoint_for(self, run: Run, header: Header, payload: bytes) -> None:
        """A checkpoint of this run for its fork, or none."""
        fork = self._state.runs.get(header["fork"])
        if fork is None or not fork.awaits_checkpoint:
            return
        known = fork.checkpoint[0] if fork.checkpoint else -1
        if payload and known < header["step"] <= (fork.catch_up_to or 0):
            fork.checkpoint = (header["step"], payload)
        self._state.begin_fork(fork)

    def _best(self, run: Run, header: Header, payload: bytes) -> None:
        run.best = {name: header[name] for name in ("rates", "tried", "steps", "knobs")}
        run.searching = None
        self._state.tell(run, {"type": "best", **run.best})

    def _searching(self, run: Run, header: Header, payload: bytes) -> None:
        run.searching = header["share"]
        self._state.tell(run, run_messages.searching(run))

    def _note(self, run: Run, header: Header, payload: bytes) -> None:
        run.note = server_messages.read_words(header)
        self._state.tell(run, server_messages.notice("note", **server_messages.words_of(run.note)))

    def _slow(self, run: Run, header: Header, payload: bytes) -> None:
        run.slow = True
        self._state.tell(run, server_messages.notice("slow"))

    def _error(self, run: Run, header: Header, payload: bytes) -> None:
        self._state.fail(run, server_messages.read_words(header))


def _take_stops(run: Run, header: Header) -> None:
    run.origin, run.pause_at = header["origin"], header["pause_at"]
    run.target = header["target"]


_HANDLERS = {
    "frame": WorkerMessages._frame,
    "unseen": WorkerMessages._unseen,
    "replayed": WorkerMessages._replayed,
    "changed": WorkerMessages._changed,
    "plan_refused": WorkerMessages._plan_refused,
    "state": WorkerMessages._state_changed,
    "checkpoint": WorkerMessages._checkpoint,
    "checkpoint_for": WorkerMessages._checkpoint_for,
    "best": WorkerMessages._best,
    "searching": WorkerMessages._searching,
    "note": WorkerMessages._note,
    "slow": WorkerMessages._slow,
    "error": WorkerMessages._error,
}
