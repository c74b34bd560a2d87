"""What goes wrong while someone watches, and what the page says and does about it."""

import os
import re
import signal
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import expect

from bnviz.live.web.owner import COOKIE
from tests.browser.conftest import Server, visiting
from tests.browser.test_sharing import shared_link


@pytest.fixture(scope="module")
def fragile():
    """A server of this module's own, under a base path, with one worker and strict limits."""
    server = Server("/bn/viz", BNVIZ_WORKERS="1", BNVIZ_COOKIES_PER_MINUTE="1")
    yield server
    server.stop()


@pytest.fixture(scope="module")
def visit_fragile(tabs, fragile):
    with visiting(tabs, fragile) as visit:
        yield visit


@pytest.fixture(scope="module")
def owner(visit_fragile):
    """The first visitor there."""
    return visit_fragile("/?depth=3").until_step(3)


def cookie_for(server, forwarded="203.0.113.9"):
    """Whether a visitor who says to come from elsewhere gets a cookie."""
    headers = {"Accept": "text/html", "X-Forwarded-For": forwarded}
    with urllib.request.urlopen(urllib.request.Request(server.url + "/", headers=headers)) as page:
        return COOKIE in str(page.headers["set-cookie"])


def test_a_browser_over_its_address_limit_may_watch_and_is_told_when_to_try_again(
    owner, fragile, visit_fragile
):
    if cookie_for(fragile):  # a minute has passed
        assert not cookie_for(fragile), "nobody vouches for what this says"
    late = visit_fragile("/lab")
    notices = late.view.locator(".bnviz-notices")
    expect(notices).to_contain_text("Reload the page in", timeout=30_000)
    assert COOKIE not in [cookie["name"] for cookie in late.page.context.cookies()]
    # Nothing but that: no banner about a run that never was.
    expect(notices.locator(".bnviz-notice")).to_have_count(1)
    late.page.goto(fragile.url.removesuffix(fragile.base) + "/" + shared_link(owner))
    late.drawn()
    assert late.run == owner.run
    expect(late.button("Pause")).to_be_hidden()
    late.button("Make my own copy").click()
    expect(notices).to_contain_text("Reload the page in")
    assert late.run == owner.run


def test_the_app_works_under_a_base_path(owner):
    line = owner.view.get_by_role("slider", name=re.compile("Timeline"))
    line.focus()
    line.press("Home")
    owner.wait("Number(view.step) === 0")
    line.press("Escape")
    owner.wait("view.time === 'live'")


def workers(server):
    pid = server.process.pid
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_a_killed_worker_is_replaced_and_the_page_says_so(owner, fragile):
    run, step = owner.run, owner.step
    (worker,) = workers(fragile)
    os.kill(worker, signal.SIGKILL)
    expect(owner.view.locator(".bnviz-notices")).to_contain_text("replaced", timeout=60_000)
    owner.until_step(step + 10)
    assert owner.run == run


def test_a_cut_connection_is_taken_up_again(visit, server):
    lab = visit("/lab").until_step(3)
    run = lab.run
    # Every drawn frame is acknowledged through the socket of the run.
    lab.page.evaluate(
        """() => {
          const send = WebSocket.prototype.send;
          WebSocket.prototype.send = function (...said) {
            if (this.url.includes("/live/")) window.live = this;
            return send.apply(this, said);
          };
        }"""
    )
    lab.wait("window.live")
    lab.page.evaluate("(window.cut = window.live).close()")
    lab.wait("window.live !== window.cut && view.status === 'running'")
    lab.until_step(lab.step + 5)
    assert lab.run == run
