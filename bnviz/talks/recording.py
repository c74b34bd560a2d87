"""Recording of a talk as one HTML file, which plays without a network connection."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime
from functools import lru_cache
from html import escape
from itertools import cycle
from pathlib import Path
from typing import Any

import orjson

from bnviz.config import LIVE_KNOBS
from bnviz.locations import locations
from bnviz.talks.talk import TALKS, Talk, words_of
from bnviz.words.texts import texts

ASSETS = locations().assets
# Colours of a network in the light and the dark theme, as on the app's pages. Networks that are not
# listed take the colours of `OTHERS` in order.
COLOURS = {"none": ("#B34700", "#FF8A3D"), "batch": ("#0072B2", "#56B4E9")}
OTHERS = (
    ("#007A5A", "#2FC79A"), ("#9C4F7A", "#E79BC2"), ("#6B5F00", "#D9C64A"), ("#5B41A3", "#B39DFF"),
)  # fmt: skip
# Chart shown at a station (stop of a talk) whose own chart is not available in a recording.
USUAL_CHART = "loss"


def data_path(name: str) -> Path:
    return ASSETS / "talks" / f"{name}.json"


def recording(name: str, language: str, data: bytes | None = None, talk: Talk | None = None) -> str:
    """Return the HTML page of a talk's recording.

    Args:
        data: result of `bnviz.talks.recorder.record` as JSON, or None for the stored recording.
        talk: talk that was recorded, or None for the app's talk of this name.

    Raises:
        KeyError: the app has no talk of this name.
    """
    talk, made = talk or TALKS[name], datetime.now(UTC).date()
    if data is None:
        data, made = _kept(name)
    words, norms = texts("talks", language), texts("norms", language)
    said, charts_there = words_of(name, talk, language), words["recording"]["chart"]
    measured = orjson.loads(data)
    networks = dict.fromkeys(norm for chapter in measured["chapters"] for norm in chapter["norms"])
    content: dict[str, Any] = {
        "data": measured,
        "title": said.title,
        "stations": [
            {"title": own.title, "ask": own.ask, "say": own.say, "answers": station.answers,
             "does": station.does, "asks_layer": station.ask == "layer", "waits": station.paused,
             "chart": station.chart if station.chart in charts_there else USUAL_CHART}
            for station, own in zip(talk.stations, said.stations, strict=True)
        ],
        "words": {**words["recording"], "of": words["of"], "next": words["next"],
                  "back": words["back"], "first": texts("live", language)["stage"]["first"],
                  "place": texts("story", language)["place"]},
        "knobs": {knob: texts("knobs", language)[knob]["label"] for knob in LIVE_KNOBS},
        "networks": {norm: norms[norm]["network"] for norm in networks},
        "colours": _colours(networks),
    }  # fmt: skip
    note = words["recording"]["made"].format(title=said.title, date=made.isoformat())
    style, charts, player = (
        (ASSETS / "recording" / part).read_text(encoding="utf-8")
        for part in ("player.css", "charts.js", "player.js")
    )
    return (
        f'<!doctype html><html lang="{escape(language)}"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">'
        f"<title>{escape(words['recording']['mark'])}: {escape(said.title)}</title>"
        f"<style>{style}</style><main></main><footer>{escape(note)}</footer>"
        f'<script type="application/json" id="recording">{_in_script(content)}</script>'
        f"<script>{charts}{player}</script>"
    )


def _colours(norms: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return each network's colours for the light and the dark theme."""
    free, found = cycle(OTHERS), {}
    for norm in norms:
        found[norm] = COLOURS[norm] if norm in COLOURS else next(free)
    return found


def _in_script(content: dict[str, Any]) -> str:
    """Encode JSON so that it can be part of a script element."""
    return orjson.dumps(content).decode().replace("<", "\\u003c")


@lru_cache(maxsize=8)
def _kept(name: str) -> tuple[bytes, date]:
    """Return the stored data of a talk, and the day on which they were measured."""
    content = data_path(name).read_bytes()
    return content, date.fromisoformat(orjson.loads(content)["made"])
