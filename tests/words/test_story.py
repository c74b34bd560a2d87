"""Check each sentence on the networks' cards against the snapshot."""

import tomllib
from pathlib import Path

import numpy as np

from bnviz.config import RATE_GROUPS, RunConfig
from bnviz.networks.activations import ACTIVATIONS
from bnviz.records import (
    AT_CHANCE,
    DEAD,
    SATURATED,
    Break,
    Change,
    Dip,
    NetworkRecord,
    Snapshot,
)
from bnviz.words.story import DYING, ranges, tell_story
from bnviz.words.texts import texts
from tests.every_case import every_case

CONFIG = RunConfig()
TEXT_FOLDER = Path("assets/texts/en")
TEXTS = tomllib.loads((TEXT_FOLDER / "story.toml").read_text("utf-8"))


def card(step=10, changes=(), config=CONFIG, **fields):
    values = {
        "loss": 1.0, "test_loss": 1.0, "test_accuracy": 0.5, "state": "learning", "broke": None,
        "probes": {},
    }  # fmt: skip
    record = NetworkRecord(**{**values, **fields})
    return tell_story(Snapshot(step, {"none": record}), config, changes)["none"]


def place(kind, number=None):
    """Return the phrase for a layer in a sentence."""
    values = {} if number is None else {"number": number}
    return {"key": f"story.place.{kind}", "values": values}


def test_a_network_at_step_0_is_ready():
    assert card(step=0)["headline"] == ["not_started", {}]


def test_a_dip_is_told_while_it_lasts_and_after():
    told = card(step=160, dip=Dip(157, 0.21, 0.99))
    assert told["headline"] == ["dipping", {"step": 157, "accuracy": 0.5}]
    assert told["detail"] == [["dip", {"before": 0.99, "lowest": 0.21}]]
    assert card(step=300, dip=Dip(157, 0.21, 0.99))["headline"] == ["learning", {}]
    told = card(step=300, dip=Dip(157, 0.21, 0.99, over=195))
    assert told["headline"] == ["dipped", {"step": 157}]
    broken = card(state="stuck", broke=Break(156, "layer 1", "x"), dip=Dip(157, 0.21, 0.99))
    assert broken["headline"] == ["broke_stuck", {"step": 156}]


def test_a_break_after_a_change_is_told_with_the_change():
    told = card(
        state="stuck",
        broke=Break.because(156, "layer 3", "saturated"),
        changes=[Change(150, {"learning_rate": 1.0})],
    )
    assert told["headline"] == ["broke_stuck", {"step": 156}]
    assert told["detail"][0] == [
        "after_change", {"steps": 6, "knob": "learning_rate", "old": 0.1, "new": 1.0},
    ]  # fmt: skip
    reason = {"key": "story.reason.saturated", "values": {}}
    assert told["detail"][1] == ["first_layer", {"layer": place("layer", 3), "reason": reason}]


def test_a_break_after_a_change_of_one_rate_factor_names_its_group():
    told = card(
        state="diverged", broke=Break(156, None, "x"),
        changes=[Change(150, {"rate_factors": (1.0, 300.0, 1.0)})],
    )  # fmt: skip
    assert told["detail"][0] == [
        "after_change", {"steps": 6, "knob": "rate_factors.norms", "old": 1.0, "new": 300.0},
    ]  # fmt: skip
    assert set(texts("knobs")["rate_factors"]["told"]) == set(RATE_GROUPS)


def test_a_break_after_a_change_of_the_statistics_names_both_kinds():
    rate, fixed = Change(149, {"learning_rate": 1.0}), Change(150, {"norm_statistics": "running"})
    told = card(state="diverged", broke=Break(156, None, "x"), changes=[rate, fixed])
    was, now = ({"key": f"story.statistics.{each}", "values": {}} for each in ("batch", "running"))
    assert told["detail"][0] == [
        "after_change", {"steps": 6, "knob": "norm_statistics", "old": was, "new": now},
    ]  # fmt: skip


def test_a_diverged_network_names_the_step_at_which_it_stopped():
    told = card(state="diverged", broke=Break(1, "layer 1", "x"), stopped=7)
    assert told["headline"] == ["diverged_at", {"step": 7}]


