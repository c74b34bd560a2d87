"""Mounts the live view: a component whose charts stay in the page while frames stream past it.

The component is a few lines of script that import the real module from `assets/`; everything it
shows comes to it over the run's socket, everything it asks for comes back as a command.
"""

from __future__ import annotations

import functools
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
from bnviz.texts import texts
from bnviz.ui.claims.measured import watchable
from bnviz.ui.claims.watching import moment_of
from bnviz.ui.commands import keep_charts, run_command
from bnviz.ui.knobs import knob_data, network_labels
from bnviz.ui.lab import Lab
from bnviz.ui.places import base_path

KEY = "live_view"
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


def mount_live_view(lab: Lab) -> None:
    """Draw the live view of the lab's run, and do what its buttons ask for."""

    def on_command() -> None:
        run_command(lab, st.session_state[KEY].command)

    def on_charts() -> None:
        keep_charts(lab, st.session_state[KEY].charts)

    def on_drawn() -> None:
        lab.drawn = True

    _component()(
        key=KEY, data=_data(lab), on_command_change=on_command, on_charts_change=on_charts,
        on_drawn_change=on_drawn,
    )  # fmt: skip


@functools.cache
def _component() -> Any:
    return st.components.v2.component("bnviz.live_view", js=LOADER, isolate_styles=False)


def _data(lab: Lab) -> dict[str, Any]:
    words = texts(name="lab")
    info, dark = lab.info(), st.context.theme.type == "dark"
    config, initial = lab.config, info.initial_config if info else lab.config
    return {
        "run": lab.run or None,
        "base": base_path(),
        "version": VERSION,
        "wire": WIRE_VERSION,
        "charts_id": offer(build_charts(_structure(config), dark, lab.page.present)),
        "often": list(OFTEN),
        "opened": list(lab.page.charts),
        "opened_turn": lab.turn,
        "leading": list(lab.page.leading),
        "texts": {
            **texts(name="live"),
            "story": dict(texts(name="story")),
            "lab": words["notice"],
        },
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
        "knobs": knob_data(lab, ["learning_rate"]),
        "notices": [list(notice) for notice in lab.notices],
        "command": command_line(initial),
        "address": lab.query(),
        "query": lab.page.to_query(config, None),
        "dark": dark,
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
def build_charts(config: RunConfig, dark: bool, large: bool) -> Templates:
    """Every chart that makes sense for a config, by group ("main", "more")."""
    data = DATASETS[config.dataset]
    view = ChartView(
        config=config, texts=chart_texts(), dark=dark, classes=data.classes,
        features=data.features, large=large,
    )  # fmt: skip
    groups: dict[str, list[dict[str, Any]]] = {"main": [], "more": []}
    for entry in CHARTS.values():
        if entry.fits(config):
            groups[entry.group].append(entry.build(view).to_json())
    return pack(groups)


def prepare_charts() -> None:
    """Make the charts that most visitors come for, before the first of them has come."""
    for dark in (False, True):
        offer(build_charts(_structure(PRESETS[DEFAULT_PRESET].config()), dark, False))


def plain(config: RunConfig) -> dict[str, Any]:
    """A config as JSON has it."""
    return dict(orjson.loads(orjson.dumps(config.model_dump())))


def command_line(config: RunConfig) -> str:
    """The command that makes a run of this config; the browser adds live changes and steps."""
    knobs = [f"--set {name}={value}" for name, value in config.to_query().items()]
    return " ".join(["python -m bnviz train", *knobs])
