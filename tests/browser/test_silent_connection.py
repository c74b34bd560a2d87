"""A server that does not respond: the page reports that it is not connected."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import expect

from bnviz.live.web.early_start import lost_line
from bnviz.words.texts import in_language, languages, text
from tests.browser.checklist import RATE, SMALL
from tests.browser.lab_page import CALM, LabPage
from tests.browser.stalling_proxy import StallingProxy

TIMES, MOST_SECONDS = 20, 10.0
WINDOW = {"width": 1440, "height": 900}

# Parts of Streamlit's page: its root, its connection and its dialog about it.
ROOT = f"<!doctype html><html lang=CODE><head>{lost_line()}</head><body><div id=root></div>"
APP = '<div class="stApp" data-test-connection-state="CONNECTED"></div>'
DIALOG = '<div data-testid="stDialog"><button onclick="this.parentElement.remove()"></button></div>'
STATE = "(app, state) => app.setAttribute('data-test-connection-state', state)"


@pytest.fixture
def shown(tabs, server):
    """Yield a function that shows HTML as a page of the server. It returns the tab's page, and the
    list of the requests for the page.
    """
    taken = []

    def show(html):
        taken.append(tab := tabs.take(WINDOW))
        loads = []

        def load(route):
            loads.append(route.request.url)
            route.fulfill(content_type="text/html", body=html)

        tab.page.route("**/missing.js", lambda route: route.abort("connectionrefused"))
        tab.page.route(server.url + "/shown", load)
        tab.page.goto(server.url + "/shown")
        return tab.page, loads

    yield show
    for tab in taken:
        tabs.give_back(tab, server.url + "/_stcore/health")


@pytest.mark.parametrize("code", languages())
def test_a_page_without_a_run_says_that_it_is_not_connected_until_it_is(shown, code):
    page, loads = shown(ROOT.replace("CODE", code) + APP)
    line, app = page.locator(".bnviz-lost"), page.locator(".stApp")
    app.evaluate(f"app => ({STATE})(app, 'PINGING_SERVER')")
    page.evaluate("dialog => document.body.insertAdjacentHTML('beforeend', dialog)", DIALOG)
    with in_language(code):
        before, after = text("navigation.lost").split("{time}")
    expect(line).to_have_text(re.compile(f"^{re.escape(before)}.*[0-9].*{re.escape(after)}$"))
    expect(page.get_by_test_id("stDialog")).to_have_count(0)
    # A second lost connection is not said a second time, and the line stays until both are back.
    since = "detail => dispatchEvent(new CustomEvent('bnviz-connection', { detail }))"
    page.evaluate(since, {"of": "run", "since": 1})
    expect(line).to_have_count(1)
    app.evaluate(f"app => ({STATE})(app, 'CONNECTED')")
    expect(line).to_have_count(1)
    page.evaluate(since, {"of": "run", "since": None})
    expect(line).to_have_count(0)
    assert len(loads) == 1


def test_a_page_that_loads_while_the_server_is_away_loads_again_when_it_is_back(shown, server):
    page, loads = shown(ROOT.replace("CODE", "en"))
    page.route("**/_stcore/health", lambda route: route.abort())
    expect(page.locator(".bnviz-lost")).to_be_visible()
    assert len(loads) == 1
    page.unroute("**/_stcore/health")
    page.wait_for_function("() => performance.getEntriesByType('navigation')[0].type === 'reload'")
    expect(page.locator(".bnviz-lost")).to_have_count(0)


@pytest.mark.parametrize(
    "part",
    ["<script src=missing.js></script>", "<script>import('/missing.js').catch(() => {})</script>"],
)
def test_a_page_of_which_a_part_could_not_be_loaded_is_loaded_once_more(shown, part):
    page, loads = shown(ROOT.replace("CODE", "en") + APP + part)
    page.wait_for_function("() => performance.getEntriesByType('navigation')[0].type === 'reload'")
    answered = "() => performance.getEntriesByName(origin + '/_stcore/health').length"
    page.wait_for_function(answered)
    assert len(loads) == 2


def open_lab(visit, proxy: StallingProxy) -> LabPage:
    return visit(f"/lab?{SMALL}", base=proxy.url, **CALM).drawn().until_step(3)


def changes(lab: LabPage) -> list[dict[str, float]]:
    answer = "run => fetch(`/changes/${run}`).then(answer => answer.json())"
    return [change["values"] for change in lab.page.evaluate(answer, lab.run)["changes"]]


def stall_while_the_rate_is_moved(lab: LabPage, proxy: StallingProxy, key: str) -> float:
    """Stall the connection, press a key on the rate's slider, and return the seconds until the
    notice appears.

    After the connection resumes, the change must have been applied once or not at all.
    """
    page, rate, run = lab.page, lab.page.locator(RATE), lab.run
    known = changes(lab)
    before = rate.get_attribute("aria-valuetext")
    proxy.stall()
    began = time.monotonic()
    rate.press(key)
    notice = lab.page.locator(".bnviz-lost")
    expect(notice).to_have_text(re.compile(r"Not connected since .*\d"))
    took = time.monotonic() - began
    lab.wait("view.status === 'disconnected'")
    expect(rate).to_be_disabled()
    aside = page.locator("[data-knob=learning_rate] .bnviz-knob-past").first
    expect(aside).to_have_text("not confirmed")
    proxy.resume()
    expect(notice).to_be_hidden()
    lab.until_status("running").until_step(lab.step + 3)
    expect(rate).to_be_enabled()
    expect(aside).to_be_hidden()
    assert lab.run == run
    made = changes(lab)
    assert made[: len(known)] == known
    added = made[len(known) :]
    assert len(added) <= 1
    expected = str(added[0]["learning_rate"]) if added else before
    expect(rate).to_have_attribute("aria-valuetext", expected)
    return took


@pytest.mark.verify
def test_a_knob_moved_while_nothing_comes_through_is_applied_once_or_not_at_all(visit, server):
    with StallingProxy(server.url) as proxy:
        stall_while_the_rate_is_moved(open_lab(visit, proxy), proxy, "ArrowRight")


@pytest.mark.verify
@pytest.mark.timeout(1_800)
def test_it_is_noticed_within_ten_seconds_each_time(visit, server):
    with StallingProxy(server.url) as proxy:
        lab = open_lab(visit, proxy)
        took = [
            stall_while_the_rate_is_moved(lab, proxy, "ArrowLeft" if at % 2 else "ArrowRight")
            for at in range(TIMES)
        ]
        assert max(took) <= MOST_SECONDS, took
