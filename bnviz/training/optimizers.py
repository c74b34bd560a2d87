"""Gradient descent on one flat vector of parameters; the update rules are torch's."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import torch
from torch import Tensor


class Optimizer(ABC):
    """Updates `flat` in place. Weight decay is L2: it adds `weight_decay` · weight to the gradient.

    The knobs come with every step because they may change while a run goes on.
    """

    @abstractmethod
    def step(
        self,
        flat: Tensor,
        gradient: Tensor,
        *,
        learning_rate: float,
        momentum: float,
        weight_decay: float,
    ) -> None:
        """One update of all parameters; may overwrite the gradient."""

    def preview(
        self,
        flat: Tensor,
        gradient: Tensor,
        *,
        learning_rate: float,
        momentum: float,
        weight_decay: float,
    ) -> Tensor:
        """The parameters after the update that `step` would take; nothing is changed."""
        other, after = type(self)(), flat.clone()
        other.load(
            {
                name: value.clone() if isinstance(value, Tensor) else value
                for name, value in self.state().items()
            }
        )
        other.step(
            after,
            gradient.clone(),
            learning_rate=learning_rate,
            momentum=momentum,
            weight_decay=weight_decay,
        )
        return after

    @abstractmethod
    def state(self) -> dict[str, Tensor | int]:
        """What a checkpoint must keep."""

    @abstractmethod
    def load(self, state: dict[str, Tensor | int]) -> None:
        """Take back what `state` gave."""


class SGD(Optimizer):
    """Gradient descent with heavy-ball momentum: v ← μ v + g, w ← w − η v (torch.optim.SGD).

    Setting the momentum to 0 forgets the velocity.
    """

    def __init__(self) -> None:
        self._velocity: Tensor | None = None

    def step(
        self,
        flat: Tensor,
        gradient: Tensor,
        *,
        learning_rate: float,
        momentum: float,
        weight_decay: float,
    ) -> None:
        """One update."""
        if weight_decay:
            gradient.add_(flat, alpha=weight_decay)
        if not momentum:
            self._velocity = None
            flat.add_(gradient, alpha=-learning_rate)
            return
        if self._velocity is None:
            self._velocity = gradient.clone()
        else:
            self._velocity.mul_(momentum).add_(gradient)
        flat.add_(self._velocity, alpha=-learning_rate)

    def state(self) -> dict[str, Tensor | int]:
        """The velocity, if there is one."""
        return {} if self._velocity is None else {"velocity": self._velocity}

    def load(self, state: dict[str, Tensor | int]) -> None:
        """Restore the velocity."""
        velocity = state.get("velocity")
        self._velocity = velocity if isinstance(velocity, Tensor) else None


class Adam(Optimizer):
    """Kingma & Ba 2015 with β₂ = 0.999 and ε = 1e-8 (torch.optim.Adam); `momentum` is β₁."""

    beta2 = 0.999
    eps = 1e-8

    def __init__(self) -> None:
        self._steps = 0
        self._mean: Tensor | None = None
        self._square: Tensor | None = None
        self._work: Tensor | None = None

    def step(
        self,
        flat: Tensor,
        gradient: Tensor,
        *,
        learning_rate: float,
        momentum: float,
        weight_decay: float,
    ) -> None:
        """One update."""
        if weight_decay:
            gradient.add_(flat, alpha=weight_decay)
        if self._mean is None or self._square is None:
            self._mean, self._square = torch.zeros_like(flat), torch.zeros_like(flat)
        if self._work is None:
            self._work = torch.empty_like(flat)
        self._steps += 1
        self._mean.lerp_(gradient, 1 - momentum)
        self._square.mul_(self.beta2).addcmul_(gradient, gradient, value=1 - self.beta2)
        correction1 = 1 - momentum**self._steps
        correction2 = 1 - self.beta2**self._steps
        torch.sqrt(self._square, out=self._work)
        self._work.div_(math.sqrt(correction2)).add_(self.eps)
        flat.addcdiv_(self._mean, self._work, value=-learning_rate / correction1)

    def state(self) -> dict[str, Tensor | int]:
        """Both moments and the number of steps."""
        if self._mean is None or self._square is None:
            return {}
        return {"mean": self._mean, "square": self._square, "steps": self._steps}

    def load(self, state: dict[str, Tensor | int]) -> None:
        """Restore the moments and the number of steps."""
        mean, square = state.get("mean"), state.get("square")
        self._mean = mean if isinstance(mean, Tensor) else None
        self._square = square if isinstance(square, Tensor) else None
        self._steps = int(state.get("steps", 0))


OPTIMIZERS: dict[str, type[Optimizer]] = {"sgd": SGD, "adam": Adam}
