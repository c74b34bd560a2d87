"""Widgets of lessons on a page."""

from streamlit.testing.v1 import AppTest

from bnviz.live.web.assets import ASSETS, VERSION
from bnviz.ui.lesson_widgets import WIDGETS, module_of
from tests.ui.handed_over import components


def page() -> None:
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
    from tests.ui.comparison_data import NAMES, result

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
        mount_widget(name, f"widget_{name}", given)


def test_every_widget_is_mounted_with_its_words():
    app = AppTest.from_function(page).run()
    assert not app.exception
    mounted = components(app)
    assert len(mounted) == len(WIDGETS)
    for name, data in zip(WIDGETS, mounted, strict=True):
        assert data["module"] == module_of(name)
        assert (ASSETS / data["module"]).is_file()
        assert data["version"] == VERSION
        assert data["texts"]["title"]
        assert data["texts"]["common"]["numbers"]
