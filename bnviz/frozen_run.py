"""Frozen run: the networks of a run at one step, for measurement in pieces.

The weights must not change during the measurement. Either the run takes no step until the last
piece, or the frozen run has its own copies of weights, statistics and optimizers.
"""

from __future__ import annotations

import copy
import dataclasses
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor

from bnviz.config import RunConfig
from bnviz.data.base import Data
from bnviz.networks.base import Network
from bnviz.networks.inference import predict_in_pieces
from bnviz.networks.loss import accuracy
from bnviz.pieces import Pieces, Result
from bnviz.probes.context import Batch, Memory, ProbeContext, UpdateRule
from bnviz.records import NO_PREDICTION, NetworkRecord, ProbeValues, Snapshot
from bnviz.saved_weights import SavedByStep
from bnviz.training.learner import Learner, why_norm_undefined
from bnviz.words.headline import headline, headline_text
from bnviz.words.texts import ENGLISH, texts

# Name under which the CPU time of the losses is recorded. Every snapshot measures the losses on the
# mini-batch and on the test set.
BASE = "base"


@dataclass(frozen=True)
class MeasuredNetwork:
    """Network of a frozen run; must not be changed.

    Attributes:
        memory: Values kept by probes; shared with the run even if the rest is copied.
        record: Everything known without a measurement; loss and accuracy are NaN.
        saved_weights: Weights of the network at earlier steps.
    """

    network: Network
    optimizer: UpdateRule
    memory: Memory
    record: NetworkRecord
    saved_weights: SavedByStep


@dataclass(frozen=True, kw_only=True)
class FrozenRun:
    """Networks of a run at one step, and the data to measure them on.

    Attributes:
        batch: Inputs and labels of the next mini-batch.
        test: Inputs and labels of the whole test set.
        networks: Networks by name of their norm; see `measured_network`.
        fixed_at_start: See `ProbeContext`.
    """

    step: int
    config: RunConfig
    data: Data
    batch: Batch
    test: Batch
    networks: Mapping[str, MeasuredNetwork]
    fixed_at_start: bool = False

    def measure(
        self, names: Sequence[str], seconds: dict[str, float] | None = None
    ) -> Pieces[Snapshot]:
        """Return a snapshot; write CPU seconds by probe (and "base" for losses) to `seconds`."""
        costs = {} if seconds is None else seconds
        costs.update(dict.fromkeys((BASE, *names), 0.0))
        records = {}
        for norm in self.networks:
            records[norm] = yield from self._measure(norm, names, costs)
        return Snapshot(self.step, records)

    def probe(
        self, names: Sequence[str], seconds: dict[str, float] | None = None
    ) -> Pieces[dict[str, dict[str, ProbeValues]]]:
        """Return the values of these probes by norm and probe, without losses; see `measure`."""
        costs = {} if seconds is None else seconds
        costs.update(dict.fromkeys(names, 0.0))
        found = {}
        for norm, measured in self.networks.items():
            found[norm] = yield from _probe(self._context(norm, measured), names, costs)
        return found

    def _measure(
        self, norm: str, names: Sequence[str], costs: dict[str, float]
    ) -> Pieces[NetworkRecord]:
        measured = self.networks[norm]
        context = self._context(norm, measured)
        losses = yield from _timed(self._losses(measured, context), costs, BASE)
        yield
        probes = yield from _probe(context, names, costs)
        loss, test_loss, test_accuracy, predictions = losses
        found = dataclasses.replace(
            measured.record, loss=loss, test_loss=test_loss, test_accuracy=test_accuracy,
            predictions=predictions, probes=probes,
            measured_at=dict.fromkeys(probes, self.step),
        )  # fmt: skip
        label = texts("norms", ENGLISH)[norm]["network"]
        return dataclasses.replace(
            found, headline=headline_text(label, headline(self.step, found), ENGLISH)
        )

    def _context(self, norm: str, measured: MeasuredNetwork) -> ProbeContext:
        takes_step = measured.record.undefined_norm is None and measured.record.state != "diverged"
        return ProbeContext(
            config=self.config, norm=norm, step=self.step, network=measured.network, data=self.data,
            memory=measured.memory, optimizer=measured.optimizer, batch=self.batch,
            takes_step=takes_step, saved_weights=measured.saved_weights,
            fixed_at_start=self.fixed_at_start,
        )  # fmt: skip

    def _losses(
        self, measured: MeasuredNetwork, context: ProbeContext
    ) -> Pieces[tuple[float, float, float, tuple[int, ...]]]:
        """Return mini-batch loss, test loss, test accuracy and predictions for the shown images."""
        network, (inputs, labels) = measured.network, self.batch
        if measured.record.undefined_norm is None:
            trace = yield from context.compute_pass("batch_trace")
        else:
            trace = yield from network.forward_in_pieces(inputs, training=False)
        loss, _ = network.loss(trace.logits, labels)
        inputs, labels = self.test
        logits = yield from predict_in_pieces(network, inputs)
        predictions = _predictions(logits[self.data.shown_in_test])
        if not bool(torch.isfinite(logits).all()):
            return float(loss), math.nan, math.nan, predictions
        test_loss, _ = network.loss(logits, labels)
        return float(loss), float(test_loss), accuracy(logits, labels), predictions


