"""Mounts the map: a component that draws what it hears of a map from the server.

The page of the map.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from bnviz.charts.theme import theme
from bnviz.config import KNOBS, RunConfig
from bnviz.lessons.words import Filling
from bnviz.live import LiveError, current_hub
from bnviz.live.web.assets import VERSION
from bnviz.sweeps.cells import Cell, Outcome
from bnviz.sweeps.plane import EVEN, WHOLE
from bnviz.sweeps.refine import FINEST
from bnviz.sweeps.setting import MOST_STEPS, USUAL, MapSetting, Span
from bnviz.ui.embed import embedded
from bnviz.ui.html import tag
from bnviz.ui.kit_page import colour
from bnviz.ui.knobs import number, phrase_texts
from bnviz.ui.map.card import draw_card, outcomes
from bnviz.ui.map.query import COLOURS
from bnviz.ui.map.sidebar import STEPS, MapSidebar
from bnviz.ui.map.tab_map import TabMap, open_map
from bnviz.ui.navigation import navigate
from bnviz.ui.sharing import class_address
from bnviz.ui.sitemap import MAP, ROOT, base_path
from bnviz.ui.tab_run import LAB_STATE, owner
from bnviz.words.phrase import error_text, integer_between
from bnviz.words.texts import current_language, texts

KEY = "map_view"

# An inline module is a blob: it has no address that `/assets/…` could be relative to.
LOADER = """
export default function (component) {
  const { base, version } = component.data;
  const address = new URL(`${base}/assets/${version}/map.js`, location.origin).href;
  const mounted = import(address).then((module) => module.default(component));
  return () => { mounted.then((cleanup) => cleanup && cleanup()); };
}
"""


def mount_map(desk: TabMap, key: str, known: int = 0, notices: Sequence[str] = ()) -> None:
    """Draw a map, and do what its visitor asks for in it.

    Args:
        desk: what the tab shows.
        key: of the map, as the hub has it; "" where it could not be had.
        known: of how many networks of the chosen cell it is known what became of them.
        notices: sentences that have no other place on the page.
    """

    def said(name: str) -> Any:
        return getattr(st.session_state[KEY], name)

    def on_zoom() -> None:
        ranges = _ranges(said("zoom"))
        if ranges is not None:
            desk.zoom(*ranges)

    def on_back() -> None:
        crumb = said("back")
        if isinstance(crumb, int) and 0 <= crumb < len(desk.visit.zooms):
            desk.show(desk.visit.back(crumb))

    def on_chosen() -> None:
        cell = said("chosen")
        desk.choose(_pair((cell.get("x"), cell.get("y"))) if isinstance(cell, dict) else None)

    def on_colour() -> None:
        colour = said("colour")
        if colour in COLOURS:
            desk.colour(colour)

    def on_wanted() -> None:
        desk.stopped = key if said("wanted") == "no" else None

    def on_steps() -> None:
        desk.take_steps(said("steps"))

    data = {**_data(desk, key, known), "notices": list(notices)}
    _component()(
        key=KEY, data=data, on_zoom_change=on_zoom, on_back_change=on_back,
        on_chosen_change=on_chosen, on_colour_change=on_colour, on_wanted_change=on_wanted,
        on_steps_change=on_steps, on_gone_change=_nothing, on_known_change=_nothing,
    )  # fmt: skip


def _nothing() -> None:
    """The script that runs now asks for the map again, and for what is known of its cell."""


def _pair(values: Any) -> tuple[float, float] | None:
    """Two finite numbers; None where a browser sent anything else."""
    try:
        first, second = map(float, values)
    except (TypeError, ValueError, OverflowError):
        return None
    return (first, second) if math.isfinite(first) and math.isfinite(second) else None


def _ranges(said: Any) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """The rectangle that a browser asks for."""
    if not isinstance(said, dict):
        return None
    across, up = _pair(said.get("across")), _pair(said.get("up"))
    return None if across is None or up is None else (across, up)


@functools.cache
def _component() -> Any:
    return st.components.v2.component("bnviz.map", js=LOADER, isolate_styles=False)


def _data(desk: TabMap, key: str, known: int) -> dict[str, Any]:
    """What `assets/map.js` needs to know."""
    setting, visit, words = desk.setting, desk.visit, texts("map")
    dark = st.context.theme.type == "dark"
    story = texts(name="story")
    return {
        "base": base_path(),
        "version": VERSION,
        "dark": dark,
        "palette": palette(dark),
        "title": words["page"]["title"],
        "intro": words["page"]["intro"],
        "language": current_language(),
        "texts": {
            "view": map_words(),
            "reading": dict(words["reading"]),
        },
        "class_address": class_address(),
        "story": {"reason": dict(story["reason"]), "place": dict(story["place"])},
        "key": key,
        "alike": _alike(setting),
        "finest": FINEST,
        "across": _axis(setting, setting.across),
        "up": _axis(setting, setting.up),
        "norms": _networks(setting, dark),
        "colour": visit.colour,
        "steps": setting.steps,
        "seeds": setting.seeds,
        "equal": setting.equal,
        "dataset": setting.config.dataset,
        "cross": _cross(setting),
        "chosen": visit.cell and {"x": visit.cell[0], "y": visit.cell[1], "known": known},
        "crumbs": _crumbs(desk),
        "ends": setting.ends,
        "present": visit.present,
        "framed": embedded(),
        "follows": desk.follows,
        "knobs": {"steps": steps_knob()},
        "stopped": desk.stopped == key,
        "command": command_line(setting),
        "claim": _claim(setting),
    }


def _alike(setting: MapSetting) -> str:
    """What maps have in common of which one is a part of the other: all but the axes' ends."""
    query = {**setting.to_query(), "across": setting.across.knob, "up": setting.up.knob}
    return urlencode(sorted(query.items()))


