"""Every preset shows what its name claims, on three seeds (the opening one: test_experiment)."""

import numpy as np
import pytest

from bnviz.data import DATASETS
from bnviz.experiment import Experiment
from bnviz.presets import PRESETS
from bnviz.texts import texts

SEEDS = (0, 1, 2)


def play(preset, seed, steps, probes=(), **knobs):
    """Train a preset and take snapshots after each of `steps`."""
    experiment = Experiment(PRESETS[preset].config(seed=seed, **knobs))
    snapshots = []
    for step in steps:
        while experiment.step_number < step:
            experiment.step()
        snapshots.append(experiment.snapshot(probes))
    return snapshots


def accuracy(snapshot, norm):
    return snapshot.networks[norm].test_accuracy


@pytest.mark.parametrize("seed", SEEDS)
def test_broken_from_the_start_breaks_the_plain_network_and_not_the_other(seed):
    (end,) = play("broken-from-the-start", seed, [300])
    plain, batch = end.networks["none"], end.networks["batch"]
    assert plain.broke is not None
    assert plain.broke.step <= 20
    assert plain.state in ("blown_up", "stuck", "diverged")
    assert plain.test_accuracy < 0.2
    assert batch.state in ("learning", "recovered")
    assert batch.test_accuracy > 0.9


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.mnist
def test_figure_1_leaves_the_plain_network_at_chance_while_bn_learns(seed, mnist_folder):
    _figure_1(seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_figure_1_holds_for_the_digits_that_stand_in_for_mnist(seed):
    _figure_1(seed, dataset="digits")


def _figure_1(seed, **knobs):
    shots = play("figure-1", seed, [50, 100, 110, 400], probes=("percentiles",), **knobs)
    early, late = shots[0], shots[-1]
    assert [shot.networks["none"].broke for shot in shots] == [None] * 4, "it only begins late"
    assert accuracy(early, "none") < 0.3
    assert accuracy(early, "batch") > accuracy(early, "none") + 0.3
    assert accuracy(late, "batch") > 0.85


@pytest.mark.parametrize("seed", SEEDS)
def test_deep_sigmoid_gradients_vanish_without_bn_only(seed):
    start, end = play("deep-sigmoid-vanishes", seed, [0, 200], probes=("gradients",))
    growth = {}
    for norm, record in start.networks.items():
        rms = record.probes["gradients"]["grad_pre_activation_rms"].astype(np.float64)
        growth[norm] = (rms[0] / rms[-2]) ** (1 / (len(rms) - 2))
    # About a quarter a layer without BN, about one with it (Yang et al. 2019).
    assert growth["none"] == pytest.approx(0.24, abs=0.08)
    assert 0.8 < growth["batch"] < 1.25
    assert end.networks["none"].state == "stuck"
    assert accuracy(end, "batch") > 0.9


@pytest.mark.parametrize("seed", SEEDS)
def test_large_initial_weights_saturate_the_plain_network_at_step_0(seed):
    start, end = play("large-initial-weights", seed, [0, 200], probes=("saturation",))
    saturated = {norm: r.probes["saturation"]["saturated"] for norm, r in start.networks.items()}
    assert saturated["none"][1:].min() > 0.7
    assert saturated["batch"].max() < 0.3
    assert accuracy(end, "batch") > 0.8
    assert accuracy(end, "none") < 0.6


@pytest.mark.parametrize("seed", SEEDS)
def test_a_batch_of_two_costs_bn_its_accuracy_and_not_the_others(seed):
    (end,) = play("batch-of-two", seed, [600])
    assert accuracy(end, "batch") < 0.75
    assert accuracy(end, "none") > accuracy(end, "batch") + 0.1
    assert accuracy(end, "layer") > accuracy(end, "batch") + 0.1


@pytest.mark.parametrize("seed", SEEDS)
def test_spirals_are_learned_sooner_with_bn(seed):
    (early,) = play("spirals", seed, [300], probes=("boundary",))
    assert accuracy(early, "batch") > 0.95
    assert accuracy(early, "none") < 0.9
    assert all(record.probes["boundary"]["score"].shape for record in early.networks.values())


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_has_its_words_and_can_be_built(name):
    words = texts(name="presets")[name]
    assert words["label"]
    assert words["help"]
    config = PRESETS[name].config()
    assert config.dataset in DATASETS
    config.replace(**PRESETS[name].suggestion)
