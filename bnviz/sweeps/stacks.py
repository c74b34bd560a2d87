"""Cells gathered into stacks, and a stack run to its end.

Learning rate, start, seed, momentum and weight decay vary within a stack; all else, and the number
of steps, across stacks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import torch

from bnviz.config import RunConfig
from bnviz.data.base import load
from bnviz.experiment import Experiment
from bnviz.networks.inference import predict_in_pieces
from bnviz.networks.loss import accuracy
from bnviz.norms import NORMS
from bnviz.pieces import Pieces
from bnviz.sizes import size_of
from bnviz.sweeps.cells import Cell, Outcome
from bnviz.training.batches import Batches
from bnviz.training.machine import use_one_thread
from bnviz.training.stack import Member, Stack, new_member

VARY_WITHIN = (
    "learning_rate", "learning_rates", "init", "init_std", "seed", "momentum", "weight_decay",
)  # fmt: skip
# What a pass reads and writes should stay near a core: larger stacks gained nothing (measured).
STACK_BYTES = 4 << 20
MOST_MEMBERS = 64


def into_stacks(cells: Iterable[Cell]) -> list[list[Cell]]:
    """Groups of cells that can train at once, in the order of their first cells."""
    shapes: dict[tuple[object, ...], list[Cell]] = {}
    for cell in cells:
        fixed = cell.config.model_dump(exclude=set(VARY_WITHIN))
        shapes.setdefault((cell.steps, *map(str, fixed.values())), []).append(cell)
    found = []
    for group in shapes.values():
        # As few stacks as may be, of about one size.
        parts = -(-len(group) // members_of(group[0].config))
        size = -(-len(group) // parts)
        found += [group[first : first + size] for first in range(0, len(group), size)]
    return found


def members_of(config: RunConfig) -> int:
    """How many networks of one norm a stack of this shape should have."""
    if config.network != "mlp" or config.device == "cuda":
        return 1
    size = size_of(config)
    # Three arrays of hidden values; weights, their gradients.
    each = 4 * (3 * config.batch_size * size.values + 2 * size.parameters)
    return max(1, min(MOST_MEMBERS, STACK_BYTES // each))


def run_stack(cells: Sequence[Cell]) -> Pieces[list[Outcome]]:
    """Run cells of one stack to their last step; their outcomes, in their order.

    Raises:
        ConfigError: a config asks for a GPU and there is none.
    """
    config, norm = cells[0].config, cells[0].norm
    needed = NORMS[norm].minimum_batch
    if config.network != "mlp" or config.batch_size < needed or config.device == "cuda":
        found = []
        for cell in cells:
            found.append((yield from _alone(cell)))
        return found
    use_one_thread()
    data = load(config)
    members = [new_member(cell.config, norm, data.features, data.classes) for cell in cells]
    yield
    stack = Stack(members)
    feed = _Feed([cell.config for cell in cells], data.train_inputs, data.train_labels)
    for _ in range(cells[0].steps):
        if not stack.members:
            break
        inputs, labels = feed.next()
        if stack.step(inputs, labels):
            feed.keep([members.index(member) for member in stack.members])
        yield
    test = torch.from_numpy(data.test_inputs), torch.from_numpy(data.test_labels)
    found = []
    for member in members:
        found.append((yield from _outcome(member, *test)))
    return found


class _Feed:
    """The mini-batches of a stack: shared where all members have the same seed."""

    def __init__(
        self, configs: Sequence[RunConfig], inputs: np.ndarray, labels: np.ndarray
    ) -> None:
        self._inputs, self._labels, self._size = inputs, labels, configs[0].batch_size
        self._seeds = [config.seed for config in configs]
        self._streams = {seed: Batches(len(labels), seed) for seed in self._seeds}
        self._chosen = list(range(len(configs)))

    def keep(self, chosen: list[int]) -> None:
        """Serve only these members from now on, by their numbers at the start."""
        self._chosen = chosen

    def next(self) -> tuple[np.ndarray, np.ndarray]:
        taken = {seed: stream.take(self._size) for seed, stream in self._streams.items()}
        if len(taken) == 1:
            indices = taken[self._seeds[0]]
        else:
            indices = np.stack([taken[self._seeds[member]] for member in self._chosen])
        inputs = np.take(self._inputs, indices, axis=0, mode="clip")
        return inputs, np.take(self._labels, indices, mode="clip")


def _outcome(member: Member, inputs: torch.Tensor, labels: torch.Tensor) -> Pieces[Outcome]:
    monitor, network = member.monitor, member.network
    logits = yield from predict_in_pieces(network, inputs)
    loss = right = math.nan
    if bool(torch.isfinite(logits).all()):
        loss, right = float(network.loss(logits, labels)[0]), accuracy(logits, labels)
    return Outcome(monitor.state, monitor.broke, monitor.stopped_at, False, right, loss)


def _alone(cell: Cell) -> Pieces[Outcome]:
    """A cell that no stack can hold, as the lab runs it."""
    experiment = Experiment(cell.config)
    for _ in range(cell.steps):
        yield from experiment.step_in_pieces()
    record = (yield from experiment.moment().measure(())).networks[cell.norm]
    return Outcome(
        record.state, record.broke, record.stopped, record.paused is not None,
        record.test_accuracy, record.test_loss,
    )  # fmt: skip
