"""What a network was like just before an action at the very step that is measured."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bnviz.probes import gradients
from bnviz.probes.context import ProbeContext, as_float32
from bnviz.records import ProbeValues


def measure(context: ProbeContext) -> ProbeValues:
    """Loss and gradients just before weights were multiplied at this step, on the same mini-batch.

    They are those of the weights that the run has kept of this step, which are kept as soon as the
    step has been taken, before any action. The mini-batch is the one about to be used, in training
    mode; beside the loss and `gradients` as they are now it is the same one.

    Returns:
        `loss` float32 [1]; `grad_weight_norm` float32 [L + 1], as that of `gradients`;
        `gradient_ratio` float32 [L + 1], that of `gradients` ÷ it. Nothing where the weights of
        this step are not kept.
    """
    flat = context.saved_weights.get(context.step)
    if flat is None:
        return {}
    before = replace(context, network=context.network.twin(flat), memory={})
    loss, _ = before.network.loss(before.batch_trace.logits, context.batch[1])
    gradient = gradients.measure(before)["grad_weight_norm"]
    with np.errstate(all="ignore"):
        ratio = gradients.measure(context)["grad_weight_norm"] / gradient
    return {
        "loss": as_float32([float(loss)]),
        "grad_weight_norm": gradient,
        "gradient_ratio": as_float32(ratio),
    }
