"""Mounts the live view: a component whose charts stay in the page while frames stream past it.

The component is a few lines of script that import the real module from `assets/`; everything it
shows comes to it over the run's socket, everything it asks for comes back as a command.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import orjson
import streamlit as st

from bnviz.charts.theme import theme
from bnviz.config import RunConfig
from bnviz.data import DATASETS, STAND_IN
from bnviz.live.protocol.frames import WIRE_VERSION
from bnviz.presets import PRESETS
from bnviz.ui.browser_history import browser_query
from bnviz.ui.chart_templates import chart_ids
from bnviz.ui.claims.measured import watchable
from bnviz.ui.claims.watching import moment_of
from bnviz.ui.commands import keep_charts, run_commands
from bnviz.ui.component import component, drawn_by
from bnviz.ui.embed import embedded, watching_only
from bnviz.ui.knobs import knob_data, network_labels, phrase_texts
from bnviz.ui.sharing import share_data
from bnviz.ui.tab_run import TabRun
from bnviz.ui.talks import talk_data, talk_words
from bnviz.words.texts import current_language, texts

# Charts with a button of their own; the others are in the gallery.
OFTEN = (
    "network", "percentiles", "drift", "saturation", "gradients", "io_jacobian", "boundary",
)  # fmt: skip

# Live knobs that may stand beside the learning rate on the stage.
SECOND = ("batch_size", "momentum", "weight_decay")

Size = Literal["full", "half"]
Part = Literal["transport", "step", "pace", "cards", "headlines", "timeline", "game"]
Layout = Literal["stack", "home", "stage"]


@dataclass(frozen=True, kw_only=True)
class LiveViewSpec:
    """One live view of a page.

    Attributes:
        key: of the component, once a page.
        charts: (name, size) in order; None: the lab's, which its visitor adds to.
        knobs: live knobs that stand in it.
        parts: what stands in it besides.
        layout: how the parts lie, for the styles; a "stage" has charts, knobs and labels alone.
        tells: steps of which the page's script is told when the run has passed them, and of its end
            where it ends before.
        one_on_phone: on a phone one chart at a time, with a row of names to choose by.
        waits: whether its buttons keep their place, but cannot be used yet.
        labels: what networks are called, where it is something else than elsewhere.
        chart_labels: the same within charts, where there is less room.
        heading: a title and the lines below it.
        replay: what somebody did before, which the run does again by itself: `changes` as pairs of
            a step and a learning rate, and the `title` once another hand has taken over.
        knob_specs: knob -> what is otherwise of it here (see `bnviz.ui.knobs`).
        notes: chart -> a few words that stand in its heading, such as a guess.
        drawing: a curve that is drawn over one of the charts (see `bnviz.ui.lessons.prediction`).
        question: what a class is asked here before all else: `text`, `answers`, `kind`, and of a
            lesson that has come to its end `happened`, which answers came true.
    """

    key: str
    charts: tuple[tuple[str, Size], ...] | None = None
    knobs: tuple[str, ...] = ("learning_rate",)
    parts: tuple[Part, ...] = ("transport", "timeline")
    layout: Layout = "stack"
    tells: tuple[int, ...] = ()
    one_on_phone: bool = False
    waits: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)
    chart_labels: Mapping[str, str] = field(default_factory=dict)
    heading: tuple[str, ...] = ()
    replay: Mapping[str, Any] | None = None
    knob_specs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    drawing: Mapping[str, Any] | None = None
    question: Mapping[str, Any] | None = None


LAB_VIEW = LiveViewSpec(key="live_view")


def mount_live_view(
    lab: TabRun,
    view: LiveViewSpec = LAB_VIEW,
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
        lab.view_drawn = True

    def on_reached_change() -> None:
        step = _reached(lab, view, st.session_state[view.key].reached)
        if on_reached is not None and step is not None:
            on_reached(step)

    def on_drawing_change() -> None:
        if on_drawing is not None:
            on_drawing(st.session_state[view.key].drawing)

    component("live_view", state_if_failed="drawn")(
        key=view.key, data=_data(lab, view), on_commands_change=on_commands,
        on_charts_change=on_charts, on_drawn_change=on_drawn, on_reached_change=on_reached_change,
        on_drawing_change=on_drawing_change,
    )  # fmt: skip


def _reached(lab: TabRun, view: LiveViewSpec, said: Any) -> int | None:
    """The step that a browser says its run has passed; None where it is none to be told of."""
    if not isinstance(said, dict) or said.get("run") != lab.run_id:
        return None
    step = said.get("step")
    return step if isinstance(step, int) and step in view.tells else None


def _data(lab: TabRun, view: LiveViewSpec) -> dict[str, Any]:
    data = _lab_data(lab, view)
    if view.layout == "stage":
        data |= _stage_data(view, data)
    elif view.charts is not None:
        data |= _block_data(lab, view, data)
    data = data | talk_data(lab) if view.charts is None else data
    return watching_only(data) if embedded() else data


def _stage_data(view: LiveViewSpec, data: Mapping[str, Any]) -> dict[str, Any]:
    """What is otherwise where a page has the stage: it keeps its own address and its own charts."""
    return {
        "opened": [], "leading": [], "moment": None, "paused_question": False, "address": None,
        "at": None, "labels": {**data["labels"], **view.labels}, "hide": [*data["hide"], "more"],
        "knobs": {**data["knobs"], "second": []},  # a lesson has the knobs that it is about
    }  # fmt: skip


def _block_data(lab: TabRun, view: LiveViewSpec, data: Mapping[str, Any]) -> dict[str, Any]:
    """What is otherwise where a view is a block: it claims neither address nor keys."""
    large, knobs = lab.query.present, data["knobs"]
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


def _lab_data(lab: TabRun, view: LiveViewSpec) -> dict[str, Any]:
    words = texts(name="lab")
    info, dark = lab.info(), st.context.theme.type == "dark"
    config, initial = lab.config, info.initial_config if info else lab.config
    return {
        "run": lab.run_id or None,
        **drawn_by("live_view.js"),
        "wire": WIRE_VERSION,
        "charts_ids": chart_ids(
            config,
            None if view.charts is None else tuple(name for name, _ in view.charts),
            tuple(view.chart_labels.items()),
            dark=dark,
            hall=lab.query.present,
        ),
        "often": list(OFTEN),
        "opened": list(lab.query.charts),
        "opened_turn": lab.charts_version,
        "leading": list(lab.query.leading),
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
        "page_waits": not lab.view_drawn,
        "pace": lab.pace,
        "present": lab.query.present,
        "paused_question": lab.query.paused,
        "hide": list(lab.query.hide),
        **share_data(lab),
        "knobs": knob_data(lab, view.knobs, SECOND if lab.query.present else ()),
        "commands_done": dict(lab.commands_done),
        "notices": [list(notice) for notice in lab.notices],
        "command": command_line(initial),
        "address": lab.to_query(),
        "heard": browser_query(),
        "read": lab.read_query,
        "at": lab.query.at,
        "entry": lab.history_entries,
        "query": lab.query.to_query(config, None),
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
    if lab.query.claim:
        return moment_of(watchable()[lab.query.claim], lab.config)
    name = lab.query.preset
    if "preset" in lab.query.hide or not lab.is_presets_run():
        return None
    return {"step": PRESETS[name].moment, "text": texts(name="presets")[name]["look"]}


def _question(lab: TabRun, view: LiveViewSpec) -> dict[str, Any] | None:
    """What a class is asked here before all else: `text`, `answers`, `kind`, `network`, `steps`.

    That of the lesson, or of the preset, of which only the live knobs may be others. None where
    there is none.
    """
    if view.charts is not None:
        return dict(view.question) if view.question is not None else None
    name = lab.query.preset
    question = PRESETS[name].question
    if (
        question is None
        or lab.query.claim
        or "preset" in lab.query.hide
        or not lab.has_presets_structure()
    ):
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
