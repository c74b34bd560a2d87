"""Every preset shows its effect by its opening step at the latest.

The tests use one seed, and `make verify` uses two more seeds. The opening preset after the change
of its rate is tested in tests/training/test_opening_story.py.
"""

import numpy as np
import pytest

from bnviz.charts import CHARTS
from bnviz.claims import CLAIMS
from bnviz.data import DATASETS
from bnviz.data.base import load
from bnviz.live.protocol.pace import steps_per_second
from bnviz.presets import PRESETS
from bnviz.probes import PROBES
from bnviz.probes.axis import GRID
from bnviz.words.texts import texts
from tests.every_case import every_case
from tests.preset_runs import SEEDS, accuracy, at_its_step, found, play, wander


@pytest.mark.parametrize("seed", SEEDS)
def test_at_a_rate_of_a_tenth_both_networks_learn(seed):
    shot = at_its_step("raise-the-rate", seed)
    assert min(accuracy(shot, "none"), accuracy(shot, "batch")) > 0.85


@pytest.mark.parametrize("seed", SEEDS)
def test_broken_from_the_start_breaks_the_plain_network_and_not_the_other(seed):
    early, end = play(
        "broken-from-the-start", seed, [PRESETS["broken-from-the-start"].step_to_see, 300]
    )
    assert accuracy(early, "none") < 0.2
    assert accuracy(early, "batch") > 0.6
    assert early.networks["none"].state == "blown_up"
    plain, batch = end.networks["none"], end.networks["batch"]
    assert plain.broke is not None
    assert plain.broke.step <= 20
    assert plain.state in ("blown_up", "stuck", "diverged")
    assert plain.test_accuracy < 0.2
    assert batch.state in ("learning", "recovered")
    assert batch.test_accuracy > 0.85


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.mnist
def test_figure_1_leaves_the_plain_network_at_chance_while_bn_learns(seed, mnist_folder):
    _figure_1(seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_figure_1_holds_for_the_digits_that_stand_in_for_mnist(seed):
    _figure_1(seed, dataset="digits")


def _figure_1(seed, **knobs):
    at = PRESETS["figure-1"].step_to_see
    *early, late = play("figure-1", seed, [*range(at + 1), 400], probes=("percentiles",), **knobs)
    assert [shot.networks["none"].broke for shot in (*early, late)] == [None] * (at + 2), (
        "it only begins late"
    )
    assert accuracy(early[-1], "none") < 0.3
    assert accuracy(early[-1], "batch") > accuracy(early[-1], "none") + 0.3
    assert accuracy(late, "batch") > 0.75
    assert wander(early, "none") > 3 * wander(early, "batch")


@pytest.mark.parametrize("seed", SEEDS)
def test_deep_sigmoid_gradients_vanish_without_bn_only(seed):
    steps = [0, PRESETS["deep-sigmoid-vanishes"].step_to_see]
    start, end = play("deep-sigmoid-vanishes", seed, steps, probes=("gradients",))
    growth = {}
    for norm, record in start.networks.items():
        rms = record.probes["gradients"]["grad_pre_activation_rms"].astype(np.float64)
        growth[norm] = (rms[0] / rms[-2]) ** (1 / (len(rms) - 2))
    # Gradients change by a factor of about 0.25 per layer without BN, and of about 1 with BN (Yang
    # et al. 2019).
    assert growth["none"] == pytest.approx(0.24, abs=0.08)
    assert 0.8 < growth["batch"] < 1.25
    norms = found(end, "gradients", "grad_weight_norm")
    assert norms["none"][0] < 1e-4 * norms["none"][-2]
    assert norms["batch"][0] > norms["batch"][-2]
    assert end.networks["none"].state == "stuck"
    assert accuracy(end, "batch") > 0.85


@pytest.mark.parametrize("seed", SEEDS)
def test_large_initial_weights_saturate_the_plain_network_at_step_0(seed):
    start, end = play("large-initial-weights", seed, [0, 200], probes=("saturation",))
    saturated = {norm: r.probes["saturation"]["saturated"] for norm, r in start.networks.items()}
    assert saturated["none"].min() > 0.8
    assert saturated["batch"].max() < 0.2
    assert accuracy(end, "batch") > 0.75
    assert accuracy(end, "none") < 0.6


@pytest.mark.parametrize("seed", SEEDS)
def test_a_batch_of_two_costs_bn_its_accuracy_and_not_the_others(seed):
    end = at_its_step("batch-of-two", seed)
    assert accuracy(end, "batch") < 0.75
    assert accuracy(end, "none") > accuracy(end, "batch") + 0.1
    assert accuracy(end, "layer") > accuracy(end, "batch") + 0.1


@pytest.mark.parametrize("preset", ["batch-of-two", "e14-tiny-batches"])
@pytest.mark.parametrize("seed", SEEDS)
def test_of_two_examples_bn_tells_a_unit_only_which_is_larger(seed, preset):
    start, end = play(preset, seed, [0, PRESETS[preset].step_to_see], probes=("batch_values",))
    at_first, later = (found(shot, "batch_values", "values") for shot in (start, end))
    # ε reduces the output of a unit that gives both examples nearly the same value.
    assert np.quantile(np.abs(at_first["batch"]), 0.1) > 0.98
    assert np.abs(at_first["batch"]).max() < 1.001
    # Later, the values are at β ± γ. In the layer that is shown first, the values of most units
    # have nearly the same size.
    spread = {norm: np.ptp(np.quantile(np.abs(values[-1]), [0.1, 0.9]))
              for norm, values in later.items()}  # fmt: skip
    assert 3 * spread["batch"] < spread["layer"]
    assert np.abs(later["batch"][:, :, :2].mean(axis=2)).max() < 0.25


@pytest.mark.parametrize("seed", SEEDS)
def test_spirals_are_learned_sooner_with_bn(seed):
    early, late = play(
        "spirals", seed, [PRESETS["spirals"].step_to_see, 1000], probes=("boundary",)
    )
    assert accuracy(early, "batch") > 0.9
    assert accuracy(early, "none") < 0.8
    assert min(accuracy(late, "none"), accuracy(late, "batch")) > 0.9
    # The map of the plane agrees with the network's predictions for the points.
    points = load(PRESETS["spirals"].config(seed=seed))
    column, row = np.abs(points.test_inputs[:, :, None] - GRID).argmin(axis=2).T
    for record in early.networks.values():
        said = record.probes["boundary"]["score"][row, column] > 127
        assert (said == points.test_labels).mean() == pytest.approx(record.test_accuracy, abs=0.02)


@every_case("name", PRESETS)
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


@every_case("name", PRESETS)
def test_the_moment_to_look_comes_within_twenty_seconds_of_watching(name):
    at = PRESETS[name].step_to_see
    seconds = sum(1 / steps_per_second("watch", step) for step in range(at))
    assert seconds <= 20
    # A frame at step 0 does not contain the slow probes, so a preset that opens at step 0 must not
    # need them.
    needs = {probe for chart in PRESETS[name].charts for probe in CHARTS[chart].needs}
    assert at > 0 or all(PROBES[probe].cheap for probe in needs)
    # The page itself states the step, so the text must not.
    assert "step" not in texts(name="presets")[name]["look"].replace("at step 0", "").replace(
        "time step", ""
    ).replace("every step", "")


@every_case("name", [name for name, preset in PRESETS.items() if preset.opposite])
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
        # The claim names this preset or its opposite.
        assert {name, PRESETS[name].opposite} & set(CLAIMS[claim].presets)
    assert {name for entry in CLAIMS.values() for name in entry.presets} <= set(literature)


def test_the_labs_own_presets_stand_first():
    groups = [preset.group for preset in PRESETS.values()]
    assert groups == sorted(groups)
