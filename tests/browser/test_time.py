"""Rewinding the whole page, coming back, and playing on from an earlier step."""

import re

import pytest
from playwright.sync_api import expect

BROKEN = "/lab?preset=broken-from-the-start"


def play(lab):
    return lab.until_step(20).hurry_to(45).pause()


@pytest.fixture(scope="module")
def kept(visit_once):
    """A run with a break in it, paused; its first steps were shown one by one."""
    return play(visit_once(BROKEN))


@pytest.fixture
def paused(kept):
    """That page, at its last step."""
    kept.paused_again(BROKEN, play).page.keyboard.press("Escape")
    return kept.wait("Number(view.step) >= 45")


def test_the_timeline_rewinds_the_page_and_comes_back(paused):
    last = paused.step
    line = paused.view.get_by_role("slider", name=re.compile("Timeline"))
    line.focus()
    line.press("Home")
    paused.wait("Number(view.step) === 0")
    expect(paused.card("none")).to_contain_text("At step 0")
    paused.page.keyboard.press("Escape")
    # The run's last frame may have been drawn after it was seen to pause.
    paused.wait("Number(view.step) >= argument", last)


def test_a_click_on_a_time_chart_shows_that_step_everywhere(paused):
    last = paused.step
    plot = paused.view.locator("[data-chart='loss'] .nsewdrag").first
    box = plot.bounding_box()
    paused.page.mouse.click(box["x"] + box["width"] * 0.3, box["y"] + box["height"] / 2)
    paused.wait("Number(view.step) < argument - 20", last)
    expect(paused.view.locator("[data-chart='layers']")).to_contain_text(f"step {paused.step}")
    paused.page.keyboard.press("Escape")
    paused.wait("Number(view.step) >= argument", last)


def test_show_the_break_plays_it_slowly(paused):
    paused.card("none").get_by_role("button", name="Show the break").click()
    paused.wait("Number(view.step) < 20")
    first = paused.step
    paused.wait("Number(view.step) > argument", first)
    assert paused.step - first <= 3


def test_play_from_here_starts_a_run_at_that_step(visit):
    paused = visit("/lab").until_step(8).pause()
    run = paused.run
    line = paused.view.get_by_role("slider", name=re.compile("Timeline"))
    line.focus()
    line.press("Home")
    for _ in range(3):
        line.press("ArrowRight")
    # A key goes to the next kept step; on a busy machine not every step was shown and kept.
    paused.wait("view.time === 'pinned' && Number(view.step) > 0")
    step = int(paused.view.get_attribute("data-step"))
    paused.button("Play from here").click()
    paused.wait(f"view.run && view.run !== argument && Number(view.step) >= {step}", run)
    paused.until_step(5)
