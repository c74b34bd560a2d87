"""Norms, kinds of networks and ablations of BN in the sidebar."""

from typing import get_args

import pytest

from bnviz.config import KNOBS, RunConfig
from bnviz.live.errors import LimitReached
from bnviz.networks import NETWORKS
from bnviz.norms import NORMS, Shelf
from bnviz.ui.knob_dependencies import ABLATIONS, resolve_dependencies
from bnviz.words.phrase import phrase
from bnviz.words.texts import texts
from tests.every_case import every_case
from tests.ui.test_pages import healthy, knobs, state, view

pytestmark = pytest.mark.usefixtures("one_chart")

FOUR = "none,batch,layer,rms"


@pytest.fixture
def lab(open_unfolded):
    return open_unfolded


def keys(page):
    found = [*page.select_slider, *page.toggle, *page.checkbox, *page.multiselect]
    # If the value of a widget is changed elsewhere, the widget gets a new key that ends with a
    # number. Remove the number.
    return {element.key.split("-")[0] for element in [*found, *page.button_group]}


def test_the_first_look_shows_the_usual_norms_only(unfolded):
    page = unfolded
    assert page.button_group(key="knob_norms").options == ["none", "batch", "layer", "RMS"]
    assert page.button_group(key="knob_norms").value == ["none", "batch"]
    assert not [key for key in keys(page) if key.startswith("other_norms")]


def test_all_knobs_are_in_the_page_but_for_the_other_norms_which_are_made_when_opened(open_lab):
    page = open_lab()
    assert [expander.label for expander in page.expander] == ["More norms"]
    assert not any(expander.children for expander in page.expander)
    before = keys(page)
    assert before >= {"knob_optimizer", "knob_device", "knob_ablation_gradient"}
    page.session_state["fold_more_norms"] = True
    assert "norm_noisy" in keys(healthy(page.run())) - before
    page.session_state["fold_more_norms"] = False
    assert keys(healthy(page.run())) == before


def test_every_other_norm_is_offered_with_what_it_is(unfolded):
    page = unfolded
    captions = " ".join(caption.value for caption in page.caption)
    for norm, entry in NORMS.items():
        if not entry.usual:
            assert page.checkbox(key=f"norm_{norm}").value is False
            assert entry.help in captions


def test_every_norm_has_names_and_lies_on_a_shelf():
    words = texts(name="norms")
    assert words.keys() == NORMS.keys()
    assert all(
        set(words[norm]) == {"network", "short", "choice", "label", "help"} for norm in NORMS
    )
    assert all(entry.shelf in get_args(Shelf) for entry in NORMS.values())


def test_a_chosen_other_norm_is_seen_without_opening_anything(lab, live):
    page = lab()
    page.checkbox(key="norm_noisy").check()
    page = healthy(page.run())
    assert state(page).config.norms == ("none", "batch", "noisy")
    assert live.hub.info(view(page)["run"]).config.norms == ("none", "batch", "noisy")
    chosen = page.button_group(key="other_norms_noisy")
    assert chosen.options == ["noisy BN"]
    assert chosen.value == ["noisy"]
    chosen.set_value([])
    assert state(healthy(page.run())).config.norms == ("none", "batch")


def test_a_fifth_network_is_not_offered_and_refused_in_words(lab):
    page = lab(norms=FOUR)
    assert page.checkbox(key="norm_dropout").disabled
    assert any("4 networks are compared now" in text.value for text in page.markdown)
    state(page).set_knobs(norms=(*state(page).config.norms, "dropout"))
    assert state(page).notices == [phrase("lab.notice.no_room", count=4)]
    assert len(state(page).config.norms) == 4


def test_a_norm_that_does_not_fit_the_network_says_why(lab, unfolded):
    page = unfolded
    assert page.checkbox(key="norm_instance").disabled
    assert any("Only in a convolutional network." in text.value for text in page.caption)
    assert not lab(network="conv").checkbox(key="norm_instance").disabled


@pytest.mark.parametrize("network", NETWORKS)
def test_another_network_comes_at_its_own_size(lab, network):
    start = "conv" if network == "mlp" else "mlp"
    page = lab(network=start)
    page.button_group(key="knob_network").set_value(network)
    page = healthy(page.run())
    assert state(page).config == RunConfig(network=network)
    assert ("knob_depth" in keys(page)) == (network != "recurrent")
    assert ("knob_sequence" in keys(page)) == (network == "recurrent")
    assert view(page)["address"].keys() - {"run"} == (
        {"network"} - {"mlp"} if network != "mlp" else set()
    )


def test_a_network_takes_away_what_does_not_fit_it_and_says_so():
    moved, notes = resolve_dependencies(
        RunConfig(network="conv", norms=("batch", "instance")), {"network": "mlp"}
    )
    assert moved["norms"] == ("batch",)
    assert notes == [phrase("lab.notice.norms_too", norms="instance", network="fully connected")]
    moved, notes = resolve_dependencies(
        RunConfig(dataset="spirals", noise=0.3), {"network": "recurrent"}
    )
    assert (moved["dataset"], moved["noise"]) == ("digits", None)
    assert [note.key for note in notes] == ["lab.notice.dataset_too"]
    moved, notes = resolve_dependencies(RunConfig(network="conv"), {"dataset": "moons"})
    assert (moved["network"], moved["depth"], moved["width"]) == ("mlp", 6, 100)
    assert [note.key for note in notes] == ["lab.notice.network_too"]


@every_case("network", NETWORKS)
@every_case("to", NETWORKS)
def test_any_network_follows_any_other(network, to):
    fitting = [norm for norm, entry in NORMS.items() if network in entry.networks]
    for norm in fitting:
        config = RunConfig(network=network, norms=(norm,), ablation_layers=(1,))
        moved, _ = resolve_dependencies(config, {"network": to})
        assert config.replace(**moved).network == to


