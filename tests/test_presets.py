"""Every preset shows what its name claims (the opening one: training/test_opening_story).

On one seed, and by `make verify` on two more.
"""

from itertools import pairwise

import numpy as np
import pytest

from bnviz.charts import CHARTS
from bnviz.claims import CLAIMS
from bnviz.data import DATASETS
from bnviz.data.base import load
from bnviz.experiment import Experiment
from bnviz.presets import PRESETS
from bnviz.probes.axis import GRID
from bnviz.texts import texts

SEEDS = (0, *(pytest.param(seed, marks=pytest.mark.verify) for seed in (1, 2)))


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
    # The map of the plane says of the points what the network says of them.
    points = load(PRESETS["spirals"].config(seed=seed))
    column, row = np.abs(points.test_inputs[:, :, None] - GRID).argmin(axis=2).T
    for record in early.networks.values():
        said = record.probes["boundary"]["score"][row, column] > 127
        assert (said == points.test_labels).mean() == pytest.approx(record.test_accuracy, abs=0.01)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_bias_grows_where_the_gradient_does_not_know_of_the_mean(seed):
    experiment = Experiment(PRESETS["e3-outside-the-gradient"].config(seed=seed))
    sizes = []
    for step in (50, 200):
        while experiment.step_number < step:
            experiment.step()
        biases = experiment.networks["ablated"].parameters()
        sizes.append(float(biases["layer 1.bias"].norm()))
    assert sizes[1] > 1.3 * sizes[0] > 0.1


@pytest.mark.parametrize("seed", SEEDS)
def test_weights_under_bn_only_grow(seed):
    shots = play("e4-weights-grow", seed, [0, 50, 100, 200], probes=("weights",))
    norms = [shot.networks["batch"].probes["weights"]["norm"][:-1] for shot in shots]
    assert all((later > earlier).all() for earlier, later in pairwise(norms))


@pytest.mark.parametrize("seed", SEEDS)
def test_sigmoids_are_at_chance_at_step_25_and_far_behind(seed):
    (early,) = play("e1-figure-1-digits", seed, [25])
    assert accuracy(early, "none") < 0.2
    assert accuracy(early, "batch") > accuracy(early, "none") + 0.3


@pytest.mark.parametrize("seed", SEEDS)
def test_a_normalized_layer_stretches_and_crushes_from_about_step_20_on(seed):
    shots = play("e5-jacobians", seed, [0, 20, 50], probes=("jacobian",))
    spread = []
    for shot in shots:
        values = shot.networks["batch"].probes["jacobian"]
        low, high = (values["percentiles"][1:, at] for at in (0, 2))
        spread.append(float(np.median(high / low)))
    assert spread[0] < 1.6
    assert min(spread[1:]) > 3


@pytest.mark.parametrize("seed", SEEDS)
def test_the_curvature_comes_to_the_edge_and_hovers_there(seed):
    shots = play("e13-edge-of-stability", seed, range(400, 1001, 100), probes=("sharpness",))
    ratios = [
        float(found["lambda_max"] / found["limit"])
        for found in (shot.networks["none"].probes["sharpness"] for shot in shots)
    ]
    np.testing.assert_allclose(ratios, 1, atol=0.12)


@pytest.mark.parametrize("seed", SEEDS)
def test_statistics_of_the_first_layer_vary_as_those_of_random_numbers(seed):
    (start,) = play("e16-batch-noise", seed, [0], probes=("batch_noise",))
    found = start.networks["batch"].probes["batch_noise"]
    for what in ("mean", "std"):
        assert found[what][0] == pytest.approx(found[f"{what}_expected"][0], rel=0.15)


@pytest.mark.parametrize("seed", SEEDS)
def test_gradients_grow_by_a_fifth_a_layer_under_relu_and_bn(seed):
    (start,) = play("e6-gradients-grow", seed, [0], probes=("gradients",))
    growth = {n: r.probes["gradients"]["growth"][:-1] for n, r in start.networks.items()}
    assert np.exp(np.log(growth["batch"]).mean()) == pytest.approx(1.21, rel=0.05)
    assert np.exp(np.log(growth["none"]).mean()) == pytest.approx(1, rel=0.05)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_rank_collapses_without_bn_only(seed):
    (start,) = play("e7-rank-collapse", seed, [0], probes=("rank",))
    last = {n: r.probes["rank"]["participation"][-1] for n, r in start.networks.items()}
    assert last["none"] < 1.5 < 2.5 < last["batch"]


