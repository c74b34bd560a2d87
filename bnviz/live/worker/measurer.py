"""A process that measures slow probes, `python -m bnviz.live.worker.measurer`.

It gets checkpoints on stdin, restores them and measures; answers go out on stdout. Pieces of
several runs' measurements take turns. It ends when stdin ends, as it does with its worker.
"""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from bnviz.live.worker.pipes import Pipes, standard_pipes

if TYPE_CHECKING:
    from bnviz.experiment import Experiment
    from bnviz.live.protocol.wire import Header

# Below the worker's own steps.
NICENESS = 5
SLICE_SECONDS = 0.02
# Networks of so many runs, and of so many bytes, are kept to be loaded again.
MOST_RUNS, MOST_BYTES = 64, 2**29
# In a long measurement the worker is sent a sign of life this often.
REPORT_SECONDS = 5.0


def main() -> None:
    """Serve one worker until stdin ends."""
    pipes = standard_pipes()
    os.nice(NICENESS)

    import torch

    from bnviz.live import log

    torch.set_num_threads(1)
    log.set_up(os.environ.get("BNVIZ_LOG_LEVEL", "info"))
    measurer = Measurer(pipes)
    while not pipes.closed:
        for header, payload in pipes.receive(0.0 if measurer.busy else float("inf")):
            measurer.handle(header, payload)
        measurer.work()


class Measurer:
    """The requests of a worker's runs, one a run, in turns."""

    def __init__(self, pipes: Pipes) -> None:
        self._pipes = pipes
        self._requests: dict[str, _Request] = {}
        self._experiments: OrderedDict[str, Experiment] = OrderedDict()
        self._last_run, self._reported_at = "", 0.0

    @property
    def busy(self) -> bool:
        """Whether something is to be measured."""
        return bool(self._requests)

    def handle(self, header: Header, payload: bytes) -> None:
        """Take in one message of the worker."""
        run = header["run"]
        self._requests.pop(run, None)
        if header["type"] == "forget":
            self._experiments.pop(run, None)
        elif header["type"] == "measure":
            self._requests[run] = _Request(header, payload)

    def work(self) -> None:
        """A slice for the request that has had the least time so far."""
        if not self._requests:
            return
        request = min(self._requests.values(), key=lambda request: request.used)
        run: str = request.header["run"]
        now = time.monotonic()
        if run != self._last_run or now - self._reported_at > REPORT_SECONDS:
            # If this piece never ends, the worker knows to which run it belongs.
            self._pipes.send({"type": "working", "run": run})
            self._last_run, self._reported_at = run, now
        try:
            done = request.work(self._experiments)
        except Exception as problem:
            self._fail(request, problem)
            done = True
        if done:
            self._requests.pop(run)
            self._last_run = ""
            if request.answer is not None:
                self._pipes.send(*request.answer)
            self._pipes.send({"type": "idle" if not self._requests else "next"})
        self._trim()

    def _fail(self, request: _Request, problem: Exception) -> None:
        from bnviz.live import log
        from bnviz.live.protocol.wire import problem_text

        log.event("measuring failed", exc_info=True, run=request.header["run"])
        self._experiments.pop(request.header["run"], None)
        self._pipes.send({**request.head(), "type": "failed", "message": problem_text(problem)})

    def _trim(self) -> None:
        """Forget the runs that were measured the longest ago."""
        kept = self._experiments
        while len(kept) > 1 and (len(kept) > MOST_RUNS or _size(kept) > MOST_BYTES):
            kept.popitem(last=False)


class _Request:
    """One moment of a run to be measured with some probes."""

    def __init__(self, header: Header, payload: bytes) -> None:
        self.header, self._payload = header, payload
        self.used = 0.0
        self.answer: tuple[Header, bytes] | None = None
        self._pieces: Any = None
        self._seconds: dict[str, float] = {}

    def work(self, experiments: OrderedDict[str, Experiment]) -> bool:
        """Pieces for a little while. Returns whether all is measured."""
        import torch

        began = time.perf_counter()
        try:
            if self._pieces is None:
                self._open(experiments)
            with torch.no_grad():
                while time.perf_counter() - began < SLICE_SECONDS:
                    next(self._pieces)
        except StopIteration as end:
            self._set_answer(end.value)
            return True
        finally:
            self.used += time.perf_counter() - began
        return False

    def head(self) -> Header:
        """The facts of the request that every answer repeats."""
        return {name: self.header[name] for name in ("run", "generation", "step", "names")}

    def _open(self, experiments: OrderedDict[str, Experiment]) -> None:
        from bnviz.config import RunConfig
        from bnviz.experiment import Experiment

        run, config = self.header["run"], RunConfig(**self.header["config"])
        experiment = experiments.pop(run, None)
        if experiment is None or experiment.initial_config != config:
            experiment = Experiment(config)
        experiment.load(self._payload)
        self._payload = b""
        experiments[run] = experiment
        self._pieces = experiment.moment().probe(self.header["names"], self._seconds)

    def _set_answer(self, found: dict[str, dict[str, Any]]) -> None:
        from bnviz.training.checkpoint import pack

        header = {**self.head(), "type": "measured", "seconds": self._seconds}
        self.answer = header, pack(found)


def _size(experiments: OrderedDict[str, Experiment]) -> float:
    return sum(experiment.memory for experiment in experiments.values())


if __name__ == "__main__":
    main()
