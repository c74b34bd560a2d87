"""Simultaneous training of many networks of one shape on a GPU, in steps that can be recorded.

A step uses preallocated tensors, draws no random numbers and never waits for the GPU. Its
measurements stay on the GPU as `Facts`, for `bnviz.training.judge` to evaluate later.

For small networks, the time of a step depends only on the number of operations. So finiteness is
tested by summing x · 0, which is NaN if x is not finite. That takes half as many operations as
`torch.isfinite`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from bnviz.config import StepSettings
from bnviz.data.base import Data
from bnviz.networks.mlp import MLP
from bnviz.norms.base import Tensors
from bnviz.pieces import Pieces
from bnviz.training.hills import bin_counts
from bnviz.training.optimizers import Optimizer, StackStepSettings, rate_of_each
from bnviz.training.rules import count_broken

# Test examples per chunk.
CHUNK = 256


class DeviceData(NamedTuple):
    """Data set on a device; see `Data`."""

    train_inputs: Tensor
    train_labels: Tensor
    test_inputs: Tensor
    test_labels: Tensor
    probe_inputs: Tensor

    @classmethod
    def of(cls, data: Data, dtype: torch.dtype, device: torch.device) -> DeviceData:
        """Copy a data set to a device and convert its inputs to `dtype`."""
        parts = (torch.from_numpy(getattr(data, name)).to(device) for name in cls._fields)
        return cls(*(part.to(dtype) if part.is_floating_point() else part for part in parts))


class Facts(NamedTuple):
    """Measurements of T steps of K networks with L hidden layers.

    All fields except `overflow` describe the forward pass. Values of stopped networks have no
    meaning.

    Attributes:
        loss: mean over the mini-batch [T, K].
        right: number of correctly classified examples, int32 [T, K].
        square: mean square of each layer's nonlinearity input [T, L, K].
        saturated: number of saturated values per layer, or number of dead units if units can die,
            int32 [T, L, K].
        nonfinite: index of the lowest layer with a non-finite nonlinearity input, L if only logits
            or loss are not finite, or L + 1 if everything is finite, int32 [T, K].
        overflow: index of the first non-finite element of `flat` after the update, or -1, int32 [T,
            K].
    """

    loss: Any
    right: Any
    square: Any
    saturated: Any
    nonfinite: Any
    overflow: Any

    def to_host(self) -> Facts:
        """Return a copy as NumPy arrays, waiting for the GPU."""
        return Facts(*(each.cpu().numpy() for each in self))


class TestResult(NamedTuple):
    """Results of all networks on the test set in inference mode.

    Loss and accuracy are float64 [K], or NaN if a logit is not finite. `bins` [K, BINS] is the
    histogram of the inputs of the last hidden nonlinearity for the probe examples.
    """

    loss: Tensor
    accuracy: Tensor
    bins: Tensor


class _Passes(NamedTuple):
    """Results of a forward and a backward pass of all networks; see `Facts`."""

    loss: Tensor
    right: Tensor
    square: Tensor
    saturated: Tensor
    finite: Tensor  # bool [K, L + 1]: one value per layer, then one for logits and loss
    gradients: Tensors
    statistics: Tensor  # mini-batch statistics [K, B]


class DeviceStack:
    """Stack of K networks of one shape, nonlinearity, norm and mini-batch size.

    The passes run each network under `torch.vmap`, so the norm must allow replays
    (`NormEntry.replays`). A diverged network keeps its parameters, statistics and optimizer state.

    Attributes:
        flat: parameters [K, P] in the layout of `MLP.flat`.
        statistics: running statistics [K, B] in the order of `MLP.buffers`.
        slots: tensors of the optimizer state, each [K, P].
    """

    def __init__(
        self, network: MLP, optimizer: type[Optimizer], data: DeviceData, *, members: int,
        batch: int, steps: int, seeds: int = 1, own_rates: bool = False,
    ) -> None:  # fmt: skip
        """Allocate memory; `load` must be called before the first step.

        Args:
            network: one network at step 0, on the GPU; all networks start with its running
                statistics.
            members: number of networks K.
            steps: maximum number of steps T.
            seeds: number of different mini-batch orders.
            own_rates: whether parameter groups may have separate learning rates.
        """
        self._network, self._optimizer, self._data = network, optimizer, data
        depth, flat = len(network.layers), network.flat

        def zeros(*shape: int, dtype: torch.dtype = flat.dtype) -> Tensor:
            return torch.zeros(*shape, dtype=dtype, device=flat.device)

        whole = torch.int32
        self.flat, self._gradient = (zeros(members, flat.numel()) for _ in range(2))
        self._views = network.views(self._gradient)
        self._buffers = {name: value.shape for name, value in network.buffers().items()}
        self._start = torch.cat(
            [zeros(0), *(each.flatten() for each in network.buffers().values())]
        )
        self.statistics = zeros(members, self._start.numel())
        self.slots = [zeros(members, flat.numel()) for _ in optimizer.slots]
        self._knobs = StackStepSettings(*(zeros(members, 1, dtype=torch.float64) for _ in range(3)))
        if own_rates:
            self._knobs = self._knobs._replace(learning_rate=torch.zeros_like(self.flat))
        self._alive = zeros(members, dtype=torch.bool)
        self._taken = zeros(1, dtype=torch.int64)
        self._order = zeros(seeds, steps, batch, dtype=whole)
        self._own = zeros(members, dtype=torch.int64)
        self.facts = Facts(
            zeros(steps, members), zeros(steps, members, dtype=whole),
            zeros(steps, depth, members), zeros(steps, depth, members, dtype=whole),
            zeros(steps, members, dtype=whole), zeros(steps, members, dtype=whole),
        )  # fmt: skip
        self._layers = torch.arange(depth + 1, dtype=whole, device=flat.device)

    def state(self) -> list[Tensor]:
        """Return all tensors that a step reads or writes."""
        return [
            self.flat, self._gradient, self.statistics, *self.slots, *self._knobs, self._alive,
            self._taken, self._order, self._own, *self.facts, self._layers, *self._data,
        ]  # fmt: skip

    @torch.no_grad()
    def load(
        self, starts: Tensor, which: Sequence[int], knobs: Sequence[StepSettings],
        order: np.ndarray, own: Sequence[int],
    ) -> None:  # fmt: skip
        """Reset all networks to step 0 by copying into the allocated tensors.

        Args:
            starts: distinct initial parameters [U, P].
            which: for each network, the index of its row in `starts` [K].
            order: example indices of the mini-batches of each seed [seeds, T, N].
            own: for each network, the index of its row in `order` [K].
        """
        self.flat.copy_(starts.index_select(0, torch.tensor(which).to(starts.device)))
        self.statistics.copy_(self._start.expand_as(self.statistics))
        for slot in self.slots:
            slot.zero_()
        for name, mine in self._knobs._asdict().items():
            values = [[getattr(each, name)] for each in knobs]
            mine.copy_(torch.tensor(values, dtype=torch.float64))
        if self._knobs.learning_rate.shape == self.flat.shape:
            self._load_rates(knobs)
        self._order.copy_(torch.from_numpy(order.astype(np.int32)))
        self._own.copy_(torch.tensor(own))
        self._alive.fill_(True)
        self._taken.zero_()

    def _load_rates(self, knobs: Sequence[StepSettings]) -> None:
        groups = self._network.rate_groups
        for mine, flat, each in zip(self._knobs.learning_rate, self.flat, knobs, strict=True):
            mine.copy_(rate_of_each(groups, flat, each))

    @torch.no_grad()
    def step(self) -> None:
        """Take one step with every network that has not stopped."""
        found = self._passes(*self._next_batch())
        self._log(found)
        for name, value in found.gradients.items():
            self._views[name].copy_(value)
        able = self._alive & found.finite.all(1)
        after = self._optimizer.stack_step(
            self.flat, self._gradient, self.slots, self._taken, self._knobs
        )
        kept = [self.flat, *self.slots, self.statistics]
        for old, new in zip(kept, [*after, self._averaged(found.statistics)], strict=True):
            torch.where(able[:, None], new, old, out=old)
        # `argmax` returns the index of the first NaN, because NaN counts as the largest value.
        zeros = self.flat * 0
        place = zeros.argmax(1)
        sound = zeros.gather(1, place[:, None])[:, 0] == 0
        self._write(self.facts.overflow, place.masked_fill_(sound | ~able, -1).int())
        self._alive.copy_(able & sound)
        self._taken.add_(1)

    def _averaged(self, new: Tensor) -> Tensor:
        """Return the running statistics updated with the mini-batch statistics [K, B]."""
        momentum = self._network.norms[0].momentum
        if self._network.fixed_statistics:
            return self.statistics
        if momentum is None:
            return self.statistics + (new - self.statistics) / (self._taken + 1)
        return (self.statistics * (1 - momentum)).add_(new, alpha=momentum)

    def _write(self, log: Tensor, row: Tensor) -> None:
        log.index_copy_(0, self._taken, row[None])

    def _log(self, found: _Passes) -> None:
        facts, none = self.facts, self._layers.numel()
        self._write(facts.loss, found.loss)
        self._write(facts.right, found.right)
        self._write(facts.square, found.square.mT)
        self._write(facts.saturated, found.saturated.int().mT)
        layers = self._layers.expand_as(found.finite)
        self._write(facts.nonfinite, layers.masked_fill(found.finite, none).amin(1))

    def _next_batch(self) -> tuple[Tensor, Tensor]:
        """Return inputs [N, D] and labels [N], or [K, N, D] and [K, N] with several seeds."""
        indices = self._order.index_select(1, self._taken)[:, 0]  # [seeds, N]
        inputs, labels = (
            part.index_select(0, indices.flatten()).unflatten(0, indices.shape)
            for part in (self._data.train_inputs, self._data.train_labels)
        )
        if len(indices) == 1:
            return inputs[0], labels[0]
        return inputs.index_select(0, self._own), labels.index_select(0, self._own)

    def _passes(self, inputs: Tensor, labels: Tensor) -> _Passes:
        shared = None if labels.dim() == 1 else 0
        passes = torch.vmap(self._passes_of_one, in_dims=(0, 0, shared, shared))
        return _Passes(*passes(self.flat, self.statistics, inputs, labels))

    def _member(self, flat: Tensor, statistics: Tensor) -> MLP:
        """Return a network with these parameters [P] and running statistics [B]."""
        network = self._network.twin(flat)
        sizes = [shape.numel() for shape in self._buffers.values()]
        pieces = dict(zip(self._buffers, statistics.split(sizes), strict=True))
        for name, norm in network.named_norms():
            norm.buffers = {
                key: pieces[f"{name}.{key}"].view(value.shape)
                for key, value in norm.buffers.items()
            }
        return network

    def _passes_of_one(
        self, flat: Tensor, statistics: Tensor, inputs: Tensor, labels: Tensor
    ) -> tuple[Any, ...]:
        network = self._member(flat, statistics)
        trace = network.forward(inputs, training=True)
        loss, gradients = network.backward(trace, labels)
        z = torch.stack([layer.nonlinearity_input for layer in trace.layers])
        h = torch.stack([layer.activation for layer in trace.layers])
        output = (trace.logits * 0).sum() + loss * 0 == 0
        new = {
            f"{name}.{key}": value.flatten()
            for (name, norm), layer in zip(network.named_norms(), trace.layers, strict=True)
            for key, value in norm.batch_statistics(layer.norm_cache).items()
            if not network.fixed_statistics
        }
        return (
            loss, (trace.logits.argmax(1) == labels).sum(dtype=torch.int32), (z * z).mean((1, 2)),
            count_broken(network.activation, z, h)[0],
            torch.cat([(z * 0).sum((1, 2)) == 0, output[None]]),
            network.named_gradients(gradients),
            torch.cat([new[name] for name in self._buffers]) if new else statistics,
        )  # fmt: skip

    @torch.no_grad()
    def test(self) -> Pieces[TestResult]:
        """Evaluate every network on the test set without waiting for the GPU."""
        data, total = self._data, len(self._data.test_labels)
        found = [torch.zeros(len(self.flat), dtype=torch.float64, device=self.flat.device)] * 2
        finite = torch.ones_like(self._alive)
        infer = torch.vmap(self._test_one, in_dims=(0, 0, None, None))
        for inputs, labels in zip(
            data.test_inputs.split(CHUNK), data.test_labels.split(CHUNK), strict=True
        ):
            *sums, whole = infer(self.flat, self.statistics, inputs, labels)
            found = [old + new for old, new in zip(found, sums, strict=True)]
            finite &= whole
            yield
        loss, right = (each.div(total).masked_fill(~finite, torch.nan) for each in found)
        receives = torch.vmap(self._received, in_dims=(0, 0, None))
        last = receives(self.flat, self.statistics, data.probe_inputs)
        return TestResult(loss, right, bin_counts(last.flatten(1)))

    def _test_one(
        self, flat: Tensor, statistics: Tensor, inputs: Tensor, labels: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the loss sum, the number of correct predictions, and whether logits are finite."""
        network = self._member(flat, statistics)
        logits = network.forward(inputs, training=False).logits
        loss = network.loss(logits, labels)[0].double() * len(labels)
        return loss, (logits.argmax(1) == labels).sum(), torch.isfinite(logits).all()

    def _received(self, flat: Tensor, statistics: Tensor, inputs: Tensor) -> Tensor:
        trace = self._member(flat, statistics).forward(inputs, training=False)
        return trace.layers[-1].nonlinearity_input
