"""Building and restoring experiments on a thread of its own, one at a time.

It may take seconds (data from a disk, orthogonal weights of fifty layers), for which nobody's run
should stand still. Only the thread that asked uses what was built afterwards.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from typing import Generic, TypeVar

from bnviz.config import RunConfig
from bnviz.data.base import load
from bnviz.experiment import Experiment
from bnviz.live.worker.catch_up import reopen
from bnviz.records import Change

# How often it is looked whether something is ready.
POLL_SECONDS = 0.01

Made = TypeVar("Made")

_building = threading.Lock()


class OnThread(Generic[Made]):
    """Something on its way.

    Attributes:
        seconds: of CPU time that it took; they count as work on the run that asked for it.
    """

    def __init__(self, config: RunConfig, make: Callable[[], Made]) -> None:
        """Begin.

        Args:
            config: whose data is needed; it is loaded first.
            make: gives it.
        """
        self.seconds, self._abandoned = 0.0, False
        self._result: Future[Made] = Future()
        threading.Thread(target=self._make, args=(config, make), daemon=True).start()

    @property
    def done(self) -> bool:
        """Whether it is there, or has failed."""
        return self._result.done()

    def result(self) -> Made:
        """What was made, once `done`.

        Raises:
            Exception: what went wrong.
        """
        return self._result.result()

    def abandon(self) -> None:
        """It is not needed any more: do not begin to make it, if that has not begun yet."""
        self._abandoned = True

    def due(self, now: float) -> float:
        """When to look."""
        return now if self.done else now + POLL_SECONDS

    def _make(self, config: RunConfig, make: Callable[[], Made]) -> None:
        try:
            # Data may have to be fetched from elsewhere, for which no other has to wait.
            load(config)
            with _building:
                if self._abandoned:
                    return
                began = time.thread_time()
                made = make()
                self.seconds = time.thread_time() - began
            self._result.set_result(made)
        except BaseException as problem:
            self._result.set_exception(problem)


class Building(OnThread[Experiment]):
    """An experiment on its way."""

    def __init__(
        self,
        config: RunConfig,
        checkpoint: bytes | None = None,
        log: Sequence[Change] | None = None,
        keep: Collection[int] = (),
    ) -> None:
        """Begin.

        Args:
            config: at step 0.
            checkpoint: to restore; None: at step 0.
            log: see `reopen`.
            keep: steps whose weights are kept.
        """
        super().__init__(config, lambda: reopen(config, checkpoint, log, keep))
