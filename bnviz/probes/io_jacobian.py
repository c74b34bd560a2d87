"""How the whole network stretches and shrinks small changes of its input."""

from __future__ import annotations

import numpy as np

from bnviz.probes.context import JACOBIAN_EXAMPLES, ProbeContext, as_floats
from bnviz.probes.jacobian import singular_values, zero_share
from bnviz.records import ProbeValues


def measure(context: ProbeContext) -> ProbeValues:
    """The singular values of the outputs' Jacobian by the inputs, in inference mode.

    Of the logits, at four fixed probe examples.

    Returns:
        `singular_values` float32 [4, C]: descending (as many as there are inputs, if fewer);
        `zeros` float32 scalar: share below 1e-12 of the example's largest. NaN where the Jacobian
        is not finite.
    """
    trace = context.jacobian_inference
    count = min(JACOBIAN_EXAMPLES, len(trace.inputs))
    jacobians = context.network.input_jacobian(trace, count)
    values = singular_values(jacobians.cpu().numpy())
    zeros = np.mean([zero_share(row) for row in values])
    return as_floats(singular_values=values, zeros=zeros)
