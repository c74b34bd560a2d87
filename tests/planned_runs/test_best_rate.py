import math

import pytest

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.pieces import run_to_end
from bnviz.planned_runs.best_rate import search_best_rates

SMALL = {"depth": 2, "width": 16, "device": "cpu"}


def test_each_network_gets_the_rate_at_which_it_did_best() -> None:
    config = RunConfig(**SMALL)
    shares: list[float] = []
    result = run_to_end(
        search_best_rates(config, rates=(0.001, 0.3, 100.0), steps=60, progress=shares.append)
    )
    assert shares == pytest.approx([step / 180 for step in range(1, 181)])
    assert result.keys() == set(config.norms)
    alone = [run_to_end(search_best_rates(config, rates=(rate,), steps=60))
             for rate in (0.001, 0.3, 100.0)]  # fmt: skip
    for norm in config.norms:
        assert result[norm][1] == max(each[norm][1] for each in alone)
    assert result["none"][0] == 0.3


def test_a_run_of_the_search_is_a_run_at_that_rate() -> None:
    config = RunConfig(learning_rates=(5.0, 5.0), seed=3, **SMALL)
    result = run_to_end(search_best_rates(config, rates=(0.1,), steps=25))
    experiment = Experiment(RunConfig(learning_rate=0.1, seed=3, **SMALL))
    for _ in range(25):
        experiment.step()
    for norm, record in experiment.snapshot(probes=()).networks.items():
        assert result[norm] == (0.1, record.test_accuracy)


def test_a_network_that_only_diverges_still_has_an_answer() -> None:
    config = RunConfig(activation="linear", norms=("none",), **SMALL)
    result = run_to_end(search_best_rates(config, rates=(100.0,), steps=60))
    assert result["none"][0] == 100.0
    assert math.isnan(result["none"][1])


def test_a_rate_at_which_a_network_diverges_is_the_worst_wherever_it_stands() -> None:
    config = RunConfig(activation="linear", norms=("none",), **SMALL)
    for rates in ((100.0, 0.01), (0.01, 100.0)):
        result = run_to_end(search_best_rates(config, rates=rates, steps=60))
        assert result["none"][0] == 0.01
        assert math.isfinite(result["none"][1])
