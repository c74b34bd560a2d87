"""One training step of one network, which keeps its state if a value is not finite."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from bnviz.config import StepSettings
from bnviz.networks.base import Network
from bnviz.networks.loss import accuracy
from bnviz.networks.mlp import MLP
from bnviz.networks.trace import unit_rows
from bnviz.training.fast import FastPass
from bnviz.training.monitor import Monitor
from bnviz.training.optimizers import Optimizer
from bnviz.training.rules import LayerCounts, Layers, LayerValues, Rules, count_broken


class Stepper(ABC):
    """Base class for training one network with mini-batches of any size."""

    def __init__(self, network: Network, optimizer: Optimizer, monitor: Monitor) -> None:
        self.network, self.optimizer, self.monitor = network, optimizer, monitor
        self.gradient = torch.zeros_like(network.flat)

    def step(self, step: int, inputs: Tensor, labels: Tensor, knobs: StepSettings) -> None:
        """Take the step after `step` updates, unless a value is not finite; inputs are [N, D]."""
        self._forward(step, inputs, labels)
        if self.monitor.stopped:
            return
        self._backward(labels)
        self.optimizer.step(self.network.flat, self.gradient, knobs)
        if not self._parameters_finite():
            self.monitor.diverge(step + 1, nonfinite_parameter(self.network))

    @abstractmethod
    def _forward(self, step: int, inputs: Tensor, labels: Tensor) -> None:
        """Run the training-mode forward pass and let the monitor judge it."""

    @abstractmethod
    def _backward(self, labels: Tensor) -> None:
        """Fill `gradient` and update the running statistics."""

    @abstractmethod
    def _parameters_finite(self) -> bool: ...


def monitor_of(network: Network, classes: int) -> Monitor:
    """Create a monitor for a network at step 0."""
    rules = Rules(network.layer_names, network.activation)
    return Monitor(rules, classes, network.loss.at_chance(classes))


class PassResults(NamedTuple):
    """Results of a training-mode forward pass for the monitor.

    Attributes:
        mean_square: mean square of each layer's nonlinearity inputs [L].
        examples: number of rows N of a layer's values.
    """

    loss: float
    accuracy: float
    mean_square: np.ndarray
    layers: Layers
    examples: int
    logits_finite: bool


def judge(
    monitor: Monitor, step: int, values: PassResults, network: Network, inputs: Tensor
) -> None:
    """Let the monitor judge the forward pass of `inputs` after `step` updates."""
    rules = monitor.rules
    monitor.first_move.observe(step, values.mean_square)
    layer = rules.nonfinite(values.mean_square, values.layers)
    if layer is None and not (math.isfinite(values.loss) and values.logits_finite):
        layer = "output"
    if layer is not None:
        monitor.diverge(step, *(_constant_unit(network, inputs) or (layer, None)))
        return
    fired = rules.first(values.mean_square, values.layers)
    monitor.observe(step, values.loss, values.accuracy, fired, values.examples)


def _constant_unit(network: Network, inputs: Tensor) -> tuple[str, int] | None:
    """Return the lowest layer whose norm divided 0 by 0, and the unit (from 1), or None.

    Such a division happens with ε = 0 if a unit has the same value for all examples. The extra
    forward pass is affordable, because a network diverges only once.
    """
    for layer in network.forward(inputs, training=True).layers:
        normalized = unit_rows(layer.normalized)
        if bool(torch.isfinite(normalized).all()):
            continue
        given = unit_rows(layer.norm_input)
        constant = (given == given[0]).all(0) & torch.isfinite(given[0])
        units = constant.nonzero().flatten().tolist()
        return (layer.name, units[0] + 1) if units else None
    return None


class PlainStepper(Stepper):
    """Stepper for any network, with `Network.forward` and `Network.backward`."""

    def __init__(self, network: Network, optimizer: Optimizer, monitor: Monitor) -> None:
        super().__init__(network, optimizer, monitor)
        self._views = network.views(self.gradient)

    def _forward(self, step: int, inputs: Tensor, labels: Tensor) -> None:
        loss, z, h = self._pass(inputs, labels)
        logits = self._trace.logits
        values = PassResults(
            float(loss),
            accuracy(logits, labels),
            (z.double() ** 2).mean((1, 2)).cpu().numpy(),
            LayerValues(self.network.activation, z, h),
            z.shape[1],
            bool(torch.isfinite(logits).all()),
        )
        judge(self.monitor, step, values, self.network, inputs)

    def _pass(self, inputs: Tensor, labels: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Run both passes; return the loss, and inputs and outputs of nonlinearities [L, N, H]."""
        self._trace = trace = self.network.forward(inputs, training=True)
        loss, self._gradients = self.network.backward(trace, labels)
        z = torch.stack([unit_rows(layer.nonlinearity_input) for layer in trace.layers])
        h = torch.stack([unit_rows(layer.activation) for layer in trace.layers])
        return loss, z, h

    def _backward(self, labels: Tensor) -> None:
        named = self.network.named_gradients(self._gradients)
        # Copy all gradients in one call: on a GPU, a Python call costs more than a small copy.
        torch._foreach_copy_([self._views[name] for name in named], list(named.values()))
        self.network.update_statistics(self._trace)

    def _parameters_finite(self) -> bool:
        return bool(torch.isfinite(self.network.flat).all())


