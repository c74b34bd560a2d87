"""Search for the best learning rate of each network, by training it at several rates.

A shared rate can put one network at a disadvantage, and the best rate depends on the setting.
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
    """Train every network of a config at every rate, from step 0 and without live changes.

    Return each network's best rate and its test accuracy. The lower test loss breaks ties.
    `progress` is called after each step with the share of all steps that are done.
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
    """Return the sort key of a run. A network with non-finite outputs is worse than any other."""
    _, record = run
    loss = record.test_loss if math.isfinite(record.test_loss) else math.inf
    return (-1.0 if math.isnan(record.test_accuracy) else record.test_accuracy), -loss
