"""What a probe may look at: one network between two steps, and the passes probes share.

Every pass is pure: no weights, statistics, optimizer or generator changes. The caller works under
`torch.no_grad()`.
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

# Jacobians are measured at the first few of the probe examples.
JACOBIAN_EXAMPLES = 4

# Among the streams of random numbers that a run's seed is split into, that of the probes.
PROBE_STREAM = 5

Found = TypeVar("Found")
Memory = dict[str, np.ndarray]
Batch = tuple[Tensor, Tensor]


class UpdateRule(Protocol):
    """What probes need of an optimizer (`bnviz.training.optimizers.Optimizer`)."""

    def preview(self, flat: Tensor, gradient: Tensor, knobs: StepSettings) -> Tensor:
        """The parameters after the next update, which is not taken."""


class Pass(Generic[Found]):
    """A property that takes long: worked out in pieces by `ProbeContext.compute_pass`, or when read."""

    def __init__(self, work: Callable[[ProbeContext], Pieces[Found]]) -> None:
        self.work, self.__doc__ = work, work.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, context: ProbeContext, owner: type) -> Found:
        return cast(Found, run_to_end(context.compute_pass(self._name)))


@dataclass(kw_only=True, eq=False)
class ProbeContext:
    """One network at one step.

    Attributes:
        config: the run's present config; what decides the start never changes while it runs.
        norm: the network's name, a key of `NORMS`.
        step: the network's step.
        network: the network, of any dtype, on any device; not to be changed.
        data: the run's data.
        batch: inputs [m, D] and labels [m] of the mini-batch about to be used, of the network's
            dtype and device.
        takes_step: whether the network takes a step with it; else no gradient may be asked for.
        memory: what probes keep from one measurement to the next, by "probe.name"; belongs to the
            experiment, which saves it in checkpoints.
        optimizer: what the network's next update is taken with.
        saved_weights: the network's `flat` at those earlier steps of the run whose weights are kept (a
            plan's `keep`, as far as the run has come), ascending; read only. `network.twin(flat)`
            is the network with these weights, `network.views(flat)` its parameters by name.
        fixed_at_start: whether the run began with fixed statistics (`RunConfig`).
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
        """The probe set [P, D], of the network's dtype and device; see `axis.probe_examples`."""
        return self.as_input(self.data.probe_inputs[: probe_examples(self.config)])

    def values(self, probe: str) -> Pieces[ProbeValues]:
        """Measure a probe, a key of `PROBES`, on this network."""
        entry = PROBES[probe]
        if entry.of_a_step and not self.takes_step:
            return {}
        for needed in entry.passes:
            yield from self.compute_pass(needed)
            yield
        return (yield from in_pieces(entry.resolve()(self)))

    def compute_pass(self, name: str) -> Pieces[Any]:
        """One of the passes below, by the property's name, worked out in pieces."""
        if name not in self._passes:
            self._passes[name] = yield from vars(type(self))[name].work(self)
        return self._passes[name]

    @Pass
    def probe_training(self) -> Pieces[Trace]:
        """The probe set's pass in training mode: normalized by its own statistics."""
        return self.network.forward_in_pieces(self.probe_inputs, training=True)

    @Pass
    def jacobian_inference(self) -> Pieces[Trace]:
        """The pass in inference mode of the few examples at which Jacobians are measured."""
        inputs = self.probe_inputs[:JACOBIAN_EXAMPLES]
        return self.network.forward_in_pieces(inputs, training=False)

    @Pass
    def batch_trace(self) -> Pieces[Trace]:
        """The pass of the mini-batch about to be used, in training mode."""
        return self.network.forward_in_pieces(self.batch[0], training=True)

    @cached_property
    def gradients(self) -> Gradients:
        """The gradient of its loss by every intermediate."""
        return self.network.backward(self.batch_trace, self.batch[1])[1]

    @property
    def learning_rate(self) -> float:
        """The rate of this network's next update, before the factors of `factors`."""
        return self.config.rates()[self.norm]

    @property
    def factors(self) -> dict[str, float]:
        """What each of `RATE_GROUPS` multiplies the rate with."""
        return dict(zip(RATE_GROUPS, self.config.rate_factors, strict=True))

    @cached_property
    def flat_gradient(self) -> Tensor:
        """That gradient by the parameters, laid out as `network.flat`."""
        return flatten(self.network, self.gradients)

    @cached_property
    def next_flat(self) -> Tensor:
        """The parameters after the next update, laid out as `network.flat`; it is not taken."""
        knobs = self.config.step_settings(self.norm)
        return self.optimizer.preview(self.network.flat, self.flat_gradient, knobs)

    @cached_property
    def pre_activations(self) -> np.ndarray:
        """W h + b of every layer on the probe set, training mode [L, P, H].

        A feature map is a unit, and each of its S·S places a sample: [L, P·S·S, C].
        """
        return stack(self._rows_before)

    @cached_property
    def nonlinearity_inputs(self) -> np.ndarray:
        """What the nonlinearity of every layer gets, as `pre_activations`."""
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
        """Whether the network is on the CPU."""
        return self.network.flat.device.type == "cpu"

    @Pass
    def distribution_before(self) -> Pieces[Distribution]:
        """`pre_activations` of all units and examples of each layer, in order."""
        if not self.on_cpu:
            return sorted_there(torch.stack(self._rows_before))
        return (yield from _order(self.pre_activations))

    @Pass
    def distribution_after(self) -> Pieces[Distribution]:
        """`nonlinearity_inputs` of all units and examples of each layer, in order."""
        if self.nonlinearity_inputs is self.pre_activations:
            return (yield from self.compute_pass("distribution_before"))
        yield
        if not self.on_cpu:
            return sorted_there(torch.stack(self._rows_after))
        return (yield from _order(self.nonlinearity_inputs))

    @property
    def products(self) -> int:
        """Multiplications of a forward pass of one example."""
        return size_of(self.config).products

    def at_start(self) -> ProbeContext:
        """The same network at step 0, built again: weights depend on nothing but the config.

        Its statistics are fixed if they were fixed then.
        """
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
        """What `measure` gives at step 0; the memory keeps it, each name after the prefix."""
        memory = self.memory
        if not any(name.startswith(prefix) for name in memory):
            found = measure(self.at_start())
            memory.update({prefix + name: value for name, value in found.items()})
        return {
            name.removeprefix(prefix): value
            for name, value in memory.items() if name.startswith(prefix)
        }  # fmt: skip

    def generator(self, *choice: int) -> np.random.Generator:
        """Random numbers for a probe, the same in every network of a run; never those of the run.

        Args:
            choice: tells the probes' choices apart.
        """
        return np.random.default_rng([self.config.seed, PROBE_STREAM, *choice])

    def training_examples(self, rows: np.ndarray) -> Batch:
        """Inputs and labels of these training examples."""
        return self.examples(self.data.train_inputs[rows], self.data.train_labels[rows])

    def examples(self, inputs: np.ndarray, labels: np.ndarray) -> Batch:
        """Inputs and labels as tensors of the network's dtype and device."""
        return self.as_input(inputs), torch.from_numpy(labels).to(self.network.flat.device)

    def as_input(self, values: np.ndarray) -> Tensor:
        """An array as a tensor of the network's dtype and device."""
        flat = self.network.flat
        return torch.from_numpy(values).to(dtype=flat.dtype, device=flat.device)


def _order(values: np.ndarray) -> Pieces[Distribution]:
    """All values [L, ...] of each layer in order."""
    return distribution_in_pieces(values.reshape(len(values), -1))


def flatten(network: Network, gradients: Gradients) -> Tensor:
    """The gradient by all parameters in one tensor, laid out as `network.flat`."""
    flat = torch.zeros_like(network.flat)
    views = network.views(flat)
    for name, value in network.named_gradients(gradients).items():
        views[name].copy_(value)
    return flat


def stack(tensors: list[Tensor]) -> np.ndarray:
    """Tensors of one shape, of any device, as one array [L, ...]."""
    if tensors[0].device.type == "cpu":
        return np.stack([tensor.numpy() for tensor in tensors])
    return np.asarray(torch.stack(tensors).cpu().numpy())


def as_float32(values: npt.ArrayLike) -> np.ndarray:
    """Values as a probe gives them out; what is too large for float32 becomes infinite."""
    with np.errstate(over="ignore"):
        return np.asarray(values).astype(np.float32)


def as_floats(**values: npt.ArrayLike) -> ProbeValues:
    """`as_float32` of several values by name."""
    return {name: as_float32(value) for name, value in values.items()}
