"""Map page: the setting as a sentence, the component that draws the map, and a cell's card."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from bnviz.charts.theme import theme
from bnviz.config import UNIT_FACTORS
from bnviz.data import DATASETS
from bnviz.lessons.words import Filling
from bnviz.live import LiveError, current_hub
from bnviz.live.contract import MAP_COLOURS
from bnviz.locations import locations
from bnviz.sweeps.cells import Cell, CellOutcome
from bnviz.sweeps.plane import EVEN, WHOLE
from bnviz.sweeps.setting import MOST_STEPS, USUAL, MapSetting, Span
from bnviz.ui.chart_templates import palette
from bnviz.ui.component import component, drawn_by
from bnviz.ui.embed import embedded
from bnviz.ui.html import answer, tag
from bnviz.ui.knobs import format_number, phrase_texts
from bnviz.ui.map.card import draw_card, outcomes
from bnviz.ui.map.setting_sentence import STEPS, SettingSentence
from bnviz.ui.map.tab_map import TabMap, open_map
from bnviz.ui.navigation import navigate
from bnviz.ui.query_problems import answer_link
from bnviz.ui.sharing import class_address
from bnviz.ui.sitemap import base_path
from bnviz.ui.tab_run import LAB_STATE
from bnviz.ui.visitor import owner
from bnviz.words.phrase import error_text, integer_between
from bnviz.words.texts import current_language, texts

KEY = "map_view"


def draw_map() -> None:
    tab_map, words = open_map(), texts("map")["page"]
    navigate("map")
    answer_link(tab_map.query.problems)
    present, setting, maps = tab_map.query.present, tab_map.setting, current_hub().maps
    key, notices = "", [each.text() for each in tab_map.notices]
    done: Mapping[Cell, CellOutcome] = {}
    try:
        wanted = tab_map.stopped != setting.key and not tab_map.follows
        key = tab_map.key = maps.open(
            owner(), setting, replaces=tab_map.key, wanted=wanted, dragged=tab_map.dragged
        )
        done = maps.outcomes(key)
    except LiveError as error:
        notices.append(error_text(error))
    for notice in () if present else notices:
        st.html(answer(notice))
    found = outcomes(tab_map, done)
    if not present:
        # The component writes a summary of its cells into this heading.
        st.html(tag("h1", words["title"], class_="map-headline"))
        sentence = SettingSentence(tab_map)
        if embedded():
            st.html(tag("p", sentence.text()))
        else:
            sentence.draw()
    st.html(locations().assets / "map_card.css")
    with st.container(key="map_desk"):
        plane, run = st.columns(2)
    with plane:
        _mount(tab_map, key, len(found) - found.count(None), notices if present else ())
    with run:
        draw_card(tab_map, found)


def _mount(tab_map: TabMap, key: str, known: int, notices: Sequence[str]) -> None:
    """Mount the component that draws a map, and handle its events.

    Args:
        key: Key of the map in the hub, or "" if the hub refused it.
        known: Number of networks in the chosen cell with a known outcome.
    """

    def sent(name: str) -> Any:
        return getattr(st.session_state[KEY], name)

    def on_zoom() -> None:
        zoom = sent("zoom")
        if isinstance(zoom, dict):
            across, up = _pair(zoom.get("across")), _pair(zoom.get("up"))
            if across is not None and up is not None:
                tab_map.zoom(across, up)

    def on_back() -> None:
        crumb = sent("back")
        if isinstance(crumb, int) and 0 <= crumb < len(tab_map.query.zooms):
            tab_map.show(tab_map.query.back(crumb))

    def on_chosen() -> None:
        cell = sent("chosen")
        tab_map.choose(_pair((cell.get("x"), cell.get("y"))) if isinstance(cell, dict) else None)

    def on_colour() -> None:
        if (colour := sent("colour")) in MAP_COLOURS:
            tab_map.show(replace(tab_map.query, colour=colour))

    def on_wanted() -> None:
        tab_map.stopped = key if sent("wanted") == "no" else None

    def run_again() -> None:
        """Do nothing: the new script run requests the map and its outcomes again."""

    component("map")(
        key=KEY, data={**_data(tab_map, key, known), "notices": notices}, on_zoom_change=on_zoom,
        on_back_change=on_back, on_chosen_change=on_chosen, on_colour_change=on_colour,
        on_wanted_change=on_wanted, on_steps_change=lambda: tab_map.set_steps(sent("steps")),
        on_gone_change=run_again, on_known_change=run_again,
    )  # fmt: skip


def _pair(values: Any) -> tuple[float, float] | None:
    """Convert to two finite numbers, or return None if the browser sent something else."""
    try:
        first, second = map(float, values)
    except (TypeError, ValueError, OverflowError):
        return None
    return (first, second) if math.isfinite(first) and math.isfinite(second) else None


def _data(tab_map: TabMap, key: str, known: int) -> dict[str, Any]:
    setting, query, words = tab_map.setting, tab_map.query, texts("map")
    dark, story = st.context.theme.type == "dark", texts("story")
    return {
        **drawn_by("map.js"),
        "dark": dark,
        "palette": palette(dark),
        "title": words["page"]["title"],
        "language": current_language(),
        "texts": {
            "view": map_words(),
            "reading": words["reading"],
        },
        "class_address": class_address(),
        "story": {"reason": story["reason"], "place": story["place"]},
        "key": key,
        "alike": _alike(setting),
        "across": _axis(setting.across),
        "up": _axis(setting.up),
        "norms": _networks(setting, dark),
        "colour": query.colour,
        "steps": setting.steps,
        "seeds": setting.seeds,
        "equal": setting.equal,
        "dataset": DATASETS[setting.config.dataset].label,
        "cross": _cross(setting),
        "chosen": query.cell and {"x": query.cell[0], "y": query.cell[1], "known": known},
        "crumbs": _crumbs(tab_map),
        "ends": setting.ends,
        "present": query.present,
        "framed": embedded(),
        "follows": tab_map.follows,
        "knobs": {"steps": steps_knob()},
        "stopped": tab_map.stopped == key,
        "command": command_line(setting),
        "claim": _claim(setting),
    }


def _alike(setting: MapSetting) -> str:
    """Key that is equal for two maps if only the ranges of their axes differ."""
    query = {**setting.to_query(), "across": setting.across.knob, "up": setting.up.knob}
    return urlencode(sorted(query.items()))


def _claim(setting: MapSetting) -> dict[str, str] | None:
    """Claim about small batches, for a map of batch sizes without and with BN; otherwise None."""
    knobs, config = (setting.across.knob, setting.up.knob), setting.config
    usual = config.rate_factors == UNIT_FACTORS and not config.fixed_statistics
    if "batch_size" not in knobs or not {"none", "batch"} <= set(config.norms) or not usual:
        return None
    place = Filling().sentence("{claim:E14.four-best.place}")
    text = Filling().sentence(texts("map")["claim"]["text"])
    return {"text": text, "href": f"{base_path()}/claims?row={place}"}


def map_words() -> dict[str, Any]:
    own, live = texts("map")["view"], texts("live")
    return {
        **own, **phrase_texts(), "sharing": dict(texts("share")), "class": dict(texts("class")),
        "stage": live["stage"], "knob": live["knob"],
        "notice": {**own["notice"], "dismiss": live["notice"]["dismiss"]},
    }  # fmt: skip


def steps_knob() -> dict[str, Any]:
    """Data of the steps slider, the only knob of the map in the presentation view."""
    return {
        "label": texts("map")["page"]["label"]["steps"], "rungs": list(STEPS), "page": 2,
        "home": USUAL.steps, "least": 1, "most": MOST_STEPS,
        "allowed": integer_between(1, MOST_STEPS).plain(),
    }  # fmt: skip


def _axis(span: Span) -> dict[str, Any]:
    words = texts("map")["page"]
    return {
        "knob": span.knob, "label": words["axis"][span.knob], "said": words["said"][span.knob],
        "rungs": span.rungs, "logarithmic": span.knob not in EVEN,
        "whole": span.knob in WHOLE,
    }  # fmt: skip


def _networks(setting: MapSetting, dark: bool) -> list[dict[str, str]]:
    words = texts("norms")
    return [
        {
            "name": norm, "label": words[norm]["network"], "short": words[norm]["short"],
            "colour": style.line, "ink": style.text, "dash": style.dash,
        }
        for norm, style in theme(dark).networks(setting.config.norms).items()
    ]  # fmt: skip


def _cross(setting: MapSetting) -> dict[str, float] | None:
    """Position of the lab's run on the map; None without a lab run, or if a knob has no value."""
    lab = st.session_state.get(LAB_STATE)
    if lab is None:
        return None
    x, y = (getattr(lab.config, span.knob) for span in (setting.across, setting.up))
    return None if x is None or y is None else {"x": x, "y": y}


