"""Calls of the map's modules on an empty page with made-up cells, without mounting a map."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

from bnviz.charts.theme import theme
from bnviz.words.texts import texts
from tests.browser.widgets.map_page import RATES, SIZES, data

LABELS = {"none": "without BN", "batch": "with BN", "layer": "with layer norm"}


def ask(page: Page, name: str, parts: str = "map_parts", **given: Any) -> Any:
    """Return the result of a function of `map_parts.js`, or of the test module that `parts`
    names.
    """
    script = "async ([parts, name, given]) => (await import(`/tests/${parts}.js`))[name](given)"
    return page.evaluate(script, [parts, name, given])


def plan(*norms: str, **more: Any) -> dict[str, Any]:
    """Return the data from which a page mounts a map of these networks."""
    names = norms or ("none", "batch")
    styles = theme(more.get("dark", False)).networks(names)
    shown = [
        {"name": norm, "label": LABELS[norm], "short": norm, "colour": styles[norm].line,
         "ink": styles[norm].text, "dash": styles[norm].dash}
        for norm in names
    ]  # fmt: skip
    found = data(**{"norms": shown, **more})
    return {**found, "texts": {**found["texts"], "reading": dict(texts("map")["reading"])}}


def row(network: int, i: int, j: int, kind: str = "learned", **more: Any) -> list[Any]:
    """Return a row of the feed. Values that are not given follow from the kind."""
    broke = (7, "layer 2", "saturated") if kind == "broken" else (None, None, None)
    usual = {
        "x": RATES[0] * 10**i, "y": SIZES[0] * 4**j,
        "accuracy": {"learned": 0.95, "stuck": 0.1}.get(kind), "loss": 0.2, "step": broke[0],
        "layer": broke[1], "reason": broke[2], "share": float(kind == "learned"), "steps": 200,
        "state": "learning", "hill": None, "slow": 0,
    }  # fmt: skip
    assert not more.keys() - usual.keys()
    own = {**usual, **more}
    return [network, i, j, own.pop("x"), own.pop("y"), kind, *own.values()]
