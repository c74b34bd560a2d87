"""Every preset shows what it says, at its moment at the latest.

On one seed, and by `make verify` on two more. What follows the opening one's change of the rate:
training/test_opening_story.
"""

from itertools import pairwise

import numpy as np
import pytest

from bnviz.charts import CHARTS
from bnviz.claims import CLAIMS
from bnviz.data import DATASETS
from bnviz.data.base import load
from bnviz.experiment import Experiment
from bnviz.live.protocol.pace import steps_per_second
from bnviz.presets import PRESETS
from bnviz.probes import PROBES
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


def moment(preset, seed, probes=(), **knobs):
    """The snapshot of a preset at the step at which its page says to look."""
    (shot,) = play(preset, seed, [PRESETS[preset].moment], probes, **knobs)
    return shot


def found(snapshot, probe, key):
    """One value of a probe, by network; of those that have it."""
    records = snapshot.networks.items()
    return {norm: r.probes[probe][key] for norm, r in records if probe in r.probes}


def accuracy(snapshot, norm):
    return snapshot.networks[norm].test_accuracy


@pytest.mark.parametrize("seed", SEEDS)
def test_at_a_rate_of_a_tenth_both_networks_learn(seed):
    shot = moment("raise-the-rate", seed)
    assert min(accuracy(shot, "none"), accuracy(shot, "batch")) > 0.9


@pytest.mark.parametrize("seed", SEEDS)
def test_broken_from_the_start_breaks_the_plain_network_and_not_the_other(seed):
    early, end = play("broken-from-the-start", seed, [PRESETS["broken-from-the-start"].moment, 300])
    assert accuracy(early, "none") < 0.2
    assert accuracy(early, "batch") > 0.6
    assert early.networks["none"].state == "blown_up"
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
    at = PRESETS["figure-1"].moment
    *early, late = play("figure-1", seed, [*range(at + 1), 400], probes=("percentiles",), **knobs)
    assert [shot.networks["none"].broke for shot in (*early, late)] == [None] * (at + 2), (
        "it only begins late"
    )
    assert accuracy(early[-1], "none") < 0.3
    assert accuracy(early[-1], "batch") > accuracy(early[-1], "none") + 0.3
    assert accuracy(late, "batch") > 0.85
    assert wander(early, "none") > 3 * wander(early, "batch")


def wander(shots, norm):
    """How far the median input of a last sigmoid gets, median of the eight units that are shown."""
    medians = [shot.networks[norm].probes["percentiles"]["unit"][-1, :, 1] for shot in shots]
    return np.median(np.ptp(medians, axis=0))


@pytest.mark.parametrize("seed", SEEDS)
def test_deep_sigmoid_gradients_vanish_without_bn_only(seed):
    steps = [0, PRESETS["deep-sigmoid-vanishes"].moment]
    start, end = play("deep-sigmoid-vanishes", seed, steps, probes=("gradients",))
    growth = {}
    for norm, record in start.networks.items():
        rms = record.probes["gradients"]["grad_pre_activation_rms"].astype(np.float64)
        growth[norm] = (rms[0] / rms[-2]) ** (1 / (len(rms) - 2))
    # About a quarter a layer without BN, about one with it (Yang et al. 2019).
    assert growth["none"] == pytest.approx(0.24, abs=0.08)
    assert 0.8 < growth["batch"] < 1.25
    norms = found(end, "gradients", "grad_weight_norm")
    assert norms["none"][0] < 1e-4 * norms["none"][-2]
    assert norms["batch"][0] > norms["batch"][-2]
    assert end.networks["none"].state == "stuck"
    assert accuracy(end, "batch") > 0.9


@pytest.mark.parametrize("seed", SEEDS)
def test_large_initial_weights_saturate_the_plain_network_at_step_0(seed):
    start, end = play("large-initial-weights", seed, [0, 200], probes=("saturation",))
    saturated = {norm: r.probes["saturation"]["saturated"] for norm, r in start.networks.items()}
    assert saturated["none"].min() > 0.8
    assert saturated["batch"].max() < 0.2
    assert accuracy(end, "batch") > 0.8
    assert accuracy(end, "none") < 0.6


@pytest.mark.parametrize("seed", SEEDS)
def test_a_batch_of_two_costs_bn_its_accuracy_and_not_the_others(seed):
    end = moment("batch-of-two", seed)
    assert accuracy(end, "batch") < 0.75
    assert accuracy(end, "none") > accuracy(end, "batch") + 0.1
    assert accuracy(end, "layer") > accuracy(end, "batch") + 0.1


