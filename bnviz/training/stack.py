"""Many networks of one shape trained at once, each as it would be trained alone, bit for bit.

A step of a small network costs more in calls than in arithmetic; a stack makes each call once for
all of its members. A member that has diverged leaves the stack.
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
from bnviz.training.fast import FastPass, Pass
from bnviz.training.monitor import Monitor
from bnviz.training.optimizers import OPTIMIZERS, Optimizer
from bnviz.training.rules import LayerValues
from bnviz.training.step import Values, judge, monitor_of, nonfinite_parameter


@dataclass
class Member:
    """One network of a stack, and what trains and judges it."""

    network: MLP
    optimizer: Optimizer
    monitor: Monitor
    knobs: StepSettings


def new_member(config: RunConfig, norm: str, features: int, classes: int) -> Member:
    """A network at step 0 of a run on the CPU, with the rate of a config that has one network.

    Raises:
        ValueError: its network is not fully connected.
    """
    network = build_network(config, norm, features, classes)
    if not isinstance(network, MLP):
        raise ValueError(f"Only fully connected networks can be stacked, not {config.network!r}.")
    optimizer = OPTIMIZERS[config.optimizer](network.rate_groups)
    monitor = monitor_of(network, classes)
    return Member(network, optimizer, monitor, config.step_settings(norm))


class Stack:
    """Networks of one shape, nonlinearity, norm and mini-batch size, trained in step.

    Attributes:
        members: those that still train.
        step_number: optimization steps taken.
    """

    def __init__(self, members: Sequence[Member]) -> None:
        """Stack these members, which are at step 0; their networks are replaced by rows."""
        self.members = list(members)
        self.step_number = 0
        self._alarm: np.ndarray | None = None
        self._gather()

    def _gather(self) -> None:
        """Lay the members' networks side by side."""
        # The whole stack's norms have counted for all.
        for member in self.members:
            member.network.taken_in = self.step_number
        self._whole, networks = share_memory([member.network for member in self.members])
        for member, network in zip(self.members, networks, strict=True):
            member.network = network
        self._gradient = torch.zeros_like(self._whole.flat)
        self._pass: FastPass | None = None
        self._can_die = self._whole.activation.can_die
        # Other norms may draw noise by the step, or go by a schedule.
        self._steady = all(norm.stackable for norm in self._whole.norms)
        if self.step_number:
            self._alarm = self._alarms()

    def _alarms(self) -> np.ndarray:
        return np.stack([member.monitor.rules.alarm for member in self.members], axis=1)

    @torch.no_grad()
    @np.errstate(all="ignore")
    def step(self, inputs: np.ndarray, labels: np.ndarray) -> list[Member]:
        """Take one step with every member, unless a value in it is not finite.

        Args:
            inputs: [N, D], or [K, N, D] where each member has its own.
            labels: int64 [N] or [K, N].

        Returns:
            The members that have diverged in it and left the stack; their networks stay as they
            were.
        """
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

    def _judge(self, found: Pass, inputs: np.ndarray) -> None:
        """Let every member's monitor judge the forward pass.

        Most members at most steps are quiet: nothing is too large, saturated or not finite. One
        comparison of all tells which; only the others are looked at one by one.
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
            values = Values(
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

    def _quiet(self, squares: np.ndarray, found: Pass, finite: np.ndarray) -> list[bool]:
        """Which members are finite, and can have no rule fire or have broken already.

        What broke first stays a fact, so that of a broken network no more need be known.
        """
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
        # A network that has just diverged stays as it was, its running statistics included.
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
        """Take out the members that have diverged."""
        gone = [member for member in self.members if member.monitor.stopped]
        if not gone:
            return []
        self.members = [member for member in self.members if not member.monitor.stopped]
        if self.members:
            self._gather()
        return gone


def may_be_dead(outputs: Tensor) -> np.ndarray:
    """Whether so many units gave zeros only that a layer may count as dead, [K].

    Args:
        outputs: of the nonlinearities [L, K, N, H], none of them negative.
    """
    peaks = outputs.amax(-2).numpy()
    zeros = peaks.shape[-1] - np.count_nonzero(peaks, axis=-1)
    return np.asarray((zeros > BROKEN_SHARE * peaks.shape[-1]).any(0))


def share_memory(networks: Sequence[MLP]) -> tuple[MLP, list[MLP]]:
    """Copies of networks that share memory.

    Args:
        networks: fully connected, of one shape, nonlinearity and norm, on the CPU; they stay as
            they are. Norms may differ in their noise.

    Returns:
        The whole stack as one network, whose `flat` is [K, P] and whose parameters and buffers
        begin with the members [K, …]; and the members, whose own are rows of those.
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
    """Have a network's norms use these running statistics [L, …]."""
    if not buffers:
        return  # norms of several kinds keep their own
    network.stacked_buffers = buffers
    for layer, norm in enumerate(network.norms):
        norm.buffers = {key: values[layer] for key, values in buffers.items()}
