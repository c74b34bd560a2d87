"""Widgets on a page, and states that a browser sends of them."""

import pytest
from streamlit.testing.v1 import AppTest

from bnviz.live.web.assets import ASSETS, VERSION
from bnviz.ui.lesson_widgets import WIDGETS, StateError, WidgetState, by_hand_data
from bnviz.ui.lesson_widgets.widget import read_state
from tests.every_case import every_case
from tests.ui.handed_over import components


def page() -> None:
    import streamlit as st

    from bnviz.config import RunConfig
    from bnviz.ui.lesson_widgets import (
        averages_data,
        by_hand_data,
        cloud_data,
        compose_batch_data,
        cut_network_data,
        ellipse_data,
        gamma_beta_data,
        mount_widget,
        outside_gradient_data,
        own_verdict_data,
        shared_mean_data,
        shift_outside_data,
        steps_seconds_data,
    )
    from tests.ui.lesson_widgets.raced import NAMES, result

    data = {
        "by_hand": by_hand_data(highlight=2),
        "outside_gradient": outside_gradient_data(seed=1),
        "cut_network": cut_network_data(None, {"none": "without BN", "batch": "with BN"}),
        "ellipse": ellipse_data(),
        "gamma_beta": gamma_beta_data(RunConfig(dataset="moons", width=16)),
        "compose_batch": compose_batch_data(), "averages": averages_data(),
        "shift_outside": shift_outside_data(), "cloud": cloud_data(),
        "shared_mean": shared_mean_data(),
        "steps_seconds": steps_seconds_data(result(), NAMES, {"none": "plain", "batch": "BN"}),
        "own_verdict": own_verdict_data("is-it-shift", {"one": ("One", "This.")}),
    }  # fmt: skip
    for name, given in data.items():
        st.session_state[f"found_{name}"] = mount_widget(name, f"widget_{name}", given)


def test_every_widget_is_mounted_with_its_words_and_is_silent_at_first():
    app = AppTest.from_function(page).run()
    assert not app.exception
    mounted = components(app)
    assert len(mounted) == len(WIDGETS)
    for entry, data in zip(WIDGETS.values(), mounted, strict=True):
        assert data["module"] == entry.module
        assert data["version"] == VERSION
        assert data["texts"]["title"]
        assert data["texts"]["common"]["numbers"]
    assert all(app.session_state[f"found_{name}"] is None for name in WIDGETS)


BY_HAND = {
    "mode": "forward", "x": [1, 2.5], "gamma": 1, "beta": 0, "eps": 1e-5, "changed": True,
    "mean": 1.75, "variance": 0.5, "normalized": [-1, 1], "y": [-1, None],
}  # fmt: skip
OUTSIDE = {
    "steps": 500, "loss": 6, "loss_range": 1e-14, "norm_half": 25, "norm_end": 50,
    "inside_end": 1e-14,
}  # fmt: skip
CUT = {
    "network": "none", "cut": 3, "s": 100, "t": 20, "random": False, "accuracy": 0.9,
    "own": None, "wander": 0.2,
}  # fmt: skip
ELLIPSE = {"matrix": [[1, 0.5], [0, 1]], "long": 1.28, "short": 0.78}
BENCH = {
    "curve": "tanh", "gamma": 0.63, "beta": 0, "explained": None, "flat": 0.5, "batch": 2,
    "mean": 0.1, "spread": 0.7, "apart": 0.2, "identity": False,
}  # fmt: skip
COMPOSED = {
    "image": 3, "companions": [1, None, 2, 358, None, None, 7], "own": 8, "stored": 3,
    "differs": 20, "folded": False,
}  # fmt: skip
AVERAGES = {"decay": 0.99, "steps": 230, "start": 0.099, "below": 230}
SHIFTED = {"contrast": 0.5, "brightness": -0.5, "plain": 0.7, "stored": 0.3, "own": 1}
CLOUD = {
    "correlation": -0.5, "examples": 2, "measured": -1, "raw": None, "batch": None, "white": None,
}  # fmt: skip
SHARED = {
    "norm": "maps", "examples": 2, "maps": 4, "side": 4, "example": 1, "map": 3, "place": 15,
    "values": 32, "means": 4,
}  # fmt: skip
PRICED = {
    "run": "five", "by": "seconds", "until": 0.93, "price": 1.5, "plain": 30, "batch": None,
    "ratio": None, "even": 1.5,
}  # fmt: skip
STATES = {
    "by_hand": BY_HAND, "outside_gradient": OUTSIDE, "cut_network": CUT, "ellipse": ELLIPSE,
    "gamma_beta": BENCH, "compose_batch": COMPOSED, "averages": AVERAGES, "shift_outside": SHIFTED,
    "cloud": CLOUD, "shared_mean": SHARED,
    "steps_seconds": PRICED,
    "own_verdict": {"account": "scale", "because": "I saw it."},
}  # fmt: skip


