"""The browser's Back and Forward buttons across settings and pages."""

import pytest
from playwright.sync_api import expect


def until_address(lab, **wanted):
    """Wait until the address has these values and names the shown run."""
    lab.until_query(lambda query: all(query.get(name) == said for name, said in wanted.items()))
    lab.page.wait_for_function(
        """view => {
          const shown = document.querySelector(view)?.dataset.run;
          return shown && new URL(location.href).searchParams.get("run") === shown;
        }""",
        arg="[data-testid='live-view']",
    )
    return lab


def choose_preset(lab, name):
    run = lab.run
    lab.choose_preset(name)
    return lab.wait("view.run && view.run !== argument && Number(view.step) >= 0", run)


@pytest.mark.verify
def test_back_leads_through_settings_and_pages_and_forward_again(visit):
    lab = visit("/").drawn()
    page = lab.page
    follow = page.get_by_role("navigation", name="Pages")
    follow.get_by_role("link", name="Lab", exact=True).click()
    lab.wait("root.querySelector('[data-card]') && Number(view.step) >= 1")
    until_address(lab, preset=None)
    lab.nudge("Hidden layers", -1)
    until_address(lab, depth="5")
    lab.nudge("Learning rate", 1)  # a live knob adds no history entry
    until_address(lab, depth="5", learning_rate="0.15")
    # A run continues while the visitor reads another page.
    run = lab.run
    follow.get_by_role("link", name="About", exact=True).click()
    expect(page.get_by_role("heading", name="How this is measured")).to_be_visible()
    expect(page.locator("[aria-current=page]:visible")).to_have_text("About")
    expect(lab.view).to_have_count(0)
    follow.get_by_role("link", name="Lab", exact=True).click()
    until_address(lab.drawn(), depth="5", learning_rate="0.15")
    assert lab.run == run
    choose_preset(lab, "Spirals")
    until_address(lab, preset="spirals", learning_rate=None)
    spirals = lab.run
    page.go_back()
    until_address(lab, preset=None, depth="5", learning_rate="0.15")
    assert lab.run != spirals
    lab.slider_says("Hidden layers", "5")
    lab.slider_says("Learning rate", "0.15")
    page.go_back()
    expect(page.get_by_role("heading", name="How this is measured")).to_be_visible()
    page.go_back()
    lab.wait("view.run === argument", run)
    page.go_back()
    until_address(lab, preset=None, depth=None, learning_rate=None)
    lab.slider_says("Hidden layers", "6")
    page.go_back()
    expect(page.locator(".bnviz-doors")).to_be_visible()
    assert lab.query() == {}
    page.go_forward()
    page.go_forward()
    lab.drawn()
    until_address(lab, depth="5", learning_rate="0.15")
    lab.slider_says("Hidden layers", "5")
    # The knob changes the current settings, and repeats none of the earlier navigation.
    lab.nudge("Hidden layers", -1)
    until_address(lab, depth="4", learning_rate="0.15")
