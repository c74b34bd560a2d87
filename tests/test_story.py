"""The cards say what the snapshot says, sentence by sentence."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

from bnviz.config import RunConfig
from bnviz.records import Break, Change, NetworkRecord, Snapshot
from bnviz.story import ranges, tell

CONFIG = RunConfig()
TEXTS = tomllib.loads(Path("assets/texts/en/story.toml").read_text())


def card(step=10, changes=(), **fields):
    values = {
        "loss": 1.0, "test_loss": 1.0, "test_accuracy": 0.5, "state": "learning", "broke": None,
        "probes": {},
    }  # fmt: skip
    record = NetworkRecord(**{**values, **fields})
    return tell(Snapshot(step, {"none": record}), CONFIG, changes)["none"]


def test_a_network_at_step_0_is_ready():
    assert card(step=0)["headline"] == ["ready", {}]


def test_a_break_after_a_change_is_told_with_the_change():
    told = card(
        state="stuck",
        broke=Break(156, "layer 3", "over 90 % of its units saturated"),
        changes=[Change(150, {"learning_rate": 1.0})],
    )
    assert told["headline"] == ["broke_stuck", {"step": 156}]
    assert told["detail"][0] == [
        "after_change", {"steps": 6, "knob": "learning_rate", "old": 0.1, "new": 1.0},
    ]  # fmt: skip
    assert told["detail"][1][1]["layer"] == "layer 3"


def test_a_diverged_network_names_the_step_at_which_it_stopped():
    told = card(state="diverged", broke=Break(1, "layer 1", "x"), stopped=7)
    assert told["headline"] == ["diverged_at", {"step": 7}]


def test_a_change_long_before_or_after_the_break_is_not_blamed():
    broke = Break(300, None, "non-finite loss")
    for step in (150, 301):
        told = card(state="diverged", broke=broke, changes=[Change(step, {"learning_rate": 1.0})])
        assert [sentence[0] for sentence in told["detail"]] == ["first_network"]


def test_saturated_layers_are_named_with_the_smallest_share_among_them():
    saturated = np.array([0.68, 0.89, 0.953, 0.97, 1.0, 1.0], dtype=np.float32)
    told = card(probes={"saturation": {"saturated": saturated, "dead": np.zeros(6)}})
    assert told["detail"] == [["saturated_many", {"layers": "3–6", "share": 0.95}]]


@pytest.mark.parametrize(
    ("norms", "sentence"),
    [
        ([1.0, 2.0, 3.1], ["gradient_even", {"factor": 3.1}]),
        ([1.1e-8, 1e-3, 1.0], ["gradient_small", {"layer": "layer 1", "value": 1.1e-8}]),
        ([1.0, 0.0, 1.0], ["gradient_zero", {"layer": "layer 2"}]),
        ([0.0, 0.0, 0.0], ["gradient_zero_all", {}]),
        ([np.nan, 1.0, 1.0], ["gradient_nonfinite", {}]),
    ],
)
def test_gradient_norms_are_summed_up_in_one_sentence(norms, sentence):
    told = card(probes={"gradients": {"grad_weight_norm": np.array(norms)}})
    assert told["detail"] == [sentence]


@pytest.mark.parametrize("state", ["learning", "blown_up", "recovered", "stuck", "diverged"])
@pytest.mark.parametrize("broke", [None, Break(3, "layer 1", "x")])
def test_every_headline_has_its_text(state, broke):
    assert card(state=state, broke=broke)["headline"][0] in TEXTS["headline"]


def test_ranges_are_written_as_a_person_would():
    assert ranges([1, 3, 4, 5, 9]) == "1, 3–5, 9"
    assert ranges([2]) == "2"
    assert ranges([]) == ""
