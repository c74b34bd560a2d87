"""Simultaneous training of many networks of one shape, with the same bits as if trained alone.

For small networks, calls cost more than arithmetic. A stack makes each call once for all networks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from bnviz.break_limits import BROKEN_SHARE
from bnviz.config import RunConfig, StepSettings
from bnviz.networks.build import build_network
from bnviz.networks.mlp import MLP
from bnviz.norms.base import Tensors
from bnviz.training.fast import FastPass, FastPassResult
from bnviz.training.monitor import Monitor
from bnviz.training.optimizers import OPTIMIZERS, Optimizer
from bnviz.training.rules import LayerValues
from bnviz.training.step import PassResults, judge, monitor_of, nonfinite_parameter


@dataclass
class Member:
    """Network of a stack, with its optimizer, monitor and settings."""

    network: MLP
    optimizer: Optimizer
    monitor: Monitor
    knobs: StepSettings


def new_member(config: RunConfig, norm: str, features: int, classes: int) -> Member:
    """Create a CPU network at step 0 for a config with one fully connected network."""
    network = build_network(config, norm, features, classes)
    if not isinstance(network, MLP):
        raise ValueError(f"Only fully connected networks can be stacked, not {config.network!r}.")
    optimizer = OPTIMIZERS[config.optimizer](network.rate_groups)
    monitor = monitor_of(network, classes)
    return Member(network, optimizer, monitor, config.step_settings(norm))


class Stack:
    """Stack of networks of one shape, norm and mini-batch size; diverged networks leave it."""

    def __init__(self, members: Sequence[Member]) -> None:
        """Combine members at step 0; their networks become views of the stack's tensors."""
        self.members = list(members)
        self.step_number = 0
        self._alarm: np.ndarray | None = None
        self._gather()

    def _gather(self) -> None:
        """Copy the members' networks into shared memory."""
        # Only the norms of the whole stack have counted mini-batches, so copy the count to each
        # network.
        for member in self.members:
            member.network.taken_in = self.step_number
        self._whole, networks = share_memory([member.network for member in self.members])
        for member, network in zip(self.members, networks, strict=True):
            member.network = network
        self._gradient = torch.zeros_like(self._whole.flat)
        self._pass: FastPass | None = None
        self._can_die = self._whole.activation.can_die
        # Norms that cannot be stacked may depend on the step, through noise or a schedule.
        self._steady = all(norm.stackable for norm in self._whole.norms)
        if self.step_number:
            self._alarm = self._alarms()

    def _alarms(self) -> np.ndarray:
        return np.stack([member.monitor.rules.alarm for member in self.members], axis=1)

    @torch.no_grad()
    @np.errstate(all="ignore")
    def step(self, inputs: np.ndarray, labels: np.ndarray) -> list[Member]:
        """Take one step with every member; remove and return the members that diverged."""
        batch = labels.shape[-1]
        if self._pass is None or self._pass.batch != batch:
            networks = [member.network for member in self.members]
            self._pass = FastPass(self._whole, self._gradient, batch, networks)
        if not self._steady:
            for member in self.members:
                member.network.step = self.step_number
        found = self._pass.forward(inputs, labels)
        self._judge(found, inputs)
        self._update()
        self.step_number += 1
        return self._leave()

    def _judge(self, found: FastPassResult, inputs: np.ndarray) -> None:
        """Pass the results of the forward pass to all monitors.

        In most steps most members are quiet: nothing is too large, saturated or not finite. One
        vectorized comparison finds the quiet members; only the others are checked one by one.
        """
        forward = self._pass
        assert forward is not None
        squares, finite = forward.mean_square(), forward.logits_finite()
        quiet = self._quiet(squares, found, finite)
        losses, accuracies = found.loss.tolist(), found.accuracy.tolist()
        for index, member in enumerate(self.members):
            if quiet[index]:
                member.monitor.observe(
                    self.step_number, losses[index], accuracies[index], None, forward.batch
                )
                continue
            values = PassResults(
                losses[index], accuracies[index], squares[:, index],
                LayerValues(
                    member.network.activation, forward.inputs[:, index], forward.outputs[:, index]
                ),
                forward.batch, bool(finite[index]),
            )  # fmt: skip
            own = torch.from_numpy(inputs if inputs.ndim == 2 else inputs[index])
            judge(member.monitor, self.step_number, values, member.network, own)
        if self._alarm is None:
            self._alarm = self._alarms()

    def _quiet(self, squares: np.ndarray, found: FastPassResult, finite: np.ndarray) -> list[bool]:
        """Return which members are finite and need no rule check (calm, or already broken)."""
        if self._alarm is None:
            return [False] * len(self.members)
        calm = (squares <= self._alarm).all(0)
        if self._can_die:
            assert self._pass is not None
            calm &= ~may_be_dead(self._pass.outputs)
        calm |= np.array([member.monitor.broke is not None for member in self.members])
        finite = finite & np.isfinite(found.loss) & np.isfinite(squares).all(0)
        return [bool(each) for each in calm & finite]

    def _update(self) -> None:
        assert self._pass is not None
        self._pass.backward()
        stopped = [member.monitor.stopped for member in self.members]
        # A member that has just diverged must not change, including its running statistics.
        kept = {
            index: {key: value.clone() for key, value in member.network.buffers().items()}
            for index, member in enumerate(self.members) if stopped[index]
        }  # fmt: skip
        self._pass.update_statistics()
        for index, member in enumerate(self.members):
            if stopped[index]:
                for key, value in member.network.buffers().items():
                    value.copy_(kept[index][key])
                continue
            member.optimizer.step(member.network.flat, self._gradient[index], member.knobs)
        flat = self._whole.flat.numpy()
        for index in np.flatnonzero(~np.isfinite(np.vecdot(flat, flat))).tolist():
            member = self.members[index]
            if not stopped[index] and not np.isfinite(flat[index]).all():
                layer = nonfinite_parameter(member.network)
                member.monitor.diverge(self.step_number + 1, layer)

    def _leave(self) -> list[Member]:
        """Remove the diverged members from the stack and return them."""
        gone = [member for member in self.members if member.monitor.stopped]
        if not gone:
            return []
        self.members = [member for member in self.members if not member.monitor.stopped]
        if self.members:
            self._gather()
        return gone


