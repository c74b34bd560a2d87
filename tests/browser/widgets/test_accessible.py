"""Accessibility of every widget in both themes: no serious axe violation, and visible focus."""

from __future__ import annotations

from playwright.sync_api import expect

from bnviz.config import RunConfig
from bnviz.ui.lesson_widgets import (
    averages_data,
    by_hand_data,
    cloud_data,
    compose_batch_data,
    cut_network_data,
    gamma_beta_data,
    module_of,
    outside_gradient_data,
    own_verdict_data,
    shared_mean_data,
    shift_outside_data,
)
from tests.browser.accessible import low_contrast, serious
from tests.browser.widgets.test_cut_network import LABELS, snapshot
from tests.browser.widgets.test_own_verdict import ACCOUNTS
from tests.browser.widgets.words import given

FACES = {
    "forward": ("by_hand", lambda: by_hand_data(highlight=2, guess="nearer to 0")),
    "backward": ("by_hand", lambda: by_hand_data("backward")),
    "outside": ("outside_gradient", lambda: outside_gradient_data(begun=True)),
    "cut": ("cut_network", lambda: cut_network_data(snapshot(4), LABELS)),
    "bench": ("gamma_beta", lambda: gamma_beta_data(RunConfig(dataset="moons", width=16))),
    "compose": ("compose_batch", compose_batch_data), "averages": ("averages", averages_data),
    "shift": ("shift_outside", shift_outside_data), "cloud": ("cloud", cloud_data),
    "shared": ("shared_mean", shared_mean_data),
    "verdict": ("own_verdict", lambda: own_verdict_data("is-it-shift", ACCOUNTS, account="scale")),
}  # fmt: skip
# Selectors of the elements that appear once a widget has loaded its data.
COME = {"compose": ".bnviz-slot", "averages": "tbody", "shift": ".bnviz-share"}
# JavaScript function that returns all elements in the Tab order, and whether each shows its focus.
WALK = """() => [...document.querySelectorAll('.bnviz-widget *')]
  .filter((e) => e.tabIndex >= 0 && !e.disabled && e.checkVisibility())
  .map((e) => { e.focus(); const style = getComputedStyle(e.querySelector('circle') ?? e);
    const shown = e.closest('label') ?? e; const around = getComputedStyle(shown);
    return [e.ariaLabel || e.textContent || e.type, e.getBoundingClientRect().top,
      style.outlineStyle !== 'none' || around.outlineStyle !== 'none' || style.strokeWidth === '4px'
      || e.matches('[role=switch]')]; })"""


def test_nothing_is_serious_and_focus_is_seen(open_widget):
    found, widget = [], None
    for face, (name, data) in FACES.items():
        module, shown = module_of(name), data()
        if widget is None:
            widget = open_widget(module, given(name, shown))
        else:
            widget.begin_again(module, given(name, shown))
        page = widget.page
        if face in COME:
            expect(widget.root.locator(COME[face]).first).to_be_visible()
        if face == "backward":
            page.get_by_role("button", name="All results").click()
            page.get_by_role("switch").first.check(force=True)
        found += [(face, "light", *fault) for fault in serious(page)]
        page.keyboard.press("Tab")  # from here on, the browser treats focus as keyboard focus
        walked = page.evaluate(WALK)
        assert walked or face == "shared", f"{face}: Tab reaches nothing"
        found += [(face, "focus", label) for label, _, seen in walked if not seen]
        # The dark theme only changes colours.
        widget.mount(module, given(name, shown, dark=True))
        expect(widget.root).to_have_attribute("data-theme", "dark")
        found += [(face, "dark", *fault) for fault in low_contrast(page)]
    assert found == []
