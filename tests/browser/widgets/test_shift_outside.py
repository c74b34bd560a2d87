"""Widget *Shift from outside*: accuracy of two networks on images with another contrast."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from playwright.sync_api import expect

from bnviz.ui.lesson_widgets import module_of, shift_outside_data
from tests.browser.widgets.conftest import trained_run
from tests.browser.widgets.test_trained_networks import exact
from tests.browser.widgets.words import given

MODULE = module_of("shift_outside")


@pytest.fixture(scope="module")
def run():
    return trained_run("shift-outside")


def known(run, contrast, brightness):
    """Return the accuracies without BN, with running averages, and with the statistics of the
    changed images, computed by the engine in float64.
    """
    data = run.data
    raw = data.test_inputs.astype(np.float64) * data.input_std + data.input_mean
    changed = (contrast * raw + brightness - data.input_mean) / data.input_std
    labels = torch.from_numpy(data.test_labels)
    ways = {"plain": ("none", False), "stored": ("batch", False), "own": ("batch", True)}
    found = {}
    for name, (norm, own) in ways.items():
        logits = exact(run, norm).forward(torch.from_numpy(changed), training=own).logits
        found[name] = float((logits.argmax(1) == labels).double().mean())
    return found


def test_stored_statistics_suffer_most_and_own_ones_not_at_all(open_widget, run):
    widget = open_widget(MODULE, given("shift_outside", shift_outside_data()), width=390)
    sentence = widget.root.locator(".bnviz-widget-sentence")
    expect(sentence).to_contain_text("Contrast 1.0, brightness 0.0")
    clean = known(run, 1, 0)
    contrast = widget.root.get_by_role("slider", name="Contrast")
    contrast.fill("0.6")  # each setting classifies all images in three ways
    contrast.press("ArrowLeft")
    widget.root.get_by_role("slider", name="Brightness").press("End")
    found = SimpleNamespace(**widget.values("state.contrast === 0.5 && state.brightness === 0.5"))
    assert {name: getattr(found, name) for name in ("plain", "stored", "own")} == pytest.approx(
        known(run, 0.5, 0.5)
    )
    # Reference values: without BN 0.643 (0.429 to 0.738), running averages 0.387 (0.287 to 0.585),
    # statistics of these images 0.972 (0.967 to 0.975).
    assert found.stored < found.plain - 0.05 < found.own - 0.1
    assert found.own == pytest.approx(clean["own"], abs=0.02)
    expect(sentence).to_contain_text("Contrast 0.5, brightness 0.5")
    assert widget.page.evaluate("document.documentElement.scrollWidth") == 390
    widget.root.get_by_role("button", name="As in training").click()
    again = SimpleNamespace(**widget.values("state.contrast === 1 && state.brightness === 0"))
    assert again.plain == pytest.approx(clean["plain"])


def test_every_setting_is_named_as_the_engine_names_it(blank, run):
    ask = """async ([contrast, brightness]) => {
      const m = await import("/assets/v1/widgets/shift_outside.js");
      const { trainedNetworks } = await import("/assets/v1/widgets/lib/trained_networks.js");
      return m.accuracies(await trainedNetworks("", "shift-outside"), { contrast, brightness });
    }"""
    for setting in [(0.2, -0.5), (2.0, 0.3), (0.7, 0.0)]:
        assert blank.evaluate(ask, setting) == pytest.approx(known(run, *setting)), setting
