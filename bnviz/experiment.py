"""Joins data, networks, training and probes: a `RunConfig` becomes a stream of snapshots.

No threads, no sockets, no clock in any result: what a run gives depends on its config and its live
changes alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
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
    """Networks that differ only in their normalization, trained in step on the same mini-batches.

    The same config and the same live changes give bit-identical results on one machine, however
    often and with whatever probes snapshots are taken between the steps.

    Attributes:
        config: the knobs as they are now, live changes included.
        initial_config: the knobs the run began with.
        resolved_device: where it runs, from its first step to its last.
        step_number: optimization steps taken.
        changes: the live changes, oldest first.
        data: what the networks learn from.
        batches: in which order.
        networks: the networks by name of their norm.
        learners: the same with their optimizers and monitors.
    """

    def __init__(
        self, config: RunConfig, *, dtype: torch.dtype = torch.float32, keep: Collection[int] = ()
    ) -> None:
        """Set up the networks at step 0.

        Args:
            config: what to run.
            dtype: of weights and values; float64 is for tests.
            keep: steps whose weights are kept, for probes; see `SavedWeights`.

        Raises:
            ConfigError: the config asks for a GPU and there is none.
        """
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
        """One whole optimization step of every network, on the same mini-batch.

        A network that has diverged, or cannot train at this batch size, takes none; the others go
        on.
        """
        run_to_end(self.step_in_pieces())

    def advance(self, step: int) -> None:
        """Train until so many steps have been taken."""
        while self.step_number < step:
            self.step()

    def step_in_pieces(self) -> Pieces[None]:
        """`step`, a network at a time; nothing else may be asked for before it has ended."""
        config = self.config
        inputs, labels = self._examples.batch(self.batches.take(config.batch_size))
        # Who begins finds the processor's cache cold, which costs time: networks take turns.
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
        """Change knobs while the run goes on, which acts from the next step on, or act now.

        Gives whether that was a change: a knob that is set to what it is, other than by a drag, is
        not changed, nor are weights that are multiplied by one.

        Args:
            drag: number of the gesture that this is one value of: all of them are one change to
                what is told of a network. 0 for a change on its own, or an action.
            **changes: the knobs; by their names, the values of actions (`bnviz.actions`).

        Raises:
            ConfigError: a knob is unknown, may not change during a run, or is out of range, or an
                action has a value that is not allowed.
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
        # All values of a drag are kept: one may lead back to where another one began.
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
        """What happened to each network so far."""
        return {norm: learner.monitor.state for norm, learner in self.learners.items()}

    def breaks(self) -> dict[str, Break | None]:
        """What broke first in each network, or None."""
        return {norm: learner.monitor.broke for norm, learner in self.learners.items()}

    @property
    def memory(self) -> float:
        """Estimated bytes of the whole run, what is kept for probes included."""
        return self.config.bytes_per_run() + self._saved_weights.size

    @torch.no_grad()
    def snapshot(
        self, probes: Probes = None, *, seconds: dict[str, float] | None = None
    ) -> Snapshot:
        """Measure every network as it is between two steps; disturbs nothing.

        Losses and gradients are those of the mini-batch about to be used.

        Args:
            probes: names of `PROBES`; None for those on by default, "all", or () for none.
            seconds: if given, what each probe cost in all networks together is written here, by
                name; what every snapshot costs is called "base".

        Raises:
            ConfigError: there is no probe of that name.
        """
        return run_to_end(self.freeze().measure(choose_probes(probes), seconds))

    def freeze(self, *, copies: bool = False) -> FrozenRun:
        """The run as it is now, to be measured in pieces.

        Args:
            copies: the run may step on before the measurement has ended: weights, statistics and
                optimizers are copied.
        """
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
        """Everything the rest of the run depends on; for `restore`."""
        return run_to_end(self.checkpoint_in_pieces())

    def checkpoint_in_pieces(self) -> Pieces[bytes]:
        """`checkpoint`, some megabytes at a time; the run must stand still meanwhile."""
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
        """Continue a run from a checkpoint, bit-identically.

        Args:
            config: the run's initial config.
            checkpoint: from `checkpoint`.
            dtype: as the run was set up with.
            keep: steps still to come whose weights are to be kept; a checkpoint brings those that
                were kept before it.

        Raises:
            ValueError: these bytes are no checkpoint, or one of another run.
        """
        experiment = cls(config, dtype=dtype, keep=keep)
        experiment.load(checkpoint)
        return experiment

    def load(self, checkpoint: bytes) -> None:
        """Go to the step and the state of a checkpoint of this very run.

        Raises:
            ValueError: these bytes are no checkpoint, or one of another run.
        """
        tree = unpack(checkpoint)
        if tree.get("config") != self.initial_config.model_dump(mode="json"):
            raise ValueError("This checkpoint belongs to a run with another config.")
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
    """Train from step 0 and hand out snapshots at 0, every, 2·every … and the last step.

    Args:
        config: what to run.
        steps: optimization steps to take.
        every: steps between snapshots.
        probes: as in `Experiment.snapshot`.
        changes: live changes, ascending by step; each acts before the snapshot of its step.
        keep: steps whose weights are kept, for probes.

    Raises:
        ConfigError: names what is out of range or, once it is to act, the change that is refused.
    """
    check_steps(steps, every, changes)
    yield from train(Experiment(config, keep=keep), every_step(steps, every), probes, changes)


def every_step(steps: int, every: int) -> Iterable[int]:
    """The steps 0, every, 2·every … and the last one."""
    return chain(range(0, steps, every), (steps,))


def train(
    experiment: Experiment,
    steps: Iterable[int],
    probes: Probes = None,
    changes: Sequence[Change] = (),
) -> Iterator[Snapshot]:
    """Train an experiment and return a snapshot at each of `steps`; see `stops`."""
    for _ in stops(experiment, steps, changes):
        yield experiment.snapshot(probes)


def stops(
    experiment: Experiment, steps: Iterable[int], changes: Sequence[Change] = ()
) -> Iterator[int]:
    """Train an experiment and stop at each of `steps`; both they and the changes ascend.

    A change acts before the run stops at the step that it names.
    """
    coming = deque(changes)
    for step in steps:
        while coming and coming[0].step <= step:
            change = coming.popleft()
            experiment.advance(change.step)
            experiment.update(drag=change.drag, **change.values)
        experiment.advance(step)
        yield step
