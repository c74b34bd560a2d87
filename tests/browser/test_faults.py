"""What goes wrong while someone watches, and what the page says and does about it."""

import os
import signal
from pathlib import Path

from playwright.sync_api import expect


def workers(server):
    pid = server.process.pid
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_bytes().split()]


def test_a_killed_worker_is_replaced_and_the_page_says_so(visit, server):
    owner = visit("/lab?depth=2&width=16").until_step(3)
    run, step = owner.run, owner.step
    (worker,) = workers(server)
    os.kill(worker, signal.SIGKILL)
    expect(owner.view.locator(".bnviz-notices")).to_contain_text("replaced", timeout=120_000)
    owner.until_step(step + 10)
    assert owner.run == run
