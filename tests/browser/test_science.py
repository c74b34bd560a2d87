"""The whole science in the lab: charts to add, other norms, other networks, BN taken apart."""

import re

import pytest
from playwright.sync_api import expect

PARTS = "root.querySelectorAll('[data-card]').length === argument"


def choose(lab, group, name):
    """Press one of the choices that stand side by side in the sidebar."""
    control = lab.page.locator(f"[class*='st-key-knob_{group}']")
    control.get_by_role("radio", name=name, exact=True).click()


def test_a_chart_added_while_paused_fills_and_stands_in_the_address(visit):
    lab = visit("/lab?paused=1").drawn()
    lab.button("Add a chart").click()
    box = lab.page.get_by_role("dialog", name="Add a chart")
    box.get_by_role("checkbox", name="Weights and effective rate").check()
    box.get_by_role("checkbox", name="Shift of the gradients").check()
    lab.button("Done").click()
    profile = (
        "root.querySelector(`[data-chart=${argument}] .js-plotly-plot`)?.data[0].x?.length > 1"
    )
    for name in ("ics", "weights"):
        chart = lab.view.locator(f"[data-chart={name}]")
        chart.scroll_into_view_if_needed()
        lab.wait(profile, name)
        expect(chart.locator(".bnviz-note")).not_to_contain_text("not measured")
    assert (lab.step, lab.status) == (0, "paused")
    lab.page.wait_for_url(re.compile("charts=weights%2Cics"))
    lab.page.reload()
    lab.drawn()
    expect(lab.view.locator("[data-chart=weights]")).to_be_visible()
    assert lab.query()["charts"] == "weights,ics"


def test_a_preset_of_the_literature_brings_its_chart_and_takes_it_away(visit):
    lab = visit("/lab").until_step(3)
    expect(lab.page.get_by_text("More knobs", exact=True)).to_be_visible()  # all knobs are there
    box = lab.page.get_by_role("combobox").first
    box.click()
    lab.page.get_by_role("option", name="Weights only grow · E4").click()
    # Another set of networks: its charts are made first.
    expect(lab.view.locator("[data-chart=weights]")).to_be_visible(timeout=30_000)
    lab.wait(
        "root.querySelector('[data-chart=weights]').getBoundingClientRect().top"
        " < root.querySelector('[data-chart=loss]').getBoundingClientRect().top"
    )
    lab.until_step(3)
    lab.until_query(lambda query: set(query) == {"preset", "run"})
    expect(lab.page.get_by_text("van Laarhoven 2017").first).to_be_visible()
    box.click()
    lab.page.get_by_role("option", name="Raise the rate").click()
    expect(lab.view.locator("[data-chart=weights]")).to_be_hidden()


def test_the_stability_edge_is_marked_on_the_rate_whatever_the_page_redraws(visit):
    lab = visit("/lab?depth=2&width=16").until_step(3)
    sidebar = lab.page.locator("[data-testid=stSidebar]")
    places, marks = sidebar.locator(".bnviz-edges:visible"), sidebar.locator(".bnviz-edge-scale i")
    expect(marks).to_have_count(2)
    expect(places).to_contain_text("local stability edge 2/λ, now")
    lab.nudge("Learning rate", -1)
    lab.wait("Number(view.changes) >= 1")
    lab.pause()
    expect(marks).to_have_count(2)
    lab.page.get_by_text("A rate for each network").click()
    expect(places).to_have_count(2)
    expect(marks).to_have_count(2)
    for norm in ("none", "batch"):
        expect(sidebar.locator(f"[data-knob=rate_{norm}] .bnviz-edge-scale i")).to_have_count(1)


def test_another_norm_joins_and_leaves_from_the_sidebar(visit):
    lab = visit("/lab").until_step(3)
    lab.page.get_by_text("More norms", exact=True).click()
    offers = lab.page.locator(".st-key-norm_offers")
    expect(offers).to_contain_text("Up to 4 networks are compared at a time.")
    expect(offers.get_by_role("checkbox", name="instance")).to_be_disabled()
    offers.get_by_text("noisy BN", exact=True).click()
    lab.wait(PARTS, 3)
    expect(offers).to_be_visible()
    offers.get_by_text("group", exact=True).click()
    lab.wait(PARTS, 4)
    expect(offers).to_contain_text("4 networks are compared now")
    expect(offers.get_by_role("checkbox", name="dropout")).to_be_disabled()
    chosen = lab.page.locator("[class*='st-key-other_norms']").get_by_role("button")
    expect(chosen).to_have_text(["group", "noisy BN"])
    chosen.last.click()
    lab.wait(PARTS, 3)
    lab.until_step(2)
    lab.until_query(lambda query: query.get("norms") == "none,batch,group")


def test_taking_bn_apart_compares_it_with_the_whole(visit):
    lab = visit("/lab").until_step(3)
    lab.page.get_by_text("Take BN apart").click()
    choose(lab, "ablation_statistics", "mean")
    lab.wait(PARTS, 3)
    lab.until_step(2)
    expect(lab.card("ablated")).to_contain_text("With BN taken apart")
    lab.until_query(lambda query: query.get("ablation_statistics") == "mean")


@pytest.mark.parametrize(
    ("network", "name", "row"),
    [("conv", "convolutional", "layer 1"), ("recurrent", "recurrent", "time 1")],
)
def test_another_network_streams(visit, network, name, row):
    lab = visit("/lab").until_step(3)
    run = lab.run
    choose(lab, "network", name)
    lab.wait("view.run && view.run !== argument && Number(view.step) >= 5", run, timeout=60_000)
    lab.until_query(lambda query: query.get("network") == network)
    for norm in ("none", "batch"):
        expect(lab.card(norm)).to_contain_text("learning")
    layers = lab.view.locator("[data-chart='layers']")
    layers.get_by_text("Data", exact=True).click()
    expect(layers.locator("tbody th", has_text=row).first).to_be_visible()
    expect(lab.slider("Hidden layers")).to_have_count(0 if network == "recurrent" else 1)
    lab.nudge("Learning rate", 1)
    lab.wait("Number(view.changes) >= 1")
    lab.until_step(lab.step + 5)