@pytest.mark.parametrize("seed", SEEDS)
def test_bn_raises_the_shift_of_gradients_in_this_network(seed):
    (shot,) = play("e8-shift-by-gradients", seed, [50], probes=("ics",))
    change = {n: np.median(r.probes["ics"]["change"][1:]) for n, r in shot.networks.items()}
    assert change["batch"] > 2 * change["none"]


@pytest.mark.parametrize("seed", SEEDS)
def test_noise_after_bn_does_not_keep_a_network_from_learning(seed):
    (end,) = play("e9-noise-after-bn", seed, [150])
    assert min(accuracy(end, "batch"), accuracy(end, "noisy")) > 0.9
    assert accuracy(end, "none") < 0.3


@pytest.mark.parametrize("seed", SEEDS)
def test_the_loss_is_smoother_with_bn_in_this_network(seed):
    (shot,) = play("e10-landscape", seed, [20], probes=("landscape",))
    beta = {n: float(r.probes["landscape"]["beta"]) for n, r in shot.networks.items()}
    assert beta["batch"] < beta["none"]


@pytest.mark.parametrize("seed", SEEDS)
def test_other_averages_do_as_well(seed):
    (end,) = play("e11-other-averages", seed, [200])
    reached = [accuracy(end, norm) for norm in ("batch", "l1", "linf")]
    assert max(reached) - min(reached) < 0.03


@pytest.mark.parametrize("seed", SEEDS)
def test_relu_networks_need_bn_at_a_rate_of_1(seed):
    (end,) = play("e12-largest-rate", seed, [300])
    assert not accuracy(end, "none") > 0.5
    assert accuracy(end, "batch") > 0.9


@pytest.mark.parametrize("seed", SEEDS)
def test_norms_of_one_example_lose_nothing_in_tiny_batches(seed):
    (end,) = play("e14-tiny-batches", seed, [500])
    assert min(accuracy(end, "group"), accuracy(end, "layer")) > accuracy(end, "batch") + 0.15


@pytest.mark.parametrize("seed", SEEDS)
def test_running_statistics_lag_behind(seed):
    shots = play("e15-two-modes", seed, [5, 300], probes=("mode_gap",))
    gaps = []
    for shot in shots:
        found = shot.networks["batch"].probes["mode_gap"]
        gaps.append(float(found["population"] - found["running"]))
    assert gaps[0] > 0.1
    assert abs(gaps[1]) < 0.02


@pytest.mark.parametrize("seed", SEEDS)
def test_whitening_takes_out_correlations(seed):
    (start,) = play("e17-whitening", seed, [0], probes=("rank",))
    mean = {n: float(r.probes["rank"]["correlation"][0]) for n, r in start.networks.items()}
    assert max(mean["iternorm"], mean["zca"]) < mean["batch"]


@pytest.mark.parametrize("preset", ["e17-feature-maps", "e17-recurrent"])
def test_other_networks_learn_with_bn(preset):
    (end,) = play(preset, 0, [150], norms=("batch",))
    assert accuracy(end, "batch") > 0.6


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_has_its_words_and_can_be_built(name):
    words = texts(name="presets")[name]
    preset = PRESETS[name]
    assert words["label"]
    assert words["help"].endswith((".", "?"))
    config = preset.config()
    assert config.dataset in DATASETS
    config.replace(**preset.suggestion)
    assert all(CHARTS[chart].group == "more" for chart in preset.charts)


def test_presets_of_the_literature_name_their_source_and_their_claim():
    words = texts(name="presets")
    literature = [name for name, preset in PRESETS.items() if preset.group == "literature"]
    for name in literature:
        claim = name.partition("-")[0].upper()
        assert words[name]["label"].startswith(f"{claim} ")
        assert words[name]["source"]
        assert name in CLAIMS[claim].presets
    assert sorted(literature) == sorted(name for entry in CLAIMS.values() for name in entry.presets)


def test_the_labs_own_presets_stand_first():
    groups = [preset.group for preset in PRESETS.values()]
    assert groups == sorted(groups)
