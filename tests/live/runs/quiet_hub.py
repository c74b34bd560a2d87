"""Hub whose workers only record their messages, so that nothing happens by itself."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import orjson
import pytest

from bnviz.live.hub import Hub
from bnviz.live.protocol.wire import Header
from bnviz.live.runs.run import Run
from bnviz.live.runs.worker_messages import WorkerMessages
from bnviz.live.runs.worker_process import WorkerProcess
from bnviz.live.settings import Settings

STOPS = {"origin": 0, "pause_at": 1_000, "target": 1_000}


class SilentWorkers:
    """Stand-in for the worker processes.

    Attributes:
        sent: worker, header and payload of each message.
        answer: function that is called with the header of each message.
    """

    has_gpu = False

    def __init__(self, settings: Settings, *_numbers: Any) -> None:
        self._count = settings.workers
        self.sent: list[tuple[int, Header, bytes]] = []
        self.answer: Callable[[Header], object] = lambda _header: None

    def start(self, *_callbacks: Any) -> None:
        pass

    def worker_indices(self, _device: str) -> list[int]:
        return [*range(self._count)]

    def at(self, place: int) -> None:
        return None

    def living(self) -> list[Any]:
        return []

    def end_hung(self) -> None: ...
    def check(self) -> None: ...

    def send(self, worker: int, header: Header, payload: bytes = b"") -> None:
        header = json.loads(json.dumps(header))
        self.sent.append((worker, header, payload))
        self.answer(header)


class QuietHub(Hub):
    """Hub with silent workers, on the running event loop."""

    def __init__(self, **settings: Any) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("bnviz.live.runs.registry.Workers", SilentWorkers)
            super().__init__(Settings(**{"workers": 2, **settings}))
        self.worker_messages = WorkerMessages(self.registry)
        self.registry.open(self.worker_messages.receive, lambda _: None)

    def run(self, run_id: str) -> Run:
        return self.registry.runs[run_id]

    def starts(self, run_id: str) -> list[tuple[int, Header, bytes]]:
        """Return the start messages of a run, with their workers and payloads."""
        workers: Any = self.registry.workers
        return [
            sent for sent in workers.sent if (sent[1]["type"], sent[1]["run"]) == ("start", run_id)
        ]

    def hear(self, run_id: str, kind: str, payload: bytes = b"", **facts: Any) -> None:
        """Let the hub receive a message from the worker that has the run."""
        run = self.run(run_id)
        known = {"run": run_id, "generation": run.placement.generation, "type": kind, **STOPS}
        worker = WorkerProcess(run.placement.worker or 0, lambda *_: None)
        self.worker_messages.receive(worker, {**known, **facts}, payload)

    def hear_frame(self, run_id: str, step: int, body: bytes = b"{}") -> int:
        """Let the hub receive a frame at a step, with the content `body`. Return its number."""
        content = {**orjson.loads(body), "step": step}
        networks = content.get("networks", {})
        breaks = {norm: network["broke"] for norm, network in networks.items()}
        self.hear(
            run_id, "frame", orjson.dumps(content), step=step, breaks=breaks, stuck=False,
            behind=False,
        )  # fmt: skip
        newest = self.run(run_id).history.newest
        assert newest is not None
        return newest.seq

    def hear_change(self, run_id: str, step: int, *, number: int | None = None, **values: Any):
        change = {"step": step, "values": values, "drag": 0}
        self.hear(run_id, "changed", number=number, planned=None, change=change, step=step)

    async def settle(self) -> None:
        """Let the event loop run the calls scheduled on it."""
        for _ in range(5):
            await asyncio.sleep(0)
