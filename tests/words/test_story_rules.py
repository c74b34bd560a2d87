"""Test each sentence of a card on hand-made records: its condition, its limits and its numbers."""

import math

import numpy as np
import pytest

from bnviz.change_log import ChangeLog
from bnviz.config import RunConfig
from bnviz.norms import NORMS
from bnviz.records import AT_CHANCE, BLOWN_UP, Break, Change, Dip, NetworkRecord, Snapshot
from bnviz.words.story import ranges, tell_story
from tests.every_case import every_case

CONFIG = RunConfig()
BROKE = Break.because(100, "layer 2", "saturated")


def details(norm="none", *, step=200, changes=(), config=CONFIG, **fields):
    """Return the sentences below the headline of a card."""
    given = {"loss": 1.0, "test_loss": 1.0, "test_accuracy": 0.9, "state": "learning",
             "broke": None, "probes": {}, **fields}  # fmt: skip
    found = tell_story(Snapshot(step, {norm: NetworkRecord(**given)}), config, changes)
    assert list(found) == [norm]
    return found[norm]["detail"]


def rate(step, value, drag=0):
    return Change(step, {"learning_rate": value}, drag)


def told_change(*changes, broke=BROKE):
    """Return the sentence about the change before the break, or None."""
    first = details(state="stuck", broke=broke, changes=list(changes))[0]
    return first if first[0].startswith("after_change") else None


def change(steps, old, new, knob="learning_rate"):
    key = "after_change" if steps > 1 else "after_change_one"
    return [key, {"steps": steps, "knob": knob, "old": old, "new": new}]


@every_case(
    ("step", "told"),
    [
        (49, None),
        (50, change(50, 0.1, 0.7)),
        (98, change(2, 0.1, 0.7)),
        (99, change(1, 0.1, 0.7)),
        # A change at a step first affects the update after this step, so a change at the break's
        # own step is not its cause.
        (100, None),
        (101, None),
    ],
)
def test_a_change_up_to_fifty_steps_before_the_break_is_told_with_it(step, told):
    assert told_change(rate(step, 0.7)) == told


def scaled(step, factor=10.0, layer=None):
    return Change(step, {"scale_weights": (factor, layer)})


@every_case(
    ("step", "key"),
    [(49, None), (50, "after_scaling"), (98, "after_scaling"), (99, "after_scaling_one"),
     (100, "at_scaling"), (101, None)],
)  # fmt: skip
def test_weights_multiplied_up_to_the_break_are_told_with_it(step, key):
    told = details(state="stuck", broke=BROKE, changes=[scaled(step)])
    assert told[0][0] == (key or "first_layer")
    if key:
        assert told[0][1]["factor"] == 10
        assert told[0][1]["steps"] == 100 - step
        assert told[0][1]["weights"]["key"] == "story.place.weights"
    # If the weights were scaled at the break's own step, no layer is named as the first one with
    # large values, because the scaling itself made the values large.
    keys = [sentence[0] for sentence in told]
    assert ("first_layer" in keys) == (key != "at_scaling")


def test_of_a_knob_and_of_weights_the_last_one_before_the_break_is_told():
    of_layer = details(state="stuck", broke=BROKE, changes=[rate(80, 0.7), scaled(90, 2.0, 3)])[0]
    assert of_layer[1]["weights"] == {"key": "story.place.weights_of", "values": {"layer": 3}}
    assert told_change(scaled(80), rate(90, 0.7)) == change(10, 0.1, 0.7)
    # A rate that is set at the break's own step has had no effect yet.
    both = details(state="stuck", broke=BROKE, changes=[scaled(100), rate(100, 0.7)])[0]
    assert both[0] == "at_scaling"


def test_of_several_changes_the_last_one_before_the_break_is_told():
    first, second, third = rate(60, 0.5), rate(80, 0.7), rate(120, 0.9)
    assert told_change(first, second, third) == change(20, 0.5, 0.7)
    assert told_change(second) == change(20, 0.1, 0.7)
    assert told_change(rate(40, 0.3), first) == change(40, 0.3, 0.5), "old: as it was before"
    assert told_change(rate(80, 0.7), rate(80, 0.8)) == change(20, 0.7, 0.8)


def test_of_several_knobs_of_a_change_the_last_one_that_is_another_number_is_told():
    both = Change(90, {"momentum": 0.5, "weight_decay": 0.01})
    assert told_change(both) == change(10, 0.0, 0.01, "weight_decay")
    same = Change(90, {"momentum": 0.5, "weight_decay": 0.0})
    assert told_change(same) == change(10, 0.0, 0.5, "momentum")
    no_number = Change(90, {"momentum": 0.5, "learning_rates": (0.1, 0.2)})
    assert told_change(no_number) == change(10, 0.0, 0.5, "momentum")


