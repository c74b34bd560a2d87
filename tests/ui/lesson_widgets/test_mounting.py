"""Widgets on a page, in Streamlit's own test harness."""

from streamlit.testing.v1 import AppTest

from bnviz.live.web.assets_route import VERSION
from bnviz.ui.lesson_widgets import WIDGETS
from tests.ui.handed_over import components


def page() -> None:
    import streamlit as st

    from bnviz.ui.lesson_widgets import (
        by_hand_data,
        cut_network_data,
        mount_widget,
        outside_gradient_data,
    )

    data = {
        "by_hand": by_hand_data(highlight=2),
        "outside_gradient": outside_gradient_data(seed=1),
        "cut_network": cut_network_data(None, {"none": "without BN", "batch": "with BN"}),
    }
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
