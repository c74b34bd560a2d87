"""Mounts the live view: a component whose charts stay in the page while frames stream past it.

The component is a few lines of script that import the real module from `assets/`; everything it
shows comes to it over the run's socket, everything it asks for comes back as a command.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import orjson
import streamlit as st

from bnviz.charts.theme import theme
from bnviz.config import RunConfig
from bnviz.data import DATASETS, STAND_IN
from bnviz.live.protocol.frames import WIRE_VERSION
from bnviz.live.web.assets import VERSION
from bnviz.presets import PRESETS
from bnviz.ui.browser_history import browser_query
from bnviz.ui.chart_templates import charts_ids
from bnviz.ui.claims.measured import watchable
from bnviz.ui.claims.watching import moment_of
from bnviz.ui.commands import keep_charts, run_commands
from bnviz.ui.embed import embedded, watching_only
from bnviz.ui.knobs import knob_data, network_labels, phrase_texts
from bnviz.ui.sharing import share_data
from bnviz.ui.sitemap import base_path
from bnviz.ui.tab_run import TabRun
from bnviz.ui.talks import talk_data, talk_words
from bnviz.ui.view import THE_LAB, View
from bnviz.words.texts import current_language, texts

# Charts with a button of their own; the others are in the gallery.
OFTEN = (
    "network", "percentiles", "drift", "saturation", "gradients", "io_jacobian", "boundary",
)  # fmt: skip

# Live knobs that may stand beside the learning rate on the stage.
SECOND = ("batch_size", "momentum", "weight_decay")

# An inline module is a blob: it has no address that `/assets/…` could be relative to.
LOADER = """
export default function (component) {
  const { base, version } = component.data;
  const address = new URL(`${base}/assets/${version}/live_view.js`, location.origin).href;
  const mounted = import(address).then((module) => module.default(component), (error) => {
    component.setStateValue("drawn", true); // the rest of the page is not to wait for it
    throw error;
  });
  return () => { mounted.then((cleanup) => cleanup && cleanup()); };
}
"""


def mount_live_view(
    lab: TabRun,
    view: View = THE_LAB,
    on_reached: Callable[[int], None] | None = None,
    on_drawing: Callable[[Any], None] | None = None,
) -> None:
    """Draw a live view of a run, and do what its buttons ask for.

    Args:
        lab: what the tab shows of the run.
        view: what stands in it.
        on_reached: called, before the script runs again, with each step of `view.tells` that the
            run has passed.
        on_drawing: called before it with what was drawn over a chart, as the browser sends it.
    """

    def on_commands() -> None:
        run_commands(lab, st.session_state[view.key].commands)

    def on_charts() -> None:
        keep_charts(lab, st.session_state[view.key].charts)

    def on_drawn() -> None:
        lab.drawn = True

    def on_reached_change() -> None:
        step = _reached(lab, view, st.session_state[view.key].reached)
        if on_reached is not None and step is not None:
            on_reached(step)

    def on_drawing_change() -> None:
        if on_drawing is not None:
            on_drawing(st.session_state[view.key].drawing)

    _component()(
        key=view.key, data=_data(lab, view), on_commands_change=on_commands,
        on_charts_change=on_charts, on_drawn_change=on_drawn, on_reached_change=on_reached_change,
        on_drawing_change=on_drawing_change,
    )  # fmt: skip


def _reached(lab: TabRun, view: View, said: Any) -> int | None:
    """The step that a browser says its run has passed; None where it is none to be told of."""
    if not isinstance(said, dict) or said.get("run") != lab.run:
        return None
    step = said.get("step")
    return step if isinstance(step, int) and step in view.tells else None


@functools.cache
def _component() -> Any:
    return st.components.v2.component("bnviz.live_view", js=LOADER, isolate_styles=False)


def _data(lab: TabRun, view: View) -> dict[str, Any]:
    data = _lab_data(lab, view)
    if view.layout == "stage":
        data |= _stage_data(view, data)
    elif view.charts is not None:
        data |= _block_data(lab, view, data)
    data = data | talk_data(lab) if view.charts is None else data
    return watching_only(data) if embedded() else data


def _stage_data(view: View, data: Mapping[str, Any]) -> dict[str, Any]:
    """What is otherwise where a page has the stage: it keeps its own address and its own charts."""
    return {
        "opened": [], "leading": [], "moment": None, "paused_question": False, "address": None,
        "at": None, "labels": {**data["labels"], **view.labels}, "hide": [*data["hide"], "more"],
        "knobs": {**data["knobs"], "second": []},  # a lesson has the knobs that it is about
    }  # fmt: skip


def _block_data(lab: TabRun, view: View, data: Mapping[str, Any]) -> dict[str, Any]:
    """What is otherwise where a view is a block: it claims neither address nor keys."""
    large, knobs = lab.page.present, data["knobs"]
    specs = {
        name: {**spec, **view.knob_specs.get(name, {})} for name, spec in knobs["specs"].items()
    }
    return {
        "knobs": {**knobs, "specs": specs},
        "block": {
            "layout": view.layout, "parts": list(view.parts), "sizes": dict(view.charts or ()),
            "one_on_phone": view.one_on_phone, "large": large,
            "waits": view.waits, "heading": list(view.heading), "notes": dict(view.notes),
            "drawing": dict(view.drawing) if view.drawing else None,
            "replay": dict(view.replay) if view.replay else None,
        },
        "opened": [], "leading": [], "moment": None, "present": False, "paused_question": False,
        "address": None, "at": None, "labels": {**data["labels"], **view.labels},
    }  # fmt: skip


def _lab_data(lab: TabRun, view: View) -> dict[str, Any]:
    words = texts(name="lab")
    info, dark = lab.info(), st.context.theme.type == "dark"
    config, initial = lab.config, info.initial_config if info else lab.config
    return {
        "run": lab.run or None,
        "base": base_path(),
        "version": VERSION,
        "wire": WIRE_VERSION,
        "charts_ids": charts_ids(lab, view, dark=dark),
        "often": list(OFTEN),
        "opened": list(lab.page.charts),
        "opened_turn": lab.turn,
        "leading": list(lab.page.leading),
        "texts": {
            **texts(name="live"),
            "story": dict(texts(name="story")),
            "lab": words["notice"],
            "class": dict(texts(name="class")),
            **phrase_texts(),
            "glossary": dict(texts(name="glossary")),
            "sharing": dict(texts(name="share")),
            "talks": talk_words(),
        },
        "title": words["title"],
        "config": plain(config),
        "initial": plain(initial),
        "norms": list(config.norms),
        "dataset_label": DATASETS[config.dataset].label,
        "stand_in_label": DATASETS[STAND_IN].label,
        "moment": _moment(lab),
        "colours": {
            norm: {"line": style.line, "text": style.text, "dash": style.dash}
            for norm, style in theme(dark).networks(config.norms).items()
        },
        "labels": network_labels(lab),
        "can_control": lab.can_control,
        "page_waits": not lab.drawn,
        "pace": lab.pace,
        "present": lab.page.present,
        "paused_question": lab.page.paused,
        "hide": list(lab.page.hide),
        **share_data(lab),
        "knobs": knob_data(lab, view.knobs, SECOND if lab.page.present else ()),
        "commands_done": dict(lab.commands_done),
        "notices": [list(notice) for notice in lab.notices],
        "command": command_line(initial),
        "address": lab.query(),
        "heard": browser_query(),
        "read": lab.read,
        "at": lab.page.at,
        "entry": lab.entry,
        "query": lab.page.to_query(config, None),
        "dark": dark,
        "language": current_language(),
        "chance": 1 / DATASETS[config.dataset].classes,
        "question": _question(lab, view),
        "tells": list(view.tells),
        "plane": DATASETS[config.dataset].plane,
    }


def _moment(lab: TabRun) -> dict[str, Any] | None:
    """At which step the preset shows what it says; None where the run is another one.

    Of a claim, the step at which it is measured.
    """
    if lab.page.claim:
        return moment_of(watchable()[lab.page.claim], lab.config)
    name = lab.page.preset
    if "preset" in lab.page.hide or not lab.is_presets_run():
        return None
    return {"step": PRESETS[name].moment, "text": texts(name="presets")[name]["look"]}


def _question(lab: TabRun, view: View) -> dict[str, Any] | None:
    """What a class is asked here before all else: `text`, `answers`, `kind`, `network`, `steps`.

    That of the lesson, or of the preset, of which only the live knobs may be others. None where
    there is none.
    """
    if view.charts is not None:
        return dict(view.question) if view.question is not None else None
    name = lab.page.preset
    question = PRESETS[name].question
    if question is None or lab.page.claim or "preset" in lab.page.hide or not lab.as_preset():
        return None
    return {
        "text": texts(name="presets")[name]["ask"], "answers": None, "kind": question.kind,
        "network": question.network, "steps": question.steps, "needs": dict(question.needs),
    }  # fmt: skip


def plain(config: RunConfig) -> dict[str, Any]:
    """A config as JSON has it."""
    return dict(orjson.loads(orjson.dumps(config.model_dump())))


def command_line(config: RunConfig) -> str:
    """The command that makes a run of this config; the browser adds live changes and steps."""
    knobs = [f"--set {name}={value}" for name, value in config.to_query().items()]
    return " ".join(["python -m bnviz train", *knobs])