def test_a_change_that_changes_nothing_is_passed_over_for_the_one_before():
    assert told_change(rate(70, 0.5), rate(90, 0.5)) == change(30, 0.1, 0.5)
    assert told_change(rate(70, 0.1)) is None


def test_a_drag_counts_from_before_it_began_to_its_last_value_before_the_break():
    drag = [rate(30, 0.2, 3), rate(70, 0.4, 3), rate(99, 0.8, 3), rate(100, 0.9, 3)]
    assert told_change(*drag) == change(1, 0.1, 0.8)
    assert told_change(*drag[:2]) == change(30, 0.1, 0.4)
    back = [rate(70, 0.4, 3), rate(90, 0.1, 3)]
    assert told_change(*back) == change(30, 0.1, 0.4), "the drag returned to its initial value"


def test_a_log_says_the_same_as_its_changes():
    changes = [rate(60, 0.5), rate(80, 0.7, 1), rate(85, 0.8, 1)]
    log = ChangeLog(CONFIG.model_dump(), changes)
    assert details(state="stuck", broke=BROKE, changes=log)[0] == change(15, 0.5, 0.8)
    assert told_change(*changes) == change(15, 0.5, 0.8)


def place(kind, number=None):
    return {"key": f"story.place.{kind}", "values": {} if number is None else {"number": number}}


@every_case(
    ("broke", "sentence"),
    [
        (Break.because(9, None, AT_CHANCE), ["fell_to_chance", {}]),
        (Break.because(9, None, BLOWN_UP), ["first_network", {"steps": 5, "factor": 3}]),
        (Break(9, None, "x"), ["first_network", {"steps": 5, "factor": 3}]),
        (
            Break.because(9, "layer 12", "large"),
            ["first_layer", {"layer": place("layer", 12),
                             "reason": {"key": "story.reason.large", "values": {}}}],
        ),
        (
            Break.because(9, "output", "nonfinite"),
            ["first_layer", {"layer": place("output"),
                             "reason": {"key": "story.reason.nonfinite", "values": {}}}],
        ),
        (Break(9, "time 3", "odd"), ["first_layer", {"layer": place("time", 3), "reason": "odd"}]),
    ],
)  # fmt: skip
def test_what_broke_first_is_a_layer_and_its_rule_or_the_network(broke, sentence):
    assert details(state="stuck", broke=broke) == [sentence]


def gradients(*norms, config=CONFIG, **fields):
    probes = {"gradients": {"grad_weight_norm": np.array(norms)}}
    return details(probes=probes, config=config, **fields)


@every_case(
    ("norms", "sentence"),
    [
        ((1.0, 1.0), ["gradient_even", {"factor": 1.0}]),
        ((3.0, 60.0, 6.0), ["gradient_even", {"factor": 20.0}]),
        (
            (60.06, 3.0, 6.0),
            ["gradient_spread", {"factor": 60.06 / 3, "layer": place("layer", 2), "value": 3.0}],
        ),
        (
            (2.0, 2.0, 2000.0),
            ["gradient_spread", {"factor": 1000.0, "layer": place("layer", 1), "value": 2.0}],
        ),
        ((2001.0, 9.0, 2.0), ["gradient_small", {"layer": place("output"), "value": 2.0}]),
        ((5001.0, 5.0, 50.0), ["gradient_small", {"layer": place("layer", 2), "value": 5.0}]),
        ((0.0, 0.0, 1e-9), ["gradient_zero", {"layer": place("layer", 1)}]),
        ((1.0, 1.0, 0.0), ["gradient_zero", {"layer": place("output")}]),
        ((0.0, math.inf), ["gradient_nonfinite", {}]),
        ((math.nan, 0.0), ["gradient_nonfinite", {}]),
    ],
)
def test_gradients_are_told_by_how_far_apart_they_are_and_which_is_the_smallest(norms, sentence):
    assert gradients(*norms) == [sentence]


def test_gradients_of_a_recurrent_network_are_those_of_time_steps():
    recurrent = RunConfig(network="recurrent")
    assert gradients(2.0, 3.0, config=recurrent) == [["gradient_even_time", {"factor": 1.5}]]
    assert gradients(0.0, 3.0, config=recurrent) == [["gradient_zero", {"layer": place("time", 1)}]]
    assert gradients(3.0, 0.0, config=recurrent) == [["gradient_zero", {"layer": place("output")}]]


def saturated(*shares, key="saturated", config=CONFIG, **fields):
    other = {"saturated": "dead", "dead": "saturated"}[key]
    probes = {"saturation": {key: np.array(shares, np.float32), other: np.ones(len(shares))}}
    return details(probes=probes, config=config, **fields)


