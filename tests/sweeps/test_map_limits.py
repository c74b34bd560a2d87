"""Largest usable learning rate: higher with batch normalization, except for tiny batches.

Rates near the limit are not tested, because the limit depends on the seed and on the processor's
rounding.
"""

from __future__ import annotations

import numpy as np

from bnviz.config import RunConfig
from bnviz.sweeps.sweep import sweep
from tests.every_case import every_case


def accuracies(
    config: RunConfig, batch_size: int, rates: tuple[float, ...], seeds: int
) -> np.ndarray:
    """Return accuracies after 200 steps by norm, rate and seed. Non-finite accuracies become 0."""
    found = sweep(config, learning_rates=rates, batch_sizes=(batch_size,), steps=200, seeds=seeds)
    return np.nan_to_num(found.by_seed(lambda outcome: outcome.test_accuracy)[:, :, 0])


@every_case(("activation", "depth", "beyond"), [("tanh", 6, 1.5), ("relu", 3, 2.2)])
def test_at_batch_60_batch_normalization_learns_at_larger_rates(
    activation: str, depth: int, beyond: float
) -> None:
    """`beyond` is between the limits of the two networks, which were measured over ten seeds.

    Without BN, the limit is 0.46 to 0.68 for tanh, and 0.68 to 1.5 for relu. With BN, the limit is
    2.2 to 4.6 for tanh, and above 4.6 for relu.
    """
    config = RunConfig(activation=activation, depth=depth, width=100)
    plain, batch = accuracies(config, 60, (0.15, beyond), seeds=3)
    assert min(plain[0].min(), batch[0].min()) > 0.9
    assert plain[1].max() < 0.3
    assert batch[1].min() > 0.8


def test_at_batch_4_the_plain_network_learns_well_at_larger_rates() -> None:
    """Over twelve seeds, the median accuracy without BN is 0.91 at rate 0.046 and 0.86 at rate 0.1.

    With BN, it is 0.79 and 0.73.
    """
    plain, batch = accuracies(RunConfig(width=64), 4, (0.046, 0.1), seeds=11)
    assert (np.median(plain, axis=1) > np.median(batch, axis=1) + 0.05).all()
    assert np.median(plain[1]) > 0.8 > np.median(batch[1])
