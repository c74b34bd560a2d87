"""Experiments: learning, refusals, pauses, stops and requested measurements."""

import math
from itertools import cycle, product
from typing import Any

import numpy as np
import pytest
import torch

from bnviz.config import ConfigError, RunConfig
from bnviz.experiment import Experiment, run
from bnviz.norms import norms_for
from bnviz.probes import PROBES
from tests.every_case import every_case
from tests.test_same_bits import SMALL, assert_same, go, weights

ACTIVATIONS = ("sigmoid", "tanh", "relu", "gelu", "linear")


# Every norm, and every activation with and without BN. The exact values of single steps are checked
# in other tests.
@every_case(
    ("norm", "activation"),
    sorted({*product(["none", "batch"], ACTIVATIONS), *zip(norms_for("mlp"), cycle(ACTIVATIONS))}),
)
def test_every_norm_and_activation_learns(norm: str, activation: str) -> None:
    # Without a norm, a sigmoid network of this size needs a higher rate to start learning.
    rate = 2.0 if activation == "sigmoid" else 0.2
    config = RunConfig(norms=(norm,), activation=activation, learning_rate=rate, **SMALL | {
        "depth": 2
    })  # fmt: skip
    experiment = go(Experiment(config), 120)
    record = experiment.snapshot(probes=()).networks[norm]
    assert record.test_accuracy > 0.75
    assert record.state == "learning"
    assert record.broke is None


def test_loss_is_that_of_the_batch_about_to_be_used() -> None:
    experiment = go(Experiment(RunConfig(**SMALL), dtype=torch.float64), 5)
    expected = {n: r.loss for n, r in experiment.snapshot(probes=()).networks.items()}
    experiment.step()
    for norm, learner in experiment.learners.items():
        assert learner.monitor.to_tree()["losses"][-1] == pytest.approx(expected[norm], rel=1e-9)


@every_case(
    ("changes", "message"),
    [
        ({"depth": 3}, "`depth` must be left alone during a run"),
        ({"learning_rate": 0}, "`learning_rate` must be a number between 1e-05 and 100, got 0."),
        ({"nonsense": 1}, "`nonsense` must be one of the live knobs"),
        ({"batch_size": 0}, "`batch_size` must be a whole number between 1 and 1024"),
        ({"learning_rates": (0.1,)}, "`learning_rates` must be one rate for each of the 2"),
    ],
)
def test_update_refuses(changes: dict[str, Any], message: str) -> None:
    experiment = go(Experiment(RunConfig(**SMALL)), 2)
    with pytest.raises(ConfigError, match=message.replace(".", r"\.")):
        experiment.update(**changes)
    assert experiment.changes == []
    assert experiment.config == RunConfig(**SMALL)


def test_a_knob_that_is_set_to_what_it_is_is_not_changed() -> None:
    experiment = go(Experiment(RunConfig(batch_size=4, **SMALL)), 2)
    assert not experiment.update(batch_size=4)
    assert not experiment.update()
    assert experiment.changes == []
    assert experiment.update(batch_size=4, learning_rate=0.5)
    assert [change.values for change in experiment.changes] == [{"learning_rate": 0.5}]
    # A drag may end at its first value.
    assert experiment.update(drag=1, learning_rate=0.5)
    assert experiment.changes.gestures[-1].drag == 1


def test_a_record_has_a_stability_limit_where_all_parameters_have_one_rate() -> None:
    experiment = Experiment(RunConfig(depth=1, width=4, dataset="moons", norms=("batch",)))
    for factors, limit in (((1, 1, 1), 20.0), ((2, 2, 2), 10.0), ((2, 1, 1), math.nan)):
        experiment.update(rate_factors=factors)
        found = experiment.snapshot(()).networks["batch"].stability_limit
        assert found == pytest.approx(limit, nan_ok=True)


def test_batch_of_one_pauses_batch_norm_alone() -> None:
    experiment = Experiment(RunConfig(batch_size=1, norms=("none", "batch", "layer"), **SMALL))
    before = weights(experiment)
    go(experiment, 5)
    after = weights(experiment)
    np.testing.assert_array_equal(before["batch"], after["batch"])
    assert not np.array_equal(before["none"], after["none"])
    records = experiment.snapshot(probes="all").networks
    assert records["none"].undefined_norm is records["layer"].undefined_norm is None
    assert records["batch"].undefined_norm == "batch size 1: this normalization needs at least 2"
    experiment.update(batch_size=2)
    go(experiment, 3)
    assert not np.array_equal(before["batch"], weights(experiment)["batch"])
    assert experiment.snapshot(probes=()).networks["batch"].undefined_norm is None


def test_a_diverged_network_stops_and_the_others_go_on() -> None:
    config = RunConfig(activation="linear", learning_rates=(100.0, 0.01), **SMALL)
    experiment = go(Experiment(config), 60)
    assert experiment.states()["none"] == "diverged"
    found = experiment.breaks()["none"]
    assert found is not None
    assert found.layer is not None
    before = weights(experiment)
    go(experiment, 3)
    np.testing.assert_array_equal(before["none"], weights(experiment)["none"])
    assert not np.array_equal(before["batch"], weights(experiment)["batch"])
    record = experiment.snapshot(probes="all").networks["none"]
    assert record.state == "diverged"
    assert record.stopped is not None
    assert found.step <= record.stopped <= 60
    assert math.isnan(record.test_loss)
    assert math.isnan(record.test_accuracy)
    other = experiment.snapshot(probes=()).networks["batch"]
    assert other.stopped is None
    assert math.isfinite(other.test_accuracy)
    restored = Experiment.restore(config, experiment.checkpoint())
    assert_same(restored, experiment)
    assert restored.snapshot(probes=()).networks["none"].stopped == record.stopped


