"""Experiment: training of networks that differ only in normalization, with snapshots.

Results depend only on the config and the live changes, not on threads, sockets or clocks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import torch

from bnviz.actions import check_actions, knobs_in, scaling_in
from bnviz.change_log import ChangeLog, plain_change, read_change
from bnviz.checks import check_size
from bnviz.config import ConfigError, RunConfig, check_live_name
from bnviz.data.base import load
from bnviz.device import choose, this_gpu
from bnviz.frozen_run import FrozenRun, measured_network
from bnviz.pieces import Pieces, run_to_end
from bnviz.planned_runs.plan import check_steps
from bnviz.probes.choice import Probes, choose_probes
from bnviz.records import Break, Change, Snapshot, State
from bnviz.saved_weights import SavedWeights
from bnviz.training.batches import Batches
from bnviz.training.checkpoint import pack_in_pieces, unpack
from bnviz.training.examples import Examples
from bnviz.training.learner import Learner, why_norm_undefined
from bnviz.training.machine import device_for, use_one_thread
from bnviz.words.phrase import phrase


class Experiment:
    """Networks that differ only in their normalization, trained on the same mini-batches.

    On one machine, the same config and live changes give bit-identical results, whatever snapshots
    are taken between steps.

    Args:
        dtype: Dtype of weights and values; tests use float64.
        keep: Steps whose weights `SavedWeights` saves for probes.

    Attributes:
        config: Current config, live changes included.
        learners: Networks with their optimizers and monitors, by name of their norm.
    """

    def __init__(
        self, config: RunConfig, *, dtype: torch.dtype = torch.float32, keep: Collection[int] = ()
    ) -> None:
        """Set up the networks at step 0; raise `ConfigError` if the config needs a missing GPU."""
        use_one_thread()
        self.config = self.initial_config = config
        self.resolved_device = choose(config, this_gpu()).device
        self.device = device_for(config)
        self.dtype = dtype
        self.step_number = 0
        self.changes = ChangeLog(config.model_dump())
        self.data = load(config)
        self._examples = Examples(self.data, dtype=dtype, device=self.device)
        self.batches = Batches(len(self.data.train_labels), config.seed)
        self.learners = {
            norm: Learner(config, norm, self.data, dtype=dtype, device=self.device)
            for norm in config.norms
        }
        self.networks = {norm: learner.network for norm, learner in self.learners.items()}
        self._saved_weights = SavedWeights(keep, self.networks)
        self._saved_weights.note(0)

    def step(self) -> None:
        """Take one step with every network that has not diverged and whose norm is defined."""
        run_to_end(self.step_in_pieces())

    def advance(self, step: int) -> None:
        """Train until `step` optimization steps have been taken."""
        while self.step_number < step:
            self.step()

    def step_in_pieces(self) -> Pieces[None]:
        """Take a `step` in pieces, by network; use the run again only after the last piece."""
        config = self.config
        inputs, labels = self._examples.batch(self.batches.take(config.batch_size))
        # The first network of a step finds a cold cache and is slower, so the networks take turns
        # at being first.
        turn = self.step_number % len(self.learners)
        learners = list(self.learners.items())
        for norm, learner in (*learners[turn:], *learners[:turn]):
            if learner.monitor.stopped or why_norm_undefined(norm, config):
                continue
            yield from learner.test_if_due(self.step_number, *self._examples.probe)
            with torch.no_grad(), np.errstate(all="ignore"):
                learner.take_step(self.step_number, inputs, labels, config.step_settings(norm))
            yield
        self._come_to(self.step_number + 1)
        self._saved_weights.note(self.step_number)

    def _come_to(self, step: int) -> None:
        self.step_number = step
        for network in self.networks.values():
            network.step = step

    def update(self, *, drag: int = 0, **changes: Any) -> bool:
        """Change knobs or apply actions, and return whether anything changed.

        Knobs act from the next step on, actions at once. A knob set to its current value (other
        than by a drag) and weights multiplied by 1 do not count as changes.

        Args:
            drag: Number of a drag gesture, or 0. All values of a drag count as one change.
            **changes: Values of knobs and actions (`bnviz.actions`), by name.

        Raises:
            ConfigError: If a name or a value is not allowed, or a knob cannot change during a run.
        """
        knobs, actions = knobs_in(changes), check_actions(changes, self.config)
        if actions and drag:
            raise ConfigError("drag", drag, phrase("errors.scaling_alone"))
        for name, value in knobs.items():
            check_live_name(name, value)
        config = self.config.replace(**knobs)
        check_size(config, self.resolved_device)
        before = self.config
        self._set(config)
        # Record every value of a drag, even an unchanged one: a drag may return to the value at
        # which another drag began.
        values: dict[str, Any] = {
            name: getattr(self.config, name) for name in knobs
            if drag or getattr(self.config, name) != getattr(before, name)
        }  # fmt: skip
        values |= {name: value for name, value in actions.items() if value[0] != 1}
        if not values:
            return False
        begins = self.changes.add(Change(self.step_number, values, drag))
        for learner in self.learners.values():
            learner.monitor.changed(self.step_number, begins=begins)
        scaling = scaling_in(values)
        if scaling is not None:
            for learner in self.learners.values():
                learner.scale_weights(self.step_number, scaling)
        return True

    def _set(self, config: RunConfig) -> None:
        self.config = config
        for network in self.networks.values():
            network.fixed_statistics = config.fixed_statistics

    def states(self) -> dict[str, State]:
        return {norm: learner.monitor.state for norm, learner in self.learners.items()}

    def breaks(self) -> dict[str, Break | None]:
        return {norm: learner.monitor.broke for norm, learner in self.learners.items()}

    @property
    def memory(self) -> float:
        """Estimated bytes of the whole run, including weights saved for probes."""
        return self.config.bytes_per_run() + self._saved_weights.size

    @torch.no_grad()
    def snapshot(
        self, probes: Probes = None, *, seconds: dict[str, float] | None = None
    ) -> Snapshot:
        """Measure every network on the next mini-batch, without changing the run.

        Args:
            probes: Names of `PROBES`, "all", None for the default probes, or () for none.
            seconds: As in `FrozenRun.measure`.

        Raises:
            ConfigError: If a probe does not exist.
        """
        found = run_to_end(self.freeze().measure(choose_probes(probes), seconds))
        return replace(found, config=self.initial_config, changes=tuple(self.changes))

    def freeze(self, *, copies: bool = False) -> FrozenRun:
        """Return the run as it is now; with `copies` the run may continue during measurement."""
        return FrozenRun(
            step=self.step_number, config=self.config, data=self.data,
            batch=self._examples.batch(self.batches.peek(self.config.batch_size)),
            test=self._examples.test, fixed_at_start=self.initial_config.fixed_statistics,
            networks={
                norm: measured_network(
                    learner, norm, self.step_number, self.config, self._saved_weights.of(norm),
                    copies=copies,
                )
                for norm, learner in self.learners.items()
            },
        )  # fmt: skip

    def checkpoint(self) -> bytes:
        """Return everything that the rest of the run depends on, for `restore`."""
        return run_to_end(self.checkpoint_in_pieces())

    def checkpoint_in_pieces(self) -> Pieces[bytes]:
        """Return a `checkpoint` in pieces of some megabytes; the run must not change meanwhile."""
        tree = {
            "config": self.initial_config.model_dump(mode="json"), "step": self.step_number,
            "position": self.batches.position,
            "changes": [plain_change(change) for change in self.changes],
            "networks": {norm: learner.to_tree() for norm, learner in self.learners.items()},
            "kept": self._saved_weights.to_tree(),
        }  # fmt: skip
        return pack_in_pieces(tree)

    @classmethod
    def restore(
        cls, config: RunConfig, checkpoint: bytes, *, dtype: torch.dtype = torch.float32,
        keep: Collection[int] = (),
    ) -> Experiment:  # fmt: skip
        """Continue a run bit-identically from a checkpoint, given its initial config.

        The checkpoint contains the weights saved so far; `keep` only adds future steps.
        """
        experiment = cls(config, dtype=dtype, keep=keep)
        experiment.load(checkpoint)
        return experiment

    def load(self, checkpoint: bytes) -> None:
        """Load a checkpoint of this run; raise `ValueError` for any other bytes."""
        tree = unpack(checkpoint)
        if tree.get("config") != self.initial_config.model_dump(mode="json"):
            raise ValueError("This checkpoint is from a run with a different initial config.")
        self._come_to(tree["step"])
        self.batches.position = tree["position"]
        changes = map(read_change, tree["changes"])
        self.changes = ChangeLog(self.initial_config.model_dump(), changes)
        self._set(RunConfig(**self.changes.now))
        for norm, stored in tree["networks"].items():
            self.learners[norm].load_tree(stored)
        self._saved_weights.load_tree(tree["kept"])


def run(
    config: RunConfig,
    *,
    steps: int,
    every: int = 1,
    probes: Probes = None,
    changes: Sequence[Change] = (),
    keep: Collection[int] = (),
) -> Iterator[Snapshot]:
    """Train from step 0 and yield snapshots at steps 0, every, 2·every … and the last step.

    Args:
        probes: As in `Experiment.snapshot`.
        changes: Live changes, ascending by step; each acts before the snapshot of its step.

    Raises:
        ConfigError: If an argument is out of range, or when a change is refused.
    """
    check_steps(steps, every, changes)
    yield from train(Experiment(config, keep=keep), every_step(steps, every), probes, changes)


def every_step(steps: int, every: int) -> Iterable[int]:
    """Return the steps 0, every, 2·every … and the last step."""
    return chain(range(0, steps, every), (steps,))


def train(
    experiment: Experiment,
    steps: Iterable[int],
    probes: Probes = None,
    changes: Sequence[Change] = (),
) -> Iterator[Snapshot]:
    """Train an experiment and yield a snapshot at each of `steps`; see `stops`."""
    for _ in stops(experiment, steps, changes):
        yield experiment.snapshot(probes)


def stops(
    experiment: Experiment, steps: Iterable[int], changes: Sequence[Change] = ()
) -> Iterator[int]:
    """Train and stop at each of `steps`; a change acts before the stop at its own step."""
    coming = deque(changes)
    for step in steps:
        while coming and coming[0].step <= step:
            change = coming.popleft()
            experiment.advance(change.step)
            experiment.update(drag=change.drag, **change.values)
        experiment.advance(step)
        yield step
