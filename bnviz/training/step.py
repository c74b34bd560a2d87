"""One optimization step of one network, and what the monitor saw of it."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from bnviz.networks.activations import Activation
from bnviz.networks.loss import accuracy
from bnviz.networks.mlp import MLP, Trace
from bnviz.training.monitor import Monitor, Observation
from bnviz.training.optimizers import Optimizer


class PlainStepper:
    """Steps through `MLP.forward` and `MLP.backward`, on any device."""

    def __init__(self, network: MLP, optimizer: Optimizer, monitor: Monitor) -> None:
        self.network, self.optimizer, self.monitor = network, optimizer, monitor
        self._gradient = torch.zeros_like(network.flat)
        self._gradient_views = network.views(self._gradient)

    def step(
        self,
        step: int,
        inputs: Tensor,
        labels: Tensor,
        *,
        learning_rate: float,
        momentum: float,
        weight_decay: float,
    ) -> None:
        """Forward, backward, update; a non-finite value stops before the update."""
        network = self.network
        trace = network.forward(inputs, training=True)
        loss, gradients = network.backward(trace, labels)
        self.monitor.observe(step, observe(network.activation, trace, loss, labels))
        if self.monitor.stopped:
            return
        for name, value in network.named_gradients(gradients).items():
            self._gradient_views[name].copy_(value)
        network.update_statistics(trace)
        self.optimizer.step(
            network.flat, self._gradient,
            learning_rate=learning_rate, momentum=momentum, weight_decay=weight_decay,
        )  # fmt: skip
        if not bool(torch.isfinite(network.flat).all()):
            self.monitor.diverge(step + 1, nonfinite_parameter(network))


def observe(activation: Activation, trace: Trace, loss: float, labels: Tensor) -> Observation:
    """What the monitor's rules need of a training-mode forward pass."""
    inputs = torch.stack([layer.nonlinearity_input for layer in trace.layers])
    outputs = torch.stack([layer.activation for layer in trace.layers])
    saturated = np.zeros(len(trace.layers))
    dead = np.zeros(len(trace.layers))
    if activation.can_die:
        dead = (outputs.amax(1) <= 0).double().mean(1).cpu().numpy()
    elif activation.saturation_zone:
        saturated = activation.saturated(inputs, outputs).double().mean((1, 2)).cpu().numpy()
    mean_square = (inputs.double() ** 2).mean((1, 2)).cpu().numpy()
    return Observation(
        loss=loss,
        accuracy=accuracy(trace.logits, labels),
        mean_square=mean_square,
        saturated=saturated,
        dead=dead,
        nonfinite=_nonfinite(trace, mean_square, loss),
    )


def _nonfinite(trace: Trace, mean_square: np.ndarray, loss: float) -> str | None:
    bad = ~np.isfinite(mean_square)
    if bad.any():
        return trace.layers[int(bad.argmax())].name
    finite = np.isfinite(loss) and bool(torch.isfinite(trace.logits).all())
    return None if finite else "output"


def nonfinite_parameter(network: MLP) -> str:
    """The lowest layer with a non-finite parameter."""
    for name, value in network.parameters().items():
        if not bool(torch.isfinite(value).all()):
            return name.rpartition(".")[0]
    return "output"