@pytest.mark.parametrize("preset", ["batch-of-two", "e14-tiny-batches"])
@pytest.mark.parametrize("seed", SEEDS)
def test_of_two_examples_bn_tells_a_unit_only_which_is_larger(seed, preset):
    start, end = play(preset, seed, [0, PRESETS[preset].moment], probes=("batch_values",))
    at_first, later = (found(shot, "batch_values", "values") for shot in (start, end))
    # ε takes some of it from a unit that gives both examples nearly the same value.
    assert np.quantile(np.abs(at_first["batch"]), 0.1) > 0.98
    assert np.abs(at_first["batch"]).max() < 1.001
    # Later at β ± γ: in the layer that the chart opens with, nearly the same in most units.
    spread = {norm: np.ptp(np.quantile(np.abs(values[-1]), [0.1, 0.9]))
              for norm, values in later.items()}  # fmt: skip
    assert 3 * spread["batch"] < spread["layer"]
    assert np.abs(later["batch"][:, :, :2].mean(axis=2)).max() < 0.25


@pytest.mark.parametrize("seed", SEEDS)
def test_spirals_are_learned_sooner_with_bn(seed):
    early, late = play("spirals", seed, [PRESETS["spirals"].moment, 1000], probes=("boundary",))
    assert accuracy(early, "batch") > 0.95
    assert accuracy(early, "none") < 0.75
    assert min(accuracy(late, "none"), accuracy(late, "batch")) > 0.95
    # The map of the plane says of the points what the network says of them.
    points = load(PRESETS["spirals"].config(seed=seed))
    column, row = np.abs(points.test_inputs[:, :, None] - GRID).argmin(axis=2).T
    for record in early.networks.values():
        said = record.probes["boundary"]["score"][row, column] > 127
        assert (said == points.test_labels).mean() == pytest.approx(record.test_accuracy, abs=0.02)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_bias_grows_where_the_gradient_does_not_know_of_the_mean(seed):
    name = "e3-outside-the-gradient"
    at = PRESETS[name].moment
    shots = play(name, seed, [at // 2, at], probes=("weights",))
    early, late = (found(shot, "weights", "bias") for shot in shots)
    assert (late["ablated"][:-1] > 1.2 * early["ablated"][:-1]).all()
    assert (late["ablated"][:-1] > 1.5 * late["none"][:-1]).all()
    told = moment(name, seed, ("weights",), norms=("ablated",), ablation_gradient=True)
    assert found(told, "weights", "bias")["ablated"][:-1].max() < 1e-6


@pytest.mark.parametrize("seed", SEEDS)
def test_weights_under_bn_only_grow(seed):
    shots = play("e4-weights-grow", seed, [0, 50, 100, 200], probes=("weights",))
    norms = [shot.networks["batch"].probes["weights"]["norm"][:-1] for shot in shots]
    assert all((later > earlier).all() for earlier, later in pairwise(norms))
    rates = [found(shot, "weights", "effective_rate")["batch"][:-1] for shot in shots]
    assert all((later < earlier).all() for earlier, later in pairwise(rates))


@pytest.mark.parametrize("seed", SEEDS)
def test_sigmoids_are_at_chance_at_step_25_and_far_behind(seed):
    steps = range(PRESETS["e1-figure-1-digits"].moment + 1)
    shots = play("e1-figure-1-digits", seed, steps, probes=("percentiles",))
    assert accuracy(shots[-1], "none") < 0.2
    assert accuracy(shots[-1], "batch") > accuracy(shots[-1], "none") + 0.3
    assert wander(shots, "none") > 3 * wander(shots, "batch")


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
    low, _, high = (
        moment("e5-jacobians", seed, ("jacobian",))
        .networks["batch"]
        .probes["jacobian"]["percentiles"]
        .T
    )
    assert low.max() < 0.6
    assert np.median(low) < 0.4
    assert high.min() > 1.3


@pytest.mark.parametrize("seed", SEEDS)
def test_the_curvature_comes_to_the_edge_and_hovers_there(seed):
    at = PRESETS["e13-edge-of-stability"].moment
    start, *shots = play(
        "e13-edge-of-stability", seed, [0, *range(at, 1001, 100)], probes=("sharpness",)
    )
    before = start.networks["none"].probes["sharpness"]
    assert before["lambda_max"] < 0.8 * before["limit"]
    ratios = [
        float(found["lambda_max"] / found["limit"])
        for found in (shot.networks["none"].probes["sharpness"] for shot in shots)
    ]
    np.testing.assert_allclose(ratios, 1, atol=0.12)


@pytest.mark.parametrize("seed", SEEDS)
def test_statistics_of_the_first_layer_vary_as_those_of_random_numbers(seed):
    start = moment("e16-batch-noise", seed, ("batch_noise",))
    values = start.networks["batch"].probes["batch_noise"]
    for what in ("mean", "std"):
        assert values[what][0] == pytest.approx(values[f"{what}_expected"][0], rel=0.15)
    assert values["mean"][1:].max() < 0.5 * values["mean_expected"][0]


@pytest.mark.parametrize("seed", SEEDS)
def test_gradients_grow_by_a_fifth_a_layer_under_relu_and_bn(seed):
    (start,) = play("e6-gradients-grow", seed, [0], probes=("gradients",))
    growth = {n: r.probes["gradients"]["growth"][:-1] for n, r in start.networks.items()}
    assert np.exp(np.log(growth["batch"]).mean()) == pytest.approx(1.21, rel=0.05)
    assert np.exp(np.log(growth["none"]).mean()) == pytest.approx(1, rel=0.05)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_rank_collapses_without_bn_only(seed):
    shots = play("e7-rank-collapse", seed, [0, PRESETS["e7-rank-collapse"].moment], ("rank",))
    for shot, most in zip(shots, (1.5, 1.6), strict=True):
        last = {n: r.probes["rank"]["participation"][-1] for n, r in shot.networks.items()}
        assert last["none"] < most < 2.5 < last["batch"] < 5


@pytest.mark.parametrize("seed", SEEDS)
def test_bn_raises_the_shift_of_gradients_in_one_network_and_lowers_it_in_another(seed):
    shots = (moment(f"e8-shift-{name}", seed, ("ics",)) for name in ("by-gradients", "lowered"))
    ratios = []
    for shot in shots:
        change = found(shot, "ics", "change")
        ratios.append(np.median(change["batch"][1:] / change["none"][1:]))
    raised, lowered = ratios
    assert raised > 2
    assert lowered < 0.8


@pytest.mark.parametrize("seed", SEEDS)
def test_noise_after_bn_does_not_keep_a_network_from_learning(seed):
    at = PRESETS["e9-noise-after-bn"].moment
    shots = play("e9-noise-after-bn", seed, range(at - 5, at + 1), probes=("percentiles",))
    jumps = {
        norm: np.abs(np.diff([found(shot, "percentiles", "unit")[norm][-1, :, 1] for shot in shots],
                             axis=0)).mean() for norm in ("none", "batch", "noisy")
    }  # fmt: skip
    assert jumps["noisy"] > 3 * jumps["batch"] > jumps["none"]
    end = shots[-1]
    assert accuracy(end, "noisy") > accuracy(end, "batch") - 0.03
    assert min(accuracy(end, "batch"), accuracy(end, "noisy")) > 0.9
    assert accuracy(end, "none") < 0.3


@pytest.mark.parametrize("seed", SEEDS)
def test_the_loss_is_smoother_with_bn_in_one_network_and_rougher_in_another(seed):
    smoother, rougher = (
        {norm: record.probes["landscape"] for norm, record in shot.networks.items()}
        for shot in (moment(name, seed, ("landscape",))
                     for name in ("e10-landscape", "e10-landscape-rougher"))
    )  # fmt: skip
    for what in ("beta", "predictiveness"):
        assert smoother["batch"][what] < smoother["none"][what]
    assert rougher["batch"]["predictiveness"] > rougher["none"]["predictiveness"]
    ranges = {norm: np.ptp(values["loss"]) for norm, values in rougher.items()}
    assert ranges["batch"] > ranges["none"]


@pytest.mark.parametrize("seed", SEEDS)
def test_other_averages_do_as_well(seed):
    end = moment("e11-other-averages", seed, ("drift",))
    reached = [accuracy(end, norm) for norm in ("batch", "l1", "linf")]
    assert max(reached) - min(reached) < 0.04
    drift = {norm: values[1].mean() for norm, values in found(end, "drift", "w1_start").items()}
    assert drift["linf"] > 2 * drift["batch"]


@pytest.mark.parametrize("seed", SEEDS)
def test_relu_networks_need_bn_at_a_rate_of_1(seed):
    end = moment("e12-largest-rate", seed)
    assert not accuracy(end, "none") > 0.5
    assert accuracy(end, "batch") > 0.9


@pytest.mark.parametrize("seed", SEEDS)
def test_norms_of_one_example_lose_nothing_in_tiny_batches(seed):
    end = moment("e14-tiny-batches", seed)
    assert min(accuracy(end, "group"), accuracy(end, "layer")) > accuracy(end, "batch") + 0.15


@pytest.mark.parametrize("seed", SEEDS)
def test_running_statistics_lag_behind(seed):
    shots = play("e15-two-modes", seed, [100, PRESETS["e15-two-modes"].moment, 800], ("mode_gap",))
    gaps = []
    for shot in shots:
        reached = shot.networks["batch"].probes["mode_gap"]
        gaps.append(float(min(reached["population"], reached["batch"]) - reached["running"]))
    assert gaps[0] > 0.1
    assert gaps[1] > 0.05
    assert abs(gaps[2]) < 0.02


@pytest.mark.parametrize("seed", SEEDS)
def test_whitening_takes_out_correlations(seed):
    mean = found(moment("e17-whitening", seed, ("rank",)), "rank", "correlation")
    assert (np.maximum(mean["iternorm"], mean["zca"]) < mean["batch"]).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_feature_maps_may_be_normalized_over_the_batch_or_in_one_image(seed):
    end = moment("e17-feature-maps", seed)
    assert min(accuracy(end, norm) for norm in end.networks) > 0.88


@pytest.mark.parametrize("seed", SEEDS)
def test_the_gradient_survives_eight_rows(seed):
    start, end = play("e17-recurrent", seed, [0, 150], probes=("gradients",))
    for growth in found(start, "gradients", "growth").values():
        assert growth[1:-1].min() > 0.65
        assert growth[1:-1].max() < 0.95
        assert growth[:-1].prod() > 0.1
    assert accuracy(end, "batch") > 0.6


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_has_its_words_and_can_be_built(name):
    words = texts(name="presets")[name]
    preset = PRESETS[name]
    assert words["label"]
    assert words["help"].endswith((".", "?"))
    assert words["look"].endswith(".")
    config = preset.config()
    assert config.dataset in DATASETS
    config.replace(**preset.suggestion)
    assert all(CHARTS[chart].group == "more" for chart in preset.charts)
    assert all(CHARTS[chart].fits(config) for chart in preset.leading)


@pytest.mark.parametrize("name", PRESETS)
def test_the_moment_to_look_comes_within_twenty_seconds_of_watching(name):
    at = PRESETS[name].moment
    seconds = sum(1 / steps_per_second("watch", step) for step in range(at))
    assert seconds <= 20
    # A frame of the very start lacks what takes long to measure.
    needs = {probe for chart in PRESETS[name].charts for probe in CHARTS[chart].needs}
    assert at > 0 or all(PROBES[probe].cheap for probe in needs)
    # The page says the step itself.
    assert "step" not in texts(name="presets")[name]["look"].replace("at step 0", "").replace(
        "time step", ""
    ).replace("every step", "")


@pytest.mark.parametrize("name", [name for name, preset in PRESETS.items() if preset.opposite])
def test_opposites_lead_to_each_other(name):
    opposite = PRESETS[name].opposite
    assert PRESETS[opposite].opposite == name
    assert PRESETS[opposite].charts == PRESETS[name].charts
    assert PRESETS[opposite].config() != PRESETS[name].config()


def test_presets_of_the_literature_name_their_source_and_their_claim():
    words = texts(name="presets")
    literature = [name for name, preset in PRESETS.items() if preset.group == "literature"]
    for name in literature:
        claim = name.partition("-")[0].upper()
        assert words[name]["number"] == claim
        assert words[name]["source"]
        # The claim names a preset, and that one leads to its opposite.
        assert {name, PRESETS[name].opposite} & set(CLAIMS[claim].presets)
    assert {name for entry in CLAIMS.values() for name in entry.presets} <= set(literature)


def test_the_labs_own_presets_stand_first():
    groups = [preset.group for preset in PRESETS.values()]
    assert groups == sorted(groups)