class DeviceStepper(PlainStepper):
    """Stepper for a GPU that waits for the result once per step.

    The whole step is queued before the CPU knows whether the forward pass was finite. If a value
    was not finite, parameters, statistics and optimizer state are restored.
    """

    def step(self, step: int, inputs: Tensor, labels: Tensor, knobs: StepSettings) -> None:
        network = self.network
        loss, z, h = self._pass(inputs, labels)
        broken, of = count_broken(network.activation, z, h)
        logits = self._trace.logits
        right = (logits.argmax(1) == labels).sum()
        facts = [loss, right, torch.isfinite(logits).all()]
        by_layer = [mean_squares(z), torch.isfinite(z).flatten(1).all(1), broken]
        examples, depth = z.shape[1], len(z)
        del z, h
        before, taken_in = self._copies(), network.taken_in
        self._backward(labels)
        self.optimizer.step(network.flat, self.gradient, knobs)
        # Free a step's large intermediate values, so that the next step can use their memory.
        del self._trace, self._gradients
        facts.append(torch.isfinite(network.flat).all())
        found = _packed(facts, by_layer).cpu().numpy()
        (loss_now, count, logits_finite, updated), layers = found[:4], found[4:].reshape(3, depth)
        finite = bool(logits_finite) and math.isfinite(loss_now) and bool(layers[1].all())
        if not finite:
            self._put_back(before)
            network.taken_in = taken_in
        values = PassResults(
            float(loss_now),
            float(count) / max(len(labels), 1),
            layers[0],
            LayerCounts(layers[1] > 0, layers[2], of),
            examples,
            bool(logits_finite),
        )
        judge(self.monitor, step, values, network, inputs)
        if finite and not updated:
            self.monitor.diverge(step + 1, nonfinite_parameter(network))

    def _copies(self) -> tuple[list[Tensor], dict[str, Any]]:
        """Copy all state that a step changes: parameters, running averages, optimizer state."""
        state = {
            key: value.clone() if isinstance(value, Tensor) else value
            for key, value in self.optimizer.state.items()
        }
        return [value.clone() for value in self._changed()], state

    def _put_back(self, copies: tuple[list[Tensor], dict[str, Any]]) -> None:
        for value, old in zip(self._changed(), copies[0], strict=True):
            value.copy_(old)
        self.optimizer.state = copies[1]

    def _changed(self) -> list[Tensor]:
        return [self.network.flat, *self.network.whole_buffers()]


def mean_squares(values: Tensor) -> Tensor:
    """Return the mean square of each layer's values [L, N, H], float64 [L]."""
    norms = torch.linalg.vector_norm(values, dim=(1, 2), dtype=torch.float64)
    return norms.square() / values[0].numel()


def _packed(numbers: list[Tensor], rows: list[Tensor]) -> Tensor:
    """Join the values in one float64 tensor, which represents counts and float32 values exactly."""
    parts = [torch.stack([each.double() for each in numbers]), *(row.double() for row in rows)]
    return torch.cat(parts)


class FastStepper(Stepper):
    """Stepper for fully connected networks on the CPU, at about half the cost of `PlainStepper`."""

    _pass: FastPass | None = None

    def __init__(self, network: MLP, optimizer: Optimizer, monitor: Monitor) -> None:
        super().__init__(network, optimizer, monitor)
        self._mlp, self._flat = network, network.flat.numpy()

    def _forward(self, step: int, inputs: Tensor, labels: Tensor) -> None:
        if self._pass is None or not self._pass.fits(self._mlp, len(inputs)):
            self._pass = FastPass(self._mlp, self.gradient, len(inputs))
        found = self._pass.forward(inputs.numpy(), labels.numpy())
        values = PassResults(
            float(found.loss),
            float(found.accuracy),
            self._pass.mean_square(),
            LayerValues(self.network.activation, self._pass.inputs, self._pass.outputs),
            self._pass.batch,
            bool(self._pass.logits_finite()),
        )
        judge(self.monitor, step, values, self.network, inputs)

    def _backward(self, labels: Tensor) -> None:
        assert self._pass is not None
        self._pass.backward()
        self._pass.update_statistics()

    def _parameters_finite(self) -> bool:
        # A finite sum of squares proves that all parameters are finite. The sum may overflow if
        # parameters are large, so check each one then.
        flat = self._flat
        return math.isfinite(float(np.dot(flat, flat))) or bool(np.isfinite(flat).all())


def make_stepper(network: Network, optimizer: Optimizer, monitor: Monitor) -> Stepper:
    """Return the fastest stepper for the network and its device."""
    if network.flat.device.type != "cpu":
        return DeviceStepper(network, optimizer, monitor)
    if isinstance(network, MLP):
        return FastStepper(network, optimizer, monitor)
    return PlainStepper(network, optimizer, monitor)


def nonfinite_parameter(network: Network) -> str:
    """Return the name of the lowest layer with a non-finite parameter."""
    for name, value in network.parameters().items():
        if not bool(torch.isfinite(value).all()):
            return name.rpartition(".")[0]
    return "output"
