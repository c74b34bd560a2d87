"""Probe of the singular values of the whole network's Jacobian."""

from __future__ import annotations

import numpy as np

from bnviz.probes.context import JACOBIAN_EXAMPLES, ProbeContext, as_floats
from bnviz.probes.jacobian import singular_values, zero_share
from bnviz.records import ProbeValues


def measure(context: ProbeContext) -> ProbeValues:
    """Measure the singular values of the Jacobian ∂ logits / ∂ inputs, at inference.

    Returns:
        `singular_values`: [4, C], descending, at four fixed probe examples; with fewer than C
            inputs, as many as inputs. NaN if the Jacobian is not finite.
        `zeros`: Scalar, share of values below 1e-12 of the largest at the same example.
    """
    trace = context.jacobian_inference
    count = min(JACOBIAN_EXAMPLES, len(trace.inputs))
    jacobians = context.network.input_jacobian(trace, count)
    values = singular_values(jacobians.cpu().numpy())
    zeros = np.mean([zero_share(row) for row in values])
    return as_floats(singular_values=values, zeros=zeros)
