"""A cell of a sweep: one network in one setting, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from bnviz.config import RunConfig
from bnviz.records import Break, State

# A network has learned that classifies as many test images correctly.
LEARNED = 0.5

Kind = Literal["learned", "stuck", "broken"]


class Cell(NamedTuple):
    """One network to be run.

    Attributes:
        config: of the run; has this one norm.
        steps: optimization steps to take.
    """

    config: RunConfig
    steps: int

    @property
    def norm(self) -> str:
        """The network's normalization."""
        return self.config.norms[0]


@dataclass(frozen=True)
class Outcome:
    """What became of a cell, in the lab's words.

    Attributes:
        state: of the network after the last step.
        broke: what broke first, if anything did.
        stopped: the step at which it diverged, or None.
        paused: whether it took no step, because its mini-batch is too small for its norm.
        test_accuracy: share of the test set, inference mode, after the last step; NaN where
            logits are not finite.
        test_loss: mean over the test set; NaN likewise.
    """

    state: State
    broke: Break | None
    stopped: int | None
    paused: bool
    test_accuracy: float
    test_loss: float

    @property
    def learned(self) -> bool:
        """Whether the network classifies enough of the test set correctly."""
        return self.test_accuracy >= LEARNED

    @property
    def kind(self) -> Kind:
        """What became of it in one word: what a map is coloured by, and refined at."""
        if self.learned:
            return "learned"
        return "stuck" if self.broke is None else "broken"


Done = list[tuple[Cell, Outcome]]
