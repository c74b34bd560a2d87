"""Functions that kill and freeze real workers at chosen moments."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

from bnviz.live.runs.worker_process import WorkerProcess
from tests.live.conftest import LiveHub, until


def state(pid: int) -> str:
    """Return a process's state letter as in /proc. "Z" stands for a process that has ended or does
    not exist.
    """
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return "Z"


def alive(pid: int) -> bool:
    return state(pid) != "Z"


def worker_of(live: LiveHub, run: str) -> WorkerProcess:
    """Wait until the worker of a run is ready, and return the worker."""

    def ready():
        worker = live.hub.registry.workers.at(live.hub.registry.runs[run].placement.worker)
        return worker if worker is not None and worker.ready else None

    return until(ready)


def on_one_worker(live: LiveHub, *starts: Callable[[], str]) -> list[str]:
    """Start all runs on the same worker. In the meantime, mark the other workers as not ready."""
    with live.hub.registry.lock:
        first, *others = live.hub.registry.workers.living()
        for worker in others:
            worker.ready = False
        try:
            runs = [start() for start in starts]
        finally:
            for worker in others:
                worker.ready = True
        assert {live.hub.registry.runs[run].placement.worker for run in runs} == {
            first.worker_index
        }
    return runs


def freeze(worker: WorkerProcess) -> None:
    """Stop a process with SIGSTOP and wait until it has stopped."""
    os.kill(worker.pid, signal.SIGSTOP)
    until(lambda: state(worker.pid) == "T")


def freeze_in_slice(live: LiveHub, run: str) -> WorkerProcess:
    """Freeze a run's worker while it works on that run."""

    def frozen() -> bool:
        current = worker.slice()
        if current is None or current.run != run:
            return False
        freeze(worker)
        current = worker.slice()
        if current is not None and current.run == run:
            return True
        os.kill(worker.pid, signal.SIGCONT)
        return False

    worker = worker_of(live, run)
    until(frozen)
    return worker


def die_in_slice(live: LiveHub, run: str) -> None:
    """Kill a run's worker while it works on that run."""
    os.kill(freeze_in_slice(live, run).pid, signal.SIGKILL)


@contextmanager
def without_acknowledgements(live: LiveHub):
    """Drop the hub's acknowledgements of frames, and yield a list that collects the ids of the
    runs concerned.

    These runs continue and confirm changes, but send at most one more frame.
    """
    state = live.hub.registry
    send, deaf = state.send, []

    def all_but(run, kind, payload=b"", **facts):
        if kind == "ack":
            deaf.append(run.id)
        else:
            send(run, kind, payload, **facts)

    state.send = all_but
    try:
        yield deaf
    finally:
        del state.send
