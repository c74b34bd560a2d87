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

from bnviz.charts import CHARTS, ChartView
from bnviz.charts.chart import chart_texts
from bnviz.charts.theme import theme
from bnviz.config import RunConfig
from bnviz.data import DATASETS, STAND_IN
from bnviz.live.protocol.frames import WIRE_VERSION
from bnviz.live.web.assets_route import VERSION
from bnviz.live.web.templates_route import Templates, offer, pack
from bnviz.presets import DEFAULT_PRESET, PRESETS
from bnviz.texts import ENGLISH, language, texts
from bnviz.ui.claims.measured import watchable
from bnviz.ui.claims.watching import moment_of
from bnviz.ui.commands import keep_charts, run_command
from bnviz.ui.embed import embedded, watching_only
from bnviz.ui.history import heard
from bnviz.ui.knobs import knob_data, network_labels, phrase_texts
from bnviz.ui.lab import Lab
from bnviz.ui.places import base_path
from bnviz.ui.view import THE_LAB, View

# Charts with a button of their own; the others are in the gallery.
OFTEN = ("percentiles", "drift", "saturation", "gradients", "io_jacobian", "boundary")

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
    lab: Lab, view: View = THE_LAB, on_reached: Callable[[int], None] | None = None
) -> None:
    """Draw a live view of a run, and do what its buttons ask for.

    Args:
        lab: what the tab shows of the run.
        view: what stands in it.
        on_reached: called, before the script runs again, with each step of `view.tells` that the
            run has passed.
    """

    def on_command() -> None:
        run_command(lab, st.session_state[view.key].command)

    def on_charts() -> None:
        keep_charts(lab, st.session_state[view.key].charts)

    def on_drawn() -> None:
        lab.drawn = True

    def on_reached_change() -> None:
        step = _reached(lab, view, st.session_state[view.key].reached)
        if on_reached is not None and step is not None:
            on_reached(step)

    _component()(
        key=view.key, data=_data(lab, view), on_command_change=on_command,
        on_charts_change=on_charts, on_drawn_change=on_drawn, on_reached_change=on_reached_change,
    )  # fmt: skip


def _reached(lab: Lab, view: View, said: Any) -> int | None:
    """The step that a browser says its run has passed; None where it is none to be told of."""
    if not isinstance(said, dict) or said.get("run") != lab.run:
        return None
    step = said.get("step")
    return step if isinstance(step, int) and step in view.tells else None


@functools.cache
def _component() -> Any:
    return st.components.v2.component("bnviz.live_view", js=LOADER, isolate_styles=False)


def _data(lab: Lab, view: View) -> dict[str, Any]:
    data = _lab_data(lab, view)
    data = data | _block_data(lab, view, data) if view.charts is not None else data
    return watching_only(data) if embedded() else data


def _block_data(lab: Lab, view: View, data: Mapping[str, Any]) -> dict[str, Any]:
    """What is otherwise where a view is a block: it claims neither address nor keys."""
    large = lab.page.present
    return {
        "block": {
            "layout": view.layout, "parts": list(view.parts), "sizes": dict(view.charts or ()),
            "tells": list(view.tells), "one_on_phone": view.one_on_phone, "large": large,
            "waits": view.waits, "heading": list(view.heading), "notes": dict(view.notes),
        },
        "opened": [], "leading": [], "moment": None, "present": False, "paused_question": False,
        "address": None, "at": None, "labels": {**data["labels"], **view.labels},
    }  # fmt: skip