def _claim(setting: MapSetting) -> dict[str, str] | None:
    """What the claims measured of small batches, and where; None where the map asks another thing.

    Of networks without and with BN, over batch sizes.
    """
    knobs = {span.knob for span in (setting.across, setting.up)}
    if "batch_size" not in knobs or not {"none", "batch"} <= set(setting.config.norms):
        return None
    place = Filling().sentence("{claim:E14.four-best.place}")
    text = Filling().sentence(texts("map")["claim"]["text"])
    return {"text": text, "href": f"{base_path()}/claims?row={place}"}


def map_words() -> dict[str, Any]:
    """The map's words, and those of the parts that it has in common with the lab."""
    own, live = texts("map")["view"], texts("live")
    return {
        **own, **phrase_texts(), "sharing": dict(texts("share")), "class": dict(texts("class")),
        "stage": dict(live["stage"]), "knob": dict(live["knob"]),
        "notice": {**own["notice"], "dismiss": live["notice"]["dismiss"]},
    }  # fmt: skip


def palette(dark: bool) -> dict[str, str]:
    """The colours of the kit that a map is drawn with."""
    return {name: colour(name, dark=dark) for name in ("paper", "ink", "muted")}


def steps_knob() -> dict[str, Any]:
    """The knob that a hall sees."""
    allowed = integer_between(1, MOST_STEPS)
    return {
        "label": texts("map")["page"]["label"]["steps"], "rungs": list(STEPS), "page": 2,
        "home": USUAL.steps, "least": 1, "most": MOST_STEPS,
        "allowed": {"key": allowed.key, "values": dict(allowed.values)},
    }  # fmt: skip


def _axis(setting: MapSetting, span: Span) -> dict[str, Any]:
    words = texts("map")["page"]
    data: dict[str, Any] = {
        "knob": span.knob, "label": words["axis"][span.knob], "said": words["said"][span.knob],
        "rungs": list(span.rungs), "logarithmic": span.knob not in EVEN,
        "whole": span.knob in WHOLE,
    }  # fmt: skip
    if span.knob == "batch_size":
        configs = [setting.config.replace(batch_size=size) for size in span.rungs]
        data["passes"] = [_passes(setting.passes(config)) for config in configs]
    return data


