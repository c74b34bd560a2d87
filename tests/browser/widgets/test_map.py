"""The stability map in a browser, with a feed that the test writes."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.accessible import low_contrast, serious
from tests.browser.widgets.conftest import ORIGIN
from tests.browser.widgets.map_page import KEY, base, map_pages


@pytest.fixture
def open_map(pages):
    with map_pages(pages) as begin:
        yield begin


def test_it_fills_in_has_borders_and_a_headline_and_stops_and_goes_on(open_map):
    opened = open_map(base()[:12])
    opened.drawn(12)
    lines = opened.root.locator("[data-border]")
    expect(lines).to_have_count(1)
    expect(opened.root.get_by_role("heading", level=2)).to_contain_text("Which of these settings")
    opened.rows = base()
    opened.drawn(24)
    expect(lines).to_have_count(2)
    headline = "Batch normalization allows learning rates 10 times as large as without it."
    expect(opened.root.get_by_role("heading", level=2)).to_contain_text(headline)
    expect(opened.root).to_contain_text("24 of about 120 networks · 4 s left · 28 per second")
    expect(opened.root).to_contain_text("With BN learns at more rates.")
    for words in ("both learn", "only with BN", "line: the largest learning rate that works"):
        expect(opened.root.locator(".bnviz-stability-keys").first).to_contain_text(words)
    with opened.page.expect_request(re.compile("wanted=0")):
        opened.page.get_by_role("button", name="Stop").click()
    opened.page.get_by_role("button", name="Go on").wait_for()
    with opened.page.expect_request(re.compile("wanted=1")):
        opened.page.get_by_role("button", name="Go on").click()
    assert {"wanted": "0", "after": "24"} in opened.asked
    opened.status = "finished"
    expect(opened.root).to_have_attribute("data-status", "finished")
    asked = len(opened.asked)
    opened.page.wait_for_timeout(600)  # longer than the polling interval
    assert len(opened.asked) == asked


def test_keys_move_choose_and_zoom(open_map):
    opened = open_map(base())
    opened.drawn(24)
    page = opened.page
    plane = opened.root.get_by_role("application").first
    plane.focus()
    for key in ("Home", "PageDown", "ArrowRight", "ArrowUp"):
        page.keyboard.press(key)
    expect(opened.readout).to_contain_text("Learning rate 0.1, batch size 16")
    page.keyboard.press("ArrowRight")
    broke = "broke at step 7 (layer 2: over 90 % of its values saturated), outputs not finite"
    expect(opened.readout).to_contain_text(f"Without BN: {broke}")
    expect(opened.root.locator("[aria-live]")).to_contain_text(f"Without BN: {broke}.")
    page.keyboard.press("Enter")
    assert opened.heard() == [["chosen", {"x": 1, "y": 16}]]
    for key in ("z", "ArrowLeft", "ArrowDown"):
        page.keyboard.press(key)
    expect(page.locator("[data-zoom]")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("[data-zoom]")).to_have_count(0)
    for key in ("z", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    (name, zoom) = opened.heard()[-1]
    assert name == "zoom"
    assert zoom["across"] == pytest.approx([10**-1.5, 10**0.5])
    assert zoom["up"] == [4, 8]
    opened.mount(key="b" * 32)
    expect(plane).to_be_focused()
    page.get_by_role("button", name="whole plane").click()
    assert opened.heard()[-1] == ["back", 0]
    opened.mount(crumbs=[])
    expect(plane).to_be_focused()


def test_a_pointer_shows_chooses_and_zooms(open_map):
    opened = open_map(base())
    opened.drawn(24)
    ground = opened.root.locator(".bnviz-stability-ground").first.bounding_box()
    x = lambda share: ground["x"] + share * ground["width"]  # noqa: E731
    y = lambda share: ground["y"] + share * ground["height"]  # noqa: E731
    opened.page.mouse.move(x(0.6), y(0.5))
    expect(opened.readout).to_contain_text("Learning rate 1, batch size 16")
    opened.page.mouse.down()
    opened.page.mouse.up()
    assert opened.heard() == [["chosen", {"x": 1, "y": 16}]]
    opened.page.mouse.move(x(0.25), y(0.1))
    opened.page.mouse.down()
    opened.page.mouse.move(x(0.75), y(0.5), steps=3)
    opened.page.mouse.up()
    (name, zoom) = opened.heard()[-1]
    assert (name, zoom["up"]) == ("zoom", [16, 64])
    assert zoom["across"] == pytest.approx([10**-1.5, 10**0.5], rel=0.02)


def test_a_zoom_shows_what_was_known_until_it_is_done_and_another_map_does_not(open_map):
    opened = open_map(base())
    opened.drawn(24)
    ghost = opened.root.locator(".bnviz-stability-ghost path")
    faint = opened.root.get_by_text("faint: result from the previous map")
    opened.rows = base()[:2]
    across = {"rungs": [0.1, 0.316228, 1.0], "label": "learning rate", "knob": "learning_rate"}
    across |= {"said": "learning rate", "logarithmic": True, "whole": False}
    opened.mount(key="b" * 32, across=across)
    opened.drawn(2)
    expect(faint).to_be_visible()
    assert ghost.count() > 0
    opened.status = "finished"
    expect(ghost).to_have_count(0)
    expect(faint).to_be_hidden()
    # A map of other networks shows no earlier results.
    opened.status = "running"
    opened.mount(key="c" * 32, across=across, alike="other")
    opened.drawn(2)
    expect(faint).to_be_hidden()
    assert ghost.count() == 0


def test_a_map_that_is_gone_or_cannot_be_reached_is_told_and_comes_back(open_map):
    opened = open_map(base()[:12])
    opened.drawn(12)
    page = opened.page
    # The page's line about a lost connection follows these events.
    page.evaluate(
        "addEventListener('bnviz-connection', (event) => { since = event.detail.since; })"
    )
    opened.answer = 503
    expect(opened.root).to_have_attribute("data-status", "disconnected")
    page.wait_for_function("() => since instanceof Date")
    opened.answer = 404
    expect(opened.root).to_contain_text("The server no longer has this map.")
    assert opened.heard() == [["gone", KEY]]
    opened.answer, opened.rows = 200, base()
    opened.drawn(24)
    expect(opened.root).not_to_contain_text("The server")
    assert page.evaluate("since") is None


def test_every_way_of_colouring_is_readable_for_axe(open_map):
    opened = open_map(base())
    opened.drawn(24)
    assert serious(opened.page) == []
    for dark in (False, True):
        opened.mount(dark=dark)
        expect(opened.root).to_have_attribute("data-theme", "dark" if dark else "light")
        radios = opened.root.get_by_role("radio")
        assert radios.count() == 5
        for radio in radios.all():
            radio.check(force=True)
            assert low_contrast(opened.page) == []
    assert [name for name, _ in opened.heard()] == ["colour"] * 9


def test_a_phone_and_a_hall_have_the_plane(open_map):
    opened = open_map(base(), width=390)
    opened.drawn(24)
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 390
    opened.mount(present=True)
    expect(opened.root.locator(".bnviz-stability-plane")).to_have_count(1)
    small = """[...document.querySelectorAll('.bnviz-stability :is(text, span, p)')]
      .filter((e) => e.checkVisibility() && e.textContent.trim())
      .map((e) => [parseFloat(getComputedStyle(e).fontSize), e.textContent])
      .filter(([size]) => size < 20)"""
    assert opened.page.evaluate(small) == []


def test_the_picture_that_is_exported_stands_alone(open_map):
    opened = open_map(base())
    opened.drawn(24)
    opened.mount(base="/behind")
    opened.page.get_by_role("button", name="Export").click()
    csv = opened.page.get_by_role("link", name="CSV")
    expect(csv).to_have_attribute("href", f"/behind/maps/{KEY}.csv")
    with opened.page.expect_download() as saved:
        opened.page.locator("[data-export=svg]").click()
    text = saved.value.path().read_text("utf-8")
    for words in ("rates 10 times as large", "only", "neither learns", "bnviz sweep", ORIGIN):
        assert words in text
    with opened.page.expect_download() as saved:
        opened.page.locator("[data-export=png]").click()
    assert saved.value.path().read_bytes().startswith(b"\x89PNG")
    table = opened.root.get_by_text("The limits as a table")
    opened.page.keyboard.press("Escape")
    table.click()
    expect(opened.root.get_by_role("row").nth(1)).to_contain_text("640.01 to 0.10.01 to 1")
