"""The best learning rate of each network among a few, found by running it at each of them.

At a rate that two networks share, one of them may be at a disadvantage. Each can run at its own
best rate instead, which depends on the setting and has to be measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.pieces import Pieces
from bnviz.records import NetworkRecord

RATES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
STEPS = 200


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
) -> Pieces[dict[str, tuple[float, float]]]:
    """Run every network of a config at every rate, from step 0 and without live changes.

    Args:
        config: of the run; its learning rates are replaced.
        rates: the rates to try.
        steps: optimization steps at each.
        build: builds an experiment, in pieces.
        progress: called after each step with the share of all steps that are done, 0 to 1.

    Returns:
        Once all pieces are done, the best rate of each network and its test accuracy there. Of
        equal accuracies the one with the lower test loss is the best.
    """
    found: dict[str, list[tuple[float, NetworkRecord]]] = {norm: [] for norm in config.norms}
    for number, rate in enumerate(rates):
        experiment = yield from build(config.replace(learning_rate=rate, learning_rates=None))
        for step in range(steps):
            yield from experiment.step_in_pieces()
            progress((number + (step + 1) / steps) / len(rates))
        snapshot = yield from experiment.freeze().measure(())
        for norm, record in snapshot.networks.items():
            found[norm].append((rate, record))
    best = {norm: max(runs, key=_merit) for norm, runs in found.items()}
    return {norm: (rate, record.test_accuracy) for norm, (rate, record) in best.items()}


def _merit(run: tuple[float, NetworkRecord]) -> tuple[float, float]:
    """What the best run has most of; a network that classifies nothing is worse than any other."""
    _, record = run
    loss = record.test_loss if math.isfinite(record.test_loss) else math.inf
    return (-1.0 if math.isnan(record.test_accuracy) else record.test_accuracy), -loss
