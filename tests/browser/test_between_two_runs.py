"""A knob change made while the tab's next run is starting applies to that run."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser.checklist import RATE, SMALL
from tests.browser.lab_page import CALM, PATIENCE


class SlowScript:
    """Simulation of a busy server, which can delay the responses of a page's scripts."""

    def __init__(self, page: Page) -> None:
        self._kept: list[tuple[WebSocketRoute, str | bytes]] = []
        self.keeps = False
        page.route_web_socket(re.compile("/_stcore/stream"), self._route)

    def _route(self, socket: WebSocketRoute) -> None:
        def answer(message: str | bytes) -> None:
            if self.keeps:
                self._kept.append((socket, message))
            else:
                socket.send(message)

        socket.connect_to_server().on_message(answer)

    def answer(self) -> None:
        """Send the delayed responses, and stop delaying."""
        self.keeps = False
        for socket, message in self._kept:
            socket.send(message)
        self._kept = []


@pytest.mark.verify
def test_a_rate_set_while_the_next_run_is_on_its_way_is_the_rate_of_that_run(visit, server):
    lab = visit("/about", script="0", **CALM)
    page, script = lab.page, SlowScript(lab.page)
    page.goto(f"{server.url}/lab?{SMALL}")
    lab.drawn().until_step(3)
    pending = page.locator("[data-knob=learning_rate] .bnviz-knob-past").first
    rate, timeline = page.locator(RATE), lab.view.locator(".bnviz-timeline input")
    expect(rate).to_be_enabled()

    def started() -> int:
        return page.request.get(f"{server.url}/status?as=json").json()["runs_started"]

    def start_another(act: Callable[[], None]) -> str:
        """Start another run that the page does not show yet, and return the id of the shown run."""
        first, before = lab.run, started()
        script.keeps = True
        act()
        while started() == before:
            page.wait_for_timeout(20)
        return first

    def set_meanwhile(act: Callable[[], None], set_to: str) -> str:
        """Start another run, set the rate before the page shows this run, and return the id of the
        previous run.
        """
        first = start_another(act)
        rate.press("ArrowRight")
        expect(rate).to_have_attribute("aria-valuetext", set_to)
        expect(pending).to_have_text("not confirmed")
        assert lab.run == first, "the page still shows it"
        assert lab.query().get("learning_rate") != set_to
        script.answer()
        lab.wait("view.run !== argument", first).drawn()
        expect(rate).to_have_attribute("aria-valuetext", set_to, timeout=PATIENCE)
        expect(pending).to_be_hidden()
        lab.until_query(lambda query: query.get("learning_rate") == set_to)
        return first

    layer = page.locator(".st-key-open_norms").get_by_role("button", name="Layer")
    first = set_meanwhile(layer.click, "0.15")
    expect(lab.view.locator("[data-card]")).to_have_count(3)
    assert changes(page, lab.run) == [{"learning_rate": 0.15}]
    assert changes(page, first) == []

    lab.pause()
    timeline.press("Home")
    lab.wait("view.time === 'pinned' && view.step === '0'")
    parent = set_meanwhile(lambda: rate.press("ArrowRight"), "0.3")
    assert changes(page, lab.run) == [{"learning_rate": rate} for rate in (0.15, 0.2, 0.3)]
    assert changes(page, parent) == [{"learning_rate": 0.15}]

    # A drag that began in one run continues and ends in the next run.
    first = start_another(layer.click)
    box = rate.bounding_box()

    def move_to(share: float) -> None:
        page.mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] / 2)

    move_to(0.3)
    page.mouse.down()
    move_to(0.5)
    held = rate.get_attribute("aria-valuetext")
    script.answer()
    lab.wait("view.run !== argument", first).drawn()
    expect(rate).to_have_attribute("aria-valuetext", held)
    move_to(0.2)
    expect(rate).not_to_have_attribute("aria-valuetext", held)
    last = rate.get_attribute("aria-valuetext")
    page.mouse.up()
    lab.until_query(lambda query: float(query.get("learning_rate", 0.1)) == float(last))
    expect(rate).to_have_attribute("aria-valuetext", last)
    assert changes(page, lab.run)[-1] == {"learning_rate": float(last)}
    assert len(changes(page, first)) == 3


def changes(page: Page, run: str) -> list[dict[str, object]]:
    """Return the live changes that took effect in a run."""
    fetch = "run => fetch(`/changes/${run}`).then(answer => answer.json())"
    return [change["values"] for change in page.evaluate(fetch, run)["changes"]]
