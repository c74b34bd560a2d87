"""Handlers for the messages from workers, on the event loop."""

from __future__ import annotations

from bnviz.change_log import read_change
from bnviz.device import CPU_LIMITS
from bnviz.live import log
from bnviz.live.protocol.frames import compose
from bnviz.live.protocol.server_messages import notice, read_words, words_of
from bnviz.live.protocol.wire import Header
from bnviz.live.runs import run_messages
from bnviz.live.runs.live_knobs import confirm
from bnviz.live.runs.placement import Checkpoint
from bnviz.live.runs.registry import RunRegistry
from bnviz.live.runs.run import Run
from bnviz.live.runs.worker_process import WorkerProcess
from bnviz.records import Break, from_plain

# Maximum number of seconds per step of a run for which the search for the best learning rates
# starts automatically. A search takes a thousand steps or more.
AUTOMATIC_SEARCH_SECONDS = 0.01


class WorkerMessages:
    """Handlers `on_<type>`, one per type of message about a run."""

    def __init__(self, registry: RunRegistry) -> None:
        self._registry = registry

    def receive(self, worker: WorkerProcess, header: Header, payload: bytes) -> None:
        """Handle a message, or drop it if the run has since been restarted or moved."""
        kind = header["type"]
        if kind == "ready":
            worker.ready = True
            log.event("worker ready", worker=worker.worker_index, pid=worker.pid)
            return
        if kind == "gpu":
            self._registry.take_gpu(header["gpu"])
            return
        if kind == "pong":
            worker.take_pong(header)
            return
        with self._registry.lock:
            run = self._registry.runs.get(header["run"])
            if (
                run is not None
                and run.placement.generation == header["generation"]
                and run.placement.worker == worker.worker_index
            ):
                getattr(self, f"on_{kind}")(run, header, payload)

    def on_frame(self, run: Run, header: Header, payload: bytes) -> None:
        self._registry.send(run, "ack")
        self._registry.counts["frames"] += 1
        # A frame may arrive after a message about a later step.
        run.step = max(run.step, header["step"])
        run.placement.arrive(header["step"])
        _take_stops(run, header)
        if run.behind != header["behind"]:
            run.behind = header["behind"]
            self._registry.broadcast_status(run)
        seq = run.history.add(header["step"], payload)
        found = {
            norm: from_plain(Break, broke) for norm, broke in header["breaks"].items() if broke
        }
        for norm, broke in found.items():
            if run.breaks.get(norm) != broke:
                run.history.add_break(broke.step)
        run.breaks = found
        # After a network breaks or gets stuck, search for the best learning rate of each network.
        affordable = AUTOMATIC_SEARCH_SECONDS * CPU_LIMITS.flops_per_second
        broken = bool(run.breaks) or header["stuck"]
        if broken and not run.searched and run.config.flops_per_step() <= affordable:
            self._registry.search_best_rates(run)
        if run.viewers:
            frame = compose(run.id, seq, run.numbered_status(), payload).decode()
            for viewer in run.viewers:
                run.frames_missed |= viewer.offer_frame(seq, frame)

    def on_unseen(self, run: Run, header: Header, payload: bytes) -> None:
        """Record steps without a viewer, and notify viewers before the next frame."""
        run.step = max(run.step, header["last"])
        run.history.pass_unseen(header["first"], header["last"])
        for viewer in run.viewers:
            viewer.offer(run_messages.unseen(run))

    def on_replayed(self, run: Run, header: Header, payload: bytes) -> None:
        self._registry.send(run, "ack_replayed")
        run.history.add(header["step"], payload, replayed=True)
        run.history_changed = True

    def on_changed(self, run: Run, header: Header, payload: bytes) -> None:
        """Apply values confirmed by a worker. `change` is null if the run already had them."""
        pending = run.pending.pop(header["number"], None)
        change = read_change(header["change"]) if header["change"] else None
        if header["planned"] is not None:
            run.take_planned_change(change, header["planned"])
            self._registry.broadcast(run, run_messages.knobs(run))
        elif change is not None and run.plan is not None:
            run.plan = run.plan.after_change_by_hand()
        _take_stops(run, header)
        if change is not None:
            run.log.add(change)
            run.history.add_change(change)
        self._registry.save(run)
        if pending is not None:
            confirm(pending, header["step"])

    def on_plan_refused(self, run: Run, header: Header, payload: bytes) -> None:
        """Skip a planned change that is not allowed in the current state of the run."""
        run.planned = header["planned"]
        log.event("planned change refused", run=run.id, problem=header["message"])
        self._registry.broadcast(run, notice("planned_refused", **words_of(read_words(header))))

    def on_state(self, run: Run, header: Header, payload: bytes) -> None:
        _take_stops(run, header)
        # Without viewers, the run sends no frames, so its step is taken from this message.
        run.step = max(run.step, header["step"])
        if header["reason"] is not None and header["command_number"] == run.command_number:
            run.playing, run.reason = False, header["reason"]
        self._registry.broadcast_status(run)

    def on_checkpoint(self, run: Run, header: Header, payload: bytes) -> None:
        run.placement.keep(Checkpoint(header["step"], payload))
        for arrival in run.checkpoint_arrivals:
            arrival.set()

    def on_checkpoint_for(self, run: Run, header: Header, payload: bytes) -> None:
        """Start a fork with its parent's checkpoint, or without one if the payload is empty."""
        fork = self._registry.runs.get(header["fork"])
        if fork is None or fork.placement.state != "waiting":
            return
        kept, step = fork.placement.checkpoint, header["step"]
        if payload and kept.step < step <= (fork.placement.forked_at or 0):
            fork.placement.keep(Checkpoint(step, payload))
        self._registry.start_fork(fork)

    def on_best(self, run: Run, header: Header, payload: bytes) -> None:
        run.best = {name: header[name] for name in ("rates", "steps", "knobs")}
        run.searching = None
        self._registry.broadcast(run, {"type": "best", **run.best})

    def on_searching(self, run: Run, header: Header, payload: bytes) -> None:
        run.searching = header["share"]
        self._registry.broadcast(run, run_messages.searching(run))

    def on_note(self, run: Run, header: Header, payload: bytes) -> None:
        run.note = read_words(header)
        self._registry.broadcast(run, notice("note", **words_of(run.note)))

    def on_slow(self, run: Run, header: Header, payload: bytes) -> None:
        run.slow = True
        self._registry.broadcast(run, notice("slow"))

    def on_error(self, run: Run, header: Header, payload: bytes) -> None:
        self._registry.fail(run, read_words(header))


def _take_stops(run: Run, header: Header) -> None:
    run.origin, run.pause_at = header["origin"], header["pause_at"]
    run.target = header["target"]