@every_case("name", WIDGETS)
def test_every_widget_has_its_file_its_words_and_its_state(name):
    entry = WIDGETS[name]
    assert (ASSETS / entry.module).is_file()
    assert issubclass(entry.resolve(), WidgetState)
    state = read_state(entry, STATES[name])
    assert state is not None
    assert state.model_dump(exclude_none=True).keys() <= STATES[name].keys()
    assert read_state(entry, None) is None


@every_case(
    ("name", "field", "value"),
    [
        ("by_hand", "x", []), ("by_hand", "x", [1] * 9), ("by_hand", "x", [1, "2"]),
        ("by_hand", "x", [1, 1e7]), ("by_hand", "x", [float("nan"), 1]), ("by_hand", "x", 3),
        ("by_hand", "gamma", 4), ("by_hand", "mode", "sideways"), ("by_hand", "changed", 1),
        ("by_hand", "revealed", 7), ("by_hand", "more", 1), ("outside_gradient", "steps", 501),
        ("outside_gradient", "norm_end", -1), ("outside_gradient", "loss", True),
        ("cut_network", "accuracy", 1.1), ("cut_network", "cut", 0),
        ("gamma_beta", "curve", "relu"), ("gamma_beta", "explained", 1.1),
        ("gamma_beta", "batch", 6), ("gamma_beta", "gamma", -1),
        ("cut_network", "network", "x" * 41), ("cut_network", "s", 1.5),
        ("compose_batch", "companions", [1] * 6), ("compose_batch", "companions", [1] * 8),
        ("compose_batch", "image", -1), ("compose_batch", "own", 10),
        ("compose_batch", "differs", 21), ("averages", "decay", 1.5), ("averages", "steps", 0),
        ("averages", "start", float("inf")), ("shift_outside", "contrast", 2.1),
        ("shift_outside", "own", 1.01), ("shift_outside", "brightness", "0"),
        ("cloud", "examples", 1), ("cloud", "white", 0.9), ("shared_mean", "place", 16),
        ("shared_mean", "norm", "batch"),
        ("steps_seconds", "by", "days"), ("steps_seconds", "price", -1),
        ("steps_seconds", "plain", -1), ("steps_seconds", "run", "x" * 41),
        ("own_verdict", "because", "x" * 281), ("own_verdict", "account", "x" * 41),
    ],
)  # fmt: skip
def test_a_state_that_no_widget_sends_is_named(name, field, value):
    with pytest.raises(StateError) as caught:
        read_state(WIDGETS[name], {**STATES[name], field: value})
    assert caught.value.field.split(".")[0] == field
    assert len(caught.value.value) <= 60
    assert f"`{caught.value.field}` must be " in str(caught.value)
    assert "as the widget sends it" not in str(caught.value)


@every_case("given", ["text", 3, [1], {**BY_HAND, "y": [1]}, {**BY_HAND, "eps": 0.5}])
def test_a_state_as_a_whole_must_fit_together(given):
    with pytest.raises(StateError, match="state"):
        read_state(WIDGETS["by_hand"], given)


@every_case(
    ("wrong", "said"),
    [
        ({"start": ()}, "`start` must have 1 to 8 values, got 0"),
        ({"g": [1.0]}, "`g` must have 4 values like `start`, got 1"),
        ({"eps": 0.2}, "`eps` must be one of .*, got 0.2"),
        ({"highlight": 4}, "`highlight` must be from 0 to 3, got 4"),
    ],
)
def test_what_a_page_asks_for_wrongly_is_named(wrong, said):
    with pytest.raises(ValueError, match=said):
        by_hand_data(**wrong)
