"""What goes wrong while someone watches, and what the page says and does about it."""

import os
import signal
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Server


@pytest.fixture
def fragile():
    """A server of the test's own, with one worker."""
    server = Server(BNVIZ_WORKERS="1")
    yield server
    server.stop()


def workers(server):
    pid = server.process.pid
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_a_killed_worker_is_replaced_and_the_page_says_so(visit, fragile):
    lab = visit("/lab", base=fragile.url).until_step(40)
    run, step = lab.run, lab.step
    (worker,) = workers(fragile)
    os.kill(worker, signal.SIGKILL)
    expect(lab.view.locator(".bnviz-notices")).to_contain_text("replaced", timeout=60_000)
    lab.until_step(step + 10)
    assert lab.run == run
    lab.page.context.close()


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
