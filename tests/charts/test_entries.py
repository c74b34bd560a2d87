"""Charts offered for a run, and their contents."""

import re

from bnviz.charts import CHARTS
from bnviz.charts.chart import chart_texts
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.norms import NORMS
from bnviz.words.texts import texts
from tests.charts.conftest import make_chart, make_view
from tests.every_case import every_case

SHELVES = ("layers", "training", "statistics", "surface")


def offered(**knobs) -> set[str]:
    config = RunConfig(**{"depth": 2, "width": 8, **knobs})
    return {name for name, entry in CHARTS.items() if entry.fits(config)}


def test_charts_that_make_no_sense_are_not_offered():
    assert "boundary" in offered(dataset="moons")
    assert "boundary" not in offered()
    assert "mode_gap" in offered(norms=("none", "batch"))
    assert "mode_gap" not in offered(norms=("none", "layer", "dropout"))
    assert "formula" in offered(norms=("none", "batch"))
    assert "formula" not in offered(norms=("none", "renorm"))
    assert "formula" not in offered(network="conv")
    assert "cut" in offered(depth=12)
    assert "cut" not in offered(depth=1) | offered(depth=13) | offered(network="conv")
    assert "ics" in offered(network="conv", norms=("none",))
    assert "affine" not in offered(norms=("none", "layer")) | offered(network="recurrent", depth=1)
    assert "shape" not in offered(network="recurrent", depth=1)
    assert "ics" not in offered(network="recurrent", depth=1)


def test_every_other_chart_is_offered_for_every_kind_of_network():
    some = {"affine", "shape", "amplify"}
    rest = set(CHARTS) - {"boundary", "ics", "biases", "formula", "cut", "weight_length"} - some
    assert offered() >= rest | some
    assert offered(network="conv") >= rest | some
    assert offered(network="recurrent", depth=1) >= rest


@every_case("norm", NORMS)
def test_the_networks_with_batch_statistics_are_those_that_the_probe_measures(norm):
    network = "mlp" if "mlp" in NORMS[norm].networks else "conv"
    config = RunConfig(network=network, norms=(norm,), depth=1, width=8)
    measured = Experiment(config).snapshot(probes=("mode_gap",)).networks[norm].probes
    assert ("mode_gap" in measured) == bool(make_view(config).batch_norms())


@every_case("name", CHARTS)
def test_a_chart_says_in_one_or_two_sentences_what_it_shows(name):
    entry = CHARTS[name]
    assert entry.shelf in SHELVES
    assert re.fullmatch(r"[A-Z][^.]*\.( [A-Z][^.]*\.)?", entry.help)


@every_case("name", CHARTS)
def test_a_chart_says_in_one_line_what_to_look_at(name):
    look = texts("charts")[name]["look"]
    assert re.fullmatch(r"[A-Z].*[.?]", look)
    assert len(look) <= 110


def test_another_language_may_say_it_in_its_own_words():
    view = make_view(RunConfig(depth=1, width=8))
    usual = chart_texts()
    words = {**usual, "rank": {**usual["rank"], "help": "In anderen Worten."}}
    chart = CHARTS["rank"].build(type(view)(config=view.config, texts=words))
    assert chart.help == "In anderen Worten."


def test_charts_that_are_added_name_their_source():
    for name, entry in CHARTS.items():
        if entry.group != "main" and name not in ("boundary", "cost", "accuracy_by"):
            config = RunConfig(depth=2, width=8)
            assert make_chart(name, config).source, name


def test_sharpness_is_local_and_says_that_runs_with_bn_start_above_the_limit():
    alone = make_chart("sharpness", RunConfig(depth=1, width=8, norms=("none",))).subtitle
    both = make_chart("sharpness", RunConfig(depth=1, width=8)).subtitle
    assert alone.startswith("curvature of the loss at the current")
    assert "threshold" not in alone
    assert both.endswith("with BN a run may start far above it")


def test_sharpness_has_no_edge_for_adam():
    chart = make_chart("sharpness", RunConfig(depth=1, width=8, optimizer="adam"))
    assert "/η" not in chart.subtitle
    assert not any("limit" in getattr(one, "field", "") for one in chart.bindings)


@every_case("network", ["mlp", "recurrent"])
@every_case(
    ("optimizer", "drawn", "other", "says"),
    [
        ("sgd", "effective_rate", "update_ratio", ("÷ (1 − momentum) ÷", "a quarter of the speed")),
        ("adam", "update_ratio", "effective_rate", ("the next update ÷", "half as far with Adam")),
    ],
)  # fmt: skip
def test_how_fast_weights_turn_is_told_as_it_is_with_the_optimizer(
    network, optimizer, drawn, other, says
):
    chart = make_chart("weights", RunConfig(network=network, width=8, optimizer=optimizer))
    fields = {getattr(one, "field", "").rpartition(".")[2] for one in chart.bindings}
    assert {"norm", drawn} <= fields
    assert other not in fields
    for words in says:
        assert words in chart.subtitle
    assert ("effective rate" in chart.figure.to_json()) == (optimizer == "sgd")


def test_the_shift_of_gradients_takes_no_side():
    words = [CHARTS["ics"].help, *texts("charts")["ics"].values()]
    assert not re.search(r"raise|lower[s ]|reduc|increas|less|more", " ".join(words))


@every_case(
    ("network", "selector", "first"),
    [("mlp", "Layer", "layer 1"), ("conv", "Layer", "layer 1"),
     ("recurrent", "Time step", "time 1")],
)  # fmt: skip
def test_rows_are_named_after_what_they_are(network, selector, first):
    config = RunConfig(network=network, width=8, depth=1)
    chart = make_chart("saturation", config)
    (made,) = chart.selectors
    assert made.label == selector
    assert made.options[0] == first
    assert len(made.options) == config.layer_count
    assert chart.table.row_names == list(made.options)


def test_units_of_a_convolution_are_feature_maps_whose_positions_are_pooled():
    chart = make_chart("percentiles", RunConfig(network="conv", width=8, depth=2))
    assert chart.selectors[1].label == "Feature map"
    assert chart.selectors[1].options[0] == "map 1"
    assert "one feature map" in chart.subtitle
    assert "all positions of a feature map pooled" in chart.subtitle
