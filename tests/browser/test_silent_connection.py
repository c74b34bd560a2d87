"""Behind a proxy that stops forwarding without closing, the page says that it is not connected."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.checklist import RATE, SMALL
from tests.browser.lab_page import CALM
from tests.browser.stalling_proxy import StallingProxy


def test_a_knob_moved_while_nothing_comes_through_is_applied_once_or_not_at_all(visit, server):
    with StallingProxy(server.url) as proxy:
        lab = visit(f"/lab?{SMALL}", base=proxy.url, **CALM).drawn().until_step(3)
        page, rate = lab.page, lab.page.locator(RATE)
        before, run = rate.get_attribute("aria-valuetext"), lab.run
        proxy.stall()
        rate.press("ArrowRight")
        notice = lab.view.locator("[data-notice=disconnected]")
        expect(notice).to_have_text(re.compile(r"Not connected since .*\d"))
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
        changes = page.evaluate(
            "run => fetch(`/changes/${run}`).then(answer => answer.json())", run
        )["changes"]
        expected = before if not changes else str(changes[0]["values"]["learning_rate"])
        assert len(changes) <= 1
        expect(rate).to_have_attribute("aria-valuetext", expected)
