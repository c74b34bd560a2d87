"""Fully connected networks that give out every intermediate, with an explicit backward pass.

All parameters of a network lie in one flat tensor, so that an optimizer step is a few operations
whatever the depth.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from bnviz.config import RunConfig
from bnviz.networks.activations import ACTIVATIONS, Activation
from bnviz.networks.init import draw_weights
from bnviz.networks.loss import cross_entropy
from bnviz.networks.trace import Gradients, LayerGradients, LayerTrace, OutputGradients, Trace
from bnviz.norms import NORMS
from bnviz.norms.base import Norm

# Parameters start on 64-byte borders: vector instructions then treat each run's alike.
ALIGNMENT = 16


@dataclass
class Layer:
    """One hidden layer: views of its parameters, and its norm."""

    name: str
    weight: Tensor
    bias: Tensor | None
    norm: Norm


class MLP:
    """A multilayer perceptron with softmax cross-entropy.

    Attributes:
        layers: the hidden layers, input side first.
        layer_names: "layer 1", …; the output layer is called "output".
        flat: every parameter, in one tensor with gaps of zeros; `parameters` are views of it.
        stacked_buffers: the norms' running statistics [L, H] by name; `buffers` are their rows.
    """

    def __init__(
        self,
        weights: list[Tensor],
        norms: list[Norm],
        activation: Activation,
        *,
        norm_position: str = "before",
    ) -> None:
        """Build from initial weights [fan_out, fan_in], the output layer's last, and zero biases.

        A layer whose norm comes before the nonlinearity and can shift keeps no bias: the norm
        would take it out again.
        """
        self.activation = activation
        self.norm_position = norm_position
        self.norm_first = norm_position == "before"
        self.layer_names = tuple(f"layer {index + 1}" for index in range(len(norms)))
        self.names = (*self.layer_names, "output")
        self.norms = norms
        self._slots: dict[str, tuple[int, tuple[int, ...]]] = {}
        self._size = 0
        for index, name in enumerate(self.names):
            self._reserve(name, weights[index], norms[index] if index < len(norms) else None)
        self.flat = torch.zeros(self._size, dtype=weights[0].dtype, device=weights[0].device)
        self._parameters = self.views(self.flat)
        for name, weight in zip(self.names, weights, strict=True):
            self._parameters[f"{name}.weight"].copy_(weight)
        for name, norm in zip(self.layer_names, norms, strict=True):
            for key, value in norm.parameters.items():
                self._parameters[f"{name}.{key}"].copy_(value)
                norm.parameters[key] = self._parameters[f"{name}.{key}"]
        self.stacked_buffers = {
            key: torch.stack([norm.buffers[key] for norm in norms]) for key in norms[0].buffers
        }
        for index, norm in enumerate(norms):
            norm.buffers = {key: stack[index] for key, stack in self.stacked_buffers.items()}
        self.layers = [
            Layer(name, self._parameters[f"{name}.weight"], self._parameters.get(f"{name}.bias"), n)
            for name, n in zip(self.layer_names, norms, strict=True)
        ]
        self.output_weight = self._parameters["output.weight"]
        self.output_bias = self._parameters["output.bias"]

    def _reserve(self, name: str, weight: Tensor, norm: Norm | None) -> None:
        fan_out, fan_in = weight.shape
        shapes: dict[str, tuple[int, ...]] = {"weight": (fan_in, fan_out)}
        if norm is None or not (self.norm_first and norm.absorbs_bias):
            shapes["bias"] = (fan_out,)
        for key in norm.parameters if norm else ():
            shapes[key] = (fan_out,)
        for key, shape in shapes.items():
            self._slots[f"{name}.{key}"] = (self._size, shape)
            length = shape[0] * (shape[1] if len(shape) > 1 else 1)
            self._size += -(-length // ALIGNMENT) * ALIGNMENT

    def views(self, flat: Tensor) -> dict[str, Tensor]:
        """Views of a tensor laid out as `flat` (parameters, gradients), by parameter name.

        Weights are stored by input, [fan_in, fan_out], because that product is the faster one; the
        views show them as [fan_out, fan_in].
        """
        found = {}
        for name, (start, shape) in self._slots.items():
            length = shape[0] * (shape[1] if len(shape) > 1 else 1)
            view = flat[start : start + length].view(shape)
            found[name] = view.t() if len(shape) > 1 else view
        return found

    def parameters(self) -> dict[str, Tensor]:
        """Views by name ("layer 1.weight" [fan_out, fan_in], …, "output.bias"); write in place."""
        return dict(self._parameters)

    def buffers(self) -> dict[str, Tensor]:
        """The norms' running statistics by name ("layer 1.running_mean", …)."""
        return {
            f"{layer.name}.{key}": value
            for layer in self.layers
            for key, value in layer.norm.buffers.items()
        }

    def forward(self, inputs: Tensor, *, training: bool) -> Trace:
        """Every intermediate for inputs [N, D], in new tensors; no statistics are updated.

        Args:
            inputs: of the network's dtype and device.
            training: whether norms use the batch's own statistics.
        """
        output, layers = inputs, []
        for layer in self.layers:
            pre_activation = _linear(output, layer.weight, layer.bias)
            if self.norm_first:
                normalized, cache = layer.norm.forward(pre_activation, training=training)
                activation = self.activation.forward(normalized)
            else:
                activation = self.activation.forward(pre_activation)
                normalized, cache = layer.norm.forward(activation, training=training)
            trace = LayerTrace(
                layer.name, pre_activation, normalized, activation, cache, self.norm_first
            )
            layers.append(trace)
            output = trace.output
        return Trace(inputs, layers, _linear(output, self.output_weight, self.output_bias))

    def backward(self, trace: Trace, labels: Tensor) -> tuple[float, Gradients]:
        """Mean cross-entropy of a forward pass, and its gradient by every intermediate.

        Args:
            trace: from `forward`, in the mode in which the gradient is wanted.
            labels: int64 [N].
        """
        loss, dlogits = cross_entropy(trace.logits, labels)
        last = trace.layers[-1].output
        output = OutputGradients(dlogits.t() @ last, dlogits.sum(0), dlogits)
        doutput = dlogits @ self.output_weight
        found: list[LayerGradients] = []
        for index in reversed(range(len(self.layers))):
            below = trace.layers[index - 1].output if index else trace.inputs
            gradients = self._backward_layer(index, trace.layers[index], doutput, below)
            if index:
                doutput = gradients.pre_activation @ self.layers[index].weight
            found.append(gradients)
        return float(loss.detach()), Gradients(found[::-1], output)

    def _backward_layer(
        self, index: int, trace: LayerTrace, doutput: Tensor, below: Tensor
    ) -> LayerGradients:
        layer = self.layers[index]
        slope = self.activation.derivative(trace.nonlinearity_input, trace.activation)
        if self.norm_first:
            dactivation = doutput
            dnormalized = dactivation * slope
            dpre_activation = layer.norm.backward(dnormalized, trace.norm_cache)
        else:
            dnormalized = doutput
            dactivation = layer.norm.backward(dnormalized, trace.norm_cache)
            dpre_activation = dactivation * slope
        return LayerGradients(
            weight=dpre_activation.t() @ below,
            bias=None if layer.bias is None else dpre_activation.sum(0),
            gamma=layer.norm.gradients.get("gamma"),
            beta=layer.norm.gradients.get("beta"),
            pre_activation=dpre_activation,
            normalized=dnormalized,
            activation=dactivation,
        )

    def named_gradients(self, gradients: Gradients) -> dict[str, Tensor]:
        """The parameters' gradients, under the names of `parameters`."""
        named = {
            f"{name}.{key}": getattr(layer, key)
            for name, layer in zip(self.layer_names, gradients.layers, strict=True)
            for key in ("weight", "bias", "gamma", "beta")
            if getattr(layer, key) is not None
        }
        named["output.weight"] = gradients.output.weight
        named["output.bias"] = gradients.output.bias
        return named

    def update_statistics(self, trace: Trace) -> None:
        """Take a training-mode forward pass into every norm's running statistics."""
        for layer, values in zip(self.layers, trace.layers, strict=True):
            layer.norm.update_statistics(values.norm_cache)


def _linear(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    return x @ weight.t() if bias is None else torch.addmm(bias, x, weight.t())


def build_network(
    config: RunConfig,
    norm: str,
    features: int,
    classes: int,
    *,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str = "cpu",
) -> MLP:
    """The network of a run at step 0.

    Args:
        config: depth, width, activation, initial weights, norm settings and seed.
        norm: a key of `NORMS`; every norm gets the same initial weights.
        features: number of inputs.
        classes: number of logits.
        dtype: of everything in the network.
        device: of everything in the network.
    """
    sizes = [features, *[config.width] * config.depth, classes]
    weights = draw_weights(config.init, config.init_std, sizes, config.seed)
    make = NORMS[norm].resolve()
    norms = [
        make(
            config.width, eps=config.norm_eps, momentum=config.norm_momentum,
            affine=config.norm_affine, dtype=dtype, device=device,
        )
        for _ in range(config.depth)
    ]  # fmt: skip
    return MLP(
        [torch.tensor(weight, dtype=dtype, device=device) for weight in weights],
        norms,
        ACTIVATIONS[config.activation],
        norm_position=config.norm_position,
    )
