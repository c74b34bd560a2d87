"""The stage in every window of a hall, its keys, and its menu."""

import gzip
from functools import partial

import pytest
from playwright.sync_api import expect

from bnviz.charts.theme import HALL
from bnviz.texts import ENGLISH
from bnviz.ui.chart_templates import build_charts
from tests.browser.live_view.page_data import page_data
from tests.browser.live_view.recorded import MAIN, PAIR
from tests.browser.test_stage import OUTSIDE, SMALL, WINDOWS, WRAPPED


def answer(body, kind, route):
    route.fulfill(body=body, content_type=kind)


@pytest.fixture
def stage(open_tab, frames):
    """A stage with two networks, whose run is paused."""
    paused = {"status": "paused"}
    window = {"width": 1280, "height": 800}
    tab = open_tab(
        {**page_data(PAIR, MAIN), "present": True}, frames[:9], begin=paused, viewport=window
    )
    tab.drawn(8)
    # The lab's charts as they are made for a hall, by the smallest type in them.
    for size in HALL.values():
        made = gzip.decompress(build_charts(PAIR, False, size, None, ENGLISH, ()).packed)
        tab.page.route(f"**/hall-{size}.json", partial(answer, made, "application/json"))
    tab.page.evaluate("ids => window.mountAgain({ charts_ids: ids })", {
        str(least): f"hall-{size}" for least, size in HALL.items()
    })  # fmt: skip
    # What scrolls where the stage stands in a page of the app.
    tab.page.evaluate("document.documentElement.classList.add('stMain')")
    expect(tab.view.locator(".bnviz-stage-card .js-plotly-plot")).to_have_count(2)
    return tab


def test_all_of_it_is_in_one_window_and_nothing_is_small(stage):
    for (width, height), least in WINDOWS.items():
        stage.page.set_viewport_size({"width": width, "height": height})
        # Charts of the window's own size have to be loaded.
        stage.page.wait_for_function(f"least => !({SMALL})(least).length", arg=least)
        expect(stage.view.locator(".bnviz-stage-card .js-plotly-plot")).to_have_count(2)
        assert stage.page.evaluate(OUTSIDE) == []
        assert stage.page.evaluate(WRAPPED) < 2
        tops = {box.bounding_box()["y"] for box in stage.view.locator("[data-card]").all()}
        assert len(tops) == 1, "two stand side by side"


def test_number_keys_swap_the_chart_below_and_once_more_gives_it_the_window(stage):
    below, card = stage.view.locator(".bnviz-stage-foot [data-chart]:visible"), "[data-card=none]"
    expect(below).to_have_attribute("data-chart", "loss")
    stage.page.keyboard.press("2")
    expect(below).to_have_attribute("data-chart", "accuracy")
    stage.page.keyboard.press("2")
    expect(stage.view.locator(card)).to_be_hidden()
    expect(stage.view.get_by_role("button", name="Play", exact=True)).to_be_visible()
    expect(stage.view.get_by_role("slider", name="Learning rate")).to_be_visible()
    assert below.bounding_box()["height"] > 0.7 * 800
    assert stage.page.evaluate(SMALL, 20) == []
    stage.page.keyboard.press("Escape")
    expect(stage.view.locator(card)).to_be_visible()
    # One that needs more room than there is below has the window at once.
    stage.page.keyboard.press("3")
    expect(below).to_have_attribute("data-chart", "layers")
    expect(stage.view.locator(card)).to_be_hidden()


def test_what_is_chosen_in_the_menu_closes_it_and_leaves_the_keys_to_the_page(stage):
    page, more = stage.page, stage.view.get_by_role("button", name="More")
    more.click()
    radio = stage.view.get_by_label("fast", exact=True)
    radio.click(force=True)
    expect(radio).to_be_hidden()
    page.wait_for_function("document.activeElement === document.body")
    page.keyboard.press("Space")
    assert stage.commands() == [{"name": "pace", "pace": "fast"}, {"name": "play"}]
    more.focus()
    page.keyboard.press("Enter")
    stage.view.get_by_role("button", name="Share").press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(more).to_be_focused()


def test_a_key_leads_to_the_stage_and_back(tab, harness):
    """It is the page's address with one word more, or without it."""
    page = tab.page
    plain = partial(answer, '<!doctype html><link rel="icon" href="data:,">', "text/html")
    page.route(harness.url + "?present=1", plain)
    page.keyboard.press("p")
    page.wait_for_url("**/?present=1")
    page.unroute_all()
    harness.data["present"] = True
    tab.reload()
    expect(tab.view.locator(".bnviz-stage")).to_be_visible()
    page.route(harness.url, plain)
    page.keyboard.press("p")
    page.wait_for_url(harness.url)
