"""Failures during a visit, and how the page reports and handles them."""

import os
import signal

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import TOKEN


@pytest.mark.verify
def test_a_killed_worker_is_replaced_and_the_page_says_so(visit, server):
    owner = visit("/lab?depth=2&width=16").until_step(3)
    run, step = owner.run, owner.step
    headers = {"Authorization": f"Bearer {TOKEN}"}
    answer = owner.page.request.get(f"{server.url}/status", headers=headers)
    (worker,) = answer.json()["workers"]
    os.kill(worker["pid"], signal.SIGKILL)
    expect(owner.view.locator(".bnviz-notices")).to_contain_text("replaced")
    owner.until_step(step + 10)
    assert owner.run == run
