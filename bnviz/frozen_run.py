"""A run between two steps, ready to be measured in pieces.

What is measured does not change while it is measured: either the run stands still until the last
piece, or the run is frozen and has copies of weights, statistics and optimizers of its own.
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

# What every snapshot costs, whatever probes it has: the loss on the mini-batch and the test set.
BASE = "base"


@dataclass(frozen=True)
class MeasuredNetwork:
    """One network as it is at that moment.

    Attributes:
        network: not to be changed.
        optimizer: what the next update will be taken with.
        memory: what probes remember; belongs to the run, also where the run is frozen.
        record: everything that is known without measuring; its loss and accuracies are NaN.
        saved_weights: its weights at earlier steps.
    """

    network: Network
    optimizer: UpdateRule
    memory: Memory
    record: NetworkRecord
    saved_weights: SavedByStep


@dataclass(frozen=True, kw_only=True)
class FrozenRun:
    """The networks of a run at one step, and the data they are measured on.

    Attributes:
        step: updates taken.
        config: the knobs, live changes included.
        data: what the networks learn from.
        batch: inputs and labels of the mini-batch about to be used.
        test: inputs and labels of the whole test set.
        networks: the networks by name of their norm; see `measured_network`.
        fixed_at_start: see `ProbeContext`.
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
        """Measure every network, with these probes.

        Args:
            names: keys of `PROBES`.
            seconds: if given, what each probe cost in all networks together is written here, by
                name, in CPU time; what every snapshot costs is called "base".
        """
        costs = {} if seconds is None else seconds
        costs.update(dict.fromkeys((BASE, *names), 0.0))
        records = {}
        for norm in self.networks:
            records[norm] = yield from self._measure(norm, names, costs)
        return Snapshot(self.step, records)

    def probe(
        self, names: Sequence[str], seconds: dict[str, float] | None = None
    ) -> Pieces[dict[str, dict[str, ProbeValues]]]:
        """The values of these probes alone, by norm and probe; arguments as for `measure`."""
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
            takes_step=takes_step, saved_weights=measured.saved_weights, fixed_at_start=self.fixed_at_start,
        )  # fmt: skip

    def _losses(
        self, measured: MeasuredNetwork, context: ProbeContext
    ) -> Pieces[tuple[float, float, float, tuple[int, ...]]]:
        """Loss on the mini-batch; loss and accuracy on the test set, and predictions from it."""
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
    """The predicted class of each row of logits [K, C]; `NO_PREDICTION` where one is not finite."""
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
    """A network of a run.

    Args:
        learner: the network with its optimizer and monitor.
        norm: its name.
        step: updates taken.
        config: the knobs, live changes included.
        saved_weights: weights of earlier steps, for probes.
        copies: copy what the next step will change.
    """
    network, optimizer, monitor = learner.network, learner.optimizer, learner.monitor
    if copies:
        network = network.twin(network.flat.clone(), copy_buffers=True)
        optimizer = copy.deepcopy(optimizer)
    record = NetworkRecord(
        loss=math.nan, test_loss=math.nan, test_accuracy=math.nan, state=monitor.state,
        broke=monitor.broke, probes={}, measured_at={}, learning_rate=config.rates()[norm],
        stability_limit=_stability_limit(config, norm), undefined_norm=why_norm_undefined(norm, config),
        stopped=monitor.stopped_at, dip=monitor.dips.dip, accuracy_trace=monitor.accuracy_trace(step),
        examples=learner.examples, epochs=learner.epochs,
        training_seconds=learner.seconds, seconds_per_step=learner.seconds_per_step,
    )  # fmt: skip
    return MeasuredNetwork(network, optimizer, learner.memory, record, saved_weights)


def _stability_limit(config: RunConfig, norm: str) -> float | None:
    """See `NetworkRecord`; NaN interrupts the line of a run whose factors were changed."""
    limit = config.stability_limits()[norm]
    return math.nan if limit is None and config.optimizer == "sgd" else limit


def _probe(
    context: ProbeContext, names: Sequence[str], costs: dict[str, float]
) -> Pieces[dict[str, ProbeValues]]:
    """What each probe that applies gives."""
    measured: dict[str, ProbeValues] = {}
    for name in names:
        values = yield from _timed(context.values(name), costs, name)
        if values:
            measured[name] = values
        yield
    return measured


def _timed(work: Pieces[Result], costs: dict[str, float], name: str) -> Pieces[Result]:
    """The same work; the seconds of its pieces are added to its cost."""
    while True:
        start = time.thread_time()
        try:
            next(work)
        except StopIteration as end:
            return cast(Result, end.value)
        finally:
            costs[name] += time.thread_time() - start
        yield
