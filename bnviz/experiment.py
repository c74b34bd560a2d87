"""Joins data, networks, training and probes: a `RunConfig` becomes a stream of snapshots.

No threads, no sockets, no clock in any result: what a run gives depends on its config and its live
changes alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bnviz.change_log import ChangeLog
from bnviz.config import LIVE_KNOBS, ConfigError, RunConfig, not_live
from bnviz.data.base import load
from bnviz.kept_weights import KeptWeights
from bnviz.moment import Moment
from bnviz.networks import GRID
from bnviz.networks.inference import predict_in_pieces
from bnviz.networks.loss import accuracy
from bnviz.norms import NORMS
from bnviz.phrase import Spoken, phrase
from bnviz.pieces import Pieces, whole
from bnviz.probes.choice import Probes, choose_probes
from bnviz.records import Break, Change, Snapshot, State
from bnviz.training.batches import Batches
from bnviz.training.checkpoint import pack_in_pieces, unpack
from bnviz.training.learner import Learner
from bnviz.training.machine import choose_device, use_one_thread
from bnviz.training.step import Knobs


class Experiment:
    """Networks that differ only in their normalization, trained in step on the same mini-batches.

    The same config and the same live changes give bit-identical results on one machine, however
    often and with whatever probes snapshots are taken between the steps.

    Attributes:
        config: the knobs as they are now, live changes included.
        initial_config: the knobs the run began with.
        step_number: optimization steps taken.
        changes: the live changes, oldest first.
        data: what the networks learn from.
        networks: the networks by name of their norm.
        learners: the same with their optimizers and monitors.
    """

    def __init__(
        self,
        config: RunConfig,
        *,
        dtype: torch.dtype = torch.float32,
        keep: Collection[int] = (),
    ) -> None:
        """Set up the networks at step 0.

        Args:
            config: what to run.
            dtype: of weights and values; float64 is for tests.
            keep: steps whose weights are kept, for probes; see `KeptWeights`.

        Raises:
            ConfigError: the config asks for a GPU and there is none.
        """
        use_one_thread()
        self.config = self.initial_config = config
        self.device = choose_device(config.device)
        self.dtype = dtype
        self.step_number = 0
        self.changes = ChangeLog(config.model_dump())
        self.data = load(config)
        self._train_inputs = self._tensor(self.data.train_inputs)
        self._train_labels = torch.from_numpy(self.data.train_labels).to(self.device)
        self._test_inputs = self._tensor(self.data.test_inputs)
        self._test_labels = torch.from_numpy(self.data.test_labels).to(self.device)
        self._batches = Batches(len(self.data.train_labels), config.seed)
        self.learners = {
            norm: Learner(
                config, norm, self.data.features, self.data.classes,
                dtype=dtype, device=self.device,
            )
            for norm in config.norms
        }  # fmt: skip
        self.networks = {norm: learner.network for norm, learner in self.learners.items()}
        self._kept = KeptWeights(keep, self.networks)
        self._kept.note(0)

    def _tensor(self, values: np.ndarray) -> Tensor:
        """The same memory where type and device allow it: runs share their data."""
        return torch.from_numpy(values).to(dtype=self.dtype, device=self.device)

    def step(self) -> None:
        """One whole optimization step of every network, on the same mini-batch.

        A network that has diverged, or cannot train at this batch size, takes none; the others go
        on.
        """
        whole(self.step_in_pieces())

    def step_in_pieces(self) -> Pieces[None]:
        """`step`, a network at a time; nothing else may be asked for before it has ended."""
        config = self.config
        inputs, labels = self._batch(self._batches.take(config.batch_size))
        rates = config.rates()
        for norm, learner in self.learners.items():
            if learner.monitor.stopped or self._paused(norm):
                continue
            knobs = Knobs(rates[norm], config.momentum, config.weight_decay)
            with torch.no_grad(), np.errstate(all="ignore"):
                learner.take_step(self.step_number, inputs, labels, knobs)
            yield
        self._come_to(self.step_number + 1)
        self._kept.note(self.step_number)

    def _come_to(self, step: int) -> None:
        self.step_number = step
        for network in self.networks.values():
            network.step = step

    def update(self, *, drag: int = 0, **changes: Any) -> None:
        """Change knobs while the run goes on; acts from the next step on.

        Args:
            drag: number of the gesture that this is one value of: all of them are one change to
                what is told of a network. 0 for a change on its own.
            **changes: the knobs.

        Raises:
            ConfigError: a knob is unknown, may not change during a run, or is out of range.
        """
        for name, value in changes.items():
            if name not in LIVE_KNOBS:
                raise ConfigError(name, value, not_live(name))
        if not changes:
            return
        self.config = self.config.replace(**changes)
        values = {name: getattr(self.config, name) for name in changes}
        begins = self.changes.add(Change(self.step_number, values, drag))
        for learner in self.learners.values():
            learner.monitor.changed(self.step_number, begins=begins)

    def states(self) -> dict[str, State]:
        """What happened to each network so far."""
        return {norm: learner.monitor.state for norm, learner in self.learners.items()}

    def breaks(self) -> dict[str, Break | None]:
        """What broke first in each network, or None."""
        return {norm: learner.monitor.broke for norm, learner in self.learners.items()}

    @property
    def memory(self) -> float:
        """Estimated bytes of the whole run, what is kept for probes included."""
        return self.config.bytes_per_run() + self._kept.size

    def reaches(self, level: float) -> Pieces[bool]:
        """Whether the test accuracy of every network is `level` or more, 0 to 1; in pieces."""
        inputs, labels = self._test_inputs, self._test_labels
        for network in self.networks.values():
            logits = yield from predict_in_pieces(network, inputs)
            # Logits that are not finite classify nothing.
            if not bool(torch.isfinite(logits).all()) or accuracy(logits, labels) < level:
                return False
        return True

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
        return whole(self.moment().measure(choose_probes(probes), seconds))

    def moment(self, *, frozen: bool = False) -> Moment:
        """The run as it is now, to be measured in pieces.

        Args:
            frozen: the run may step on before the measurement has ended: weights, statistics and
                optimizers are copied.
        """
        return Moment(
            step=self.step_number, config=self.config, data=self.data,
            batch=self._batch(self._batches.peek(self.config.batch_size)),
            test=(self._test_inputs, self._test_labels), learners=self.learners,
            paused={norm: self._paused(norm) for norm in self.learners}, frozen=frozen,
            kept={norm: self._kept.of(norm) for norm in self.learners},
        )  # fmt: skip

    def _batch(self, indices: np.ndarray) -> tuple[Tensor, Tensor]:
        if self.device.type != "cpu":
            chosen = torch.from_numpy(indices).to(self.device)
            return self._train_inputs[chosen], self._train_labels[chosen]
        # NumPy gathers rows at a fraction of torch's cost.
        inputs = np.take(self._train_inputs.numpy(), indices, axis=0, mode="clip")
        labels = np.take(self._train_labels.numpy(), indices, mode="clip")
        return torch.from_numpy(inputs), torch.from_numpy(labels)

    def _paused(self, norm: str) -> str | None:
        needed = NORMS[norm].minimum_batch
        # A feature map has a value of every example at every place.
        places = GRID**2 if self.config.network == "conv" else 1
        if self.config.batch_size * places >= needed:
            return None
        values = {"batch_size": self.config.batch_size, "needed": needed}
        return Spoken(phrase("errors.small_batch", **values))

    def checkpoint(self) -> bytes:
        """Everything the rest of the run depends on; for `restore`."""
        return whole(self.checkpoint_in_pieces())

    def checkpoint_in_pieces(self) -> Pieces[bytes]:
        """`checkpoint`, some megabytes at a time; the run must stand still meanwhile."""
        return pack_in_pieces(
            {
                "config": self.initial_config.model_dump(mode="json"),
                "step": self.step_number,
                "position": self._batches.position,
                "changes": [[change.step, change.values, change.drag] for change in self.changes],
                "networks": {norm: learner.to_tree() for norm, learner in self.learners.items()},
                "kept": self._kept.to_tree(),
            }
        )

    @classmethod
    def restore(
        cls,
        config: RunConfig,
        checkpoint: bytes,
        *,
        dtype: torch.dtype = torch.float32,
        keep: Collection[int] = (),
    ) -> Experiment:
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
        self._batches.position = tree["position"]
        self.changes = ChangeLog(self.initial_config.model_dump())
        for step, values, drag in tree["changes"]:
            values = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
            self.changes.add(Change(step, values, drag))
        self.config = RunConfig(**self.changes.now)
        for norm, stored in tree["networks"].items():
            self.learners[norm].load_tree(stored)
        self._kept.load_tree(tree["kept"])


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
    for name, value, least in (("steps", steps, 0), ("every", every, 1)):
        if value < least:
            raise ConfigError(name, value, phrase("errors.at_least", low=least))
    at = [change.step for change in changes]
    if at and (at[0] < 0 or at[-1] > steps or any(a > b for a, b in pairwise(at))):
        raise ConfigError("changes", at, phrase("errors.steps_ascending", high=steps))
    yield from train(
        Experiment(config, keep=keep), steps=steps, every=every, probes=probes, changes=changes
    )


def train(
    experiment: Experiment, *, steps: int, every: int, probes: Probes, changes: Sequence[Change]
) -> Iterator[Snapshot]:
    """What `run` does, with an experiment that is at step 0."""
    for step in steps_with_changes(experiment, steps, changes):
        if step % every == 0 or step == steps:
            yield experiment.snapshot(probes)


def steps_with_changes(
    experiment: Experiment, steps: int, changes: Sequence[Change]
) -> Iterator[int]:
    """Train step by step from 0; the changes act before the step that they name is handed out."""
    coming = deque(changes)
    for step in range(steps + 1):
        if step:
            experiment.step()
        while coming and coming[0].step == step:
            change = coming.popleft()
            experiment.update(drag=change.drag, **change.values)
        yield step