def may_be_dead(outputs: Tensor) -> np.ndarray:
    """Return which members [K] may have a dead layer; outputs [L, K, N, H] are non-negative."""
    peaks = outputs.amax(-2).numpy()
    zeros = peaks.shape[-1] - np.count_nonzero(peaks, axis=-1)
    return np.asarray((zeros > BROKEN_SHARE * peaks.shape[-1]).any(0))


def share_memory(networks: Sequence[MLP]) -> tuple[MLP, list[MLP]]:
    """Copy CPU networks of one shape, nonlinearity and norm into shared memory.

    Return the whole stack as one network, with parameters and buffers [K, …], and the members as
    networks whose tensors are rows of the stack's tensors. The norms may differ in their noise.
    """
    flat = torch.stack([network.flat for network in networks])
    members = [
        network.twin(row, copy_buffers=True) for network, row in zip(networks, flat, strict=True)
    ]
    whole = networks[0].twin(flat)
    buffers = {
        key: torch.stack([network.stacked_buffers[key] for network in networks], dim=1)
        for key in networks[0].stacked_buffers
    }
    for index, member in enumerate(members):
        _use(member, {key: values[:, index] for key, values in buffers.items()})
    _use(whole, buffers)
    return whole, members


def _use(network: MLP, buffers: Tensors) -> None:
    """Make a network's norms use the tensors in `buffers`, [L, …], as running statistics."""
    if not buffers:
        return  # Norms of different types keep their own buffers.
    network.stacked_buffers = buffers
    for layer, norm in enumerate(network.norms):
        norm.buffers = {key: values[layer] for key, values in buffers.items()}
