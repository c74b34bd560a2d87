"""What the hub asks of a cluster: stacks and edges as calls on its machines. Without torch here.

A process that runs maps on a Ray cluster, `python -m bnviz.live.worker.cluster ADDRESS`.

Messages come on stdin and go out on stdout, as a worker's do. It ends when stdin ends, when the
cluster cannot be joined, and when it is lost; the hub starts another one then.
"""

from __future__ import annotations

import os
import sys
from typing import Any, NamedTuple

from bnviz.config import RunConfig
from bnviz.data.base import load
from bnviz.live import log
from bnviz.live.protocol.server_messages import words_of
from bnviz.live.protocol.wire import Header, problem_text
from bnviz.live.worker.hub_link import Send
from bnviz.live.worker.pipes import Pipes, standard_pipes
from bnviz.pieces import run_to_end
from bnviz.sweeps.cells import Cell, plain_outcome
from bnviz.sweeps.ray_cluster import Ran, data_of, fingerprint, run_there
from bnviz.sweeps.ray_tasks import Answer, LostForGoodError, NoClusterError, NoRayError, RayTasks
from bnviz.words.phrase import PhraseText, phrase


class MapRequest(NamedTuple):
    """A message that waits for its answer."""

    map: str
    number: int


class ClusterWork:
    """The messages of the hub about maps, answered as a worker answers them.

    Args:
        send: takes a message for the hub.
        tasks: the cluster, joined.
    """

    def __init__(self, send: Send, tasks: RayTasks) -> None:
        self._send, self._tasks = send, tasks

    def begin(self) -> None:
        """Say that it is there."""
        self._send({"type": "ready", "cluster": self._facts()})

    def handle(self, header: Header) -> None:
        """Take in a message.

        Raises:
            Exception: the cluster is gone.
        """
        kind = header["type"]
        if kind == "ping":
            # As for a worker without runs; its machines' time is in the answers to stacks.
            self._send(
                {
                    "type": "pong", "busy": 0.0, "runs": 0, "slices": {}, "measurer": {},
                    "cluster": self._facts(),
                }
            )  # fmt: skip
        elif kind == "drop_map":
            self._tasks.give_up(lambda asked: asked.map == header["map"])
        elif kind in ("stack", "edge"):
            asked = MapRequest(header["map"], header["number"])
            try:
                call = _stack_call(header) if kind == "stack" else (edge_there, header["cells"][0])
            except Exception as problem:
                self._fail(asked, problem)
                return
            self._tasks.submit(asked, *call)

    def collect(self) -> None:
        """Send on what has been answered.

        Raises:
            Exception: the cluster is gone.
        """
        while answers := self._tasks.collect(0.0):
            for answer in answers:
                self._answer(answer)

    def _answer(self, answer: Answer) -> None:
        asked: MapRequest = answer.key
        if isinstance(answer.problem, LostForGoodError):
            self._fail(asked, answer.problem, PhraseText(phrase("errors.map_died")))
        elif answer.problem is not None:
            self._fail(asked, answer.problem)
        elif isinstance(answer.value, Ran):
            outcomes = [plain_outcome(outcome) for _, outcome in answer.value.done]
            facts = {"seconds": answer.value.seconds, "outcomes": outcomes}
            self._send({"type": "stacked", **facts, **asked._asdict()})
        else:
            self._send({"type": "edged", "edge": answer.value, **asked._asdict()})

    def _fail(self, asked: MapRequest, problem: Exception, why: str | None = None) -> None:
        log.event("stack failed", exc_info=problem, map=asked.map[:8])
        facts = words_of(why) if why else {**words_of(problem), "message": problem_text(problem)}
        self._send({"type": "stack_failed", **facts, **asked._asdict()})

    def _facts(self) -> dict[str, int]:
        return {"cores": self._tasks.cores, "lost": self._tasks.lost}


def _stack_call(header: Header) -> tuple[Any, ...]:
    cells = [Cell(RunConfig.from_query(query), header["steps"]) for query in header["cells"]]
    # A download is waited for there, where nobody has to answer the hub.
    return run_there, cells, fingerprint(load(data_of(cells)))


def edge_there(query: dict[str, Any]) -> float | None:
    """The edge of stability of a network at step 0, on one of the cluster's machines."""
    import torch

    from bnviz.live.worker.map_work import measure_edge
    from bnviz.training.machine import use_one_thread

    use_one_thread()
    with torch.no_grad():
        return run_to_end(measure_edge(RunConfig.from_query(query)))


# So often it is looked for answers, while some are to come.
POLL_SECONDS = 0.02


def main() -> int:
    """Serve the hub until stdin ends. Returns 1 where the cluster is not there, or not any more."""
    pipes = standard_pipes()
    log.set_up(os.environ.get("BNVIZ_LOG_LEVEL", "info"))
    address = sys.argv[1]
    return serve(pipes, RayTasks(None if address == "local" else address))


def serve(pipes: Pipes, tasks: RayTasks) -> int:
    """The same, with these pipes and this cluster."""
    try:
        tasks.join()
        work = ClusterWork(pipes.send, tasks)
        work.begin()
        while not pipes.closed:
            for header, _ in pipes.receive(POLL_SECONDS if tasks.under_way else float("inf")):
                work.handle(header)
            work.collect()
    except NoRayError as problem:
        return _give_up(pipes, "errors.map_cluster_no_ray", problem)
    except NoClusterError as problem:
        return _give_up(pipes, "errors.map_cluster_away", problem)
    except Exception as problem:
        log.event("cluster broke", exc_info=True)
        return _give_up(pipes, "errors.map_cluster_broke", problem)
    tasks.give_up()
    tasks.leave()
    return 0


def _give_up(pipes: Pipes, key: str, problem: Exception) -> int:
    log.event("cluster not there", problem=str(problem))
    pipes.send({"type": "not_joined", "key": key})
    return 1


if __name__ == "__main__":
    code = main()
    # A cluster that is gone keeps threads of Ray waiting.
    os._exit(code)
