"""A run with several viewers: who can view it, who can control it, and what a reload keeps."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import CALM


def shared_link(lab):
    lab.button("Share").click()
    field = lab.page.locator("dialog input").first
    expect(field).to_have_value(re.compile(f"run={lab.run}"))
    link = field.input_value()
    lab.page.keyboard.press("Escape")
    return link.split("/", 3)[3]


@pytest.mark.verify
def test_another_browser_watches_follows_the_owner_or_makes_a_copy_and_controls_that(visit):
    owner = visit("/lab?paused=1&depth=3&width=16", **CALM).drawn()
    viewer = visit("/" + shared_link(owner), **CALM).drawn()
    assert viewer.run == owner.run
    expect(viewer.page.get_by_text("belongs to someone else").first).to_be_visible()
    expect(viewer.button("Play")).to_be_hidden()
    expect(viewer.slider("Learning rate")).to_have_count(1)
    expect(viewer.slider("Learning rate")).to_be_disabled()
    viewer.page.keyboard.press("Space")
    owner.one_step(owner.button("One step").click)
    viewer.wait("Number(view.step) === 1 && view.status === 'paused'")
    owner.nudge("Hidden layers", -1)
    owner.wait("view.run && view.run !== argument && Number(view.step) >= 3", viewer.run)
    viewer.wait("view.run === argument && Number(view.step) >= 3", owner.run)
    expect(viewer.button("Pause")).to_be_hidden()
    run = owner.run
    viewer.button("Make my own copy").click()
    viewer.wait("view.run && view.run !== argument", run)
    viewer.until_step(3).pause()
    assert owner.status == "running"
    # A reload keeps the run and the right to control it.
    owner.pause()
    step = owner.step
    owner.page.reload()
    owner.drawn()
    assert owner.run == run
    assert owner.step >= step
    owner.one_step(owner.button("One step").click)
