"""Optimizers that update one flat vector of parameters with torch's update rules."""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor

from bnviz.config import UNIT_FACTORS, StepSettings
from bnviz.networks.rate_groups import RateGroups

# Learning rate: one number for all parameters, or one per parameter as [P] or [K, P].
RateTensor = float | Tensor


class StackStepSettings(NamedTuple):
    """Settings per network, float64 [K, 1]. If parameter groups have their own rates,
    `learning_rate` is [K, P].
    """

    learning_rate: Tensor
    momentum: Tensor
    weight_decay: Tensor


class Optimizer(ABC):
    """Optimizer that updates `flat` in place, with L2 weight decay added to the gradient.

    The settings are passed at every step, because they may change during a run.

    Attributes:
        state: tensors and numbers by name, saved in checkpoints.
        slots: names of the state tensors for `stack_step`, which are zero at step 0.
    """

    slots: ClassVar[tuple[str, ...]]

    def __init__(self, groups: RateGroups) -> None:
        self.state: dict[str, Any] = {}
        self._groups = groups
        self._rates: tuple[StepSettings, Tensor] | None = None

    def step(self, flat: Tensor, gradient: Tensor, knobs: StepSettings) -> None:
        """Update all parameters; the gradient may be overwritten."""
        if knobs.weight_decay:
            gradient.add_(flat, alpha=knobs.weight_decay)
        alike = knobs.rate_factors == UNIT_FACTORS
        rate = knobs.learning_rate if alike else self._rate_of_each(flat, knobs)
        self._move(flat, gradient, rate, knobs.momentum)

    def _rate_of_each(self, flat: Tensor, knobs: StepSettings) -> Tensor:
        """Return the learning rate of each parameter [P], cached until a setting changes."""
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
        """Return a stack's `flat` and `slots` after one update, without waiting for a GPU."""
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
        """Implement `stack_step` for a gradient that includes weight decay."""

    @abstractmethod
    def _move(self, flat: Tensor, gradient: Tensor, rate: RateTensor, momentum: float) -> None:
        """Update the parameters with a gradient that includes weight decay."""

    def preview(self, flat: Tensor, gradient: Tensor, knobs: StepSettings) -> Tensor:
        """Return the parameters that `step` would produce, without changing any state."""
        after = flat.clone()
        copy.deepcopy(self).step(after, gradient.clone(), knobs)
        return after


def rate_of_each(groups: RateGroups, flat: Tensor, knobs: StepSettings) -> Tensor:
    """Return the learning rate of every parameter, [P] like `flat`."""
    return groups.expand([knobs.learning_rate * each for each in knobs.rate_factors], flat)


def _times(rate: Tensor, direction: Tensor) -> Tensor:
    """Return rate · direction, with 0 for a zero rate even if the direction is not finite."""
    return (rate * direction).masked_fill_(rate == 0, 0)


class SGD(Optimizer):
    """Momentum SGD as in torch.optim.SGD: v ← μ v + g, w ← w − η v. A μ of 0 discards v."""

    slots = ("velocity",)

    def _move(self, flat: Tensor, gradient: Tensor, rate: RateTensor, momentum: float) -> None:
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
    """Adam (Kingma & Ba 2015, torch.optim.Adam) with β₁ = `momentum`, β₂ = 0.999, ε = 1e-8."""

    slots = ("mean", "square")
    beta2 = 0.999
    eps = 1e-8
    _work: Tensor | None = None

    def _move(self, flat: Tensor, gradient: Tensor, rate: RateTensor, momentum: float) -> None:
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