def test_taking_bn_apart_compares_it_too(lab):
    page = lab()
    page.button_group(key="knob_ablation_statistics").set_value("mean")
    page = healthy(page.run())
    assert state(page).config.norms == ("none", "batch", "ablated")
    assert state(page).config.ablation_statistics == "mean"
    page.toggle(key="knob_ablation_gradient").set_value(False)
    page.multiselect(key="knob_ablation_layers").set_value([2, 1])
    page = healthy(page.run())
    assert state(page).config.ablation_layers == (1, 2)
    assert state(page).config.norms == ("none", "batch", "ablated")


def test_bn_is_not_taken_apart_where_there_is_no_room_for_it():
    for name, value in {"ablation_statistics": "mean", "ablation_gradient": False,
                        "ablation_affine": False, "ablation_bias": True,
                        "ablation_layers": (1,)}.items():  # fmt: skip
        assert name in ABLATIONS
        with pytest.raises(LimitReached):
            resolve_dependencies(RunConfig(norms=tuple(FOUR.split(","))), {name: value})
        moved, _ = resolve_dependencies(RunConfig(), {name: value})
        assert moved["norms"] == ("none", "batch", "ablated")
        moved, _ = resolve_dependencies(RunConfig(norms=("ablated",)), {name: value})
        assert "norms" not in moved


def test_layers_that_are_gone_have_no_norm_any_more():
    config = RunConfig(ablation_layers=(2, 6))
    assert resolve_dependencies(config, {"depth": 4})[0]["ablation_layers"] == (2,)
    assert resolve_dependencies(config, {"depth": 1})[0]["ablation_layers"] is None
    assert (
        resolve_dependencies(RunConfig(), {"ablation_layers": (1, 2, 3, 4, 5, 6)})[0][
            "ablation_layers"
        ]
        is None
    )


def test_groups_always_divide_the_width():
    config = RunConfig(norms=("group",), width=100, norm_groups=4)
    moved, _ = resolve_dependencies(config, {"width": 2})
    assert moved["norm_groups"] == 2
    # A width of 6 cannot be divided into 4 groups of equal size.
    moved, _ = resolve_dependencies(config, {"width": 6})
    assert moved["norm_groups"] == 2
    moved, _ = resolve_dependencies(RunConfig(width=2), {"norms": ("none", "group")})
    assert moved["norm_groups"] == 2


@every_case(
    "wanted",
    [
        {"network": "conv"}, {"network": "recurrent"}, {"norm_position": "after"},
        {"norms": ("none", "dropout")},
    ],
)  # fmt: skip
def test_skips_go_where_they_have_no_place_and_it_is_said(wanted):
    config = RunConfig(skip=2, branch_start=0)
    moved, notes = resolve_dependencies(config, wanted)
    assert config.replace(**moved).skip == 0
    assert phrase("lab.notice.skips_too") in notes
    moved, notes = resolve_dependencies(config.replace(skip=0), wanted)
    assert ("skip" in moved, notes) == (False, [])
    moved, notes = resolve_dependencies(config, {"depth": 50})
    assert ("skip" in moved, notes) == (False, [])


def test_the_knobs_of_skips_are_there_where_they_act(lab, unfolded):
    assert {"knob_skip"} == keys(unfolded) & {"knob_skip", "knob_branch_start"}
    assert keys(lab(skip="2")) >= {"knob_skip", "knob_branch_start"}
    assert "knob_branch_start" not in keys(lab(skip="6"))
    assert "knob_skip" not in keys(lab(network="conv"))
    assert "knob_skip" not in keys(lab(norms="none,dropout"))


@pytest.mark.parametrize(("norm", "knob"), [("group", "norm_groups"), ("dropout", "dropout")])
def test_a_norms_own_knob_is_there_while_it_is_compared(lab, unfolded, norm, knob):
    assert f"knob_{knob}" not in keys(unfolded)
    assert f"knob_{knob}" in keys(lab(norms=f"none,{norm}"))


def test_recurrent_gamma_belongs_to_recurrent_networks(lab, unfolded):
    assert "knob_recurrent_gamma" not in keys(unfolded)
    assert "knob_recurrent_gamma" in keys(lab(network="recurrent"))


@pytest.mark.parametrize(
    ("hide", "gone"),
    [("more_norms", "norm_noisy"), ("ablations", "knob_ablation_bias"), ("norms", "norm_noisy"),
     ("ablation_bias", "knob_ablation_bias"), ("network", "knob_network")],
)  # fmt: skip
def test_hide_takes_new_controls_away(lab, unfolded, hide, gone):
    assert gone in keys(unfolded)
    page = lab(hide=hide)
    assert gone not in keys(page)
    assert view(page)["notices"] == []


def test_a_watcher_moves_nothing(lab, unfolded):
    run = view(unfolded)["run"]
    page = lab(run=run)
    assert not state(page).can_control
    assert page.checkbox(key="norm_noisy").disabled
    assert page.button_group(key="knob_network").disabled


def test_every_knob_has_a_control_or_is_part_of_one(lab, unfolded):
    shown = set()
    for page in (unfolded, lab(network="recurrent", norms="group,dropout,ghost", init="normal",
                               hide="preset"), lab(dataset="moons", skip="2")):  # fmt: skip
        shown |= keys(page) | {number.key for number in page.number_input}
        shown |= {f"knob_{name}" for name in knobs(page)}
    assert {name for name in KNOBS if f"knob_{name}" not in shown} == {"learning_rates"}
