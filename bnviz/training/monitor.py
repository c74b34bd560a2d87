"""What happened to a network, and what broke first, judged at every step.

The rules are facts about measured steps; nothing here stops training except a non-finite value.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from bnviz.records import Break, State

BLOWN_UP_FACTOR = 3.0
LOSS_WINDOW = 5
CHANCE_WINDOW = 100
CHANCE_MARGIN = 0.05
BROKEN_SHARE = 0.9
RMS_FACTOR = 10.0
# An RMS under this is no blow-up, however small it was at step 0.
RMS_FLOOR = 10.0


@dataclass
class Observation:
    """One step's forward pass on its mini-batch, as far as the rules need it.

    Attributes:
        loss: mean cross-entropy.
        accuracy: share classified correctly.
        mean_square: mean square of each layer's nonlinearity input, float64 [L].
        saturated: share of units · examples in the saturation zone, float64 [L]; 0 for
            activations without one.
        dead: share of units that are zero for the whole mini-batch, float64 [L]; 0 unless they can.
        nonfinite: name of the lowest layer with a non-finite value, or None.
    """

    loss: float
    accuracy: float
    mean_square: np.ndarray
    saturated: np.ndarray
    dead: np.ndarray
    nonfinite: str | None = None


class Monitor:
    """Follows one network step by step.

    State: diverged = a non-finite value anywhere. Blown up = the mean loss of five steps is above 3
    times the loss at step 0 (or above 3 ln C, where a lucky first mini-batch was below chance).
    Recovered = after that, it is back under the loss at step 0 with an accuracy above chance. Stuck
    = the mean mini-batch accuracy of the last 100 steps is at most chance + 0.05. Else learning.

    Break: the first step of the unbroken series of steps that ends in one of those, in which over
    90 % of a layer's values were saturated or of its units dead, or the RMS of its nonlinearity's
    input above 10 and above 10 times that at step 0; of several layers the lowest.
    """

    def __init__(self, layer_names: tuple[str, ...], classes: int) -> None:
        self.state: State = "learning"
        self.broke: Break | None = None
        self._names = layer_names
        self._chance = 1 / classes
        self._start_loss = math.log(classes)
        self._start_mean_square: np.ndarray | None = None
        self._losses: deque[float] = deque(maxlen=LOSS_WINDOW)
        self._accuracies: deque[float] = deque(maxlen=CHANCE_WINDOW)
        self._streak: Break | None = None
        self._blew_up = False
        self._recovered = False

    @property
    def stopped(self) -> bool:
        """Whether the network takes no more steps."""
        return self.state == "diverged"

    def observe(self, step: int, seen: Observation) -> None:
        """Judge the forward pass of one step, before its update."""
        if seen.nonfinite is not None:
            self.diverge(step, seen.nonfinite)
            return
        if self._start_mean_square is None:
            self._start_mean_square = seen.mean_square.copy()
            self._start_loss = max(self._start_loss, seen.loss)
        self._losses.append(seen.loss)
        self._accuracies.append(seen.accuracy)
        self._follow_streak(step, seen)
        self.state = self._judge()
        self._publish(step)

    def diverge(self, step: int, layer: str) -> None:
        """Take note of a non-finite value."""
        self.state = "diverged"
        first = self._streak or Break(step, layer, "a non-finite value")
        self.broke = self.broke or first

    def _judge(self) -> State:
        mean_loss = sum(self._losses) / len(self._losses)
        full = len(self._losses) == LOSS_WINDOW
        if full and mean_loss > BLOWN_UP_FACTOR * self._start_loss:
            self._blew_up, self._recovered = True, False
            return "blown_up"
        accuracies = self._accuracies
        at_chance = self._chance + CHANCE_MARGIN
        if len(accuracies) == CHANCE_WINDOW and sum(accuracies) / CHANCE_WINDOW <= at_chance:
            return "stuck"
        if not self._blew_up:
            return "learning"
        if not self._recovered:
            recent = [accuracies[-1 - back] for back in range(min(LOSS_WINDOW, len(accuracies)))]
            above_chance = sum(recent) / len(recent) > at_chance
            self._recovered = mean_loss < self._start_loss and above_chance
        return "recovered" if self._recovered else "blown_up"

    def _follow_streak(self, step: int, seen: Observation) -> None:
        fired = self._first_rule(seen)
        if fired is None:
            self._streak = None
        elif self._streak is None:
            self._streak = Break(step, *fired)

    def _first_rule(self, seen: Observation) -> tuple[str, str] | None:
        """The lowest layer for which a rule fires, and the rule."""
        limit = np.maximum(RMS_FACTOR**2 * self._start_mean_square, RMS_FLOOR**2)  # type: ignore[operator]
        large = seen.mean_square > limit
        fired = (seen.saturated > BROKEN_SHARE) | (seen.dead > BROKEN_SHARE) | large
        if not fired.any():
            return None
        layer = int(fired.argmax())
        if seen.saturated[layer] > BROKEN_SHARE:
            return self._names[layer], "over 90 % of its units saturated"
        if seen.dead[layer] > BROKEN_SHARE:
            return self._names[layer], "over 90 % of its units dead"
        return self._names[layer], "its input above 10 times that of step 0"

    def _publish(self, step: int) -> None:
        if self.state in ("learning", "recovered"):
            if self.state == "learning" and self.broke is not None and self.broke.layer is None:
                self.broke = None  # at chance for a while, then learned: nothing had broken
            return
        if self.broke is not None:
            return
        if self._streak is not None:
            self.broke = self._streak
        elif self.state == "blown_up":
            self.broke = Break(step, None, "loss above 3 times that of step 0")
        else:
            start = max(step - CHANCE_WINDOW + 1, 0)
            self.broke = Break(start, None, "at chance for 100 steps")

    def to_tree(self) -> dict[str, Any]:
        """The monitor's memory as plain values and arrays, for a checkpoint."""
        return {
            "state": self.state,
            "broke": _from_break(self.broke),
            "streak": _from_break(self._streak),
            "start_loss": self._start_loss,
            "start_mean_square": self._start_mean_square,
            "losses": list(self._losses),
            "accuracies": list(self._accuracies),
            "blew_up": self._blew_up,
            "recovered": self._recovered,
        }

    def load_tree(self, tree: dict[str, Any]) -> None:
        """Take back what `to_tree` gave."""
        self.state = tree["state"]
        self.broke = _to_break(tree["broke"])
        self._streak = _to_break(tree["streak"])
        self._start_loss = tree["start_loss"]
        self._start_mean_square = tree["start_mean_square"]
        self._losses.extend(tree["losses"])
        self._accuracies.extend(tree["accuracies"])
        self._blew_up, self._recovered = tree["blew_up"], tree["recovered"]


def _from_break(value: Break | None) -> list[Any] | None:
    return None if value is None else [value.step, value.layer, value.reason]


def _to_break(value: list[Any] | None) -> Break | None:
    return None if value is None else Break(*value)
