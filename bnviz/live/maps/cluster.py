"""The process through which maps are drawn on a Ray cluster: `python -m bnviz.live.worker.cluster`.

The server itself never imports Ray. What goes wrong with a cluster ends that process, and no run.
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
# Its place, beside those of the workers; the number of its process in the log.
CLUSTER = -1
# To join a cluster costs seconds of a core, whether it is there or not.
LONGEST_PAUSE = 30.0


class MapCluster:
    """A cluster, joined as long as the server runs; joined again whenever it was lost.

    Args:
        settings: which cluster.
        on_message: see `Workers`.
        on_death: see `Workers`; the process is at the place `CLUSTER`.
    """

    def __init__(
        self, settings: Settings, on_message: OnMessage, on_death: Callable[[Death], None]
    ) -> None:
        self._on_message = on_message
        program = Program(
            MODULE, (settings.map_cluster,), trains=False, longest_pause=LONGEST_PAUSE
        )
        self._places = Workers(
            settings, (CLUSTER,), self._receive, lambda place: None, on_death, program
        )
        self._facts: Header = {"cores": 0, "lost": 0}
        self._problem = PhraseText(phrase("errors.map_cluster_joining"))

    def start(self) -> None:
        """Begin to join it."""
        self._places.start()

    async def stop(self) -> None:
        """Leave it."""
        await self._places.stop()

    def check(self) -> None:
        """Ask for a sign of life; see `Workers`."""
        self._places.check()

    def send(self, header: Header) -> None:
        """Send a message about maps, if the cluster is there just now."""
        self._places.send(CLUSTER, header)

    @property
    def cores(self) -> int:
        """Of all its machines together, as they were last told."""
        return int(self._facts["cores"]) if self.problem is None else 0

    @property
    def problem(self) -> str | None:
        """Why nothing can be drawn there now; None: it is joined."""
        process = self._places.at(CLUSTER)
        return None if process is not None and process.ready else self._problem

    def status(self) -> dict[str, Any]:
        """Plain values for `/status`."""
        process = self._places.at(CLUSTER)
        return {
            "pid": process and process.pid, "times_ended": self._places.deaths,
            "cores": self.cores, "stacks_run_again": self._facts["lost"],
            "problem": self.problem and str(self.problem),
        }  # fmt: skip

    def _receive(self, process: WorkerProcess, header: Header, payload: bytes) -> None:
        if header["type"] == "not_joined":
            self._problem = PhraseText(phrase(header["key"]))
            return
        if header["type"] == "ready":
            # What is to be said once it is ready no more, unless it says something else itself.
            self._problem = PhraseText(phrase("errors.map_cluster_broke"))
        if "cluster" in header:
            self._facts = header["cluster"]
        self._on_message(process, header, payload)