def test_what_a_network_has_taken_is_counted_and_goes_on_from_a_checkpoint() -> None:
    """A network's own steps count. It takes none if the mini-batch is too small for its norm."""
    config = RunConfig(depth=2, width=8)
    experiment = Experiment(config)
    told = [experiment.snapshot(()).networks]
    for size, steps in ((60, 3), (1, 5), (20, 2)):
        experiment.update(batch_size=size)
        for taken in range(1, steps + 1):
            experiment.step()
            before = experiment.snapshot(()).networks
            again = experiment.snapshot("all" if taken == steps else "fit").networks
            for norm, record in again.items():
                assert record.training_seconds == before[norm].training_seconds, (
                    "nothing is measured"
                )
        told.append(again)
    found = {norm: [shot[norm].examples for shot in told] for norm in config.norms}
    assert found == {"none": [0, 180, 185, 225], "batch": [0, 180, 180, 220]}
    images = len(experiment.data.train_labels)
    for norm in config.norms:
        assert told[-1][norm].epochs == found[norm][-1] / images
        seconds = [shot[norm].training_seconds for shot in told]
        assert seconds[0] == 0
        assert seconds == sorted(seconds)
        assert seconds[1] < seconds[-1]
    assert told[1]["batch"].training_seconds == told[2]["batch"].training_seconds, "it had paused"
    restored = Experiment.restore(config, experiment.checkpoint())
    again = restored.snapshot(()).networks
    assert again == experiment.snapshot(()).networks
    for _ in range(2):
        restored.step()
    for norm, record in restored.snapshot(()).networks.items():
        assert again[norm].training_seconds == told[-1][norm].training_seconds
        assert record.training_seconds > again[norm].training_seconds
        assert record.examples == found[norm][-1] + 40


@every_case(
    "knobs",
    [
        {"depth": 50, "width": 10},
        {"depth": 1, "width": 2},
        {"depth": 1, "width": 512},
        {"batch_size": 1024},
        {"dataset": "xor", "batch_size": 1024},
    ],
)
def test_extreme_sizes(knobs: dict[str, Any]) -> None:
    experiment = Experiment(RunConfig(**{"device": "cpu", **knobs}))
    for size in (3, 1024, 60):
        experiment.step()
        experiment.snapshot()
        experiment.update(batch_size=size)
    experiment.step()
    assert math.isfinite(experiment.snapshot(probes=()).networks["batch"].test_loss)


def test_run_yields_at_the_beginning_every_and_the_end() -> None:
    config = RunConfig(**SMALL)
    assert [s.step for s in run(config, steps=7, every=3, probes=())] == [0, 3, 6, 7]
    assert [s.step for s in run(config, steps=4, every=2, probes=())] == [0, 2, 4]
    assert [s.step for s in run(config, steps=0, probes=())] == [0]
    with pytest.raises(ConfigError, match="`every` must be a whole number of at least 1, got 0"):
        next(run(config, steps=3, every=0))
    with pytest.raises(ConfigError, match="`steps` must be a whole number of at least 0, got -1"):
        next(run(config, steps=-1))


def test_probes_are_chosen_by_name() -> None:
    experiment = Experiment(RunConfig(**SMALL))
    assert experiment.snapshot(probes=()).networks["none"].probes == {}
    record = experiment.snapshot(probes=("gradients", "saturation")).networks["none"]
    assert list(record.probes) == ["gradients", "saturation"]
    assert record.measured_at == {"gradients": 0, "saturation": 0}
    assert set(experiment.snapshot("histogram").networks["batch"].probes) == {"histogram"}
    costs: dict[str, float] = {}
    every = experiment.snapshot(probes="all", seconds=costs).networks
    # The boundary needs a plane data set, a cut needs saved weights, and batch statistics need a
    # norm that uses them.
    others = set(PROBES) - {"boundary", "cut", "before_change"}
    assert set(every["batch"].probes) == others
    assert set(every["none"].probes) == others - {"mode_gap", "unit_batch", "affine"}
    assert set(costs) == {"base", *PROBES}
    with pytest.raises(ConfigError, match="`probes` must be all, or one or more of histogram"):
        experiment.snapshot(probes=("nonsense",))


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_a_gpu_that_is_not_there_is_refused() -> None:
    with pytest.raises(ConfigError, match="`device` must be auto or cpu"):
        Experiment(RunConfig(device="cuda"))


@pytest.mark.gpu
@every_case("norm", norms_for("mlp"))
def test_gpu_steps_follow_the_cpu(norm: str) -> None:
    knobs = {"norms": (norm,), **SMALL}
    cpu = go(Experiment(RunConfig(**knobs), dtype=torch.float64), 10)
    gpu = go(Experiment(RunConfig(**knobs | {"device": "cuda"}), dtype=torch.float64), 10)
    found = gpu.networks[norm].flat.cpu()
    torch.testing.assert_close(found, cpu.networks[norm].flat, rtol=1e-9, atol=1e-11)
    assert gpu.snapshot(probes="all").networks[norm].state == "learning"
