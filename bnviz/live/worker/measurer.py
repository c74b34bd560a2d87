"""Process that measures slow probes, `python -m bnviz.live.worker.measurer`.

It receives checkpoints on stdin, measures probes on them and sends the values on stdout. The
measurements of several runs take turns. It exits when stdin closes, as when its worker exits.
"""

from __future__ import annotations

import os
import time
from itertools import islice
from typing import TYPE_CHECKING

from bnviz.live.memory import (
    MEASURER_FIRST,
    PAUSE_SECONDS,
    FreedMemory,
    be_killed_before_others,
)
from bnviz.live.worker.hub_link import Send
from bnviz.live.worker.pipes import standard_pipes
from bnviz.recently_used import RecentlyUsed

if TYPE_CHECKING:
    from bnviz.experiment import Experiment
    from bnviz.live.protocol.wire import Header
    from bnviz.pieces import Pieces

    Experiments = RecentlyUsed[str, Experiment]

# Niceness of this process, so that the training steps of the worker have priority.
NICENESS = 5
SLICE_SECONDS = 0.02
# Maximum number of runs whose networks are kept for the next request, and the maximum total size of
# these networks in bytes. The networks of one run are always kept.
MOST_RUNS, MOST_BYTES = 64, 2**29
# Seconds between two progress reports to the worker during a long measurement.
REPORT_SECONDS = 5.0


def main() -> None:
    pipes = standard_pipes()
    os.nice(NICENESS)
    be_killed_before_others(MEASURER_FIRST)

    import torch

    from bnviz.live import log
    from bnviz.live.settings import Settings

    torch.set_num_threads(1)
    settings = Settings.from_environment()
    log.set_up(settings.log_level)
    measurer = Measurer(pipes.send, settings.measured_at_once)
    memory = FreedMemory()
    while not pipes.closed:
        if not measurer.busy:
            memory.give_back(measurer.forgotten)
        for header, payload in pipes.receive(0.0 if measurer.busy else PAUSE_SECONDS):
            measurer.handle(header, payload)
        measurer.work()


class Measurer:
    """Queue of a worker's requests, one per run. The first `at_once` requests take turns.

    The other requests wait, because a measurement in progress keeps networks, gradients and
    intermediate results in memory.
    """

    def __init__(self, send: Send, at_once: int) -> None:
        self._send, self._at_once = send, at_once
        self._requests: dict[str, _Request] = {}
        self._experiments: Experiments = RecentlyUsed(
            MOST_RUNS, most_size=MOST_BYTES, size=lambda experiment: experiment.memory, least=1
        )
        self._last_run, self._reported_at = "", 0.0
        self.forgotten = 0

    @property
    def busy(self) -> bool:
        return bool(self._requests)

    def handle(self, header: Header, payload: bytes) -> None:
        """Handle a message of the worker. A request replaces an earlier request of the same run."""
        run = header["run"]
        self._requests.pop(run, None)
        if header["type"] == "forget":
            self._experiments.pop(run, None)
            self.forgotten += 1
        elif header["type"] == "measure":
            self._requests[run] = _Request(header, payload, self._experiments)

    def work(self) -> None:
        """Work for one slice on the least measured request among the first `at_once`."""
        if not self._requests:
            return
        request = self._next()
        run: str = request.header["run"]
        now = time.monotonic()
        if run != self._last_run or now - self._reported_at > REPORT_SECONDS:
            # Send the id of the run, so that the worker knows which run is to blame if this piece
            # of work never ends.
            self._send({"type": "working", "run": run})
            self._last_run, self._reported_at = run, now
        try:
            done = request.work()
        except Exception:
            self._fail(request)
            done = True
        if done:
            self._requests.pop(run)
            self._last_run = ""
            if request.answer is not None:
                self._send(*request.answer)

    def _next(self) -> _Request:
        taking_turns = islice(self._requests.values(), self._at_once)
        return min(taking_turns, key=lambda request: request.used)

    @property
    def next_run(self) -> str | None:
        """Id of the run that the next slice measures, or None if there is nothing to measure."""
        return self._next().header["run"] if self._requests else None

    def _fail(self, request: _Request) -> None:
        from bnviz.live import log

        log.event("measurement failed", exc_info=True, run=request.header["run"])
        self._experiments.pop(request.header["run"], None)
        self._send({**request.head(), "type": "failed"})


class _Request:
    """A request to measure some probes on the checkpoint of a run."""

    def __init__(self, header: Header, payload: bytes, experiments: Experiments) -> None:
        self.header = header
        self.used = 0.0
        self.answer: tuple[Header, bytes] | None = None
        self._pieces = self._measure(payload, experiments)

    def work(self) -> bool:
        """Measure for one slice. Return whether the request is finished."""
        import torch

        began = time.perf_counter()
        try:
            with torch.no_grad():
                while time.perf_counter() - began < SLICE_SECONDS:
                    next(self._pieces)
        except StopIteration as end:
            self.answer = end.value
            return True
        finally:
            self.used += time.perf_counter() - began
        return False

    def head(self) -> Header:
        return {name: self.header[name] for name in ("run", "generation", "step", "names")}

    def _measure(
        self, payload: bytes, experiments: Experiments
    ) -> Pieces[tuple[Header, bytes]]:  # fmt: skip
        from bnviz.config import RunConfig
        from bnviz.experiment import Experiment
        from bnviz.training.checkpoint import pack

        run, config = self.header["run"], RunConfig(**self.header["config"])
        experiment = experiments.pop(run, None)
        if experiment is None or experiment.initial_config != config:
            experiment = Experiment(config)
        experiment.load(payload)
        del payload  # free the payload, which may be large, before other requests are measured
        experiments.put(run, experiment)
        seconds: dict[str, float] = {}
        found = yield from experiment.freeze().probe(self.header["names"], seconds)
        return {**self.head(), "type": "measured", "seconds": seconds}, pack(found)


if __name__ == "__main__":
    main()
