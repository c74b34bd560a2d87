"""How each layer stretches and shrinks small changes of its input."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from bnviz.networks.mlp import LayerTrace
from bnviz.norms.base import Norm
from bnviz.probes.axis import SINGULAR_VALUE_PERCENTILES
from bnviz.probes.context import JACOBIAN_EXAMPLES, ProbeContext
from bnviz.records import ProbeValues

# Singular values below this share of the layer's largest count as exactly zero.
ZERO = 1e-12
# A pooled measurement may cost as much as this many matrices of 100×100 (0.5 ms each on one core).
AFFORDABLE = 6 * 100**3
# From here on, eigenvalues of the Gram matrix: 1.6 times as fast, small values less exact.
WIDE = 200


def measure(context: ProbeContext) -> ProbeValues:
    """The singular values of each layer's Jacobian, in inference mode.

    Of the layer's output by the layer's input, norm and nonlinearity included, at one to four fixed
    probe examples (fewer in large networks), pooled. Layer 1 starts at the network's inputs. A
    value below 1e-12 of the layer's largest counts as zero.

    Returns:
        `percentiles` float32 [L, 3]: the 10th, 50th and 90th;
        `zeros` float32 [L]: share of zeros. NaN where the Jacobian is not finite.
    """
    count = examples(context.config.depth, context.config.width)
    values = [
        singular_values(layer_jacobians(context, index)[:count]).reshape(1, -1)
        for index in range(context.config.depth)
    ]
    return {
        "percentiles": np.concatenate([_percentiles(row) for row in values]).astype(np.float32),
        "zeros": np.concatenate([zero_share(row) for row in values]).astype(np.float32),
    }


def examples(depth: int, width: int) -> int:
    """At how many examples Jacobians are measured: one to four, by what they cost."""
    return int(np.clip(AFFORDABLE // (depth * width**3), 1, JACOBIAN_EXAMPLES))


def layer_jacobians(context: ProbeContext, index: int) -> Tensor:
    """∂ output / ∂ input of one hidden layer at the Jacobian examples, float64 [E, H, fan_in]."""
    layer, trace = context.network.layers[index], context.jacobian_inference.layers[index]
    weight = layer.weight.double()
    slope = _slope(context, trace)[:, :, None]
    if context.network.norm_first:
        return slope * _through_norm(layer.norm, trace.pre_activation.double(), weight)
    return _through_norm(layer.norm, trace.activation.double(), slope * weight)


def singular_values(jacobians: Tensor) -> np.ndarray:
    """Of float64 matrices [E, m, n]: [E, min(m, n)], descending; NaN for one that is not finite."""
    found = torch.full((len(jacobians), min(jacobians.shape[1:])), torch.nan, dtype=torch.float64)
    finite = torch.isfinite(jacobians).all(dim=2).all(dim=1)
    if not finite.any():
        return found.numpy()
    good = jacobians[finite]
    # Scaled, so that neither squares nor their sums leave float64's range.
    scale = good.abs().amax(dim=(1, 2), keepdim=True).clamp_min(torch.finfo(torch.float64).tiny)
    found[finite.cpu()] = (_decompose(good / scale) * scale[:, :, 0]).cpu()
    return found.numpy()


def zero_share(values: np.ndarray) -> np.ndarray:
    """Share of zeros among each row's singular values [R, n]: [R]; NaN for a row with a NaN."""
    zero = (values <= ZERO * values.max(axis=1, keepdims=True)).mean(axis=1)
    return np.where(np.isnan(values).any(axis=1), np.nan, zero)


def _percentiles(values: np.ndarray) -> np.ndarray:
    return np.quantile(values, np.array(SINGULAR_VALUE_PERCENTILES) / 100, axis=1).T


def _decompose(matrices: Tensor) -> Tensor:
    if min(matrices.shape[1:]) < WIDE:
        return torch.linalg.svdvals(matrices)
    tall = matrices.shape[1] > matrices.shape[2]
    gram = matrices.mT @ matrices if tall else matrices @ matrices.mT
    return torch.linalg.eigvalsh(gram).clamp_min(0).sqrt().flip(1)


def _slope(context: ProbeContext, trace: LayerTrace) -> Tensor:
    """φ′ at the nonlinearity's input, float64 [E, H]; φ anew, for 1 − h² near saturation."""
    inputs = trace.nonlinearity_input.double()
    return context.activation.derivative(inputs, context.activation.forward(inputs))


def _through_norm(norm: Norm, rows: Tensor, inner: Tensor) -> Tensor:
    """The norm's Jacobian at each row [E, H], times the inner one [H, n] or [E, H, n]."""
    outer = torch.stack([norm.inference_jacobian(row) for row in rows]).double()
    return outer[:, :, None] * inner if outer.dim() == 2 else outer @ inner
