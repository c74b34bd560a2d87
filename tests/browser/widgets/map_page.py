"""A page with a map on it, and a feed that the test writes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator, Page, Route, expect

from bnviz.charts.theme import theme
from bnviz.ui.chart_templates import palette
from bnviz.ui.map.page import map_words, steps_knob
from bnviz.words.texts import texts
from tests.browser.widgets.conftest import ORIGIN, Pages, taking

KEY = "a" * 32
RATES, SIZES = [0.01, 0.1, 1.0, 10.0], [4, 16, 64]
# Background colours of the app in the light and dark themes.
GROUND = ["#fff", "#0e1117"]


def row(network: int, i: int, j: int, kind: str) -> list[Any]:
    broke = [7, "layer 2", "saturated"] if kind == "broken" else [None, None, None]
    accuracy = {"learned": 0.95, "stuck": 0.1, "broken": None}[kind]
    return [
        network, i, j, RATES[i], SIZES[j], kind, accuracy, 0.2,
        *broke, float(kind == "learned"), 200, "learning", None, 0,
    ]  # fmt: skip


def base(broken_from: int = 3) -> list[list[Any]]:
    """Return rows of two networks: the first learns at the two lowest rates, the second at the
    `broken_from` lowest rates.
    """
    return [
        row(network, i, j, "learned" if i < limit else "broken")
        for network, limit in enumerate((2, broken_from))
        for j in range(len(SIZES))
        for i in range(len(RATES))
    ]


def data(**more: Any) -> dict[str, Any]:
    dark = more.get("dark", False)
    styles = theme(dark).networks(("none", "batch"))
    story = texts(name="story")
    return {
        "base": "", "version": "v1", "dark": dark, "palette": palette(dark), "language": "en",
        "key": KEY,
        "title": "Stability map", "intro": "Every cell is a network.", "alike": "here",
        "knobs": {"steps": steps_knob()},
        "texts": {"view": map_words(), "reading": {"wider": "{label} learns at more rates."}},
        "story": {"reason": story["reason"], "place": story["place"]},
        "across": {"knob": "learning_rate", "label": "learning rate", "said": "learning rate",
                   "rungs": RATES, "logarithmic": True, "whole": False},
        "up": {"knob": "batch_size", "label": "batch size (examples per mini-batch)",
               "said": "batch size", "rungs": SIZES, "logarithmic": True, "whole": True},
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
    """Page with a mounted map and a simulated feed."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.root: Locator = page.get_by_test_id("map")
        self.rows: list[list[Any]] = []
        self.status = "running"
        self.answer = 200
        self.asked: list[dict[str, str]] = []
        page.route(re.compile(rf"{ORIGIN}/maps/.*"), self._feed)

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
                        "sentences": {"largest": [["wider", {"label": "with BN"}]]}},
        }))  # fmt: skip

    def mount(self, **more: Any) -> None:
        given = ["map.js", data(**more), GROUND]
        self.page.evaluate("(given) => window.mountWidget(...given)", given)

    def drawn(self, points: int) -> None:
        expect(self.root).to_have_attribute("data-points", str(points))

    def heard(self) -> list[Any]:
        return self.page.evaluate("window.heard")

    @property
    def readout(self) -> Locator:
        return self.root.locator(".bnviz-stability-readout")


@contextmanager
def map_pages(pages: Pages) -> Iterator[Callable[..., MapPage]]:
    """Yield `open_map(rows, width=…, **data)`, which opens a map. Page errors fail the test."""
    with taking(pages) as take:

        def begin(rows: list[list[Any]], *, width: int = 1100, **more: Any) -> MapPage:
            opened = MapPage(take(width, 900))
            opened.rows = rows
            opened.mount(**more)
            if more.get("present"):  # a question opens a room, which outlives the view
                opened.page.evaluate("delete window.leave")
            return opened

        yield begin
