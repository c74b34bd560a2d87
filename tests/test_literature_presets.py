"""Every preset from the literature shows its effect by its opening step at the latest."""

from itertools import pairwise

import numpy as np
import pytest

from bnviz.presets import PRESETS
from tests.preset_runs import SEEDS, accuracy, at_its_step, found, play, wander


@pytest.mark.parametrize("seed", SEEDS)
def test_a_bias_grows_where_the_gradient_does_not_know_of_the_mean(seed):
    name = "e3-outside-the-gradient"
    at = PRESETS[name].step_to_see
    shots = play(name, seed, [at // 2, at], probes=("weights",))
    early, late = (found(shot, "weights", "bias") for shot in shots)
    assert (late["ablated"][:-1] > 1.2 * early["ablated"][:-1]).all()
    assert (late["ablated"][:-1] > 1.5 * late["none"][:-1]).all()
    told = at_its_step(name, seed, ("weights",), norms=("ablated",), ablation_gradient=True)
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
    steps = range(PRESETS["e1-figure-1-digits"].step_to_see + 1)
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
    assert 1.8 * spread[0] < min(spread[1:])
    low, _, high = (
        at_its_step("e5-jacobians", seed, ("jacobian",))
        .networks["batch"]
        .probes["jacobian"]["percentiles"]
        .T
    )
    assert low.max() < 0.7
    assert np.median(low) < 0.4
    assert high.min() > 1.2


@pytest.mark.verify
@pytest.mark.parametrize("seed", SEEDS)
def test_the_curvature_comes_to_the_edge_and_hovers_there(seed):
    at = PRESETS["e13-edge-of-stability"].step_to_see
    start, *shots = play(
        "e13-edge-of-stability", seed, [0, *range(at, 1001, 100)], probes=("sharpness",)
    )
    before = start.networks["none"].probes["sharpness"]
    assert before["lambda_max"] < 0.8 * before["limit"]
    ratios = [
        float(found["lambda_max"] / found["limit"])
        for found in (shot.networks["none"].probes["sharpness"] for shot in shots)
    ]
    np.testing.assert_allclose(ratios, 1, atol=0.2)


@pytest.mark.parametrize("seed", SEEDS)
def test_statistics_of_the_first_layer_vary_as_those_of_random_numbers(seed):
    start = at_its_step("e16-batch-noise", seed, ("batch_noise",))
    values = start.networks["batch"].probes["batch_noise"]
    for what in ("mean", "std"):
        assert values[what][0] == pytest.approx(values[f"{what}_expected"][0], rel=0.15)
    assert values["mean"][1:].max() < 0.5 * values["mean_expected"][0]


@pytest.mark.verify
@pytest.mark.parametrize("seed", SEEDS)
def test_parts_of_a_mini_batch_narrow_the_gap_and_the_whole_widens_it(seed):
    """Over twelve seeds, BN widens the gap by 4 to 9 points, and ghost BN narrows it by 6 to 12."""
    gap = found(at_its_step("e16-ghosts", seed, ("fit",)), "fit", "gap")
    assert gap["ghost"] < gap["none"] - 0.02
    assert gap["batch"] > gap["none"] + 0.01


@pytest.mark.parametrize("seed", SEEDS)
def test_gradients_grow_by_a_fifth_a_layer_under_relu_and_bn(seed):
    (start,) = play("e6-gradients-grow", seed, [0], probes=("gradients",))
    growth = {n: r.probes["gradients"]["growth"][:-1] for n, r in start.networks.items()}
    assert np.exp(np.log(growth["batch"]).mean()) == pytest.approx(1.21, rel=0.05)
    assert np.exp(np.log(growth["none"]).mean()) == pytest.approx(1, rel=0.05)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_rank_collapses_without_bn_only(seed):
    shots = play("e7-rank-collapse", seed, [0, PRESETS["e7-rank-collapse"].step_to_see], ("rank",))
    for shot, most in zip(shots, (1.5, 1.6), strict=True):
        last = {n: r.probes["rank"]["participation"][-1] for n, r in shot.networks.items()}
        assert last["none"] < most < 2.5 < last["batch"] < 5


@pytest.mark.parametrize("seed", SEEDS)
def test_bn_raises_the_shift_of_gradients_in_one_network_and_lowers_it_in_another(seed):
    shots = (
        at_its_step(f"e8-shift-{name}", seed, ("ics",)) for name in ("by-gradients", "lowered")
    )
    ratios = []
    for shot in shots:
        change = found(shot, "ics", "change")
        ratios.append(np.median(change["batch"][1:] / change["none"][1:]))
    raised, lowered = ratios
    assert raised > 2
    assert lowered < 0.8


@pytest.mark.verify
@pytest.mark.parametrize("seed", SEEDS)
def test_noise_after_bn_does_not_keep_a_network_from_learning(seed):
    at = PRESETS["e9-noise-after-bn"].step_to_see
    shots = play("e9-noise-after-bn", seed, range(at - 5, at + 1), probes=("percentiles",))
    jumps = {
        norm: np.abs(np.diff([found(shot, "percentiles", "unit")[norm][-1, :, 1] for shot in shots],
                             axis=0)).mean() for norm in ("none", "batch", "noisy")
    }  # fmt: skip
    assert jumps["noisy"] > 3 * jumps["batch"] > jumps["none"]
    end = shots[-1]
    assert min(accuracy(end, "batch"), accuracy(end, "noisy")) > 0.85
    assert accuracy(end, "none") < 0.3


@pytest.mark.parametrize("seed", SEEDS)
def test_the_loss_is_smoother_with_bn_in_one_network_and_rougher_in_another(seed):
    smoother, rougher = (
        {norm: record.probes["landscape"] for norm, record in shot.networks.items()}
        for shot in (at_its_step(name, seed, ("landscape",))
                     for name in ("e10-landscape", "e10-landscape-rougher"))
    )  # fmt: skip
    for what in ("beta", "predictiveness"):
        assert smoother["batch"][what] < smoother["none"][what]
    assert rougher["batch"]["predictiveness"] > rougher["none"]["predictiveness"]
    ranges = {norm: np.ptp(values["loss"]) for norm, values in rougher.items()}
    assert ranges["batch"] > ranges["none"]


@pytest.mark.parametrize("seed", SEEDS)
def test_other_averages_do_as_well(seed):
    end = at_its_step("e11-other-averages", seed, ("drift",))
    reached = [accuracy(end, norm) for norm in ("batch", "l1", "linf")]
    assert max(reached) - min(reached) < 0.04
    drift = {norm: values[1].mean() for norm, values in found(end, "drift", "w1_start").items()}
    assert drift["linf"] > 2 * drift["batch"]


@pytest.mark.parametrize("seed", SEEDS)
def test_relu_networks_need_bn_at_a_rate_of_2(seed):
    """Without BN, none of ten seeds learns at rate 2, two learn at rate 1, and nine at 0.7."""
    end = at_its_step("e12-largest-rate", seed)
    assert not accuracy(end, "none") > 0.3
    assert accuracy(end, "batch") > 0.85


@pytest.mark.parametrize("seed", SEEDS)
def test_norms_of_one_example_lose_nothing_in_tiny_batches(seed):
    end = at_its_step("e14-tiny-batches", seed)
    assert min(accuracy(end, "group"), accuracy(end, "layer")) > accuracy(end, "batch") + 0.15


@pytest.mark.parametrize("seed", SEEDS)
def test_running_statistics_lag_behind(seed):
    shots = play(
        "e15-two-modes", seed, [100, PRESETS["e15-two-modes"].step_to_see, 800], ("mode_gap",)
    )
    gaps = []
    for shot in shots:
        reached = shot.networks["batch"].probes["mode_gap"]
        gaps.append(float(min(reached["population"], reached["batch"]) - reached["running"]))
    assert gaps[0] > 0.1
    assert gaps[1] > 0.05
    assert abs(gaps[2]) < 0.02


@pytest.mark.parametrize("seed", SEEDS)
def test_whitening_takes_out_correlations(seed):
    mean = found(at_its_step("e17-whitening", seed, ("rank",)), "rank", "correlation")
    assert (np.maximum(mean["iternorm"], mean["zca"]) < mean["batch"]).all()


@pytest.mark.verify
@pytest.mark.parametrize("seed", SEEDS)
def test_feature_maps_may_be_normalized_over_the_batch_or_in_one_image(seed):
    end = at_its_step("e17-feature-maps", seed)
    assert min(accuracy(end, norm) for norm in end.networks) > 0.85


@pytest.mark.parametrize("seed", SEEDS)
def test_the_gradient_survives_eight_rows(seed):
    start, end = play("e17-recurrent", seed, [0, 150], probes=("gradients",))
    for growth in found(start, "gradients", "growth").values():
        assert growth[1:-1].min() > 0.55
        assert growth[1:-1].max() < 1
        assert growth[:-1].prod() > 0.1
    assert accuracy(end, "batch") > 0.6


@pytest.mark.verify
@pytest.mark.parametrize("seed", SEEDS)
def test_fifty_layers_learn_past_skips_with_bn_or_where_branches_begin_as_nothing(seed):
    full = at_its_step("e18-fifty-layers-skip", seed)
    assert accuracy(full, "batch") > 0.85
    assert full.networks["none"].state == "diverged"
    assert full.networks["none"].stopped < 10
    nothing = at_its_step("e18-branches-from-nothing", seed)
    assert min(accuracy(nothing, "none"), accuracy(nothing, "batch")) > 0.85


@pytest.mark.parametrize("seed", SEEDS)
def test_hidden_weights_learn_at_a_rate_of_a_thousand_with_bn_only(seed):
    at = PRESETS["e22-weights-at-a-thousand"].step_to_see
    start, end = play("e22-weights-at-a-thousand", seed, [0, at], probes=("weights",))
    sizes = [shot.networks["batch"].probes["weights"]["norm"][:-1] for shot in (start, end)]
    assert np.linalg.norm(sizes[1]) > 100 * np.linalg.norm(sizes[0])
    assert accuracy(end, "batch") > 0.85
    assert accuracy(end, "none") < 0.25
