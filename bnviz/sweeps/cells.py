"""Cells of a sweep, and their outcomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from bnviz.config import RunConfig
from bnviz.records import Break, State

# Minimum test accuracy at which a network counts as having learned.
LEARNED = 0.5

CellKind = Literal["learned", "stuck", "broken"]


class Cell(NamedTuple):
    """Network to train: a config with a single norm, and the number of optimization steps."""

    config: RunConfig
    steps: int

    @property
    def norm(self) -> str:
        return self.config.norms[0]


@dataclass(frozen=True)
class CellOutcome:
    """Outcome of a cell after its last step.

    Attributes:
        state: State of the network; "paused" if its mini-batch is too small for its norm.
        stopped: Step at which the network diverged, or None.
        test_accuracy, test_loss: Results at inference; NaN if logits are not finite.
        hills: Histogram of the last hidden layer's nonlinearity inputs (`bnviz.training.hills`), or
            None if the network diverged.
    """

    state: State | Literal["paused"]
    broke: Break | None
    stopped: int | None
    test_accuracy: float
    test_loss: float
    device: str = "cpu"
    hills: bytes | None = None

    @property
    def undefined_norm(self) -> bool:
        return self.state == "paused"

    @property
    def learned(self) -> bool:
        return self.test_accuracy >= LEARNED

    @property
    def slow(self) -> bool:
        """Return whether the network is above chance level, has not broken and has not learned."""
        return not self.learned and self.broke is None and self.state == "learning"

    @property
    def kind(self) -> CellKind:
        """Kind of outcome, which determines a cell's colour and where a map is refined."""
        if self.learned:
            return "learned"
        return "stuck" if self.broke is None else "broken"


Done = list[tuple[Cell, CellOutcome]]


def kind_of(outcomes: Sequence[CellOutcome]) -> str:
    """Return the most frequent kind of outcome among the seeds of a cell."""
    return Counter(outcome.kind for outcome in outcomes).most_common(1)[0][0]
