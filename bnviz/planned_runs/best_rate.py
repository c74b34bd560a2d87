"""The best learning rate of each network among a few, found by running it at each of them.

A rate shared by two networks makes a straw man of one of them; so each may run at its own best,
which no constant can tell.
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
    """One network run at one rate: its test accuracy and loss after so many steps.

    A network that is not finite any more has NaN and infinity.
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
            loss counts.
        tried: every single run.
        steps: optimization steps of each run.
    """

    best: dict[str, tuple[float, float]]
    tried: list[TrialRun] = field(repr=False)
    steps: int


def build_at_once(config: RunConfig) -> Pieces[Experiment]:
    """An experiment, built in one piece."""
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
        config: the run; its rates are replaced.
        rates: the rates to try.
        steps: optimization steps at each.
        build: makes the experiments.
        progress: is told after each step which share of all steps is done, 0 to 1.
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
    """What a search goes by; a network that classifies nothing is worse than any other."""
    return (-1.0 if math.isnan(run.accuracy) else run.accuracy), -run.loss