@every_case(
    ("shares", "sentence"),
    [
        ((0.1, 0.95, 0.2), ["saturated_one", {"layers": "2", "share": 0.94}]),
        ((0.95, 0.2, 0.99), ["saturated_many", {"layers": "1, 3", "share": 0.94}]),
        ((0.99, 0.98, 0.1, 1.0), ["saturated_many", {"layers": "1–2, 4", "share": 0.97}]),
        ((1.0, 0.9001), ["saturated_many", {"layers": "1–2", "share": 0.9}]),
        ((1.0, 0.2, 0.3), ["saturated_all_one", {"layers": "1"}]),
        ((1.0, 0.2, 1.0, 1.0), ["saturated_all_many", {"layers": "1, 3–4"}]),
        ((0.9999, 0.5), ["saturated_one", {"layers": "1", "share": 0.99}]),
    ],
)
def test_layers_of_which_over_nine_tenths_is_saturated_are_listed(shares, sentence):
    assert saturated(*shares) == [sentence]


@every_case(
    ("share", "told"),
    [(0.91, 0.9), (0.9101, 0.91), (0.919, 0.91), (0.92, 0.91), (0.93, 0.92), (0.97, 0.96)],
)
def test_the_percentage_told_is_the_largest_whole_one_below_the_smallest_share(share, told):
    assert saturated(0.999, share)[0][1]["share"] == told


def test_nine_tenths_themselves_are_not_told():
    assert saturated(0.89, 0.5) == []
    assert details(probes={"saturation": {"saturated": np.array([0.9])}}) == []


def test_of_relu_the_dead_are_told_and_of_others_the_saturated():
    relu = RunConfig(activation="relu")
    assert saturated(0.95, key="dead", config=relu) == [
        ["dead_one", {"layers": "1", "share": 0.94}]
    ]
    for activation in ("gelu", "tanh", "sigmoid", "linear"):
        config = RunConfig(activation=activation)
        assert saturated(0.95, config=config)[0][0] == "saturated_one"
    recurrent = RunConfig(network="recurrent")
    assert saturated(0.95, 1.0, config=recurrent)[0][0] == "saturated_many_time"
    assert saturated(0.2, 1.0, config=recurrent)[0][0] == "saturated_all_one_time"


def test_sentences_come_in_order_and_end_with_how_old_the_oldest_of_them_is():
    probes = {
        "gradients": {"grad_weight_norm": np.array([1.0, 2.0])},
        "saturation": {"saturated": np.array([1.0, 0.0]), "dead": np.zeros(2)},
    }
    measured = {"gradients": 150, "saturation": 120, "rank": 3}
    found = details(
        broke=BROKE, dip=Dip(150, 0.3, 0.8), probes=probes, measured_at=measured,
        changes=[rate(90, 0.7)],
    )  # fmt: skip
    assert [key for key, _ in found] == [
        "after_change", "first_layer", "dip", "saturated_all_one", "gradient_even", "measured_at",
    ]  # fmt: skip
    assert found[2] == ["dip", {"before": 0.8, "lowest": 0.3}]
    assert found[-1] == ["measured_at", {"step": 120}]
    fresh = {"gradients": 200, "saturation": 200}
    assert [k for k, _ in details(probes=probes, measured_at=fresh)] == [
        "saturated_all_one", "gradient_even",
    ]  # fmt: skip
    only_one = {"saturation": 199}
    assert details(probes=probes, measured_at=only_one)[-1] == ["measured_at", {"step": 199}]


@every_case("state", ["blown_up", "recovered", "stuck", "diverged"])
def test_a_dip_is_told_of_a_network_that_learns(state):
    dip = Dip(150, 0.3, 0.8)
    assert details(dip=dip) == [["dip", {"before": 0.8, "lowest": 0.3}]]
    assert details(dip=dip, state=state) == []


def test_of_a_network_that_has_diverged_nothing_measured_is_told():
    probes = {"gradients": {"grad_weight_norm": np.array([1.0, 2.0])}}
    assert details(state="diverged", probes=probes) == []
    assert details(state="blown_up", probes=probes) == [["gradient_even", {"factor": 2.0}]]


@pytest.mark.parametrize("norm", ["batch", "layer"])
def test_a_paused_network_says_how_many_examples_its_norm_needs(norm):
    assert details(norm, undefined_norm="why") == [
        ["undefined_norm_why", {"needed": NORMS[norm].minimum_batch}]
    ]
    assert (NORMS["batch"].minimum_batch, NORMS["layer"].minimum_batch) == (2, 1)


@every_case(
    ("numbers", "text"),
    [
        ([1], "1"), ([1, 2], "1–2"), ([1, 3], "1, 3"), ([1, 2, 3, 7, 8, 20], "1–3, 7–8, 20"),
        ([9, 10, 11, 12], "9–12"), ([2, 4, 6, 7], "2, 4, 6–7"),
    ],
)  # fmt: skip
def test_neighbours_are_written_as_a_range_and_others_one_by_one(numbers, text):
    assert ranges(numbers) == text
