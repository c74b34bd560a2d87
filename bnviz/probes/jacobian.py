"""How each layer stretches and shrinks small changes of its input."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from bnviz.probes.axis import SINGULAR_VALUE_PERCENTILES
from bnviz.probes.context import JACOBIAN_EXAMPLES, ProbeContext, as_float32
from bnviz.probes.order import sorted_quantiles
from bnviz.records import ProbeValues

LEVELS = np.array(SINGULAR_VALUE_PERCENTILES) / 100

# Singular values below this share of the layer's largest count as exactly zero.
ZERO = 1e-12
# A pooled measurement may cost as much as this many matrices of 100×100 (0.5 ms each on one core).
AFFORDABLE = 4 * 100**3


def measure(context: ProbeContext) -> ProbeValues:
    """The singular values of each layer's Jacobian, in inference mode.

    Of the layer's output by the layer's input, norm and nonlinearity included, at one to four fixed
    probe examples (fewer in large networks), pooled. Layer 1 starts at the network's inputs. A
    value below 1e-12 of the layer's largest counts as zero. Of a recurrent network: of a state by
    the one before it; of a convolution: of all its values by all of the layer below.

    Returns:
        `percentiles` float32 [L, 3]: the 10th, 50th and 90th;
        `zeros` float32 [L]: share of zeros. NaN where the Jacobian is not finite.
    """
    trace = context.jacobian_inference
    count = examples(len(trace.layers), trace.layers[-1].output[0].numel())
    percentiles, zeros = [], []
    for index in range(len(trace.layers)):
        jacobians = context.network.layer_jacobian(trace, index, count, narrow=True)
        values = singular_values(jacobians)
        percentiles.append(sorted_quantiles(np.sort(values, axis=None), LEVELS))
        zeros.append(zero_share(values.ravel()))
    return {
        "percentiles": as_float32(percentiles),
        "zeros": as_float32(zeros),
    }


def examples(depth: int, width: int) -> int:
    """At how many examples Jacobians [width, width] are measured: one to four, by their cost."""
    return int(np.clip(AFFORDABLE // (depth * width**3), 1, JACOBIAN_EXAMPLES))


def singular_values(jacobians: Tensor) -> np.ndarray:
    """Of float64 matrices [E, m, n]: [E, min(m, n)], descending; NaN for one that is not finite.

    Not from the Gram matrix, which would take two thirds of the time: it squares the condition
    number, so that zeros could not be told from small values.
    """
    shape = (len(jacobians), min(jacobians.shape[1:]))
    found = torch.full(shape, torch.nan, dtype=torch.float64, device=jacobians.device)
    finite = torch.isfinite(jacobians.sum(dim=(1, 2)))
    if finite.all():
        found = torch.linalg.svdvals(jacobians)
    elif finite.any():
        found[finite] = torch.linalg.svdvals(jacobians[finite])
    return found.cpu().numpy()


def zero_share(values: np.ndarray) -> float:
    """Share of zeros among singular values; NaN if one is."""
    if np.isnan(values).any():
        return float("nan")
    return np.count_nonzero(values <= ZERO * values.max()) / values.size
