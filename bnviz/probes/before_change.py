"""Probe of loss and gradients just before an action (a change of the weights) at the same step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bnviz.probes import gradients
from bnviz.probes.context import ProbeContext, as_float32
from bnviz.records import ProbeValues


def measure(context: ProbeContext) -> ProbeValues:
    """Measure loss and gradients just before weights were multiplied at this step.

    The next mini-batch is used in training mode, as for the current loss and `gradients`. The
    result is empty if the weights before the action are not saved.

    Returns:
        `loss`, `grad_weight_norm`: [1] and [L + 1], loss and gradient norms before the action.
        `gradient_ratio`: [L + 1], current norm ÷ norm before the action.
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
