"""A knob that is moved while a tab's next run is on its way is a knob of the next run."""

from __future__ import annotations

import re

from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser.checklist import RATE, SMALL
from tests.browser.lab_page import CALM, PATIENCE


class SlowScript:
    """Stands for a busy server: what a page's scripts answer can be kept back."""

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
        """Let the page have what was kept back, and what comes from now on."""
        self.keeps = False
        for socket, message in self._kept:
            socket.send(message)
        self._kept = []


def test_a_rate_set_between_two_runs_is_the_rate_of_the_second(visit, server):
    lab = visit("/about", script="0", **CALM)
    page, script = lab.page, SlowScript(lab.page)
    page.goto(f"{server.url}/lab?{SMALL}")
    lab.drawn().until_step(3)
    rate, first = page.locator(RATE), lab.run
    expect(rate).to_be_enabled()

    def started() -> int:
        return page.request.get(f"{server.url}/status?as=json").json()["runs_started"]

    before = started()
    script.keeps = True
    page.locator(".st-key-open_norms").get_by_role("button", name="Layer", exact=False).click()
    while started() == before:
        page.wait_for_timeout(20)
    rate.press("ArrowRight")
    set_to = rate.get_attribute("aria-valuetext")
    assert lab.run == first, "the page still shows the first run"
    script.answer()
    lab.wait("view.run !== argument", first).drawn()
    expect(lab.view.locator("[data-card]")).to_have_count(3)
    expect(rate).to_have_attribute("aria-valuetext", set_to, timeout=PATIENCE)
    lab.until_query(lambda query: query.get("learning_rate") == set_to and "layer" in query["norms"])
    assert changes(page, lab.run) == [{"learning_rate": float(set_to)}]
    assert changes(page, first) == []


def changes(page: Page, run: str) -> list[dict[str, object]]:
    """The live changes that took effect in a run."""
    fetch = "run => fetch(`/changes/${run}`).then(answer => answer.json())"
    return [change["values"] for change in page.evaluate(fetch, run)["changes"]]
