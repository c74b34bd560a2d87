"""How the whole network stretches and shrinks small changes of its input."""

from __future__ import annotations

import numpy as np
import torch

from bnviz.probes.context import JACOBIAN_EXAMPLES, ProbeContext
from bnviz.probes.jacobian import layer_jacobians, singular_values, zero_share
from bnviz.records import ProbeValues


def measure(context: ProbeContext) -> ProbeValues:
    """The singular values of the outputs' Jacobian by the inputs, in inference mode.

    Of the logits, at four fixed probe examples.

    Returns:
        `singular_values` float32 [4, C]: descending (as many as there are inputs, if fewer);
        `zeros` float32 scalar: share below 1e-12 of the example's largest. NaN where the Jacobian
        is not finite.
    """
    network = context.network
    jacobians = network.output_weight.double().expand(JACOBIAN_EXAMPLES, -1, -1)
    for index in reversed(range(len(network.layers))):
        jacobians = torch.bmm(jacobians, layer_jacobians(context, index))
    values = singular_values(jacobians)
    return {
        "singular_values": values.astype(np.float32),
        "zeros": np.asarray(zero_share(values).mean(), dtype=np.float32),
    }