def test_a_drag_before_a_break_is_told_as_a_whole():
    """The sentence gives the value before the drag and the value at the time of the break."""
    values = [(150, 0.2), (152, 0.5), (155, 0.8), (160, 3.0)]
    drag = [Change(step, {"learning_rate": value}, 1) for step, value in values]
    changes = [Change(20, {"learning_rate": 0.05}), *drag]
    told = card(state="diverged", broke=Break(157, None, "x"), changes=changes)
    assert told["detail"][0] == [
        "after_change", {"steps": 2, "knob": "learning_rate", "old": 0.05, "new": 0.8},
    ]  # fmt: skip


def test_a_change_long_before_or_after_the_break_is_not_blamed():
    broke = Break(300, None, "non-finite loss")
    for step in (150, 300, 301):
        told = card(state="diverged", broke=broke, changes=[Change(step, {"learning_rate": 1.0})])
        assert [sentence[0] for sentence in told["detail"]] == ["first_network"]


def test_one_step_is_one_step():
    broke = Break(151, "output", "a non-finite value")
    told = card(state="diverged", broke=broke, changes=[Change(150, {"learning_rate": 1.0})])
    assert told["detail"][0][0] == "after_change_one"
    assert "1 step after" in TEXTS["detail"]["after_change_one"]
    assert told["detail"][1][1]["layer"] == place("output")


def test_a_network_that_never_left_chance_did_not_break():
    told = card(state="stuck")
    assert told == {"headline": ["stuck", {}], "detail": []}


def test_a_network_that_fell_back_to_chance_broke_where_it_fell():
    told = card(state="stuck", broke=Break.because(120, None, AT_CHANCE))
    assert told == {
        "headline": ["broke_stuck", {"step": 120}],
        "detail": [["fell_to_chance", {}]],
    }


def test_nothing_is_said_of_what_was_measured_before_a_network_diverged():
    told = card(
        state="diverged", broke=Break(3, "layer 1", "x"), stopped=5, measured_at={"gradients": 4},
        probes={"gradients": {"grad_weight_norm": np.array([1.0, 0.0])}, **saturation([1.0])},
    )  # fmt: skip
    assert [sentence[0] for sentence in told["detail"]] == ["first_layer"]


def test_what_was_measured_before_this_step_says_so():
    gradients = {"gradients": {"grad_weight_norm": np.array([1.0, 2.0])}}
    old = card(step=10, measured_at={"gradients": 7}, probes=gradients)
    assert old["detail"] == [["gradient_even", {"factor": 2.0}], ["measured_at", {"step": 7}]]
    unused = card(step=10, measured_at={"saturation": 7}, probes={**gradients, **saturation([0.1])})
    assert [sentence[0] for sentence in unused["detail"]] == ["gradient_even"]


def saturation(saturated, dead=None):
    dead = np.zeros(len(saturated)) if dead is None else dead
    return {
        "saturation": {
            "saturated": np.array(saturated, dtype=np.float32),
            "dead": np.array(dead, dtype=np.float32),
        }
    }


def test_saturated_layers_are_named_with_the_smallest_share_among_them():
    told = card(probes=saturation([0.68, 0.89, 0.953, 0.97, 1.0, 1.0]))
    assert told["detail"] == [["saturated_many", {"layers": "3–6", "share": 0.95}]]


@every_case("share", [0.901, 0.91, 0.95, 0.9501, 0.991, 0.9999])
def test_over_a_share_is_less_than_the_share(share):
    (sentence,) = card(probes=saturation([0.1, share]))["detail"]
    assert sentence[0] == "saturated_one"
    assert 0.9 <= sentence[1]["share"] < share


def test_where_all_values_are_saturated_it_says_all():
    assert card(probes=saturation([0.5, 1.0]))["detail"] == [
        ["saturated_all_one", {"layers": "2"}],
    ]


def test_of_relu_only_dead_units_count():
    relu = RunConfig(activation="relu")
    assert card(config=relu, probes=saturation([0.95, 0.99], [0.2, 0.3]))["detail"] == []
    told = card(config=relu, probes=saturation([0.95, 1.0], [0.2, 0.96]))
    assert told["detail"] == [["dead_one", {"layers": "2", "share": 0.95}]]
    told = card(config=relu, probes=saturation([1.0, 1.0], [1.0, 1.0]))
    assert told["detail"] == [["dead_all_many", {"layers": "1–2"}]]
    assert {name for name, one in ACTIVATIONS.items() if one.can_die} == set(DYING)