def _predictions(logits: Tensor) -> tuple[int, ...]:
    """Return the predicted class per row of logits [K, C]; `NO_PREDICTION` if not finite."""
    finite = torch.isfinite(logits).all(dim=1)
    return tuple(torch.where(finite, logits.argmax(dim=1), NO_PREDICTION).tolist())


def measured_network(
    learner: Learner,
    norm: str,
    step: int,
    config: RunConfig,
    saved_weights: SavedByStep,
    *,
    copies: bool,
) -> MeasuredNetwork:
    """Return a network for measurement. If `copies`, copy all state that the next step changes."""
    network, optimizer, monitor = learner.network, learner.optimizer, learner.monitor
    if copies:
        network = network.twin(network.flat.clone(), copy_buffers=True)
        optimizer = copy.deepcopy(optimizer)
    record = NetworkRecord(
        loss=math.nan, test_loss=math.nan, test_accuracy=math.nan, state=monitor.state,
        broke=monitor.broke, probes={}, measured_at={}, learning_rate=config.rates()[norm],
        stability_limit=_stability_limit(config, norm),
        undefined_norm=why_norm_undefined(norm, config),
        stopped=monitor.stopped_at, dip=monitor.dips.dip,
        accuracy_trace=monitor.accuracy_trace(step),
        examples=learner.examples, epochs=learner.epochs,
        training_seconds=learner.seconds, seconds_per_step=learner.seconds_per_step,
    )  # fmt: skip
    return MeasuredNetwork(network, optimizer, learner.memory, record, saved_weights)


def _stability_limit(config: RunConfig, norm: str) -> float | None:
    """Return the stability limit, with NaN (a gap in its line) while rate factors differ."""
    limit = config.stability_limits()[norm]
    return math.nan if limit is None and config.optimizer == "sgd" else limit


def _probe(
    context: ProbeContext, names: Sequence[str], costs: dict[str, float]
) -> Pieces[dict[str, ProbeValues]]:
    measured: dict[str, ProbeValues] = {}
    for name in names:
        values = yield from _timed(context.values(name), costs, name)
        if values:
            measured[name] = values
        yield
    return measured


def _timed(work: Pieces[Result], costs: dict[str, float], name: str) -> Pieces[Result]:
    """Do the work and add the seconds of its pieces to the cost `name`."""
    while True:
        start = time.thread_time()
        try:
            next(work)
        except StopIteration as end:
            return cast(Result, end.value)
        finally:
            costs[name] += time.thread_time() - start
        yield
