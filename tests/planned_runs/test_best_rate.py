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
    assert result.steps == 60
    assert shares == pytest.approx([step / 180 for step in range(1, 181)])
    assert {(run.norm, run.rate) for run in result.tried} == {
        (norm, rate) for norm in config.norms for rate in (0.001, 0.3, 100.0)
    }
    for norm in config.norms:
        runs = [run for run in result.tried if run.norm == norm]
        assert result.best[norm][1] == max(run.accuracy for run in runs)
    assert result.best["none"][0] == 0.3


def test_a_run_of_the_search_is_a_run_at_that_rate() -> None:
    config = RunConfig(learning_rates=(5.0, 5.0), seed=3, **SMALL)
    result = run_to_end(search_best_rates(config, rates=(0.1,), steps=25))
    experiment = Experiment(RunConfig(learning_rate=0.1, seed=3, **SMALL))
    for _ in range(25):
        experiment.step()
    for norm, record in experiment.snapshot(probes=()).networks.items():
        assert result.best[norm] == (0.1, record.test_accuracy)


def test_a_network_that_only_diverges_still_has_an_answer() -> None:
    config = RunConfig(activation="linear", norms=("none",), **SMALL)
    result = run_to_end(search_best_rates(config, rates=(100.0,), steps=60))
    assert result.tried[0].state == "diverged"
    assert result.best["none"][0] == 100.0
    assert math.isnan(result.best["none"][1])


def test_a_rate_at_which_a_network_diverges_is_the_worst_wherever_it_stands() -> None:
    config = RunConfig(activation="linear", norms=("none",), **SMALL)
    for rates in ((100.0, 0.01), (0.01, 100.0)):
        result = run_to_end(search_best_rates(config, rates=rates, steps=60))
        assert result.best["none"][0] == 0.01
        assert math.isfinite(result.best["none"][1])
