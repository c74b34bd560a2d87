"""Process that runs maps on a Ray cluster, `python -m bnviz.live.worker.cluster ADDRESS`.

Like a worker, it receives messages on stdin and sends messages on stdout. It exits when stdin
closes, when it cannot join the cluster, or when the cluster is lost. The hub then starts another
process. It does not import torch, because the machines of the cluster train the networks.
"""

from __future__ import annotations

import os
import sys
from typing import NamedTuple

from bnviz.data.base import load
from bnviz.live import log
from bnviz.live.protocol.server_messages import words_of, words_of_failure
from bnviz.live.protocol.wire import Header
from bnviz.live.worker.hub_link import Send
from bnviz.live.worker.pipes import Pipes, standard_pipes
from bnviz.sweeps.ray_cluster import data_of, fingerprint, run_there
from bnviz.sweeps.ray_tasks import Call, LostForGoodError, NoClusterError, NoRayError, RayTasks
from bnviz.sweeps.rows import plain_outcome, read_cells
from bnviz.words.phrase import PhraseText, phrase

# Seconds between two checks for results, while the cluster has unfinished requests.
POLL_SECONDS = 0.02
# Text keys of the errors that mean that the cluster could not be joined. Any other error means that
# the cluster is lost.
NOT_JOINED: dict[type[Exception], str] = {
    NoRayError: "errors.map_cluster_no_ray",
    NoClusterError: "errors.map_cluster_away",
}


def main() -> int:
    """Serve the hub until stdin closes. Return 1 if the cluster cannot be joined or is lost."""
    pipes = standard_pipes()
    log.set_up(os.environ.get("BNVIZ_LOG_LEVEL", "info"))
    address = sys.argv[1]
    return serve(pipes, RayTasks(None if address == "local" else address))


def serve(pipes: Pipes, tasks: RayTasks) -> int:
    try:
        tasks.join()
        work = ClusterWork(pipes.send, tasks)
        work.begin()
        while not pipes.closed:
            for header, _ in pipes.receive(POLL_SECONDS if tasks.under_way else float("inf")):
                work.handle(header)
            work.collect()
    except Exception as problem:
        key = NOT_JOINED.get(type(problem), "errors.map_cluster_broke")
        log.event(
            "cluster unavailable", problem=str(problem), exc_info=type(problem) not in NOT_JOINED
        )
        pipes.send({"type": "not_joined", "key": key})
        return 1
    tasks.give_up()
    tasks.leave()
    return 0


class MapRequest(NamedTuple):
    """Request of the hub that has not been answered yet."""

    map: str
    number: int


class ClusterWork:
    """Service that trains the hub's stacks on a joined cluster and responds like a worker."""

    def __init__(self, send: Send, tasks: RayTasks) -> None:
        self._send, self._tasks = send, tasks

    def begin(self) -> None:
        self._send({"type": "ready", "cluster": self._facts()})

    def handle(self, header: Header) -> None:
        """Handle a message from the hub. Raise an exception if the cluster is lost."""
        kind = header["type"]
        if kind == "ping":
            # Respond like a worker without runs. The training time of the cluster's machines is
            # sent with the results of the stacks.
            self._send(
                {
                    "type": "pong", "busy": 0.0, "runs": 0, "slices": {}, "measurer": {},
                    "cluster": self._facts(),
                }
            )  # fmt: skip
        elif kind == "drop_map":
            self._tasks.give_up(lambda request: request.map == header["map"])
        elif kind == "stack":
            request = MapRequest(header["map"], header["number"])
            try:
                cells = read_cells(header)
                # Do not wait here for a download of the data, because the hub needs responses.
                # `run_there` waits for the download.
                call = run_there, cells, fingerprint(load(data_of(cells)))
            except Exception as problem:
                self._fail(request, problem)
                return
            self._tasks.submit(request, *call)

    def collect(self) -> None:
        """Send all finished results to the hub. Raise an exception if the cluster is lost."""
        while answers := self._tasks.collect(0.0):
            for answer in answers:
                self._answer(answer)

    def _answer(self, answer: Call) -> None:
        request: MapRequest = answer.key
        if isinstance(answer.problem, LostForGoodError):
            self._fail(request, answer.problem, PhraseText(phrase("errors.map_died")))
        elif answer.problem is not None:
            self._fail(request, answer.problem)
        else:
            outcomes = [plain_outcome(outcome) for _, outcome in answer.value.done]
            facts = {"seconds": answer.value.seconds, "outcomes": outcomes}
            self._send({"type": "stacked", **facts, **request._asdict()})

    def _fail(self, request: MapRequest, problem: Exception, why: str | None = None) -> None:
        log.event("stack failed", exc_info=problem, map=request.map)
        facts = words_of(why) if why else words_of_failure(problem)
        self._send({"type": "stack_failed", **facts, **request._asdict()})

    def _facts(self) -> dict[str, int]:
        return {"cores": self._tasks.cores, "lost": self._tasks.lost}


if __name__ == "__main__":
    # Import this module by its name instead of using it as `__main__`, because other machines
    # import it too.
    from bnviz.live.worker import cluster

    code = cluster.main()
    # A normal exit would wait for Ray's threads, which may wait forever for a lost cluster.
    os._exit(code)
