"""The recording of a talk: one file of HTML that plays from a memory stick, without a network.

Its data is measured by `bnviz.talks.recorder` and kept in `assets/talks`; this module puts
it into a page.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

import orjson

from bnviz.talks.talk import TALKS
from bnviz.words.texts import texts

ASSETS = Path(__file__).resolve().parents[2] / "assets"
COLOURS = {
    "none": ("#B34700", "#FF8A3D"), "batch": ("#0072B2", "#56B4E9"),
    "layer": ("#007A5A", "#2FC79A"),
}  # fmt: skip
MORE = ("#9C4F7A", "#E79BC2")


def data_path(name: str) -> Path:
    """Where the data of a talk's recording is kept."""
    return ASSETS / "talks" / f"{name}.json"


def recording(name: str, language: str, data: bytes | None = None) -> str:
    """The page of a talk's recording, as HTML.

    Args:
        name: of the talk.
        language: of its words.
        data: from `bnviz.talks.recorder.record`, as JSON; None: what the app comes with.

    Raises:
        KeyError: there is no such talk.
    """
    talk, made = TALKS[name], datetime.now(UTC).date()
    if data is None:
        data, made = _kept(name)
    words, norms = texts("talks", language), texts("norms", language)
    talk_words = words["talk"][name]
    measured = orjson.loads(data)
    networks = {norm for chapter in measured["chapters"] for norm in chapter["norms"]}
    content: dict[str, Any] = {
        "data": measured,
        "title": talk_words["title"],
        "stations": [
            {**talk_words["station"][station.name], "does": station.does, "chart": station.chart,
             "asks_layer": station.ask == "layer", "waits": station.paused}
            for station in talk.stations
        ],
        "words": {**words["recording"], "of": words["of"], "next": words["next"],
                  "back": words["back"], "first": texts("live", language)["stage"]["first"],
                  "place": texts("story", language)["place"]},
        "knobs": {name: texts("knobs", language)[name]["label"]
                  for name in ("learning_rate", "batch_size")},
        "networks": {norm: norms[norm]["network"] for norm in sorted(networks)},
        "colours": {norm: COLOURS.get(norm, MORE) for norm in sorted(networks)},
    }  # fmt: skip
    note = words["recording"]["made"].format(title=talk_words["title"], date=made.isoformat())
    style, charts, player = (
        (ASSETS / "recording" / part).read_text(encoding="utf-8")
        for part in ("player.css", "charts.js", "player.js")
    )
    return (
        f'<!doctype html><html lang="{escape(language)}"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">'
        f"<title>{escape(words['recording']['mark'])}: {escape(talk_words['title'])}</title>"
        f"<style>{style}</style><main></main><footer>{escape(note)}</footer>"
        f'<script type="application/json" id="recording">{_in_script(content)}</script>'
        f"<script>{charts}{player}</script>"
    )


def _in_script(content: dict[str, Any]) -> str:
    """JSON that can stand in a script element."""
    return orjson.dumps(content).decode().replace("<", "\\u003c")


@lru_cache(maxsize=8)
def _kept(name: str) -> tuple[bytes, date]:
    """A talk's data, and the day on which it was measured."""
    content = data_path(name).read_bytes()
    return content, date.fromisoformat(orjson.loads(content)["made"])