@every_case(
    ("norms", "sentence"),
    [
        ([1.0, 2.0, 3.1], ["gradient_even", {"factor": 3.1}]),
        (
            [0.05, 2.0, 3.0],
            ["gradient_spread", {"factor": 60.0, "layer": place("layer", 1), "value": 0.05}],
        ),
        ([1.0, 2.0, 1e-6], ["gradient_small", {"layer": place("output"), "value": 1e-6}]),
        ([1.1e-8, 1e-3, 1.0], ["gradient_small", {"layer": place("layer", 1), "value": 1.1e-8}]),
        ([1.0, 0.0, 1.0], ["gradient_zero", {"layer": place("layer", 2)}]),
        ([0.0, 0.0, 0.0], ["gradient_zero_all", {}]),
        ([np.nan, 1.0, 1.0], ["gradient_nonfinite", {}]),
    ],
)
def test_gradient_norms_are_summed_up_in_one_sentence(norms, sentence):
    told = card(probes={"gradients": {"grad_weight_norm": np.array(norms)}})
    assert told["detail"] == [sentence]


@every_case("state", ["learning", "blown_up", "recovered", "stuck", "diverged"])
@every_case("broke", [None, Break(3, "layer 1", "x")])
def test_every_headline_has_its_text(state, broke):
    assert card(state=state, broke=broke)["headline"][0] in TEXTS["headline"]


def test_every_sentence_has_its_text_and_ends_with_a_full_stop():
    for part in ("headline", "detail"):
        assert all(text.endswith(".") for text in TEXTS[part].values())
    for key in ("saturated", "dead"):
        kinds = ("many", "one", "all_many", "all_one")
        for kind in (*kinds, *(f"{kind}_time" for kind in kinds)):
            assert f"{key}_{kind}" in TEXTS["detail"]


def test_what_saturates_is_a_value_and_what_dies_is_a_unit():
    told = {f"{key}_rule": TEXTS["reason"][key] for key in (SATURATED, DEAD)}
    sentences = {**TEXTS["detail"], **told}
    for key, text in sentences.items():
        assert ("values" in text) == key.startswith("saturated"), key
        assert ("units" in text) == key.startswith("dead"), key


def test_recovered_is_a_state_and_no_sentence_of_another_one_says_so():
    said = [
        f"{path.stem}.{key}" for path in TEXT_FOLDER.glob("*.toml")
        for key, text in flat(tomllib.loads(path.read_text("utf-8"))) if "recover" in text.lower()
    ]  # fmt: skip
    # Only these texts use the word "recover", which the glossary defines.
    known = ["charts.recovered", "class.broke_recovered", "glossary.word", "live.recovered",
             "map.came_back", "story.recovered_at", "story.recovered_at"]  # fmt: skip
    assert sorted(said) == known
    about = (TEXT_FOLDER / "about.md").read_text("utf-8")
    for word in ("diverged", "blown up", "recovered", "stuck", "learning", "dipping", "dipped"):
        assert f"*{word}*" in about, word


def flat(words):
    """Yield the keys and texts of a table, including those of nested tables."""
    for key, value in words.items():
        yield from flat(value) if isinstance(value, dict) else [(key, str(value))]


def test_ranges_are_written_as_a_person_would():
    assert ranges([1, 3, 4, 5, 9]) == "1, 3–5, 9"
    assert ranges([2]) == "2"
    assert ranges([]) == ""


def test_a_recurrent_network_is_told_by_time_steps():
    config = RunConfig(network="recurrent")
    probes = {
        "saturation": {"saturated": np.array([0.2, 0.95, 0.97]), "dead": np.zeros(3)},
        "gradients": {"grad_weight_norm": np.array([1e-9, 1e-3, 1e-2, 1.0])},
    }
    told = card(config=config, probes=probes, state="stuck", broke=Break(3, "time 2", "x"))
    sentences = dict(told["detail"])
    assert sentences["first_layer"]["layer"] == place("time", 2)
    assert sentences["saturated_many_time"] == {"layers": "2–3", "share": 0.94}
    assert sentences["gradient_small"]["layer"] == place("time", 1)
    assert set(sentences) <= set(TEXTS["detail"])
