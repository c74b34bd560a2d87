"""A comparison of several runs on a page: a button runs them one after another.

Their results stay on the page: two charts, a sentence, and the numbers as a table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from bnviz.charts.chart import PLOTLY_CONFIG, ChartView, chart_texts
from bnviz.charts.series import build_curves, build_outcome, value_text
from bnviz.data import DATASETS
from bnviz.live import LiveError, current_hub
from bnviz.live.runs.kept_frames import KeptRecords
from bnviz.live.runs.run import RunInfo
from bnviz.planned_runs.comparison import (
    Comparison,
    ComparisonResult,
    Member,
    MemberResult,
    member_result,
)
from bnviz.ui.compared_ratios import ratio_cells, ratio_chart, ratio_heads, ratio_sentence
from bnviz.ui.html import answer, joined, tag
from bnviz.ui.live_view import LiveViewSpec, mount_live_view
from bnviz.ui.sitemap import ROOT
from bnviz.ui.tab_run import TabRun, close_page_run, open_page_run
from bnviz.words.joining import clauses, in_list
from bnviz.words.numbers import write
from bnviz.words.texts import texts

# Key in the tab's session: its comparisons by name.
STATE = "series"
# How often the page looks whether the present run has ended, in seconds.
LOOK_EVERY = 0.5
CHART = "accuracy"
# At this pace a run spends little of its time on frames.
PACE = "full"
# Why a run pauses when it has come to its end.
ENDED = ("plan", "reached", "diverged", "limit")


@dataclass
class TabComparison:
    """A comparison in this tab.

    Attributes:
        result: what was measured.
        running: whether its runs are made.
        started: how many runs the hub was asked for.
        problem: a sentence on why it stopped, or "".
    """

    result: ComparisonResult
    running: bool = False
    started: int = 0
    problem: str = ""

    @property
    def index(self) -> int:
        """The index of the member that runs, or is next."""
        return len(self.result.members)

    @property
    def member(self) -> Member:
        """The member that runs, or is next."""
        return self.result.comparison.members[self.index]

    def start(self) -> None:
        """Make all runs, from the first."""
        self.result, self.started = ComparisonResult(comparison=self.result.comparison), 0
        self.running, self.problem = True, ""

    def stop(self, problem: str = "") -> None:
        """Make no more runs; what was measured stays."""
        self.running, self.problem = False, problem

    def clear(self) -> None:
        """Forget what was measured."""
        self.result, self.problem = ComparisonResult(comparison=self.result.comparison), ""


def draw_comparison(series: Comparison, words: Mapping[str, str]) -> None:
    """Draw a comparison: its question, its buttons, the present run, and what was measured.

    Args:
        series: the comparison; another one of the same name replaces it and its results.
        words: its own words, filled: `title`, `text` (HTML) and `axis`.
    """
    frame, name = texts("series"), f"series:{series.name}"
    kept: dict[str, TabComparison] = st.session_state.setdefault(STATE, {})
    comparing = kept.get(series.name)
    if comparing is None or comparing.result.comparison != series:
        close_page_run(name)
        comparing = kept[series.name] = TabComparison(ComparisonResult(comparison=series))
    st.html(ROOT / "assets" / "series.css")
    with st.container(key=f"series_{series.name}"):
        st.html(tag("h3", words["title"]) + words["text"])
        if series.learned is not None:  # each comparison has its own, and says it before it runs
            share = write(series.learned, "percent0")
            st.html(tag("p", frame["learns"].format(share=share)))
        info = _advance(comparing, name, frame) if comparing.running else None
        if info is None:
            close_page_run(name)
        _draw_buttons(comparing, frame)
        if info is not None:
            _draw_run(comparing, name, words["axis"])
        if comparing.problem:
            st.html(answer(comparing.problem))
        if comparing.result.members:
            draw_results(comparing.result, words["axis"])


def _draw_buttons(comparing: TabComparison, frame: Mapping[str, str]) -> None:
    count, name = len(comparing.result.comparison.members), comparing.result.comparison.name
    with st.container(horizontal=True):
        if comparing.running:
            st.button(frame["stop"], key=f"series_stop_{name}", on_click=comparing.stop)
            return
        label = frame["run"].format(count=count)
        st.button(label, key=f"series_run_{name}", on_click=comparing.start)
        if comparing.result.members:
            st.button(frame["clear"], key=f"series_clear_{name}", on_click=comparing.clear)
    if comparing.result.members and not comparing.result.complete:
        st.caption(frame["stopped"].format(done=comparing.index, count=count))


def _advance(comparing: TabComparison, name: str, frame: Mapping[str, str]) -> RunInfo | None:
    """Take the result of the present run if it has ended, and start the next one.

    Args:
        comparing: the comparison.
        name: of its runs, for `open_page_run`.
        frame: the words of all comparisons.

    Returns:
        What the hub knows of the run that goes on; None where none does.
    """
    run = _open(comparing, name)
    info = run.info()
    if info is None:
        message = refusal_of(run)
        comparing.stop(frame["refused"].format(message=message) if message else frame["gone"])
        return None
    if info.error is not None:
        comparing.stop(frame["failed"].format(message=info.error))
        return None
    measured = ended_result(comparing.member, info)
    if measured is None:
        return info
    result = comparing.result
    comparing.result = ComparisonResult(
        comparison=result.comparison, members=(*result.members, measured)
    )
    if comparing.result.complete:
        comparing.stop()
        return None
    return _advance(comparing, name, frame)


def _open(comparing: TabComparison, name: str) -> TabRun:
    """The run of the present member, started if it was not yet."""
    member = comparing.member
    run = open_page_run(name, member.config, plan=member.plan, pace=PACE, hide=("edge",))
    if comparing.started and comparing.started <= comparing.index:
        before, run.plan, run.pace, run.notices = run.run_id, member.plan, PACE, []
        run.start(member.config)
        if run.run_id == before:
            run.leave()
            run.run_id = ""
    comparing.started = comparing.index + 1
    return run


def refusal_of(run: TabRun) -> str:
    """Why the hub has refused a run, in the words of the lab."""
    if not run.notices:
        return ""
    key, values = run.notices[-1]
    return str(texts("lab")["notice"][key]).format(**values)


def ended_result(member: Member, info: RunInfo) -> MemberResult | None:
    """What a run has measured; None before it has ended and its last step is measured."""
    kept = kept_at_end(info)
    if kept is None:
        return None
    snapshots = kept.near([*member.plan.shown, info.step])
    if member.ratios is not None and member.ratios.waits({each.step: each for each in snapshots}):
        return None
    return member_result(member, snapshots)


def kept_at_end(info: RunInfo) -> KeptRecords | None:
    """The records of a run that has ended; None before the hub has those of its last step."""
    if info.status == "running" or info.reason not in ENDED:
        return None
    try:
        kept = current_hub().snapshots(info.id)
    except LiveError:
        return None
    return kept if kept.steps and kept.steps[-1] == info.step else None


def _draw_run(comparing: TabComparison, name: str, axis: str) -> None:
    """Draw the live view of the present run, and run the script again when the run has ended.

    A run that nobody watches sleeps: when the visitor leaves the page, the comparison waits.
    """
    frame, member = texts("series"), comparing.member
    run = open_page_run(name, member.config, plan=member.plan, pace=PACE)
    value, count = value_text(member.value), len(comparing.result.comparison.members)
    title = frame["run_title"].format(
        place=comparing.index + 1, count=count, axis=axis, value=value
    )
    st.html(tag("p", title, class_="series-now", role="status"))
    view = LiveViewSpec(
        key=f"series_view_{comparing.result.comparison.name}", charts=((CHART, "full"),), parts=(),
        knobs=(),
    )  # fmt: skip
    mount_live_view(run, view)

    @st.fragment(run_every=LOOK_EVERY)
    def look() -> None:
        info = run.info()
        if info is None or info.error is not None or ended_result(member, info) is not None:
            st.rerun()
        else:
            st.caption(_progress(info, member, frame))

    look()


def _progress(info: RunInfo, member: Member, frame: Mapping[str, Any]) -> str:
    """How far a run is, or what it waits for."""
    if info.queue_place is not None:
        return str(frame["waiting"]).format(place=info.queue_place)
    if info.reason == "unwatched":
        return str(frame["asleep"])
    return str(frame["progress"]).format(
        step=write(info.step, "count"), last_step=write(member.last_step, "count")
    )


def draw_results(result: ComparisonResult, axis: str) -> None:
    """Draw what was measured so far.

    Args:
        result: of at least one run.
        axis: what differs between the runs, in words.
    """
    frame, name = texts("series"), result.comparison.name
    view = _view(result)
    ratios = result.comparison.ratios
    if ratios is not None:
        title, figure = ratio_chart(result, ratios, view, frame)
        st.html(tag("p", title, class_="series-title"))
        _draw_chart(figure, f"series_ratios_{name}")
        st.html(tag("p", ratio_sentence(result, ratios, view, frame)))
    else:
        _draw_accuracies(result, axis, view, frame)
    st.html(tag("p", sentence(result, view, frame)))
    if result.comparison.learned is not None:
        st.html(tag("p", who_learned(result, view, axis, frame)))
    with st.expander(frame["table"]):
        st.html(_table(result, axis, view, frame))


def _draw_accuracies(
    result: ComparisonResult, axis: str, view: ChartView, frame: Mapping[str, str]
) -> None:
    """Draw the accuracies of all runs over their steps, and how each of them ended."""
    name = result.comparison.name
    outcome = frame["outcome_race" if result.comparison.races else "outcome"]
    reaches = frame["reaches"].format(until=_until(result))
    st.html(tag("p", frame["curves"].format(axis=axis), class_="series-title"))
    _draw_chart(build_curves(result, view), f"series_curves_{name}")
    st.html(tag("p", outcome, class_="series-title"))
    _draw_chart(build_outcome(result, view, axis, reaches), f"series_outcome_{name}")


def sentence(result: ComparisonResult, view: ChartView, frame: Mapping[str, str]) -> str:
    """A sentence on how each network ended in the runs that were made."""
    parts = []
    for norm in result.comparison.norms:
        network = view.label(norm)
        if result.comparison.races:
            arrived = sum(each.curves[norm].reached is not None for each in result.members)
            parts.append(
                frame["arrivals"].format(
                    network=network, arrived=arrived, count=len(result.members)
                )
            )
            continue
        low, high = (write(end(result.ends(norm)), "percent0") for end in (min, max))
        key = "one_end" if low == high else "network_ends"
        parts.append(frame[key].format(network=network, low=low, high=high, end=low))
    key = "arrived" if result.comparison.races else "ends"
    return frame[key].format(networks=in_list(parts), until=_until(result))


def who_learned(
    result: ComparisonResult, view: ChartView, axis: str, frame: Mapping[str, str]
) -> str:
    """A sentence on the runs in which each network learned."""
    parts, count = [], len(result.members)
    for norm in result.comparison.norms:
        found = result.learned(norm)
        key = "learned_none" if not found else "learned_at" if len(found) < count else "learned_all"
        values = in_list(map(value_text, found))
        parts.append(frame[key].format(network=view.label(norm), values=values, count=count))
    return frame["learned"].format(axis=axis, networks=clauses(parts))


def _until(result: ComparisonResult) -> str:
    """The accuracies at which runs stop, in words."""
    found = {member.until for member in result.comparison.members if member.until is not None}
    return in_list(write(until, "percent0") for until in sorted(found))


def _view(result: ComparisonResult) -> ChartView:
    config = result.comparison.members[0].config
    data = DATASETS[config.dataset]
    return ChartView(
        config=config, texts=chart_texts(), dark=st.context.theme.type == "dark",
        classes=data.classes, features=data.features,
    )  # fmt: skip


def _draw_chart(figure: go.Figure, key: str) -> None:
    st.plotly_chart(figure, key=key, theme=None, config=PLOTLY_CONFIG)


def _table(result: ComparisonResult, axis: str, view: ChartView, frame: Mapping[str, str]) -> str:
    until, races = _until(result), result.comparison.races
    heads = [tag("th", axis, scope="col")]
    for norm in result.comparison.norms:
        network = view.label(norm)
        heads.append(tag("th", frame["accuracy"].format(network=network), scope="col"))
        if races:
            text = frame["arrival"].format(network=network, until=until)
            heads.append(tag("th", text, scope="col"))
    if result.comparison.ratios is not None:
        heads += ratio_heads(result.comparison.ratios, frame)
    rows = [tag("tr", *_row(each, result, frame)) for each in result.members]
    table = tag(
        "table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), class_="series-table"
    )
    # One that may be wider than its place is scrolled, by keys as well.
    wide = result.comparison.ratios is not None
    return tag("div", table, class_="series-wide", tabindex="0" if wide else None)


def _row(each: MemberResult, result: ComparisonResult, frame: Mapping[str, str]) -> list[str]:
    cells = [tag("th", value_text(each.member.value), scope="row")]
    for norm in result.comparison.norms:
        curve = each.curves[norm]
        cells.append(tag("td", write(curve.last, "percent1")))
        if result.comparison.races:
            reached = frame["never"] if curve.reached is None else write(curve.reached, "count")
            cells.append(tag("td", reached))
    if result.comparison.ratios is not None:
        cells += ratio_cells(each, result.comparison.ratios, frame)
    return [joined(*cells)]
