"""Networks whose layers consist of a linear map, a norm and a nonlinearity."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from bnviz.networks.activations import Activation
from bnviz.networks.base import Network
from bnviz.networks.products import product
from bnviz.networks.skips import skip_sources
from bnviz.networks.trace import Gradients, LayerGradients, LayerTrace, OutputGradients, Trace
from bnviz.norms.base import Norm, Tensors
from bnviz.pieces import Pieces, run_to_end


@dataclass
class Layer:
    """Views of one hidden layer's parameters, and its norm."""

    name: str
    weight: Tensor
    bias: Tensor | None
    norm: Norm


class Layered(Network):
    """Sequence of hidden layers with a linear output layer. Subclasses define the linear map.

    Attributes:
        layers: hidden layers, from input to output.
        stacked_buffers: running statistics [L, …] by name, if all norms have the same type. Each
            row is in the `buffers` of one norm. Empty in a copy made by `twin`.
        skip_from: per layer, the index of the layer whose output is added before the nonlinearity,
            or None if the layer is not the end of a block.
    """

    def __init__(
        self,
        weights: list[Tensor],
        norms: list[Norm],
        activation: Activation,
        *,
        norm_first: bool = True,
        skip: int = 0,
    ) -> None:
        """Build a network from initial weights (the output layer's last) and zero biases."""
        super().__init__(activation, norm_first=norm_first)
        self.skip_from = skip_sources(len(norms), skip)
        self.layer_names = tuple(f"layer {index + 1}" for index in range(len(norms)))
        self.names = (*self.layer_names, "output")
        self.norms = norms
        initial: Tensors = {}
        for name, weight, norm in zip(self.names, weights, (*norms, None), strict=True):
            initial[f"{name}.weight"] = weight
            if norm is None or not (self.norm_first and norm.absorbs_bias):
                initial[f"{name}.bias"] = weight.new_zeros(len(weight))
            learned = norm.parameters if norm else {}
            initial |= {f"{name}.{key}": value for key, value in learned.items()}
        self.stacked_buffers: Tensors = {}
        if len({type(norm) for norm in norms}) == 1:
            self.stacked_buffers = {
                key: torch.stack([norm.buffers[key] for norm in norms]) for key in norms[0].buffers
            }
            for index, norm in enumerate(norms):
                norm.buffers = {key: stack[index] for key, stack in self.stacked_buffers.items()}
        self._lay_out(initial)

    def _bind(self, own: dict[int, Norm]) -> None:
        if own:
            self.stacked_buffers = {}  # The norms of a copy may have their own buffers.
        self.norms = [own.get(id(norm), norm) for norm in self.norms]
        for name, norm in self.named_norms():
            for key in norm.parameters:
                norm.parameters[key] = self._parameters[f"{name}.{key}"]
        self.layers = [
            Layer(name, self._parameters[f"{name}.weight"], self._parameters.get(f"{name}.bias"), n)
            for name, n in self.named_norms()
        ]
        self.output_weight = self._parameters["output.weight"]
        self.output_bias = self._parameters["output.bias"]

    def named_norms(self) -> list[tuple[str, Norm]]:
        return list(zip(self.layer_names, self.norms, strict=True))

    def whole_buffers(self) -> list[Tensor]:
        return list((self.stacked_buffers or self.buffers()).values())

    @abstractmethod
    def _linear(self, index: int, x: Tensor) -> Tensor:
        """Apply a layer's linear map, including the bias."""

    @abstractmethod
    def _linear_gradients(self, index: int, dy: Tensor, x: Tensor) -> tuple[Tensor, Tensor | None]:
        """Return the gradients of a layer's weight and of its input (None for the lowest layer)."""

    def _prepare(self, inputs: Tensor) -> Tensor:
        """Reshape inputs [N, D] for the lowest layer."""
        return inputs

    def forward(self, inputs: Tensor, *, training: bool, known: Sequence[LayerTrace] = ()) -> Trace:
        """Compute `Network.forward`. `known` may contain the values of the lowest layers."""
        return run_to_end(self.forward_in_pieces(inputs, training=training, known=known))

    def forward_in_pieces(
        self, inputs: Tensor, *, training: bool, known: Sequence[LayerTrace] = ()
    ) -> Pieces[Trace]:
        layers = list(known)
        output = layers[-1].output if layers else self._prepare(inputs)
        for index in range(len(layers), len(self.layers)):
            layer = self.layers[index]
            by_batch = training and not layer.norm.fixed_statistics
            pre_activation, summed = self._linear(index, output), None
            if self.norm_first:
                normalized, cache = layer.norm.forward(pre_activation, training=by_batch)
                source = self.skip_from[index]
                summed = None if source is None else normalized + layers[source].output
                activation = self.activation.forward(normalized if summed is None else summed)
            else:
                activation = self.activation.forward(pre_activation)
                normalized, cache = layer.norm.forward(activation, training=by_batch)
            mask = None
            if training:
                mask = layer.norm.mask(activation if self.norm_first else normalized)
            trace = LayerTrace(
                layer.name, pre_activation, normalized, activation, cache, self.norm_first, summed,
                mask,
            )  # fmt: skip
            layers.append(trace)
            output = trace.output
            yield
        logits = product(output.flatten(1), self.output_weight.t(), self.output_bias)
        return Trace(inputs, layers, logits)

    def backward(
        self, trace: Trace, labels: Tensor, *, lowest: int = 0
    ) -> tuple[Tensor, Gradients]:
        """Compute `Network.backward` without the gradients of layers below index `lowest`."""
        loss, dlogits = self.loss(trace.logits, labels)
        last = trace.layers[-1].output
        output = OutputGradients(product(dlogits.t(), last.flatten(1)), dlogits.sum(0), dlogits)
        doutput: Tensor | None = product(dlogits, self.output_weight).view(last.shape)
        found: list[LayerGradients] = []
        skipped: dict[int, Tensor] = {}  # gradients through skip connections, by source layer
        for index in reversed(range(lowest, len(self.layers))):
            assert doutput is not None
            if index in skipped:
                doutput = doutput + skipped.pop(index)
            below = trace.layers[index - 1].output if index else self._prepare(trace.inputs)
            gradients, doutput = self._backward_layer(index, trace.layers[index], doutput, below)
            found.append(gradients)
            source = self.skip_from[index]
            if source is not None:
                skipped[source] = gradients.normalized
        return loss.detach(), Gradients(found[::-1], output)

    def _backward_layer(
        self, index: int, trace: LayerTrace, doutput: Tensor, below: Tensor
    ) -> tuple[LayerGradients, Tensor | None]:
        layer = self.layers[index]
        given, result = trace.nonlinearity_input, trace.activation
        if trace.mask is not None:
            doutput = doutput * trace.mask
        if self.norm_first:
            dactivation = doutput
            dnormalized = self.activation.backward(dactivation, given, result)
            dpre_activation = layer.norm.backward(dnormalized, trace.norm_cache)
        else:
            dnormalized = doutput
            dactivation = layer.norm.backward(dnormalized, trace.norm_cache)
            dpre_activation = self.activation.backward(dactivation, given, result)
        dweight, dbelow = self._linear_gradients(index, dpre_activation, below)
        others = [axis for axis in range(dpre_activation.dim()) if axis != 1]
        gradients = LayerGradients(
            weight=dweight,
            bias=None if layer.bias is None else dpre_activation.sum(others),
            norm=layer.norm.gradients,
            pre_activation=dpre_activation,
            normalized=dnormalized,
            activation=dactivation,
        )
        return gradients, dbelow

    def named_gradients(self, gradients: Gradients) -> Tensors:
        output = gradients.output
        named = {"output.weight": output.weight, "output.bias": output.bias}
        for name, layer in zip(self.layer_names, gradients.layers, strict=True):
            named[f"{name}.weight"] = layer.weight
            if layer.bias is not None:
                named[f"{name}.bias"] = layer.bias
            named |= {f"{name}.{key}": value for key, value in layer.norm.items()}
        return named

    def update_statistics(self, trace: Trace) -> None:
        if self.fixed_statistics:
            return
        if self.stacked_buffers and self.flat.device.type != "cpu":
            self._update_at_once(trace)
            return
        for layer, values in zip(self.layers, trace.layers, strict=True):
            layer.norm.update_statistics(values.norm_cache)

    def _update_at_once(self, trace: Trace) -> None:
        """Update the statistics of all layers in one call, because each GPU call takes time."""
        new = [
            layer.norm.batch_statistics(values.norm_cache)
            for layer, values in zip(self.layers, trace.layers, strict=True)
        ]
        share = self.norms[0].share_of_new
        for name, running in self.stacked_buffers.items():
            found = torch.stack([layer[name] for layer in new])
            running.mul_(1 - share).add_(found, alpha=share)
        for norm in self.norms:
            norm.count_batch()

    @abstractmethod
    def _matrix(self, index: int, *, narrow: bool = False) -> Tensor:
        """Return a layer's linear map, float64 [n, m], with `narrow` as in `layer_jacobian`."""

    @abstractmethod
    def _norm_jacobians(self, norm: Norm, rows: Tensor) -> Tensor:
        """Return ∂ norm(x) / ∂x at `rows`: float64 [E, n, n], or its diagonal, [E, n] or [n]."""

    def layer_jacobian(
        self, trace: Trace, index: int, count: int, *, narrow: bool = False
    ) -> Tensor:
        """Multiply the Jacobians of norm, nonlinearity and linear map; see
        `Network.layer_jacobian`.

        The last layer of a block is differentiated along the branch only, with φ′ at the sum. The
        skip connection is left out. It depends on this layer's input only if the branch has one
        layer.
        """
        outer, inner = self._past_linear(trace, index, count), self._matrix(index, narrow=narrow)
        return outer[:, :, None] * inner if outer.dim() == 2 else outer @ inner

    def input_jacobian(self, trace: Trace, count: int) -> Tensor:
        """Multiply the Jacobians from output to input, and add those of skip connections."""
        found = self.output_weight.double().expand(count, -1, -1)
        skipped: dict[int, Tensor] = {}  # Jacobians through skip connections, by source layer
        for index in reversed(range(len(self.layers))):
            if index in skipped:
                found = found + skipped.pop(index)
            source = self.skip_from[index]
            if source is not None:
                skipped[source] = found * self.slope(trace, index, count)[:, None, :]
            outer = self._past_linear(trace, index, count)
            inner = found * outer[:, None, :] if outer.dim() == 2 else found @ outer
            found = inner @ self._matrix(index)
        return found

    def _past_linear(self, trace: Trace, index: int, count: int) -> Tensor:
        """Return ∂ output / ∂ pre-activation of a layer, [E, n, n], or [E, n] if diagonal."""
        values, slope = trace.layers[index], self.slope(trace, index, count).flatten(1)
        rows = values.norm_input[:count].double()
        through = self._norm_jacobians(self.layers[index].norm, rows)
        if through.dim() < 3:
            return slope * through
        # If the norm comes first, φ′ scales the rows of the norm's Jacobian, otherwise its columns.
        return slope[:, :, None] * through if self.norm_first else through * slope[:, None, :]
