"""Probe of the loss gradient in each layer."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from bnviz.probes.context import ProbeContext, as_floats
from bnviz.probes.sorting import euclidean_norm
from bnviz.records import ProbeValues


def measure(context: ProbeContext) -> ProbeValues:
    """Measure the loss gradient in each layer, on the next mini-batch in training mode.

    The output layer is last; its pre-activation is the logits. In a recurrent network each time
    step has its own part of the shared weights' gradient, and its pre-activation is the input of φ.

    Returns:
        `grad_weight_norm`: [L + 1], Euclidean norm of ∂loss/∂W.
        `grad_pre_activation_rms`: [L + 1], root mean square of ∂loss/∂(W h + b).
        `growth`: [L], `grad_pre_activation_rms` ÷ its value in the layer above. Above 1, gradients
            grow towards the input (Yang et al. 2019). NaN if both are zero.
    """
    gradients = context.gradients
    outputs = [layer.pre_activation for layer in gradients.layers] + [gradients.output.logits]
    count = np.array([values.numel() for values in outputs])
    rms = _norms(outputs) / np.sqrt(count)
    with np.errstate(all="ignore"):
        growth = rms[:-1] / rms[1:]
    return as_floats(
        grad_weight_norm=_norms(gradients.weights),
        grad_pre_activation_rms=rms,
        growth=growth,
    )


def _norms(tensors: list[Tensor]) -> np.ndarray:
    """Return the tensors' Euclidean norms, even if the squares are outside float32's range."""
    if tensors[0].device.type == "cpu":
        return np.array([euclidean_norm(tensor.numpy()) for tensor in tensors])
    norms = [torch.linalg.vector_norm(tensor, dtype=torch.float64) for tensor in tensors]
    return np.asarray(torch.stack(norms).cpu().numpy())
