"""How much of the loss gradient reaches each layer."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from bnviz.probes.context import ProbeContext, as_floats
from bnviz.probes.sorting import euclidean_norm
from bnviz.records import ProbeValues


def measure(context: ProbeContext) -> ProbeValues:
    """The size of the loss gradient in each layer, on the mini-batch about to be used.

    In training mode. The output layer stands last, its logits as its pre-activation. In a recurrent
    network every time step counts as a layer: its own part of the gradient by the shared weights,
    and the gradient by what φ gets.

    Returns:
        `grad_weight_norm` float32 [L + 1]: Euclidean norm of ∂loss/∂W;
        `grad_pre_activation_rms` float32 [L + 1]: root mean square of ∂loss/∂(W h + b) over
        examples and units (and places);
        `growth` float32 [L]: that of each layer ÷ that of the one above it, for the last hidden
        layer the output; above 1 where gradients grow towards the input (Yang et al. 2019). NaN
        where both are zero.
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
    """Euclidean norms, also where squares leave float32's range."""
    if tensors[0].device.type == "cpu":
        return np.array([euclidean_norm(tensor.numpy()) for tensor in tensors])
    norms = [torch.linalg.vector_norm(tensor, dtype=torch.float64) for tensor in tensors]
    return np.asarray(torch.stack(norms).cpu().numpy())
