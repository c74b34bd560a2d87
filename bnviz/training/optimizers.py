"""Gradient descent on one flat vector of parameters; the update rules are torch's."""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor

from bnviz.config import UNIT_FACTORS, StepSettings
from bnviz.networks.rate_groups import RateGroups

# The learning rate of all parameters, or of each, [P] or [K, P].
Rate = float | Tensor


class StackStepSettings(NamedTuple):
    """Knobs of the next update of each network in a stack, float64 [K, 1] on its device.

    Where groups of parameters have rates of their own, `learning_rate` is [K, P].
    """

    learning_rate: Tensor
    momentum: Tensor
    weight_decay: Tensor


class Optimizer(ABC):
    """Updates `flat` in place. Weight decay is L2: it adds `weight_decay` · weight to the gradient.

    The knobs come with every step because they may change while a run goes on.

    Attributes:
        state: what it remembers, and a checkpoint must keep: tensors and numbers by name.
        slots: names of what `stack_step` remembers, a tensor like the parameters each; zeros at
            step 0.
    """

    slots: ClassVar[tuple[str, ...]]

    def __init__(self, groups: RateGroups) -> None:
        """Remember nothing yet.

        Args:
            groups: of the parameters that it moves.
        """
        self.state: dict[str, Any] = {}
        self._groups = groups
        self._rates: tuple[StepSettings, Tensor] | None = None

    def step(self, flat: Tensor, gradient: Tensor, knobs: StepSettings) -> None:
        """One update of all parameters; may overwrite the gradient."""
        if knobs.weight_decay:
            gradient.add_(flat, alpha=knobs.weight_decay)
        alike = knobs.rate_factors == UNIT_FACTORS
        rate = knobs.learning_rate if alike else self._rate_of_each(flat, knobs)
        self._move(flat, gradient, rate, knobs.momentum)

    def _rate_of_each(self, flat: Tensor, knobs: StepSettings) -> Tensor:
        """The learning rate of every parameter [P], made anew when a knob has changed."""
        if self._rates is None or self._rates[0] != knobs:
            self._rates = knobs, rate_of_each(self._groups, flat, knobs)
        return self._rates[1]

    @classmethod
    def stack_step(
        cls,
        flat: Tensor,
        gradient: Tensor,
        slots: list[Tensor],
        taken: Tensor,
        knobs: StackStepSettings,
    ) -> list[Tensor]:
        """The same update for every network of a stack, in new tensors; waits for no device.

        Args:
            flat: [K, P].
            gradient: [K, P].
            slots: as `slots` names them, [K, P] each.
            taken: updates before this one, int64 [1].
            knobs: of each network.

        Returns:
            `flat` and `slots` after the update.
        """
        decayed = torch.addcmul(gradient, knobs.weight_decay.to(flat), flat)
        return cls._moved(flat, decayed, slots, taken, knobs)

    @classmethod
    @abstractmethod
    def _moved(
        cls,
        flat: Tensor,
        gradient: Tensor,
        slots: list[Tensor],
        taken: Tensor,
        knobs: StackStepSettings,
    ) -> list[Tensor]:
        """See `stack_step`; the gradient includes weight decay."""

    @abstractmethod
    def _move(self, flat: Tensor, gradient: Tensor, rate: Rate, momentum: float) -> None:
        """Move the parameters by a gradient that includes weight decay."""

    def preview(self, flat: Tensor, gradient: Tensor, knobs: StepSettings) -> Tensor:
        """The parameters after the update that `step` would take; nothing is changed."""
        after = flat.clone()
        copy.deepcopy(self).step(after, gradient.clone(), knobs)
        return after


def rate_of_each(groups: RateGroups, flat: Tensor, knobs: StepSettings) -> Tensor:
    """The learning rate of every parameter of a network, [P] like its `flat`."""
    return groups.expand([knobs.learning_rate * each for each in knobs.rate_factors], flat)


def _times(rate: Tensor, direction: Tensor) -> Tensor:
    """rate · direction, and nothing at all where the rate is 0, also of what is not finite."""
    return (rate * direction).masked_fill_(rate == 0, 0)


class SGD(Optimizer):
    """Gradient descent with heavy-ball momentum: v ← μ v + g, w ← w − η v (torch.optim.SGD).

    Setting the momentum to 0 forgets the velocity.
    """

    slots = ("velocity",)

    def _move(self, flat: Tensor, gradient: Tensor, rate: Rate, momentum: float) -> None:
        velocity = self.state.get("velocity")
        if not momentum:
            self.state = {}
            velocity = gradient
        elif isinstance(velocity, Tensor):
            velocity.mul_(momentum).add_(gradient)
        else:
            self.state["velocity"] = velocity = gradient.clone()
        if isinstance(rate, Tensor):
            flat.sub_(_times(rate, velocity))
        else:
            flat.add_(velocity, alpha=-rate)

    @classmethod
    def _moved(
        cls,
        flat: Tensor,
        gradient: Tensor,
        slots: list[Tensor],
        taken: Tensor,
        knobs: StackStepSettings,
    ) -> list[Tensor]:
        velocity = torch.addcmul(gradient, knobs.momentum.to(flat), slots[0])
        rate = knobs.learning_rate.to(flat)
        if rate.shape == flat.shape:
            return [flat - _times(rate, velocity), velocity]
        return [torch.addcmul(flat, rate, velocity, value=-1), velocity]


class Adam(Optimizer):
    """Kingma & Ba 2015 with β₂ = 0.999 and ε = 1e-8 (torch.optim.Adam); `momentum` is β₁."""

    slots = ("mean", "square")
    beta2 = 0.999
    eps = 1e-8
    _work: Tensor | None = None

    def _move(self, flat: Tensor, gradient: Tensor, rate: Rate, momentum: float) -> None:
        if not self.state:
            self.state = {
                "mean": torch.zeros_like(flat), "square": torch.zeros_like(flat), "steps": 0,
            }  # fmt: skip
        if self._work is None:
            self._work = torch.empty_like(flat)
        self.state["steps"] += 1
        mean, square, steps = self.state["mean"], self.state["square"], self.state["steps"]
        mean.lerp_(gradient, 1 - momentum)
        square.mul_(self.beta2).addcmul_(gradient, gradient, value=1 - self.beta2)
        torch.sqrt(square, out=self._work)
        self._work.div_(math.sqrt(1 - self.beta2**steps)).add_(self.eps)
        rate = rate / (1 - momentum**steps)
        if isinstance(rate, Tensor):
            flat.sub_(_times(rate, mean / self._work))
        else:
            flat.addcdiv_(mean, self._work, value=-rate)

    @classmethod
    def _moved(
        cls,
        flat: Tensor,
        gradient: Tensor,
        slots: list[Tensor],
        taken: Tensor,
        knobs: StackStepSettings,
    ) -> list[Tensor]:
        steps, momentum = (taken + 1).double(), knobs.momentum
        mean = torch.lerp(slots[0], gradient, (1 - momentum).to(flat))
        square = (slots[1] * cls.beta2).addcmul_(gradient, gradient, value=1 - cls.beta2)
        root = (1 - cls.beta2**steps).sqrt().to(flat)
        rate = (knobs.learning_rate / (1 - momentum**steps)).to(flat)
        direction = mean / (square.sqrt() / root + cls.eps)
        own = rate.shape == flat.shape
        change = _times(rate, direction) if own else rate * direction
        return [flat - change, mean, square]


OPTIMIZERS: dict[str, type[Optimizer]] = {"sgd": SGD, "adam": Adam}
