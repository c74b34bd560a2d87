"""What one run tells the hub."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bnviz.experiment import Experiment
from bnviz.live.protocol.frames import plain_break
from bnviz.live.worker.run_frames import FrameMaker
from bnviz.live.worker.run_steps import RunSteps

# Takes a header and, mostly, a payload.
Send = Callable[..., None]


class HubLink:
    """Messages about one run, each with its id and generation.

    Attributes:
        order: number of the hub's last order to play or pause.
    """

    def __init__(self, run: str, generation: int, order: int, send: Send) -> None:
        self.order = order
        self._head = {"run": run, "generation": generation}
        self._send = send
        self._unseen: tuple[int, int] | None = None

    def send(self, kind: str, payload: bytes = b"", **facts: Any) -> None:
        """A message of any kind; before it comes what was passed unseen since the last one."""
        if self._unseen is not None:
            (first, last), self._unseen = self._unseen, None
            self._send({"type": "unseen", **self._head, "first": first, "last": last})
        self._send({"type": kind, **self._head, **facts}, payload)

    def passed_unseen(self, step: int) -> None:
        """The run leaves a step that nobody has looked at; the hub hears of it with what is next.

        A frame of a step between two of those, which was asked for all the same, comes after them.
        """
        first = step if self._unseen is None else self._unseen[0]
        self._unseen = first, step

    def state(self, step: int, stepping: RunSteps, reason: str | None) -> None:
        """Whether the run plays; where it has stopped by itself, why."""
        self.send(
            "state", order=self.order, step=step, playing=stepping.playing, reason=reason,
            **stepping.stops(step),
        )  # fmt: skip

    def frame(
        self, frame: FrameMaker, experiment: Experiment, stepping: RunSteps, *, behind: bool
    ) -> None:
        """A frame, and what the hub itself wants to know of the run at it.

        Args:
            frame: ready.
            experiment: by now some steps further, maybe.
            stepping: its steps.
            behind: whether many steps are not shown where every one should be.
        """
        self.send(
            "frame", frame.body, step=frame.step, behind=behind,
            breaks={norm: plain_break(found) for norm, found in experiment.breaks().items()},
            stuck="stuck" in experiment.states().values(),
            **stepping.stops(experiment.step_number),
        )  # fmt: skip
