"""Small recurrent network whose time steps are the layers of the unrolled network.

h_t = φ(norm(W_h h_{t−1}) + norm(W_x x_t) + b). The input term and the recurrent term are normalized
separately, with separate statistics per time step. Each term has one γ for all time steps, with a
small initial value, and no β, because b has the same effect (Cooijmans et al. 2016).
"""

from __future__ import annotations

from itertools import product
from math import isqrt
from typing import Any, NamedTuple

import torch
from torch import Tensor

from bnviz.config import RunConfig
from bnviz.networks.activations import ACTIVATIONS, Activation
from bnviz.networks.base import Network, NetworkParts
from bnviz.networks.trace import Gradients, LayerGradients, LayerTrace, OutputGradients, Trace
from bnviz.norms.base import Norm, Tensors
from bnviz.pieces import Pieces

TERMS = ("input", "recurrent")


class StepCache(NamedTuple):
    """Caches of one time step's norms for the backward pass; step 1 has no recurrent term."""

    input: Any
    recurrent: Any | None


class RecurrentNet(Network):
    """Recurrent network that classifies a sequence by its last state.

    `norms` belong to the recurrent term. The first is unused, because there is no earlier state.
    """

    def __init__(
        self,
        weights: tuple[Tensor, Tensor, Tensor],
        norms: tuple[list[Norm], list[Norm]],
        activation: Activation,
        *,
        gamma: float,
    ) -> None:
        """Build a network from its input weights [H, D/T], state [H, H] and output [C, H]."""
        super().__init__(activation)
        self.input_norms, self.norms = norms
        steps = len(self.norms)
        self.layer_names = tuple(f"time {index + 1}" for index in range(steps))
        self.names = (*TERMS, "output")
        self._inputs = weights[0].shape[1]
        initial = {f"{k}.weight": each for k, each in zip(self.names, weights, strict=True)}
        initial["bias"] = weights[1].new_zeros(len(weights[1]))
        initial["output.bias"] = weights[2].new_zeros(len(weights[2]))
        # Each term shares its norm parameters across time steps. β is left out, because b has the
        # same effect.
        learned = {k: v for norm in self.norms for k, v in norm.parameters.items() if k != "beta"}
        for term, (key, value) in product(TERMS, learned.items()):
            initial[f"{term}.{key}"] = torch.full_like(value, gamma) if key == "gamma" else value
        self._lay_out(initial)

    def _bind(self, own: dict[int, Norm]) -> None:
        self.norms = [own.get(id(norm), norm) for norm in self.norms]
        self.input_norms = [own.get(id(norm), norm) for norm in self.input_norms]
        for name, norm in self.named_norms():
            _, term = name.split(".")
            norm.parameters = {
                key: self._parameters[f"{term}.{key}"] for key in norm.parameters if key != "beta"
            }
        self.input_weight = self._parameters["input.weight"]
        self.weight = self._parameters["recurrent.weight"]
        self.bias = self._parameters["bias"]
        self.output_weight = self._parameters["output.weight"]
        self.output_bias = self._parameters["output.bias"]

    def named_norms(self) -> list[tuple[str, Norm]]:
        return [
            (f"{name}.{term}", norm)
            for term, norms in zip(TERMS, (self.input_norms, self.norms), strict=True)
            for name, norm in zip(self.layer_names, norms, strict=True)
        ]

    def _sequence(self, inputs: Tensor) -> Tensor:
        """Inputs [N, D] as [T, N, D/T]."""
        return inputs.view(len(inputs), len(self.norms), self._inputs).transpose(0, 1)

    def forward_in_pieces(self, inputs: Tensor, *, training: bool) -> Pieces[Trace]:
        """Compute the values of every time step; `pre_activation` is W_h h + W_x x."""
        layers: list[LayerTrace] = []
        for index, x in enumerate(self._sequence(inputs)):
            below = layers[-1].activation if layers else None
            layers.append(self._forward_step(index, x, below, training))
            yield
        logits = torch.addmm(self.output_bias, layers[-1].activation, self.output_weight.t())
        return Trace(inputs, layers, logits)

    def _forward_step(
        self, index: int, x: Tensor, state: Tensor | None, training: bool
    ) -> LayerTrace:
        training = training and not self.input_norms[index].fixed_statistics
        term = x @ self.input_weight.t()
        total, (normalized, cache) = term, self.input_norms[index].forward(term, training=training)
        recurrent_cache = None
        if state is not None:
            recurrent = state @ self.weight.t()
            result, recurrent_cache = self.norms[index].forward(recurrent, training=training)
            total, normalized = total + recurrent, normalized + result
        normalized = normalized + self.bias
        return LayerTrace(
            self.layer_names[index], total, normalized, self.activation.forward(normalized),
            StepCache(cache, recurrent_cache),
        )  # fmt: skip

    def backward(self, trace: Trace, labels: Tensor) -> tuple[Tensor, Gradients]:
        """Backpropagate through time.

        The gradients of a time step contain only the contributions of that step, which
        `named_gradients` sums: `weight` is the gradient of [W_h, W_x] side by side [H, H + D/T],
        `pre_activation` is ∂loss/∂(input of φ), and `norm` has the gradients of both terms, [2, H]
        each.
        """
        loss, dlogits = self.loss(trace.logits, labels)
        output = OutputGradients(dlogits.t() @ trace.layers[-1].activation, dlogits.sum(0), dlogits)
        dstate = dlogits @ self.output_weight
        sequence, found = self._sequence(trace.inputs), []
        for index in reversed(range(len(trace.layers))):
            state = trace.layers[index - 1].activation if index else None
            gradients, dstate = self._backward_step(
                index, trace.layers[index], dstate, state, sequence[index]
            )
            found.append(gradients)
        return loss.detach(), Gradients(found[::-1], output)

    def _backward_step(
        self, index: int, trace: LayerTrace, dstate: Tensor, state: Tensor | None, x: Tensor
    ) -> tuple[LayerGradients, Tensor]:
        dz = self.activation.backward(dstate, trace.normalized, trace.activation)
        cache, norm = trace.norm_cache, self.input_norms[index]
        dinput = norm.backward(dz, cache.input)
        parts, dbelow = [torch.zeros_like(self.weight), dinput.t() @ x], torch.zeros_like(dstate)
        learned = {key: torch.stack([d, torch.zeros_like(d)]) for key, d in norm.gradients.items()}
        if state is not None:
            norm = self.norms[index]
            drecurrent = norm.backward(dz, cache.recurrent)
            parts[0] = drecurrent.t() @ state
            dbelow = drecurrent @ self.weight
            for key, value in norm.gradients.items():
                learned[key][1] = value
        gradients = LayerGradients(
            weight=torch.cat(parts, 1), bias=dz.sum(0), norm=learned,
            pre_activation=dz, normalized=dz, activation=dstate,
        )  # fmt: skip
        return gradients, dbelow

    def named_gradients(self, gradients: Gradients) -> Tensors:
        width = self.weight.shape[0]
        weights = torch.stack([layer.weight for layer in gradients.layers]).sum(0)
        named = {
            "recurrent.weight": weights[:, :width],
            "input.weight": weights[:, width:],
            "bias": torch.stack([_known(layer.bias) for layer in gradients.layers]).sum(0),
            "output.weight": gradients.output.weight,
            "output.bias": gradients.output.bias,
        }
        # An ablation may leave out the norm of some time steps.
        for key in {key: None for layer in gradients.layers for key in layer.norm}:
            found = [layer.norm[key] for layer in gradients.layers if key in layer.norm]
            learned = torch.stack(found).sum(0)
            named |= {f"{term}.{key}": value for term, value in zip(TERMS, learned, strict=True)}
        return named

    def update_statistics(self, trace: Trace) -> None:
        for index, values in enumerate(trace.layers):
            self.input_norms[index].update_statistics(values.norm_cache.input)
            if values.norm_cache.recurrent is not None:
                self.norms[index].update_statistics(values.norm_cache.recurrent)

    def layer_jacobian(
        self, trace: Trace, index: int, count: int, *, narrow: bool = False
    ) -> Tensor:
        """Return ∂h_t/∂h_{t−1}, or ∂h_1/∂x_1 at the first time step."""
        return self._term(trace, index, count, "recurrent" if index else "input")

    def input_jacobian(self, trace: Trace, count: int) -> Tensor:
        onward = self.output_weight.double().expand(count, -1, -1)
        found = []
        for index in reversed(range(len(trace.layers))):
            found.append(onward @ self._term(trace, index, count, "input"))
            if index:
                onward = onward @ self._term(trace, index, count, "recurrent")
        return torch.cat(found[::-1], 2)

    def _term(self, trace: Trace, index: int, count: int, term: str) -> Tensor:
        """Return ∂h_t/∂x_t or ∂h_t/∂h_{t−1}, depending on `term`, float64 [E, H, n]."""
        below = self._sequence(trace.inputs)[index]
        weight, norm = self.input_weight, self.input_norms[index]
        if term == "recurrent":
            below = trace.layers[index - 1].activation
            weight, norm = self.weight, self.norms[index]
        weight = weight.double()
        rows = below[:count].double() @ weight.t()
        through = torch.stack([norm.inference_jacobian(row) for row in rows]).double()
        inner = through[:, :, None] * weight if through.dim() == 2 else through @ weight
        return self.slope(trace, index, count)[:, :, None] * inner


def _known(value: Tensor | None) -> Tensor:
    assert value is not None
    return value


def build(config: RunConfig, features: int, classes: int, parts: NetworkParts) -> Network:
    """Build a network of `config.width` units that reads images row by row or by pixels."""
    steps = features if config.sequence == "pixels" else isqrt(features)
    size, width = features // steps, config.width
    inner, state, output = parts.weights(config, [(width, size), (width, width), (classes, width)])
    return RecurrentNet(
        (inner, state, output),
        (parts.norms(config, steps), parts.norms(config, steps, first=steps)),
        ACTIVATIONS[config.activation], gamma=config.recurrent_gamma,
    )  # fmt: skip
