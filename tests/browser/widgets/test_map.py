"""The stability map in a browser, with a feed that the test writes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from bnviz.charts.theme import theme
from bnviz.texts import texts
from bnviz.ui.map.mounting import map_words, steps_knob
from tests.browser.accessible import serious
from tests.browser.widgets.conftest import ORIGIN, serve

KEY = "a" * 32
RATES, SIZES = [0.01, 0.1, 1.0, 10.0], [4, 16, 64]
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,">
<title>map</title><meta name="viewport" content="width=device-width,initial-scale=1">
<style>body { margin: 0; padding: 10px; font: 16px/1.5 sans-serif; }</style>
<main id="place"></main><script type="module">
const { default: mount } = await import("/assets/v1/map.js");
window.heard = [];
window.mountMap = (data) => {
  document.body.style.background = data.dark ? "#0e1117" : "#fff";
  mount({ parentElement: document.getElementById("place"), data, setStateValue() {},
    setTriggerValue: (name, value) => window.heard.push([name, value]) });
};
</script>"""


def row(network: int, i: int, j: int, kind: str) -> list[Any]:
    broke = [7, "layer 2", "saturated"] if kind == "broken" else [None, None, None]
    accuracy = {"learned": 0.95, "stuck": 0.1, "broken": None}[kind]
    return [
        network, i, j, RATES[i // 8] if i % 8 == 0 else 0.3, SIZES[j // 8], kind, accuracy, 0.2,
        *broke, float(kind == "learned"), 200, "learning",
    ]  # fmt: skip


def base(broken_from: int = 24) -> list[list[Any]]:
    """The plain network learns at the first two rates, the other at all below `broken_from`."""
    return [
        row(network, i, j, "learned" if i < limit else "broken")
        for network, limit in enumerate((16, broken_from))
        for j in range(0, 8 * len(SIZES), 8)
        for i in range(0, 8 * len(RATES), 8)
    ]


def data(**more: Any) -> dict[str, Any]:
    styles = theme(more.get("dark", False)).networks(("none", "batch"))
    story = texts(name="story")
    return {
        "base": "", "version": "v1", "dark": False, "language": "en", "key": KEY, "finest": 8,
        "knobs": {"steps": steps_knob()},
        "texts": {"view": map_words(), "reading": {"wider": "{label} learns at more rates."}},
        "story": {"reason": story["reason"], "place": story["place"]},
        "across": {"knob": "learning_rate", "label": "learning rate", "said": "learning rate",
                   "rungs": RATES, "logarithmic": True, "whole": False},
        "up": {"knob": "batch_size", "label": "batch size", "said": "batch size",
               "rungs": SIZES, "logarithmic": True, "whole": True,
               "passes": ["0.6×", "2.2×", "8.9×"]},
        "norms": [
            {"name": norm, "label": label, "short": norm, "colour": styles[norm].line,
             "ink": styles[norm].text, "dash": styles[norm].dash}
            for norm, label in (("none", "without BN"), ("batch", "with BN"))
        ],
        "colour": "outcome", "steps": 200, "seeds": 1, "equal": "steps", "dataset": "digits",
        "cross": {"x": 0.1, "y": 60}, "chosen": None, "ends": False, "present": False,
        "crumbs": [{"label": "whole plane"}, {"label": "rates 0.01 to 10"}], "stopped": False,
        "command": "python -m bnviz sweep", **more,
    }  # fmt: skip


class MapPage:
    """A page with a map on it, and what its feed is to answer."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.root: Locator = page.get_by_test_id("map")
        self.rows: list[list[Any]] = []
        self.status = "running"
        self.answer = 200
        self.asked: list[dict[str, str]] = []
        page.route(f"{ORIGIN}/**", serve)
        page.route(f"{ORIGIN}/", lambda route: route.fulfill(body=PAGE, content_type="text/html"))
        page.route(re.compile(rf"{ORIGIN}/maps/.*"), self._feed)
        page.goto(ORIGIN + "/")
        page.wait_for_function("Boolean(window.mountMap)")

    def _feed(self, route: Route) -> None:
        if self.answer != 200:
            route.fulfill(status=self.answer, body="{}")
            return
        asked = {
            name: value for name, (value,) in parse_qs(urlsplit(route.request.url).query).items()
        }
        self.asked.append(asked)
        route.fulfill(content_type="application/json", body=json.dumps({
            "key": KEY, "status": self.status, "n": len(self.rows), "edges": {"none": 0.5},
            "points": self.rows[int(asked["after"]) :], "problem": None,
            "progress": {"done": len(self.rows), "total": 118, "seconds_left": 4, "rate": 28.1,
                         "phase": "base"},
            "reading": {"largest": [{"y": size, "none": 0.1, "batch": 10} for size in SIZES],
                        "sentences": [["wider", {"label": "with BN"}]]},
        }))  # fmt: skip

    def mount(self, **more: Any) -> None:
        self.page.evaluate("(data) => window.mountMap(data)", data(**more))

    def drawn(self, points: int) -> None:
        expect(self.root).to_have_attribute("data-points", str(points))

    def heard(self) -> list[Any]:
        return self.page.evaluate("window.heard")

    @property
    def readout(self) -> Locator:
        return self.root.locator(".bnviz-stability-readout")


@pytest.fixture(scope="module")
def open_map(chromium: Browser) -> Iterator[Callable[..., MapPage]]:
    problems: list[str] = []
    contexts = []

    def begin(rows: list[list[Any]], *, width: int = 1100, **more: Any) -> MapPage:
        context = chromium.new_context(viewport={"width": width, "height": 900})
        contexts.append(context)
        context.set_default_timeout(15_000)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        opened = MapPage(page)
        opened.rows = rows
        opened.mount(**more)
        return opened

    yield begin
    for context in contexts:
        context.close()
    assert not problems, "\n".join(problems)


def test_it_fills_in_names_its_regions_and_stops_and_goes_on(open_map):
    opened = open_map(base()[:12])
    opened.drawn(12)
    assert opened.root.locator(".bnviz-stability-labels text").count() == 0
    opened.rows = base()
    opened.drawn(24)
    names = opened.root.locator(".bnviz-stability-labels text")
    said = sorted(" ".join(label.locator("tspan").all_text_contents()) for label in names.all())
    assert said == ["both learn", "neither", "only with BN"]
    drawn = opened.root.locator("[data-plane=batch] .bnviz-stability-borders path").last
    expect(drawn).to_have_attribute("stroke-dasharray", re.compile(r"\d"))  # the plain one's
    expect(opened.root).to_contain_text("24 of about 120 networks · 4 s left · 28 a second")
    expect(opened.root).to_contain_text("With BN learns at more rates.")
    expect(opened.root).to_contain_text("large map: none learned")
    expect(opened.root.locator("[data-end]")).to_have_count(len(SIZES))
    expect(opened.root).to_contain_text("learns up to the map’s last value, and maybe beyond it")
    opened.page.get_by_role("button", name="Stop").click()
    opened.page.get_by_role("button", name="Go on").wait_for()
    with opened.page.expect_request(re.compile("wanted=1")):
        opened.page.get_by_role("button", name="Go on").click()
    assert {"wanted": "0", "after": "24"} in opened.asked
    opened.status = "finished"
    expect(opened.root).to_have_attribute("data-status", "finished")
    asked = len(opened.asked)
    opened.page.wait_for_timeout(600)  # longer than between two questions
    assert len(opened.asked) == asked


def test_keys_move_choose_and_zoom(open_map):
    blown_up = [*row(0, 20, 8, "learned")[:8], 9, None, "blown_up", 1.0, 200, "blown_up"]
    opened = open_map([*base(), row(0, 12, 8, "stuck"), blown_up])
    opened.drawn(26)
    page = opened.page
    plane = opened.root.get_by_role("application").first
    plane.focus()
    for key in ("Home", "PageDown", "ArrowRight", "ArrowUp"):
        page.keyboard.press(key)
    expect(opened.readout).to_contain_text("Learning rate 0.1, batch size 16")
    page.keyboard.press("Shift+ArrowRight")
    expect(opened.readout).to_contain_text("Learning rate 0.3, batch size 16")
    expect(opened.readout).to_contain_text("Without BN: not learned yet, 10 % test accuracy")
    page.keyboard.press("ArrowRight")
    broke = "broke at step 7 (layer 2: over 90 % of its values saturated), no finite answer"
    expect(opened.readout).to_contain_text(f"Without BN: {broke}")
    expect(opened.root.locator("[aria-live]")).to_contain_text(f"Without BN: {broke}.")
    page.keyboard.press("Enter")
    assert opened.heard() == [["chosen", {"x": 1, "y": 16}]]
    for key in ("z", "ArrowLeft", "ArrowDown"):
        page.keyboard.press(key)
    expect(page.locator("[data-zoom]")).to_have_count(3)
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
    opened.drawn(26)
    for key in ("Home", "PageDown", "ArrowUp", *["Shift+ArrowRight"] * 4):
        page.keyboard.press(key)
    expect(opened.readout).to_contain_text("Without BN: learned, though it broke at step 9, 95 %")


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


def test_a_map_that_is_gone_or_cannot_be_reached_is_told_and_comes_back(open_map):
    opened = open_map(base()[:12])
    opened.drawn(12)
    opened.answer = 503
    expect(opened.root).to_contain_text("The server cannot be reached.")
    opened.answer = 404
    expect(opened.root).to_contain_text("The server no longer has this map.")
    assert opened.heard() == [["gone", KEY]]
    opened.answer, opened.rows = 200, base()
    opened.drawn(24)
    expect(opened.root).not_to_contain_text("The server")


@pytest.mark.parametrize("dark", [False, True])
def test_every_way_of_colouring_is_readable_for_axe(open_map, dark):
    opened = open_map(base(), dark=dark)
    opened.drawn(24)
    radios = opened.root.get_by_role("radio")
    assert radios.count() == 5
    for radio in radios.all():
        radio.check(force=True)
        assert serious(opened.page) == []
    assert [name for name, _ in opened.heard()] == ["colour"] * 4


def test_a_phone_has_the_planes_one_under_the_other(open_map):
    opened = open_map(base(), width=390)
    opened.drawn(24)
    boxes = [box.bounding_box() for box in opened.root.locator(".bnviz-stability-plane").all()]
    assert [box["y"] for box in boxes] == sorted({box["y"] for box in boxes})
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 390
    opened.mount(present=True)
    expect(opened.root.locator(".bnviz-stability-plane")).to_have_count(1)
    small = """[...document.querySelectorAll('.bnviz-stability :is(text, span, p)')]
      .filter((e) => e.checkVisibility() && e.textContent.trim())
      .map((e) => [parseFloat(getComputedStyle(e).fontSize), e.textContent])
      .filter(([size]) => size < 20)"""
    assert opened.page.evaluate(small) == []


def test_a_class_predicts_a_covered_map_and_is_told_when_it_is_drawn(open_map):
    opened = open_map(base()[:12], present=True)
    opened.drawn(12)
    page, root = opened.page, opened.root
    page.route(re.compile(rf"{ORIGIN}/room.*"), lambda route: route.abort())
    page.keyboard.press("a")
    composer = page.get_by_role("dialog", name="Ask the class")
    expect(composer).to_contain_text("12 of its networks were seen already")
    composer.get_by_role("radio", name="At batch size 4").check()
    with page.expect_request(re.compile("wanted=0")):
        page.keyboard.press("Enter")
    layer = page.get_by_role("dialog")
    layer.get_by_role("button", name="A Without BN").click()
    layer.get_by_role("button", name="Back to the stage").click()
    # What others have drawn meanwhile waits for the class, and what was drawn is covered.
    opened.rows, opened.status = base(), "finished"
    with page.expect_response(re.compile("wanted=0")):
        pass
    expect(root).to_have_attribute("data-status", "paused")
    expect(root).to_have_attribute("data-points", "12")
    expect(root.locator(".bnviz-stability-cells")).not_to_be_visible()
    expect(opened.readout).to_have_text("Covered while the class thinks.")
    assert serious(page) == []
    page.keyboard.press("Space")
    opened.drawn(24)
    panel = page.get_by_role("region", name="The class")
    expect(panel.locator(".class-came")).to_have_text(re.compile("With BN.*happened"))
    said = "Batch size 4, largest learning rate that learned: without BN 0.1, with BN 1."
    expect(panel).to_contain_text(said)
    expect(root.locator("[aria-live]")).to_have_text(said)
    expect(root.locator(".bnviz-stability-cells")).to_be_visible()
    expect(panel.locator("[data-place='0']")).to_contain_text("you")
    assert "right" not in panel.inner_text()
    # The map is drawn: asked again, it has nothing to go on with, and is shown.
    panel.get_by_role("button", name="Ask again").click()
    expect(composer).to_contain_text("This map is drawn already and was seen.")
    composer.get_by_role("radio", name="Your own words").check()
    composer.get_by_label("Question", exact=True).last.fill("Why?")
    for letter in "AB":
        composer.get_by_label(f"Answer {letter}").fill(f"Because {letter}")
    page.keyboard.press("Enter")
    # The teacher's own words hide nothing, and nothing is computed of them.
    expect(layer.get_by_role("button", name="Show the map")).to_be_visible()
    layer.get_by_role("button", name="Show the map").click()
    expect(root.locator(".bnviz-stability-cells")).to_be_visible()
    expect(panel.locator(".class-came")).to_have_count(0)


def test_the_hall_turns_the_steps_and_a_number_that_is_none_is_answered(open_map):
    opened = open_map(base(), present=True)
    opened.drawn(24)
    steps = opened.root.get_by_role("slider", name="Steps")
    steps.press("ArrowRight")
    steps.press("ArrowRight")
    opened.page.wait_for_function("window.heard.length > 0")
    assert opened.heard() == [["steps", 500]]
    opened.root.get_by_role("button", name="Steps: 500. Type a value").click()
    opened.page.keyboard.type("2.5")
    opened.page.keyboard.press("Enter")
    expect(opened.root.get_by_role("alert")).to_have_text(
        "`steps` must be a whole number between 1 and 2000, got “2.5”."
    )


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
    for words in ("Who survives 200 steps?", "only", "darker is better", "bnviz sweep", ORIGIN):
        assert words in text
    with opened.page.expect_download() as saved:
        opened.page.locator("[data-export=png]").click()
    assert saved.value.path().read_bytes().startswith(b"\x89PNG")
    table = opened.root.get_by_text("The borders as a table")
    opened.page.keyboard.press("Escape")
    table.click()
    expect(opened.root.get_by_role("row").nth(1)).to_contain_text("640.01 to 0.10.01 to 1")
