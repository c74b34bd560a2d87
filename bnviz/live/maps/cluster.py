"""The process that runs stacks on a Ray cluster: `python -m bnviz.live.worker.cluster`.

The server itself never imports Ray. An error in the cluster ends that process, and no run.
"""

from __future__ import annotations

from typing import Any

from bnviz.live.protocol.wire import Header
from bnviz.live.runs.worker_process import Program
from bnviz.live.runs.workers import Workers
from bnviz.live.settings import Settings
from bnviz.words.phrase import PhraseText, phrase

MODULE = "bnviz.live.worker.cluster"
# Its place among the workers, and the number of its process in the log.
CLUSTER = -1
# At most so long between two tries: each takes seconds of a core, also where there is no cluster.
LONGEST_PAUSE = 30.0


class MapCluster(Workers):
    """The process that is joined to a cluster; it joins again whenever the cluster was lost.

    Its place is `CLUSTER`.

    Args:
        settings: which cluster.
    """

    def __init__(self, settings: Settings) -> None:
        program = Program(
            MODULE, (settings.map_cluster,), trains=False, longest_pause=LONGEST_PAUSE
        )
        super().__init__(settings, (CLUSTER,), program)
        self._facts: Header = {"cores": 0, "lost": 0}
        self._problem = PhraseText(phrase("errors.map_cluster_joining"))

    @property
    def cores(self) -> int:
        """Of all its machines together, by its last message; 0 while it is not joined."""
        return int(self._facts["cores"]) if self.problem is None else 0

    @property
    def problem(self) -> str | None:
        """Why it can run nothing now; None: it is joined."""
        process = self.at(CLUSTER)
        return None if process is not None and process.ready else self._problem

    def status(self) -> dict[str, Any]:
        process = self.at(CLUSTER)
        return {
            "pid": process and process.pid, "times_ended": self.deaths,
            "cores": self.cores, "stacks_run_again": self._facts["lost"],
            "problem": self.problem and str(self.problem),
        }  # fmt: skip

    def take(self, header: Header) -> bool:
        """Take what a message says of the cluster. Returns whether it says more."""
        if header["type"] == "not_joined":
            self._problem = PhraseText(phrase(header["key"]))
            return False
        if header["type"] == "ready":
            # The problem from the moment on at which the process ends.
            self._problem = PhraseText(phrase("errors.map_cluster_broke"))
        self._facts = header.get("cluster", self._facts)
        return True
