"""A proxy that stops forwarding: the page reports that it is not connected."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import expect

from tests.browser.checklist import RATE, SMALL
from tests.browser.lab_page import CALM, LabPage
from tests.browser.stalling_proxy import StallingProxy

TIMES, MOST_SECONDS = 20, 10.0


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
    notice = lab.view.locator("[data-notice=disconnected]")
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
