"""The drawer of all knobs: its entries, their texts, and the return to the preset's values."""

import pytest

from bnviz.actions import ACTIONS
from bnviz.config import KNOBS, LIVE_KNOBS, RunConfig
from bnviz.data import DATASETS
from bnviz.presets import PRESETS
from bnviz.ui.knob_dependencies import ABLATIONS, resolve_dependencies, why_not
from bnviz.ui.lab_query import values_of
from bnviz.ui.sidebar import EDGE, GROUPS, MORE_KNOBS, OPEN_KNOBS, reset_knobs
from bnviz.words.joining import in_list
from bnviz.words.texts import of_each, texts
from tests.ui.handed_over import components, state

pytestmark = pytest.mark.usefixtures("one_chart")


@pytest.fixture
def lab(open_lab):
    return open_lab


def drawer(page):
    """Return the data sent to the drawer's search."""
    (data,) = [data for data in components(page) if "entries" in data]
    return data


def entries(page):
    return {entry["name"]: entry for entry in drawer(page)["entries"]}


def homes(page):
    """Return (present value, preset value) of each changed knob, except live knobs."""
    return {item["name"]: (item["now"], item["was"])
            for item in drawer(page)["homes"] if not item["live"]}  # fmt: skip


def test_every_knob_is_open_or_in_the_drawer():
    in_groups = [name for names in GROUPS.values() for name in names if name != EDGE]
    assert {*in_groups, *OPEN_KNOBS} == {*KNOBS, *ACTIONS}
    assert len(in_groups) == len(set(in_groups))


@pytest.mark.parametrize("network", ["mlp", "conv", "recurrent"])
def test_every_knob_of_the_drawer_has_a_control_or_says_why_not(lab, network):
    page = lab(network=network)
    data, words = drawer(page), texts("lab")["drawer"]["why"]
    noisy = in_list(entry.label for entry in DATASETS.values() if entry.noise)
    assert data["knobs_in_all"] == len(KNOBS)
    captions = {caption.value for caption in page.caption}
    for name, entry in entries(page).items():
        if entry["group"] and not entry["applies"]:
            why = words[why_not(state(page).config, name)].format(noisy=noisy)
            assert f"{entry['label']}: {why}" in captions


def test_a_knob_is_found_by_its_name_its_field_its_choices_and_other_words_for_it(lab):
    found = entries(lab())
    for name, word in {
        "momentum": "Momentum", "init_std": "σ", "activation": "tanh", "norm_eps": "norm_eps",
        "weight_decay": "L2", "norms": "layer norm", EDGE: "sharpness",
        "rate_factors": "parameter groups",
    }.items():  # fmt: skip
        assert word in found[name]["names"]
    assert found["seed"]["help"] == KNOBS["seed"].help


def test_other_words_are_for_knobs_that_there_are():
    assert set(of_each("knobs", "also")) == {*KNOBS, *ACTIONS, EDGE}


def test_what_differs_is_said_with_what_the_preset_has(lab):
    assert homes(lab()) == {}
    live = [item["name"] for item in drawer(lab())["homes"]]
    assert live == [name for name in KNOBS if name in LIVE_KNOBS]
    page = lab(activation="relu", norms="none,batch,layer", seed="1234567", norm_affine="false")
    assert homes(page) == {
        "activation": ("ReLU", "tanh"), "norms": ("none, batch, layer", "none, batch"),
        "seed": ("1234567", "0"), "norm_affine": ("off", "on"),
    }  # fmt: skip


def test_what_goes_along_with_a_kind_of_network_or_an_optimizer_is_no_difference_of_its_own(lab):
    page = lab(network="conv", optimizer="adam")
    assert set(homes(page)) == {"network", "optimizer"}
    (momentum,) = [each for each in drawer(page)["homes"] if each["name"] == "momentum"]
    assert momentum["home"] == 0.9


def test_a_way_back_takes_along_what_went_along(lab):
    page = lab(network="conv", activation="relu")
    reset_knobs(state(page), ["network"])
    assert state(page).config == RunConfig(activation="relu")
    page = lab(dataset="moons", noise="0.3")
    reset_knobs(state(page), ["dataset"])
    assert state(page).config == RunConfig()


def test_a_way_back_leads_to_the_presets_own_value(lab):
    name = next(name for name, preset in PRESETS.items() if preset.config().init == "normal")
    page = lab(preset=name, init="glorot")
    assert set(homes(page)) == {"init"}
    reset_knobs(state(page), ["init"])
    assert state(page).config == PRESETS[name].config()
    assert (
        values_of(state(page).preset_config(), state(page).config)["init_std"]
        == PRESETS[name].config().init_std
    )


def test_putting_bn_together_again_compares_no_other_network():
    config = RunConfig(ablation_gradient=False)
    assert "norms" not in resolve_dependencies(config, {"ablation_gradient": True})[0]


@pytest.mark.parametrize(
    ("hide", "gone"),
    [("more_knobs", MORE_KNOBS), ("ablations", ABLATIONS), ("momentum", ("momentum",)),
     ("edge", (EDGE,)), ("activation", ("activation",)), ("norms", ("norms",))],
)  # fmt: skip
def test_what_an_address_takes_away_is_neither_found_nor_taken_back(lab, hide, gone):
    page = lab(hide=hide, activation="relu", norms="none,batch,layer", momentum="0.9")
    assert not set(gone) & set(entries(page))
    assert drawer(page)["knobs_in_all"] == len(KNOBS) - len(set(gone) & set(KNOBS))
    assert not set(gone) & {item["name"] for item in drawer(page)["homes"]}


def test_without_a_preset_nothing_differs_from_it(lab):
    assert drawer(lab(hide="preset", activation="relu"))["homes"] is None


def test_there_is_no_drawer_where_an_address_takes_all_of_it_away(lab):
    names = [name for names in GROUPS.values() for name in names if name not in MORE_KNOBS]
    page = lab(hide=",".join([*names, "more_knobs"]))
    assert not [data for data in components(page) if "entries" in data]