def _passes(count: float) -> str:
    """How often the training set is passed over: 0.6×, 36×."""
    return f"{count:.1f}×" if count < 10 else f"{count:.0f}×"


def _networks(setting: MapSetting, dark: bool) -> list[dict[str, str]]:
    words, styles = texts(name="norms"), theme(dark).networks(setting.config.norms)
    return [
        {
            "name": norm, "label": words[norm]["network"], "short": words[norm]["short"],
            "colour": styles[norm].line, "ink": styles[norm].text, "dash": styles[norm].dash,
        }
        for norm in setting.config.norms
    ]  # fmt: skip


def _cross(setting: MapSetting) -> dict[str, float] | None:
    """Where the lab's run stands on the map; None where it is no setting of it."""
    lab = st.session_state.get(LAB_STATE)
    if lab is None:
        return None
    x, y = (getattr(lab.config, span.knob) for span in (setting.across, setting.up))
    return None if x is None or y is None else {"x": x, "y": y}


def _crumbs(desk: TabMap) -> list[dict[str, str]]:
    """The maps that were zoomed into, and at the end the one that stands there."""
    if not desk.visit.zooms:
        return []
    inner = [*desk.visit.zooms[1:], (desk.setting.across, desk.setting.up)]
    labels = [f"{_range(across)} × {_range(up)}" for across, up in inner]
    return [{"label": label} for label in (texts("map")["page"]["whole"], *labels)]


def _range(span: Span) -> str:
    return f"{number(span.low)}–{number(span.high)}"


def command_line(setting: MapSetting) -> str:
    """The command that measures the same cells, where it can: rates by batch sizes."""
    axes = {span.knob: span for span in (setting.across, setting.up)}
    knobs = {name: text for name, text in setting.config.to_query().items() if name not in axes}
    if axes.keys() != {"learning_rate", "batch_size"} or setting.equal == "data":
        return ""
    rates, sizes = (
        ",".join(f"{value:.9g}" for value in axes[knob].rungs)
        for knob in ("learning_rate", "batch_size")
    )
    parts = [f"--learning-rates {rates} --batch-sizes {sizes} --steps {setting.steps}"]
    parts += [f"--seeds {setting.seeds}"] if setting.seeds > 1 else []
    parts += [f"--set {name}={text}" for name, text in knobs.items() if name in KNOBS]
    return " ".join(["python -m bnviz sweep", *parts, "--refine"])


def draw_map() -> None:
    """Draw the map that the address asks for, what is asked of it beside it."""
    desk, words = open_map(), texts("map")["page"]
    navigate(MAP)
    key, notices = "", list(desk.notices)
    done: Mapping[Cell, Outcome] = {}
    hub = current_hub()
    try:
        wanted = desk.stopped != desk.setting.key and not desk.follows
        key = hub.maps.open(owner(), desk.setting, replaces=desk.key, wanted=wanted)
        desk.key = key
        done = hub.maps.outcomes(key)
    except LiveError as error:
        notices.append(error_text(error))
    for notice in () if desk.visit.present else notices:
        st.html(tag("p", notice, class_="bnviz-answer", role="status"))
    found = outcomes(desk, done)
    st.html(ROOT / "assets" / "map_card.css")
    with st.container(key="map_desk"):
        plane, run = st.columns(2)
    with plane:
        mount_map(
            desk, key, len(found) - found.count(None), notices if desk.visit.present else ()
        )  # fmt: skip
    with run:
        draw_card(desk, done)
    if embedded():
        return
    with st.sidebar:
        with st.container(key="page_title"):
            st.markdown(f"**{words['title']}**\n\n{words['intro']}")
            here, lab = desk.setting.config.width, RunConfig().width
            if here != lab:
                st.markdown(words["lab"].format(width=here, lab=lab))
        MapSidebar(desk).draw()
