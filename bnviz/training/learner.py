"""Network of a run with its optimizer, its monitor and the state of its probes."""

from __future__ import annotations

import statistics
import time
from collections import deque
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bnviz.actions import Scaling
from bnviz.config import RunConfig, StepSettings
from bnviz.data.base import Data
from bnviz.networks import GRID
from bnviz.networks.base import Network
from bnviz.networks.build import build_network
from bnviz.networks.inference import predict_in_pieces
from bnviz.networks.loss import finite_accuracy
from bnviz.networks.mlp import MLP
from bnviz.norms import NORMS
from bnviz.pieces import Pieces, run_to_end
from bnviz.training.optimizers import OPTIMIZERS
from bnviz.training.step import Stepper, make_stepper, monitor_of, nonfinite_parameter
from bnviz.words.phrase import PhraseText, phrase

# Number of recent steps over which the step time is averaged.
TIMED_STEPS = 32
# Number of parameters below which an evaluation of a fully connected network takes under 20 ms, so
# that it is done in one piece.
AT_ONCE = 500_000


class Learner:
    """Network with its optimizer, monitor and probe memory.

    Attributes:
        memory: state of the probes, saved in checkpoints.
        examples: number of training examples so far, counting repetitions.
        seconds: processor time of all steps, including those before a restored checkpoint.
    """

    def __init__(
        self,
        config: RunConfig,
        norm: str,
        data: Data,
        *,
        dtype: torch.dtype,
        device: torch.device,
    ) -> None:
        self.network: Network = build_network(
            config, norm, data.features, data.classes, dtype=dtype, device=device
        )
        self.optimizer = OPTIMIZERS[config.optimizer](self.network.rate_groups)
        self.monitor = monitor_of(self.network, data.classes)
        self.stepper: Stepper = make_stepper(self.network, self.optimizer, self.monitor)
        self.memory: dict[str, Any] = {}
        self.examples, self.seconds, self._epoch = 0, 0.0, len(data.train_labels)
        self._last_seconds: deque[float] = deque(maxlen=TIMED_STEPS)
        self._warm = False

    def take_step(self, step: int, inputs: Tensor, labels: Tensor, knobs: StepSettings) -> None:
        """Take one step and measure its processor time; see `Stepper.step`."""
        # Measure processor time: with wall-clock time, one interruption by another program would
        # outweigh many steps.
        start = time.thread_time()
        self.stepper.step(step, inputs, labels, knobs)
        seconds = time.thread_time() - start
        self.seconds += seconds
        self.examples += len(labels)
        # Leave out the first step of a process, because it also allocates memory.
        if self._warm:
            self._last_seconds.append(seconds)
        self._warm = True

    @torch.no_grad()
    def scale_weights(self, step: int, scaling: Scaling) -> None:
        """Multiply the weights of one or all hidden layers by a factor, after `step` updates."""
        if self.monitor.stopped:
            return
        weights = self.network.hidden_weights()
        if scaling.layer is not None:
            weights = [weights[scaling.layer - 1]]
        for weight in weights:
            weight.mul_(scaling.factor)
        self.monitor.rescaled()
        if not all(bool(torch.isfinite(weight).all()) for weight in weights):
            self.monitor.diverge(step, nonfinite_parameter(self.network))

    def test_if_due(self, step: int, inputs: Tensor, labels: Tensor) -> Pieces[None]:
        """Evaluate on test inputs [P, D] if due. The inputs must be the same in every call."""
        if not self.monitor.test_due(step):
            return
        with torch.no_grad():
            work = predict_in_pieces(self.network, inputs)
            if isinstance(self.network, MLP) and self.network.flat.numel() < AT_ONCE:
                logits = run_to_end(work)
            else:
                logits = yield from work
        self.monitor.accuracy_tracker.add_test(step, finite_accuracy(logits, labels))

    @property
    def epochs(self) -> float:
        """Number of passes through the training set."""
        return self.examples / self._epoch

    @property
    def seconds_per_step(self) -> float | None:
        """Mean processor time of recent steps, or None before the second step."""
        return statistics.fmean(self._last_seconds) if self._last_seconds else None

    def to_tree(self) -> dict[str, Any]:
        """Return the complete state as plain values and arrays."""
        return {
            "parameters": self.network.flat.cpu().numpy(),
            "layout": self.network.layout(),
            "taken_in": self.network.taken_in,
            "buffers": {key: value.cpu().numpy() for key, value in self.network.buffers().items()},
            "optimizer": {
                key: value.cpu().numpy() if isinstance(value, Tensor) else value
                for key, value in self.optimizer.state.items()
            },
            "monitor": self.monitor.to_tree(),
            "memory": self.memory,
            "examples": self.examples,
            "seconds": self.seconds,
        }

    @torch.no_grad()
    def load_tree(self, tree: dict[str, Any]) -> None:
        """Restore the state from the result of `to_tree`."""
        flat = self.network.flat
        flat.copy_(torch.from_numpy(tree["parameters"]))
        self.network.taken_in = tree.get("taken_in", 0)
        buffers = self.network.buffers()
        for name, value in tree["buffers"].items():
            buffers[name].copy_(torch.from_numpy(value))
        self.optimizer.state = {
            key: torch.from_numpy(value).to(flat) if isinstance(value, np.ndarray) else value
            for key, value in tree["optimizer"].items()
        }
        self.monitor.load_tree(tree["monitor"])
        self.memory.clear()
        self.memory.update(tree["memory"])
        self.examples, self.seconds = tree["examples"], tree["seconds"]


def why_norm_undefined(norm: str, config: RunConfig) -> str | None:
    """Return why a norm is undefined for a config's batch size, or None if it is defined."""
    needed = NORMS[norm].fewest_examples(fixed_statistics=config.fixed_statistics)
    # A feature map has one value per example and position.
    places = GRID**2 if config.network == "conv" else 1
    if config.batch_size * places >= needed:
        return None
    return PhraseText(phrase("errors.small_batch", batch_size=config.batch_size, needed=needed))
