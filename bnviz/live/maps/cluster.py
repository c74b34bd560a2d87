"""The process that runs stacks on a Ray cluster: `python -m bnviz.live.worker.cluster`.

The server itself never imports Ray. An error in the cluster ends that process, and no run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bnviz.live.protocol.wire import Header
from bnviz.live.runs.worker_process import Death, OnMessage, Program, WorkerProcess
from bnviz.live.runs.workers import Workers
from bnviz.live.settings import Settings
from bnviz.words.phrase import PhraseText, phrase

MODULE = "bnviz.live.worker.cluster"
# Its place among the workers, and the number of its process in the log.
CLUSTER = -1
# At most so long between two tries: each takes seconds of a core, also where there is no cluster.
LONGEST_PAUSE = 30.0


class MapCluster:
    """The connection to a cluster: it is joined, and joined again whenever it was lost.

    Args:
        settings: which cluster.
        on_message: see `Workers`.
        on_death: see `Workers`; the process has the place `CLUSTER`.
    """

    def __init__(
        self, settings: Settings, on_message: OnMessage, on_death: Callable[[Death], None]
    ) -> None:
        self._on_message = on_message
        program = Program(
            MODULE, (settings.map_cluster,), trains=False, longest_pause=LONGEST_PAUSE
        )
        self._workers = Workers(
            settings, (CLUSTER,), self._receive, lambda place: None, on_death, program
        )
        self._facts: Header = {"cores": 0, "lost": 0}
        self._problem = PhraseText(phrase("errors.map_cluster_joining"))

    def start(self) -> None:
        """Begin to join it, without waiting for that."""
        self._workers.start()

    async def stop(self) -> None:
        """Leave it."""
        await self._workers.stop()

    def check(self) -> None:
        """Ask for a heartbeat; see `Workers.check`."""
        self._workers.check()

    def send(self, header: Header) -> None:
        """Send a message to the process joined to the cluster; drop it while there is none."""
        self._workers.send(CLUSTER, header)

    @property
    def cores(self) -> int:
        """Of all its machines together, by its last message; 0 while it is not joined."""
        return int(self._facts["cores"]) if self.problem is None else 0

    @property
    def problem(self) -> str | None:
        """Why it can run nothing now; None: it is joined."""
        process = self._workers.at(CLUSTER)
        return None if process is not None and process.ready else self._problem

    def status(self) -> dict[str, Any]:
        """Plain values for `/status`."""
        process = self._workers.at(CLUSTER)
        return {
            "pid": process and process.pid, "times_ended": self._workers.deaths,
            "cores": self.cores, "stacks_run_again": self._facts["lost"],
            "problem": self.problem and str(self.problem),
        }  # fmt: skip

    def _receive(self, process: WorkerProcess, header: Header, payload: bytes) -> None:
        if header["type"] == "not_joined":
            self._problem = PhraseText(phrase(header["key"]))
            return
        if header["type"] == "ready":
            # The problem from the moment on at which the process ends.
            self._problem = PhraseText(phrase("errors.map_cluster_broke"))
        if "cluster" in header:
            self._facts = header["cluster"]
        self._on_message(process, header, payload)