def _crumbs(tab_map: TabMap) -> list[dict[str, str]]:
    """Labels of the enclosing maps, the widest first, and of the current map."""
    if not tab_map.query.zooms:
        return []
    inner = [*tab_map.query.zooms[1:], (tab_map.setting.across, tab_map.setting.up)]
    labels = [
        " × ".join(f"{format_number(span.low)}–{format_number(span.high)}" for span in spans)
        for spans in inner
    ]
    return [{"label": label} for label in (texts("map")["page"]["whole"], *labels)]


def command_line(setting: MapSetting) -> str:
    """Command that measures the map's cells, or "" if the command does not support the axes."""
    axes = {span.knob: span for span in (setting.across, setting.up)}
    if axes.keys() != {"learning_rate", "batch_size"} or setting.equal == "data":
        return ""
    rates, sizes = (
        ",".join(f"{value:.9g}" for value in axes[knob].rungs)
        for knob in ("learning_rate", "batch_size")
    )
    parts = [f"--learning-rates {rates} --batch-sizes {sizes} --steps {setting.steps}"]
    parts += [f"--seeds {setting.seeds}"] if setting.seeds > 1 else []
    knobs = setting.config.to_query().items()
    parts += [f"--set {name}={text}" for name, text in knobs if name not in axes]
    return " ".join(["python -m bnviz sweep", *parts])
