"""The rules for *what broke first*, applied to one step's activations."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from bnviz.break_limits import BROKEN_SHARE
from bnviz.networks.activations import Activation
from bnviz.networks.saturation_zones import FLAT_ZONES
from bnviz.records import DEAD, LARGE, SATURATED
from bnviz.training.checkpoint import Checkpointed

RMS_FACTOR = 10.0
# An RMS under this is no blow-up, however small it was at step 0.
RMS_FLOOR = 10.0


class Rules(Checkpointed):
    """Whether a layer is broken: over 90 % of its values saturated or of its units dead, or a far
    too large input. A value is what one unit gives for one example.

    They are applied at every step, so the common case (nothing fires) must cost next to nothing: a
    layer of which over 90 % is saturated has a mean square above a bound; only then is it counted.

    Attributes:
        alarm: mean squares [L] up to which no layer is too large or saturated; known from step 0.
    """

    kept = ("start",)

    def __init__(self, layer_names: tuple[str, ...], activation: Activation) -> None:
        self.layer_names, self.activation = layer_names, activation
        self._start: np.ndarray | None = None
        # Keep zeros if the network is not finite at step 0, because then `start` is never set.
        self.alarm = np.zeros(len(layer_names))
        edges = [abs(edge) for zone in FLAT_ZONES.get(activation.name, ()) for edge in zone]
        self._saturates = bool(edges) and not activation.can_die
        # With 1 % of slack for rounding.
        self._bound = 0.99 * BROKEN_SHARE * min(edges) ** 2 if self._saturates else math.inf

    @property
    def start(self) -> np.ndarray | None:
        """Mean square of each layer's nonlinearity input at step 0, float64 [L]; None before."""
        return self._start

    @start.setter
    def start(self, mean_square: np.ndarray | None) -> None:
        self._start = mean_square
        if mean_square is not None:
            self.alarm = np.minimum(self._limit(mean_square), self._bound)

    def nonfinite(self, mean_square: np.ndarray, inputs: Tensor) -> str | None:
        """The lowest layer with a non-finite value among `inputs` [L, N, H], if any."""
        if math.isfinite(sum(mean_square.tolist())):
            return None
        finite = torch.isfinite(inputs).flatten(1).all(1).tolist()
        return None if all(finite) else self.layer_names[finite.index(False)]

    def first(
        self, mean_square: np.ndarray, inputs: Tensor, outputs: Tensor
    ) -> tuple[str, str] | None:
        """The lowest layer for which a rule fires, and the key of the rule.

        Args:
            mean_square: mean square of each layer's nonlinearity input [L].
            inputs: what each layer's nonlinearity got [L, N, H].
            outputs: what it gave [L, N, H].
        """
        if self.start is None:
            self.start = mean_square.astype(np.float64)
        found: dict[int, str] = {}
        if self.activation.can_die:
            found = self._dead(outputs)
        if (mean_square > self.alarm).any():
            found |= self._large_or_saturated(mean_square, inputs, outputs)
        if not found:
            return None
        layer = min(found)
        return self.layer_names[layer], found[layer]

    def _limit(self, start: np.ndarray) -> np.ndarray:
        return np.maximum(RMS_FACTOR**2 * start, RMS_FLOOR**2)

    def limits(self, start: np.ndarray) -> tuple[np.ndarray, float]:
        """Mean squares above which a layer's input is too large, and above which it may saturate.

        Args:
            start: mean squares at step 0, float64 [L, …].
        """
        return self._limit(start), self._bound

    def _dead(self, outputs: Tensor) -> dict[int, str]:
        """Layers in which over 90 % of the units are zero for every example."""
        peaks = outputs.amax(1).cpu().numpy()
        limit = BROKEN_SHARE * peaks.shape[1]
        if peaks.size - np.count_nonzero(peaks) <= limit:
            return {}
        dead = np.count_nonzero(peaks <= 0, axis=1) > limit
        return dict.fromkeys(np.flatnonzero(dead).tolist(), DEAD)

    def _large_or_saturated(
        self, mean_square: np.ndarray, inputs: Tensor, outputs: Tensor
    ) -> dict[int, str]:
        assert self.start is not None
        large = np.flatnonzero(mean_square > self._limit(self.start)).tolist()
        found = dict.fromkeys(large, LARGE)
        suspects = np.flatnonzero(mean_square > self._bound).tolist() if self._saturates else []
        for layer in suspects:
            saturated = self.activation.saturated(inputs[layer], outputs[layer])
            if int(saturated.sum()) > BROKEN_SHARE * saturated.numel():
                found[layer] = SATURATED
        return found
