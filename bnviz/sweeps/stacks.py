"""Training of one stack of cells on the CPU; see `stack_sizes` for the grouping."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
import torch

from bnviz.config import RunConfig
from bnviz.data.base import Data, load
from bnviz.experiment import Experiment
from bnviz.networks.inference import predict_in_pieces
from bnviz.networks.loss import accuracy
from bnviz.norms import NORMS
from bnviz.pieces import Pieces
from bnviz.sweeps.cells import Cell, CellOutcome
from bnviz.training.batches import Batches
from bnviz.training.hills import hill_of
from bnviz.training.machine import device_for, use_one_thread
from bnviz.training.stack import Member, Stack, new_member

Made = TypeVar("Made")


# Type of a function that calls a constructor that may be slow, such as the constructor of
# orthogonal weights for many layers.
Build = Callable[[Callable[[], Any]], Pieces[Any]]


def at_once(make: Callable[[], Made]) -> Pieces[Made]:
    yield
    return make()


def run_stack(cells: Sequence[Cell], build: Build = at_once) -> Pieces[list[CellOutcome]]:
    """Run a stack to its last step; raise `ConfigError` if a config needs a missing GPU."""
    use_one_thread()
    config, norm = cells[0].config, cells[0].norm
    needed = NORMS[norm].fewest_examples(fixed_statistics=config.fixed_statistics)
    alone = config.network != "mlp" or config.batch_size < needed
    if alone or device_for(config).type != "cpu":
        found = []
        for cell in cells:
            found.append((yield from _alone(cell, build)))
        return found
    data, members = yield from build(lambda: _new_members(cells))
    stack = Stack(members)
    yield
    feed = _Feed([cell.config for cell in cells], data.train_inputs, data.train_labels)
    for _ in range(cells[0].steps):
        if not stack.members:
            break
        inputs, labels = feed.next()
        if stack.step(inputs, labels):
            feed.keep([members.index(member) for member in stack.members])
        yield
    found = []
    for member in members:
        found.append((yield from _outcome(member, data)))
    return found


def _new_members(cells: Sequence[Cell]) -> tuple[Data, list[Member]]:
    data, norm = load(cells[0].config), cells[0].norm
    return data, [new_member(cell.config, norm, data.features, data.classes) for cell in cells]


class _Feed:
    """Mini-batches of the networks in a stack, shared if all networks have the same seed."""

    def __init__(
        self, configs: Sequence[RunConfig], inputs: np.ndarray, labels: np.ndarray
    ) -> None:
        self._inputs, self._labels, self._size = inputs, labels, configs[0].batch_size
        self._seeds = [config.seed for config in configs]
        self._streams = {seed: Batches(len(labels), seed) for seed in self._seeds}
        self._chosen = list(range(len(configs)))

    def keep(self, chosen: list[int]) -> None:
        """From now on, serve only the networks whose initial indices are in `chosen`."""
        self._chosen = chosen

    def next(self) -> tuple[np.ndarray, np.ndarray]:
        taken = {seed: stream.take(self._size) for seed, stream in self._streams.items()}
        if len(taken) == 1:
            indices = taken[self._seeds[0]]
        else:
            indices = np.stack([taken[self._seeds[member]] for member in self._chosen])
        inputs = np.take(self._inputs, indices, axis=0, mode="clip")
        return inputs, np.take(self._labels, indices, mode="clip")


def _outcome(member: Member, data: Data) -> Pieces[CellOutcome]:
    monitor, network = member.monitor, member.network
    labels = torch.from_numpy(data.test_labels)
    logits = yield from predict_in_pieces(network, torch.from_numpy(data.test_inputs))
    loss = right = math.nan
    if bool(torch.isfinite(logits).all()):
        loss, right = float(network.loss(logits, labels)[0]), accuracy(logits, labels)
    hills = None
    if not monitor.stopped:
        hills = yield from hill_of(network, torch.from_numpy(data.probe_inputs))
    return CellOutcome(
        monitor.state, monitor.broke, monitor.stopped_at, right, loss, hills=hills
    )  # fmt: skip


def _alone(cell: Cell, build: Build) -> Pieces[CellOutcome]:
    """Run a cell that cannot be part of a stack, as a separate `Experiment`."""
    experiment = yield from build(lambda: Experiment(cell.config))
    for _ in range(cell.steps):
        yield from experiment.step_in_pieces()
    record = (yield from experiment.freeze().measure(())).networks[cell.norm]
    network, hills = experiment.networks[cell.norm], None
    device = network.flat.device
    if record.stopped is None:
        probe = torch.from_numpy(experiment.data.probe_inputs).to(device)
        hills = yield from hill_of(network, probe)
    return CellOutcome(
        "paused" if record.undefined_norm else record.state, record.broke, record.stopped,
        record.test_accuracy, record.test_loss, device.type, hills,
    )  # fmt: skip
