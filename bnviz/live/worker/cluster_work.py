"""What the hub asks of a cluster: stacks and edges as calls on its machines. Without torch here."""

from __future__ import annotations

from typing import Any, NamedTuple

from bnviz.config import RunConfig
from bnviz.data.base import load
from bnviz.live import log
from bnviz.live.protocol.messages import said
from bnviz.live.protocol.wire import Header, problem_text
from bnviz.live.worker.reports import Send
from bnviz.phrase import Spoken, phrase
from bnviz.pieces import whole
from bnviz.sweeps.cells import Cell
from bnviz.sweeps.ray_cluster import Ran, data_of, fingerprint, run_there
from bnviz.sweeps.ray_tasks import Answer, LostForGoodError, RayTasks
from bnviz.sweeps.rows import plain_outcome


class Asked(NamedTuple):
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
            asked = Asked(header["map"], header["number"])
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
        asked: Asked = answer.key
        if isinstance(answer.problem, LostForGoodError):
            self._fail(asked, answer.problem, Spoken(phrase("errors.map_died")))
        elif answer.problem is not None:
            self._fail(asked, answer.problem)
        elif isinstance(answer.value, Ran):
            outcomes = [plain_outcome(outcome) for _, outcome in answer.value.done]
            facts = {"seconds": answer.value.seconds, "outcomes": outcomes}
            self._send({"type": "stacked", **facts, **asked._asdict()})
        else:
            self._send({"type": "edged", "edge": answer.value, **asked._asdict()})

    def _fail(self, asked: Asked, problem: Exception, why: str | None = None) -> None:
        log.event("stack failed", exc_info=problem, map=asked.map[:8])
        facts = said(why) if why else {**said(problem), "message": problem_text(problem)}
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

    from bnviz.live.worker.stack_work import measure_edge
    from bnviz.training.machine import use_one_thread

    use_one_thread()
    with torch.no_grad():
        return whole(measure_edge(RunConfig.from_query(query)))