def _lab_data(lab: Lab, view: View) -> dict[str, Any]:
    words = texts(name="lab")
    info, dark = lab.info(), st.context.theme.type == "dark"
    config, initial = lab.config, info.initial_config if info else lab.config
    names = None if view.charts is None else tuple(name for name, _ in view.charts)
    return {
        "run": lab.run or None,
        "base": base_path(),
        "version": VERSION,
        "wire": WIRE_VERSION,
        "charts_id": offer(
            build_charts(
                _structure(config),
                dark,
                lab.page.present,
                names,
                language(),
                tuple(view.chart_labels.items()),
            )
        ),
        "often": list(OFTEN),
        "opened": list(lab.page.charts),
        "opened_turn": lab.turn,
        "leading": list(lab.page.leading),
        "texts": {
            **texts(name="live"),
            "story": dict(texts(name="story")),
            "lab": words["notice"],
            **phrase_texts(),
            "glossary": dict(texts(name="glossary")),
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
        "knobs": knob_data(lab, view.knobs),
        "notices": [list(notice) for notice in lab.notices],
        "command": command_line(initial),
        "address": lab.query(),
        "heard": heard(),
        "read": lab.read,
        "at": lab.page.at,
        "entry": lab.entry,
        "query": lab.page.to_query(config, None),
        "dark": dark,
        "language": language(),
        "plane": DATASETS[config.dataset].plane,
    }


def _moment(lab: Lab) -> dict[str, Any] | None:
    """At which step the preset shows what it says; None where the run is another one.

    Of a claim, the step at which it is measured.
    """
    if lab.page.claim:
        return moment_of(watchable()[lab.page.claim], lab.config)
    name = lab.page.preset
    if (
        lab.page.claim
        or "preset" in lab.page.hide
        or not (lab.as_preset() and lab.began_as_preset())
    ):
        return None
    return {"step": PRESETS[name].moment, "text": texts(name="presets")[name]["look"]}


def _structure(config: RunConfig) -> RunConfig:
    """The part of a config that the charts' templates depend on: no live knob.

    The seed only where points of the plane are drawn: it decides which points those are.
    """
    default = RunConfig()
    same = ["learning_rate", "momentum", "weight_decay"]
    same += [] if DATASETS[config.dataset].plane else ["seed"]
    # The smallest batch: a larger one than the run's could be too much for a network this large.
    knobs = {name: getattr(default, name) for name in same}
    return config.replace(learning_rates=None, batch_size=1, **knobs)


@functools.lru_cache(maxsize=64)
def build_charts(
    config: RunConfig,
    dark: bool,
    large: bool,
    names: tuple[str, ...] | None,
    spoken: str,
    labels: tuple[tuple[str, str], ...],
) -> Templates:
    """The templates of charts that make sense for a config, by group ("main", "more").

    Args:
        config: the run's, as far as its charts depend on it.
        dark: the theme.
        large: type for a hall.
        names: these charts, in this order, each in a place of its own; None: those of the lab.
        spoken: the language of their words.
        labels: (norm, name) of networks that are called something else here.
    """
    data = DATASETS[config.dataset]
    words = chart_texts(spoken)
    own = {norm: {**words["norms"][norm], "network": name, "short": name} for norm, name in labels}
    view = ChartView(
        config=config, texts={**words, "norms": {**words["norms"], **own}}, dark=dark,
        classes=data.classes, features=data.features, large=large,
    )  # fmt: skip
    groups: dict[str, list[dict[str, Any]]] = {"main": [], "more": []}
    if names is not None:
        built = [CHARTS[name].build(view) for name in names if CHARTS[name].fits(config)]
        groups["main"] = [{**chart.to_json(), "switch": None} for chart in built]
        return pack(groups)
    for entry in CHARTS.values():
        if entry.group in groups and entry.fits(config):
            groups[entry.group].append(entry.build(view).to_json())
    return pack(groups)


def prepare_charts(names: tuple[str, ...] | None = None) -> None:
    """Make the charts that most visitors come for, before the first of them has come.

    Args:
        names: of a block; None: those of the lab.
    """
    config = _structure(PRESETS[DEFAULT_PRESET].config())
    for dark in (False, True):
        offer(build_charts(config, dark, False, names, ENGLISH, ()))


def plain(config: RunConfig) -> dict[str, Any]:
    """A config as JSON has it."""
    return dict(orjson.loads(orjson.dumps(config.model_dump())))


def command_line(config: RunConfig) -> str:
    """The command that makes a run of this config; the browser adds live changes and steps."""
    knobs = [f"--set {name}={value}" for name, value in config.to_query().items()]
    return " ".join(["python -m bnviz train", *knobs])
