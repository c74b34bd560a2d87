"""Rules that find which layer broke first, applied to one step's activations."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor

from bnviz.break_limits import BROKEN_SHARE
from bnviz.networks.activations import Activation
from bnviz.networks.saturation_zones import FLAT_ZONES
from bnviz.records import DEAD, LARGE, SATURATED
from bnviz.training.checkpoint import Checkpointed

RMS_FACTOR = 10.0
# Smallest RMS that counts as too large, even if the RMS at step 0 was tiny.
RMS_FLOOR = 10.0


class Layers(Protocol):
    """Facts about the layers of one forward pass, computed only if a rule needs them."""

    def finite(self) -> list[bool]:
        """Return per layer whether all inputs of the nonlinearity are finite."""

    def dead(self) -> list[int]:
        """Return the layers in which over 90 % of the units are zero for every example."""

    def saturated(self, layer: int) -> bool:
        """Return whether over 90 % of a layer's values are saturated."""


@dataclass
class LayerValues:
    """Inputs and outputs [L, N, H] of the nonlinearities, evaluated on request."""

    activation: Activation
    inputs: Tensor
    outputs: Tensor

    def finite(self) -> list[bool]:
        found: list[bool] = torch.isfinite(self.inputs).flatten(1).all(1).tolist()
        return found

    def dead(self) -> list[int]:
        peaks = self.outputs.amax(1).cpu().numpy()
        limit = BROKEN_SHARE * peaks.shape[1]
        if peaks.size - np.count_nonzero(peaks) <= limit:
            return []
        found: list[int] = np.flatnonzero(np.count_nonzero(peaks <= 0, axis=1) > limit).tolist()
        return found

    def saturated(self, layer: int) -> bool:
        found = self.activation.saturated(self.inputs[layer], self.outputs[layer])
        return int(found.sum()) > BROKEN_SHARE * found.numel()


class LayerCounts(NamedTuple):
    """Counts per layer from a GPU.

    Attributes:
        is_finite: whether all inputs of the nonlinearity are finite [L].
        broken: number of dead units if units can die, otherwise number of saturated values [L].
        of: number of units if units can die, otherwise number of values, per layer.
    """

    is_finite: np.ndarray
    broken: np.ndarray
    of: int

    def finite(self) -> list[bool]:
        found: list[bool] = self.is_finite.tolist()
        return found

    def dead(self) -> list[int]:
        found: list[int] = np.flatnonzero(self.broken > BROKEN_SHARE * self.of).tolist()
        return found

    def saturated(self, layer: int) -> bool:
        return bool(self.broken[layer] > BROKEN_SHARE * self.of)


def count_broken(activation: Activation, inputs: Tensor, outputs: Tensor) -> tuple[Tensor, int]:
    """Return `LayerCounts.broken` and `of` for [L, N, H] tensors, without waiting for a GPU."""
    if activation.can_die:
        return (outputs.amax(1) <= 0).sum(1), outputs.shape[2]
    return activation.saturated(inputs, outputs).flatten(1).sum(1), outputs[0].numel()


class Rules(Checkpointed):
    """Rules for broken layers: over 90 % saturated values or dead units, or far too large inputs.

    A value is the output of one unit for one example. So that the check is cheap at every step,
    saturated values are only counted if the layer's mean square exceeds a bound. It always does if
    over 90 % of the values are saturated.

    Attributes:
        alarm: mean squares [L] up to which no layer's inputs are too large or saturated, set at
            step 0.
    """

    checkpointed = ("start",)

    def __init__(self, layer_names: tuple[str, ...], activation: Activation) -> None:
        self.layer_names, self.activation = layer_names, activation
        self._start: np.ndarray | None = None
        # The alarm stays zero if the network is not finite at step 0, because `start` is then never
        # set.
        self.alarm = np.zeros(len(layer_names))
        edges = [abs(edge) for zone in FLAT_ZONES.get(activation.name, ()) for edge in zone]
        self._saturates = bool(edges) and not activation.can_die
        # 1 % slack for rounding.
        self._bound = 0.99 * BROKEN_SHARE * min(edges) ** 2 if self._saturates else math.inf

    @property
    def start(self) -> np.ndarray | None:
        """Mean squares of the nonlinearity inputs at step 0, float64 [L], or None before it."""
        return self._start

    @start.setter
    def start(self, mean_square: np.ndarray | None) -> None:
        self._start = mean_square
        if mean_square is not None:
            self.alarm = np.minimum(self._limit(mean_square), self._bound)

    def nonfinite(self, mean_square: np.ndarray, layers: Layers) -> str | None:
        """Return the lowest layer with non-finite nonlinearity inputs, or None."""
        if math.isfinite(sum(mean_square.tolist())):
            return None
        finite = layers.finite()
        return None if all(finite) else self.layer_names[finite.index(False)]

    def first(self, mean_square: np.ndarray, layers: Layers) -> tuple[str, str] | None:
        """Return the lowest layer with a fired rule, and the rule's key; `mean_square` is [L]."""
        if self.start is None:
            self.start = mean_square.astype(np.float64)
        found: dict[int, str] = {}
        if self.activation.can_die:
            found = dict.fromkeys(layers.dead(), DEAD)
        if (mean_square > self.alarm).any():
            found |= self._large_or_saturated(mean_square, layers)
        if not found:
            return None
        layer = min(found)
        return self.layer_names[layer], found[layer]

    def _limit(self, start: np.ndarray) -> np.ndarray:
        return np.maximum(RMS_FACTOR**2 * start, RMS_FLOOR**2)

    def limits(self, start: np.ndarray) -> tuple[np.ndarray, float]:
        """Return the mean squares above which inputs are too large, or may be saturated."""
        return self._limit(start), self._bound

    def _large_or_saturated(self, mean_square: np.ndarray, layers: Layers) -> dict[int, str]:
        assert self.start is not None
        large = np.flatnonzero(mean_square > self._limit(self.start)).tolist()
        found = dict.fromkeys(large, LARGE)
        suspects = np.flatnonzero(mean_square > self._bound).tolist() if self._saturates else []
        return found | dict.fromkeys(filter(layers.saturated, suspects), SATURATED)
