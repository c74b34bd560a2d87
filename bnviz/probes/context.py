"""Context of a probe: one network between two steps, with forward passes that probes share.

No pass changes the network or a random generator. The caller works under `torch.no_grad()`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar, cast

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from bnviz.config import RATE_GROUPS, RunConfig, StepSettings
from bnviz.data.base import Data
from bnviz.networks.base import Network
from bnviz.networks.build import build_network
from bnviz.networks.trace import Gradients, Trace, unit_rows
from bnviz.pieces import Pieces, in_pieces, run_to_end
from bnviz.probes import PROBES
from bnviz.probes.axis import probe_examples
from bnviz.probes.sorting import Distribution, distribution_in_pieces, sorted_there
from bnviz.records import ProbeValues
from bnviz.sizes import size_of

# Number of probe examples at which Jacobians are measured.
JACOBIAN_EXAMPLES = 4

# Number of the random stream for probes, among the streams that a run's seed is split into.
PROBE_STREAM = 5

Found = TypeVar("Found")
Memory = dict[str, np.ndarray]
Batch = tuple[Tensor, Tensor]


class UpdateRule(Protocol):
    """Part of an optimizer that probes need; see `bnviz.training.optimizers.Optimizer`."""

    def preview(self, flat: Tensor, gradient: Tensor, knobs: StepSettings) -> Tensor:
        """Return the parameters after the next update, without changing the network."""


class LazyPass(Generic[Found]):
    """Cached property that `ProbeContext.compute_pass` can compute in pieces before it is read."""

    def __init__(self, work: Callable[[ProbeContext], Pieces[Found]]) -> None:
        self.work, self.__doc__ = work, work.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, context: ProbeContext, owner: type) -> Found:
        return cast(Found, run_to_end(context.compute_pass(self._name)))


@dataclass(kw_only=True, eq=False)
class ProbeContext:
    """One network at one step, as probes see it.

    Attributes:
        network: Network of any dtype and device; must not be changed.
        batch: Inputs [m, D] and labels [m] of the next mini-batch, as tensors for the network.
        takes_step: Whether the network takes a step on `batch`. If not, do not use gradients.
        memory: Values that probes keep between measurements, by "probe.name". Checkpoints contain
            it.
        saved_weights: Saved `flat` of earlier steps (a plan's `keep`), ascending, read-only.
            `network.twin(flat)` is the network with these weights, `network.views(flat)` its
            parameters by name.
        fixed_at_start: Whether the run began with fixed statistics (`RunConfig`).
    """

    config: RunConfig
    norm: str
    step: int
    network: Network
    data: Data
    batch: Batch
    memory: Memory
    optimizer: UpdateRule
    takes_step: bool = True
    saved_weights: Mapping[int, Tensor] = field(default_factory=dict)
    fixed_at_start: bool = False
    _passes: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def probe_inputs(self) -> Tensor:
        """Probe set [P, D] with the network's dtype and device; see `axis.probe_examples`."""
        return self.as_input(self.data.probe_inputs[: probe_examples(self.config)])

    def values(self, probe: str) -> Pieces[ProbeValues]:
        """Measure one probe of `PROBES` on this network."""
        entry = PROBES[probe]
        if entry.of_a_step and not self.takes_step:
            return {}
        for needed in entry.passes:
            yield from self.compute_pass(needed)
            yield
        return (yield from in_pieces(entry.resolve()(self)))

    def compute_pass(self, name: str) -> Pieces[Any]:
        """Compute a `LazyPass` property of this class by its name, in pieces, and cache it."""
        if name not in self._passes:
            self._passes[name] = yield from vars(type(self))[name].work(self)
        return self._passes[name]

    @LazyPass
    def probe_training(self) -> Pieces[Trace]:
        """Forward pass of the probe set in training mode, normalized by its own statistics."""
        return self.network.forward_in_pieces(self.probe_inputs, training=True)

    @LazyPass
    def jacobian_inference(self) -> Pieces[Trace]:
        """Forward pass at inference, for the examples at which Jacobians are measured."""
        inputs = self.probe_inputs[:JACOBIAN_EXAMPLES]
        return self.network.forward_in_pieces(inputs, training=False)

    @LazyPass
    def batch_trace(self) -> Pieces[Trace]:
        """Forward pass of the next mini-batch in training mode."""
        return self.network.forward_in_pieces(self.batch[0], training=True)

    @cached_property
    def gradients(self) -> Gradients:
        """Gradients of the next mini-batch's loss with respect to every intermediate value."""
        return self.network.backward(self.batch_trace, self.batch[1])[1]

    @property
    def learning_rate(self) -> float:
        """Learning rate of the network's next update, before multiplication by `factors`."""
        return self.config.rates()[self.norm]

    @property
    def factors(self) -> dict[str, float]:
        """Factor by which the learning rate is multiplied, for each of `RATE_GROUPS`."""
        return dict(zip(RATE_GROUPS, self.config.rate_factors, strict=True))

    @cached_property
    def flat_gradient(self) -> Tensor:
        """Gradient of the next mini-batch's loss, in the layout of `network.flat`."""
        return flatten(self.network, self.gradients)

    @cached_property
    def next_flat(self) -> Tensor:
        """Parameters after the next update, which is not taken, in the layout of `network.flat`."""
        knobs = self.config.step_settings(self.norm)
        return self.optimizer.preview(self.network.flat, self.flat_gradient, knobs)

    @cached_property
    def pre_activations(self) -> np.ndarray:
        """W h + b on the probe set in training mode: [L, P, H]; convolutions [L, P·S·S, C]."""
        return stack(self._rows_before)

    @cached_property
    def nonlinearity_inputs(self) -> np.ndarray:
        """Nonlinearity inputs of all layers, with the shape of `pre_activations`."""
        layers = self.probe_training.layers
        if all(layer.nonlinearity_input is layer.pre_activation for layer in layers):
            return self.pre_activations
        return stack(self._rows_after)

    @property
    def _rows_before(self) -> list[Tensor]:
        return [unit_rows(layer.pre_activation) for layer in self.probe_training.layers]

    @property
    def _rows_after(self) -> list[Tensor]:
        return [unit_rows(layer.nonlinearity_input) for layer in self.probe_training.layers]

    @property
    def on_cpu(self) -> bool:
        return self.network.flat.device.type == "cpu"

    @LazyPass
    def distribution_before(self) -> Pieces[Distribution]:
        """Sorted `pre_activations` of each layer, over all units and examples."""
        if not self.on_cpu:
            return sorted_there(torch.stack(self._rows_before))
        return (yield from _order(self.pre_activations))

    @LazyPass
    def distribution_after(self) -> Pieces[Distribution]:
        """Sorted `nonlinearity_inputs` of each layer, over all units and examples."""
        if self.nonlinearity_inputs is self.pre_activations:
            return (yield from self.compute_pass("distribution_before"))
        yield
        if not self.on_cpu:
            return sorted_there(torch.stack(self._rows_after))
        return (yield from _order(self.nonlinearity_inputs))

    @property
    def products(self) -> int:
        """Number of multiplications in a forward pass of one example."""
        return size_of(self.config).products

    def at_start(self) -> ProbeContext:
        """Return this context at step 0. The initial network is rebuilt from the config."""
        if self.step == 0:
            return self
        flat, data = self.network.flat, self.data
        network = build_network(
            self.config, self.norm, data.features, data.classes, dtype=flat.dtype,
            device=flat.device,
        )  # fmt: skip
        network.fixed_statistics = self.fixed_at_start
        return replace(self, step=0, network=network, memory={})

    def from_start(
        self, prefix: str, measure: Callable[[ProbeContext], ProbeValues]
    ) -> ProbeValues:
        """Return the result of `measure` at step 0. `memory` caches it under names with
        `prefix`.
        """
        memory = self.memory
        if not any(name.startswith(prefix) for name in memory):
            found = measure(self.at_start())
            memory.update({prefix + name: value for name, value in found.items()})
        return {
            name.removeprefix(prefix): value
            for name, value in memory.items() if name.startswith(prefix)
        }  # fmt: skip

    def generator(self, *choice: int) -> np.random.Generator:
        """Return a generator, the same for all networks and independent of the run's generators."""
        return np.random.default_rng([self.config.seed, PROBE_STREAM, *choice])

    def training_examples(self, rows: np.ndarray) -> Batch:
        return self.examples(self.data.train_inputs[rows], self.data.train_labels[rows])

    def examples(self, inputs: np.ndarray, labels: np.ndarray) -> Batch:
        return self.as_input(inputs), torch.from_numpy(labels).to(self.network.flat.device)

    def as_input(self, values: np.ndarray) -> Tensor:
        flat = self.network.flat
        return torch.from_numpy(values).to(dtype=flat.dtype, device=flat.device)


def _order(values: np.ndarray) -> Pieces[Distribution]:
    return distribution_in_pieces(values.reshape(len(values), -1))


def flatten(network: Network, gradients: Gradients) -> Tensor:
    """Return the gradient with respect to all parameters, in the layout of `network.flat`."""
    flat = torch.zeros_like(network.flat)
    views = network.views(flat)
    for name, value in network.named_gradients(gradients).items():
        views[name].copy_(value)
    return flat


def stack(tensors: list[Tensor]) -> np.ndarray:
    """Stack tensors of equal shape, on any device, into an array [L, ...]."""
    if tensors[0].device.type == "cpu":
        return np.stack([tensor.numpy() for tensor in tensors])
    return np.asarray(torch.stack(tensors).cpu().numpy())


def as_float32(values: npt.ArrayLike) -> np.ndarray:
    """Return values as float32. Values that are too large for float32 become infinite."""
    with np.errstate(over="ignore"):
        return np.asarray(values).astype(np.float32)


def as_floats(**values: npt.ArrayLike) -> ProbeValues:
    return {name: as_float32(value) for name, value in values.items()}
