"""Research features of the lab: more charts, norms and network types, and ablated BN."""

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import CALM

PARTS = "root.querySelectorAll('[data-card]').length === argument"


def choose(lab, group, name):
    """Choose a value of a sidebar knob that has one button per value."""
    lab.page.get_by_label("Find a knob").fill(group)
    control = lab.page.locator(f".st-key-drawer_knob_{group}")
    control.get_by_role("radio", name=name, exact=True).click()


@pytest.mark.verify
def test_a_chart_added_while_paused_fills_and_a_preset_of_the_literature_brings_its_own(visit):
    lab = visit("/lab?paused=1", **CALM).drawn()
    lab.button("Add a chart").click()
    box = lab.page.get_by_role("dialog", name="Add a chart")
    box.get_by_role("checkbox", name="Shift of the gradients").check()
    lab.button("Done").click()
    # The chart is requested and measured while the run is paused.
    added = lab.view.locator("[data-chart=ics]")
    added.scroll_into_view_if_needed()
    lab.wait("root.querySelector('[data-chart=ics] .js-plotly-plot')?.data[0].x?.length > 1")
    expect(added.locator(".bnviz-note")).not_to_contain_text("not measured")
    assert (lab.step, lab.status) == (0, "paused")
    lab.until_query(lambda query: query.get("charts") == "ics")
    run = lab.run
    lab.choose_preset("Weights only grow · E4")
    # The preset has other networks, so their charts are built first.
    weights = lab.view.locator("[data-chart=weights]")
    expect(weights).to_be_visible()
    lab.wait(
        "root.querySelector('[data-chart=weights]').getBoundingClientRect().top"
        " < root.querySelector('[data-chart=loss]').getBoundingClientRect().top"
    )
    lab.wait("view.run && view.run !== argument && Number(view.step) >= 1", run)
    lab.until_query(lambda query: set(query) == {"preset", "charts", "run"})
    expect(lab.page.get_by_text("van Laarhoven 2017").first).to_be_visible()
    lab.choose_preset("Raise the rate")
    expect(weights).to_be_hidden()
    expect(added).to_be_visible()


@pytest.mark.verify
def test_a_network_joins_and_leaves_bn_is_taken_apart_and_another_kind_of_network_streams(visit):
    lab = visit("/lab?paused=1&width=16&depth=3", **CALM).drawn()
    lab.page.get_by_text("More norms", exact=True).click()
    offers = lab.page.locator(".st-key-norm_offers")
    expect(offers.get_by_role("checkbox", name="instance")).to_be_disabled()
    offers.get_by_text("noisy BN", exact=True).click()
    lab.wait(PARTS, 3)
    expect(offers).to_be_visible()
    lab.until_query(lambda query: query.get("norms") == "none,batch,noisy")
    chosen = lab.page.locator("[class*='st-key-other_norms']").get_by_role("button")
    expect(chosen).to_have_text(["noisy BN"])
    chosen.click()
    lab.wait(PARTS, 2)
    lab.until_query(lambda query: "norms" not in query)
    choose(lab, "ablation_statistics", "mean")
    lab.wait(PARTS, 3)
    expect(lab.card("ablated")).to_contain_text("With ablated BN")
    lab.until_query(lambda query: query.get("ablation_statistics") == "mean")
    becomes(lab, "recurrent", "recurrent", "time 1")


@pytest.mark.verify
def test_a_convolutional_network_streams(visit):
    becomes(visit("/lab").until_step(3), "conv", "convolutional", "layer 1")


def becomes(lab, network, name, row):
    """Select another network type, and check that the network trains and responds to its knobs."""
    run = lab.run
    choose(lab, "network", name)
    lab.wait("view.run && view.run !== argument && Number(view.step) >= 5", run)
    lab.until_query(lambda query: query.get("network") == network)
    layers = lab.view.locator("[data-chart='layers']")
    layers.get_by_text("Data", exact=True).click()
    expect(layers.locator("tbody th", has_text=row).first).to_be_visible()
    expect(lab.slider("Hidden layers")).to_have_count(0 if network == "recurrent" else 1)
    lab.nudge("Learning rate", 1)
    lab.wait("Number(view.changes) >= 1")
    lab.until_step(lab.step + 5)
