"""Batch renormalization (Ioffe 2017): training normalizes almost as inference does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from torch import Tensor

from bnviz.norms.axes import by_feature, require_batch, scale_and_shift
from bnviz.norms.base import CentredNorm, Initial, Tensors
from bnviz.norms.batch import BatchCache, batch_norm_backward, batch_norm_forward

# Final limits of r and |d|, as in the paper.
MAX_R = 3.0
MAX_D = 5.0
# Steps at which the limits change. The paper uses plain batch normalization for 5,000 steps, then
# raises the limit of d until step 25,000 and the limit of r until step 40,000. Runs here are short,
# so these numbers are 50 times smaller.
PLAIN_STEPS = 100
MAX_D_FROM = 500
MAX_R_FROM = 800


@dataclass(frozen=True)
class RenormCache:
    """Cache of batch normalization (with r γ as its γ), and the corrected values before γ and β."""

    batch: BatchCache
    normalized: Tensor


def limits(step: int) -> tuple[float, float]:
    """Return the largest r and |d| at a step, from (1, 0), which is plain BN, up to (3, 5)."""

    def ramp(end: int) -> float:
        return min(max((step - PLAIN_STEPS) / (end - PLAIN_STEPS), 0.0), 1.0)

    return 1 + (MAX_R - 1) * ramp(MAX_R_FROM), MAX_D * ramp(MAX_D_FROM)


class BatchRenorm(CentredNorm):
    """Batch normalization with a correction towards the running statistics.

    In training mode y = γ (x̂ r + d) + β with x̂ = (x − μ_B)/σ_B, r = σ_B/σ and d = (μ_B − μ)/σ.
    Here σ_B = √(batch variance + ε), and μ and σ are running averages. r is clipped to [1/r_max,
    r_max] and d to ±d_max (see `limits`), and neither is differentiated. Within the limits, y = γ
    (x − μ)/σ + β, the same as in inference mode.
    """

    name = "renorm"
    initial_buffers: ClassVar[Initial] = {"running_mean": 0.0, "running_std": 1.0}

    def forward(self, x: Tensor, *, training: bool) -> tuple[Tensor, RenormCache]:
        mean, std = self.buffers["running_mean"], self.buffers["running_std"]
        if not training:
            normalized = (x - by_feature(mean, x)) / by_feature(std, x)
            batch = BatchCache(
                normalized, mean, std * std, std.reciprocal(), self.gamma, training=False
            )
            return self._scale_and_shift(normalized), RenormCache(batch, normalized)
        require_batch(x, "Batch renormalization")
        hat, batch = batch_norm_forward(x, None, None, self.eps)
        max_r, max_d = limits(self.step)
        r = (batch.inverse_std.detach().reciprocal() / std).clamp(1 / max_r, max_r)
        d = ((batch.mean.detach() - mean) / std).clamp(-max_d, max_d)
        normalized = scale_and_shift(hat, r, d)
        scaled = r if self.gamma is None else r * self.gamma
        cache = RenormCache(replace(batch, gamma=scaled), normalized)
        return self._scale_and_shift(normalized), cache

    def backward(self, dy: Tensor, cache: RenormCache) -> Tensor:
        """dx as in batch normalization with r γ for γ; dγ = Σ dy · (x̂ r + d), dβ = Σ dy."""
        self._parameter_gradients(dy, cache.normalized)
        return batch_norm_backward(dy, cache.batch)[0]

    def batch_statistics(self, cache: RenormCache) -> Tensors:
        """Return the batch's mean, and √(biased variance + ε)."""
        return {
            "running_mean": cache.batch.mean,
            "running_std": cache.batch.inverse_std.reciprocal(),
        }

    def _inverse_length(self) -> Tensor:
        return self.buffers["running_std"].reciprocal()
