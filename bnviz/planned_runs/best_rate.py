"""The best learning rate of each network among a few, found by running it at each of them.

At a rate that two networks share, one of them may be at a disadvantage. Each can run at its own
best rate instead, which depends on the setting and has to be measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.pieces import Pieces

RATES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
STEPS = 200


@dataclass(frozen=True)
class TrialRun:
    """One network that ran at one rate.

    Attributes:
        norm: names the network.
        rate: the learning rate.
        accuracy: on the test set at the last step; NaN where its outputs are not finite.
        loss: on the test set at the last step; infinity where it is not finite.
        state: of the network at the last step.
    """

    norm: str
    rate: float
    accuracy: float
    loss: float
    state: str


@dataclass(frozen=True)
class BestRates:
    """What a search found.

    Attributes:
        best: norm -> (rate, test accuracy there). Of equal accuracies the one with the lower test
            loss is the best.
        tried: all runs.
        steps: optimization steps of each run.
    """

    best: dict[str, tuple[float, float]]
    tried: list[TrialRun] = field(repr=False)
    steps: int


def build_at_once(config: RunConfig) -> Pieces[Experiment]:
    """Build an experiment in one piece."""
    yield
    return Experiment(config)


def search_best_rates(
    config: RunConfig,
    *,
    rates: Sequence[float] = RATES,
    steps: int = STEPS,
    build: Callable[[RunConfig], Pieces[Experiment]] = build_at_once,
    progress: Callable[[float], None] = lambda share: None,
) -> Pieces[BestRates]:
    """Run every network of a config at every rate, from step 0 and without live changes.

    Args:
        config: of the run; its learning rates are replaced.
        rates: the rates to try.
        steps: optimization steps at each.
        build: builds an experiment, in pieces.
        progress: called after each step with the share of all steps that are done, 0 to 1.

    Returns:
        Once all pieces are done, the best rates.
    """
    tried: list[TrialRun] = []
    for number, rate in enumerate(rates):
        experiment = yield from build(config.replace(learning_rate=rate, learning_rates=None))
        for step in range(steps):
            yield from experiment.step_in_pieces()
            progress((number + (step + 1) / steps) / len(rates))
        snapshot = yield from experiment.moment().measure(())
        for norm, record in snapshot.networks.items():
            loss = record.test_loss if math.isfinite(record.test_loss) else math.inf
            tried.append(TrialRun(norm, rate, record.test_accuracy, loss, record.state))
    best = {}
    for norm in config.norms:
        runs = [run for run in tried if run.norm == norm]
        chosen = max(runs, key=_merit)
        best[norm] = (chosen.rate, chosen.accuracy)
    return BestRates(best, tried, steps)


def _merit(run: TrialRun) -> tuple[float, float]:
    """What the best run has most of; a network that classifies nothing is worse than any other."""
    return (-1.0 if math.isnan(run.accuracy) else run.accuracy), -run.loss
