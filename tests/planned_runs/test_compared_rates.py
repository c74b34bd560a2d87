"""The recorded comparison of nine rates agrees with the engine."""

import pytest

from bnviz.commands.rates import measure_compared
from bnviz.config import RunConfig
from bnviz.planned_runs.compared_rates import LEARNED, RATES, SEEDS, STEPS, compared_rates
from tests.every_case import every_case

# Learning rates far from every limit on any processor. At the first rate both networks learn, and
# at the second only the network with BN.
FAR = (0.1, 1.0)


def test_what_is_shipped_has_every_rate_and_seed():
    found = compared_rates()
    assert (found.rates, found.steps, found.seeds) == (list(RATES), STEPS, SEEDS)
    for rows in (found.accuracies, found.lengths):
        assert tuple(rows) == RunConfig().norms
        assert [len(row) for each in rows.values() for row in each] == [SEEDS] * 2 * len(RATES)


def test_the_engine_does_what_is_shipped():
    shipped, found = compared_rates(), measure_compared(FAR, (3,))
    for norm in RunConfig().norms:
        for place, rate in enumerate(FAR):
            recorded = shipped.accuracies[norm][RATES.index(rate)][3]
            assert found.accuracies[norm][place][0] == pytest.approx(recorded, abs=0.04)
    for place, rate in enumerate(FAR):
        recorded = shipped.lengths["batch"][RATES.index(rate)][3]
        assert found.lengths["batch"][place][0] == pytest.approx(recorded, rel=0.03)


def test_more_rates_can_be_used_with_bn_and_these_are_higher():
    found = compared_rates()
    assert found.learned("none") == [0.01, 0.03, 0.1, 0.3]
    assert found.learned("batch") == [0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0]
    # All seeds agree at these rates, so sentences name the rates without a range.
    for norm, sure in (("none", (0.03, 0.1, 0.3)), ("batch", (0.01, 0.1, 1.0))):
        rows = dict(zip(found.rates, found.accuracies[norm], strict=True))
        assert all(min(rows[rate]) >= LEARNED for rate in sure)


@every_case(
    ("row", "middle", "grown"),
    [([0.8, 0.9, 0.95], 0.9, 2.0), ([0.1, 0.9, 0.2], 0.2, 2.0)],
)
def test_a_rate_is_judged_by_the_median_of_its_seeds(row, middle, grown):
    found = type(compared_rates())(
        rates=[1.0], steps=1, seeds=3, accuracies={"batch": [row]},
        lengths={"batch": [[1.0, 2.0, 3.0]], "none": [[1.0, None, 3.0]]},
    )  # fmt: skip
    assert (found.middle("batch"), found.grown("batch")) == ([middle], [grown])
    assert found.grown("none") == [None]
    assert found.learned("batch") == ([1.0] if middle >= LEARNED else [])
