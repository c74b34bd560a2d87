"""Live view of a run: a component whose charts stay mounted while new frames arrive.

`LiveViewSpec` describes one live view. Its charts receive values over the run's WebSocket, and its
buttons send commands to the script (`bnviz.ui.commands`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import streamlit as st

from bnviz.actions import SCALE_WEIGHTS
from bnviz.charts import CHARTS
from bnviz.charts.scale import REACH, zones
from bnviz.charts.theme import paper_colours
from bnviz.config import KNOBS, RunConfig
from bnviz.data import DATASETS, STAND_IN
from bnviz.data.shown import shown_images
from bnviz.knobs import to_text
from bnviz.live.protocol.frames import WIRE_VERSION
from bnviz.presets import PRESETS
from bnviz.ui.browser_history import browser_query
from bnviz.ui.chart_templates import chart_ids, network_colours, picture_ids
from bnviz.ui.claims.claim_in_lab import step_to_see
from bnviz.ui.claims.measured import claims_in_lab
from bnviz.ui.commands import keep_charts, run_commands
from bnviz.ui.component import component, drawn_by
from bnviz.ui.embed import embedded, watching_only
from bnviz.ui.knobs import (
    device_reason,
    knob_data,
    live_choices,
    network_labels,
    phrase_texts,
)  # fmt: skip
from bnviz.ui.report import lab_report
from bnviz.ui.sharing import share_data
from bnviz.ui.tab_run import TabRun
from bnviz.ui.talks import talk_data, talk_words
from bnviz.words.phrase import phrase
from bnviz.words.texts import current_language, of_each, texts

# Charts with their own button; all other charts are in the gallery.
FREQUENT_CHARTS = (
    "network", "percentiles", "drift", "saturation", "gradients", "io_jacobian", "boundary",
)  # fmt: skip

# Knobs that the line below a picture always names, or that its chart already shows.
IN_EVERY_LINE = (
    "dataset", "depth", "width", "activation", "learning_rate", "learning_rates", "rate_factors",
    "batch_size", "seed", "device", "norms",
)  # fmt: skip

# Live knobs that may be added next to the learning rate in the presentation view.
SECOND = ("batch_size", "momentum", "weight_decay")

ChartWidth = Literal["full", "half"]
Part = Literal["transport", "step", "pace", "cards", "band", "timeline", "prompt"]
Layout = Literal["stack", "home", "stage"]


@dataclass(frozen=True, kw_only=True)
class LiveViewSpec:
    """Description of one live view on a page.

    Attributes:
        key: Key of the component, unique on the page.
        charts: Pairs (name, size), or None for the lab's charts, to which a visitor can add others.
        layout: Layout of the style sheets; "stage" has only charts, knobs and labels.
        last_step: Initial end of the time axes, or None if they grow with the run.
        at: Step shown first, or None for the newest step.
        ranges: Initial axis ranges by measured quantity (see `Lesson`).
        report_steps: Steps after which the script runs again, as it does if the run ends earlier.
        one_on_phone: Whether a phone shows one chart at a time, with a row of names to choose from.
        leads: Chart that a phone shows first, or None, and the number of the stop that chose it. A
            new number selects the chart again.
        waits: Whether the buttons are disabled.
        follows: Whether the view mirrors another view of the run on this page, at the same step.
        labels: Names that replace the usual names of networks, by norm.
        label_keys: Text keys of `labels`.
        chart_labels: Names that replace the usual names within charts, by norm.
        heading: Title, and the lines below it.
        replay: Changes that the run repeats: `changes`, pairs of a step and a learning rate, and
            `title`, the title after the visitor sets a knob.
        painted_waits: Whether the learning-rate track is painted only after the first break.
        notes: Short texts for chart headings, by chart, such as a guess.
        hints: Texts on what to look at, by chart, where they differ from the usual text.
        covered: Short texts that cover values not yet revealed, by chart.
        drawing: Curve drawn over one of the charts (see `bnviz.ui.lessons.prediction`).
        question: First question for a class: `text`, `answers` and `kind`, the phrases
            `text_phrase` and `answer_phrases`, and the true answers `happened` after a lesson's
            run.
        report: Parts of a report that are not measured (see `bnviz.ui.report`), or None for no
            report. The lab makes these parts itself.
        opinion: Question for a vote that no run decides: `text`, `answers` and their phrases.
    """

    key: str
    charts: tuple[tuple[str, ChartWidth], ...] | None = None
    knobs: tuple[str, ...] = ("learning_rate",)
    parts: tuple[Part, ...] = ("transport", "timeline")
    layout: Layout = "stack"
    last_step: int | None = None
    at: int | None = None
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    report_steps: tuple[int, ...] = ()
    one_on_phone: bool = False
    leads: tuple[str | None, int] = (None, 0)
    waits: bool = False
    follows: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)
    label_keys: Mapping[str, str] = field(default_factory=dict)
    chart_labels: Mapping[str, str] = field(default_factory=dict)
    heading: tuple[str, ...] = ()
    replay: Mapping[str, Any] | None = None
    painted_waits: bool = False
    notes: Mapping[str, str] = field(default_factory=dict)
    hints: Mapping[str, str] = field(default_factory=dict)
    covered: Mapping[str, str] = field(default_factory=dict)
    drawing: Mapping[str, Any] | None = None
    question: Mapping[str, Any] | None = None
    report: Mapping[str, Any] | None = None
    opinion: Mapping[str, Any] | None = None


LAB_VIEW = LiveViewSpec(key="live_view")


def mount_live_view(
    run: TabRun,
    view: LiveViewSpec = LAB_VIEW,
    on_drawing: Callable[[Any], None] | None = None,
) -> None:
    """Draw a live view and execute its commands.

    Args:
        on_drawing: Callback for the unchecked curve that the visitor drew over a chart.
    """

    def sent(part: str) -> Any:
        return getattr(st.session_state[view.key], part)

    def on_drawn() -> None:
        run.view_drawn = True

    def run_again() -> None:
        """Do nothing: the event itself reruns the script after a step of `view.report_steps`."""

    def on_drawing_change() -> None:
        if on_drawing is not None:
            on_drawing(sent("drawing"))

    shown = component("live_view", state_if_failed="drawn")(
        key=view.key, data=_data(run, view),
        on_commands_change=lambda: run_commands(run, sent("commands")),
        on_charts_change=lambda: keep_charts(run, sent("charts")),
        on_drawn_change=on_drawn, on_reached_change=run_again,
        on_drawing_change=on_drawing_change,
    )  # fmt: skip
    # After a restart of the server, the browser sends this state in the first run of the script.
    run.view_drawn |= bool(shown.drawn)


# Empty values of the data about the whole page, for a live view that is only a part of its page.
PART_OF_A_PAGE: Mapping[str, Any] = {
    "opened": (), "leading": (), "step_to_see": None, "paused_question": False, "address": None,
}  # fmt: skip


# Fields of a view's spec that are sent to the browser unchanged.
BLOCK = (
    "layout", "parts", "one_on_phone", "waits", "follows", "heading", "notes", "hints", "covered",
    "drawing", "replay",
)  # fmt: skip


def _data(run: TabRun, view: LiveViewSpec) -> dict[str, Any]:
    data = _lab_data(run, view)
    if view.layout == "stage":
        knobs = {**data["knobs"], "second": ()}  # a lesson determines its knobs
        data |= {**PART_OF_A_PAGE, "knobs": knobs, "hide": [*data["hide"], "more"]}
    elif view.charts is None:
        data |= talk_data(run)
    else:
        block = {name: getattr(view, name) for name in BLOCK}
        block |= {"sizes": dict(view.charts), "large_type": run.query.present}
        if view.layout == "home":
            block["images"] = shown_images(run.config)
            # Ends of the flat zones, as fractions of the length of the histograms' axis.
            block["zones"] = [
                [(end + REACH) / (2 * REACH) for end in zone]
                for zone in zones(run.config.activation)
            ]
        chart, stop = view.leads
        data |= {**PART_OF_A_PAGE, "present": False, "block": block}
        data |= {"opened": (chart,) if chart else (), "opened_turn": stop}
    return watching_only(data) if embedded() else data


def _lab_data(run: TabRun, view: LiveViewSpec) -> dict[str, Any]:
    words = texts("lab")
    info, dark = run.info(), st.context.theme.type == "dark"
    config, initial = run.config, info.initial_config if info else run.config
    charts = None if view.charts is None else tuple(name for name, _ in view.charts)
    labels = tuple(view.chart_labels.items())
    knobs = knob_data(run, view.knobs, SECOND if run.query.present else ())
    if painted := knobs["specs"].get("learning_rate", {}).get("painted"):
        painted["waits"] = view.painted_waits
    return {
        "run": run.run_id or None,
        "tab": run.tab,
        "fork_of": run.forked[0] if run.forked[1] == run.run_id else None,
        **drawn_by("live_view.js"),
        "wire": WIRE_VERSION,
        "charts_ids": chart_ids(config, charts, labels, dark=dark, large_type=run.query.present),
        "frequent_charts": FREQUENT_CHARTS,
        "opened": run.query.charts,
        "opened_turn": run.charts_version,
        "leading": run.query.leading,
        "texts": {
            **texts("live"),
            "probe": of_each("probes", "short"),
            "story": {
                **texts("story"),
                "knob": {
                    **of_each("knobs", "said"),
                    "rate_factors": texts("knobs")["rate_factors"]["told"],
                },
            },
            "action": texts("knobs")[SCALE_WEIGHTS],
            "choice": live_choices(),
            "class": dict(texts("class")),
            **phrase_texts(),
            "glossary": dict(texts("glossary")),
            "sharing": dict(texts("share")),
            "talks": talk_words(),
            "report": dict(texts("report")),
        },
        "title": words["title"],
        "config": config.model_dump(mode="json"),
        "initial": initial.model_dump(mode="json"),
        "norms": config.norms,
        "dataset_label": DATASETS[config.dataset].label,
        "stand_in_label": DATASETS[STAND_IN].label,
        "device_reason": device_reason(run),
        "step_to_see": _step_to_see(run),
        "picture": _picture(run, view),
        "picture_knobs": _other_knobs(config),
        "colours": network_colours(config.norms, dark=dark),
        "labels": {**network_labels(run), **view.labels},
        "label_keys": view.label_keys,
        "report": _report(run, view, initial),
        "can_control": run.can_control,
        "page_waits": not run.view_drawn,
        "pace": run.pace,
        "present": run.query.present,
        "paused_question": run.query.paused,
        "hide": run.hidden,
        **share_data(run),
        "knobs": knobs,
        "commands_done": run.commands_done,
        "notices": [each.text() for each in run.notices],
        "command": command_line(initial),
        "address": run.to_query(),
        "browser_query": browser_query(),
        "read": run.read_query,
        "at": run.query.at if view.charts is None else view.at,
        "entry": run.history_entries,
        "query": run.query.to_query(config, None),
        "dark": dark,
        "language": current_language(),
        "chance": 1 / DATASETS[config.dataset].classes,
        "question": _question(run, view),
        "opinion": view.opinion,
        "report_steps": view.report_steps,
        "last_step": view.last_step,
        "ranges": view.ranges,
    }


def _report(run: TabRun, view: LiveViewSpec, initial: RunConfig) -> dict[str, Any] | None:
    """Part of a report that the server contributes, or None if the view has no report."""
    own = lab_report(run, initial) if view.charts is None else view.report
    if own is None:
        return None
    # A report is printed on white paper, so colours of the dark theme are replaced.
    colours = paper_colours(initial.norms) if st.context.theme.type == "dark" else {}
    return {**own, "colours": colours}


def _picture(run: TabRun, view: LiveViewSpec) -> dict[str, Any] | None:
    """Data of the picture requested last, or None if there is none or its chart does not fit."""
    if not run.picture or not CHARTS[run.picture].fits(run.config):
        return None
    made = picture_ids(run.config, run.picture, tuple(view.chart_labels.items()))
    return {"chart": run.picture, **made}


def _other_knobs(config: RunConfig) -> list[tuple[str, str]]:
    """Labels and values of changed knobs that the line below every picture does not name."""
    return [
        (KNOBS[name].label, to_text(value)) for name, value in config.changed().items()
        if name not in IN_EVERY_LINE
    ]  # fmt: skip


def _step_to_see(run: TabRun) -> dict[str, Any] | None:
    """Step that shows the effect of the preset or claim, or None if the settings differ."""
    if run.query.claim:
        return step_to_see(claims_in_lab()[run.query.claim], run.config)
    name = run.query.preset
    if "preset" in run.hidden or not run.is_presets_run():
        return None
    return {"step": PRESETS[name].step_to_see, "text": texts("presets")[name]["look"]}


def _question(run: TabRun, view: LiveViewSpec) -> Mapping[str, Any] | None:
    """First question for a class; a preset's question needs a run with the preset's structure."""
    if view.charts is not None:
        return view.question
    name = run.query.preset
    question = PRESETS[name].question
    if (
        question is None
        or run.query.claim
        or "preset" in run.hidden
        or not run.has_presets_structure()
    ):
        return None
    return {
        "text": texts("presets")[name]["ask"], "answers": None,
        "text_phrase": phrase(f"presets.{name}.ask").plain(), **asdict(question),
    }  # fmt: skip


def command_line(config: RunConfig) -> str:
    """Command that trains with this config; the browser adds live changes and steps."""
    knobs = [f"--set {name}={value}" for name, value in config.to_query().items()]
    return " ".join(["python -m bnviz train", *knobs])
