"""What a series has measured: two still charts, a sentence, and the numbers as a table.

A series on a page: a button runs its members one after another, the results stay beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from bnviz.charts.chart import PLOTLY_CONFIG, ChartView, chart_texts
from bnviz.charts.numbers import write
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
from bnviz.ui.html import joined, tag
from bnviz.ui.live_view import LiveViewSpec, mount_live_view
from bnviz.ui.sitemap import ROOT
from bnviz.ui.tab_run import TabRun, close_page_run, open_page_run
from bnviz.words.texts import texts


def draw_results(result: ComparisonResult, axis: str) -> None:
    """Draw what was measured so far.

    Args:
        result: at least one member has run.
        axis: what is varied.
    """
    said, name = texts("series"), result.series.name
    view = _view(result)
    until = _until(result)
    outcome = said["outcome_race" if result.series.races else "outcome"]
    reaches = said["reaches"].format(until=until)
    st.html(tag("p", said["curves"].format(axis=axis), class_="series-title"))
    _still(build_curves(result, view), f"series_curves_{name}")
    st.html(tag("p", outcome, class_="series-title"))
    _still(build_outcome(result, view, axis, reaches), f"series_outcome_{name}")
    st.html(tag("p", sentence(result, view, said)))
    if result.series.learned is not None:
        st.html(tag("p", who_learned(result, view, axis, said)))
    with st.expander(said["table"]):
        st.html(_table(result, axis, view, said))


def sentence(result: ComparisonResult, view: ChartView, said: Mapping[str, str]) -> str:
    """How each network ended over all members that have run."""
    parts = []
    for norm in result.series.norms:
        network = view.label(norm)
        if result.series.races:
            arrived = sum(each.curves[norm].reached is not None for each in result.members)
            parts.append(
                said["arrivals"].format(network=network, arrived=arrived, count=len(result.members))
            )
            continue
        low, high = (write(end(result.ends(norm)), "percent0") for end in (min, max))
        key = "one_end" if low == high else "network_ends"
        parts.append(said[key].format(network=network, low=low, high=high, end=low))
    key = "arrived" if result.series.races else "ends"
    return said[key].format(networks=", ".join(parts), until=_until(result))


def who_learned(
    result: ComparisonResult, view: ChartView, axis: str, said: Mapping[str, str]
) -> str:
    """In which of the members that have run each network learned."""
    parts, count = [], len(result.members)
    for norm in result.series.norms:
        found = result.learned(norm)
        key = "learned_none" if not found else "learned_at" if len(found) < count else "learned_all"
        values = ", ".join(map(value_text, found))
        parts.append(said[key].format(network=view.label(norm), values=values, count=count))
    least = write(result.series.learned or 0, "percent0")
    return said["learned"].format(share=least, axis=axis, networks="; ".join(parts))


def _until(result: ComparisonResult) -> str:
    """The accuracies that members race to."""
    found = {member.until for member in result.series.members if member.until is not None}
    return ", ".join(write(until, "percent0") for until in sorted(found))


def _view(result: ComparisonResult) -> ChartView:
    config = result.series.members[0].config
    data = DATASETS[config.dataset]
    return ChartView(
        config=config, texts=chart_texts(), dark=st.context.theme.type == "dark",
        classes=data.classes, features=data.features,
    )  # fmt: skip


def _still(figure: go.Figure, key: str) -> None:
    st.plotly_chart(figure, key=key, theme=None, config=PLOTLY_CONFIG)


def _table(result: ComparisonResult, axis: str, view: ChartView, said: Mapping[str, str]) -> str:
    until, races = _until(result), result.series.races
    heads = [tag("th", axis, scope="col")]
    for norm in result.series.norms:
        network = view.label(norm)
        heads.append(tag("th", said["accuracy"].format(network=network), scope="col"))
        if races:
            text = said["arrival"].format(network=network, until=until)
            heads.append(tag("th", text, scope="col"))
    rows = [tag("tr", *_row(each, result, said)) for each in result.members]
    return tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), class_="series-table")


def _row(each: MemberResult, result: ComparisonResult, said: Mapping[str, str]) -> list[str]:
    cells = [tag("th", value_text(each.member.value), scope="row")]
    for norm in result.series.norms:
        curve = each.curves[norm]
        cells.append(tag("td", write(curve.last, "percent1")))
        if result.series.races:
            reached = said["never"] if curve.reached is None else write(curve.reached, "count")
            cells.append(tag("td", reached))
    return [joined(*cells)]


STATE = "series"
# How often the page looks whether a member has ended, in seconds, while one runs.
LOOKS_EVERY = 0.5
CHART = "accuracy"
# A run that is waited for spends little of its time on being shown.
PACE = "full"
# Why a run of a series waits when it has ended.
ENDED = ("plan", "reached", "diverged", "limit")


@dataclass
class TabComparison:
    """A series in this tab.

    Attributes:
        result: what was measured.
        running: whether its members run.
        opened: how many members were given to the hub.
        problem: a sentence on why it stopped, or "".
    """

    result: ComparisonResult
    running: bool = False
    opened: int = 0
    problem: str = ""

    @property
    def place(self) -> int:
        """The member that runs, or is next, counted from 0."""
        return len(self.result.members)

    @property
    def member(self) -> Member:
        """That member."""
        return self.result.series.members[self.place]

    def start(self) -> None:
        """Run all of them, from the first."""
        self.result, self.opened = ComparisonResult(series=self.result.series), 0
        self.running, self.problem = True, ""

    def stop(self, problem: str = "") -> None:
        """Run no further one; what was measured stays."""
        self.running, self.problem = False, problem

    def clear(self) -> None:
        """Forget what was measured."""
        self.result, self.problem = ComparisonResult(series=self.result.series), ""


def draw_comparison(series: Comparison, words: Mapping[str, str]) -> None:
    """Draw a series: its question, its button, the run at work, and what was measured.

    Args:
        series: another one of the same name takes the place of the last one and its results.
        words: its own, filled: `title`, `text` (HTML) and `axis`.
    """
    said, block = texts("series"), f"series:{series.name}"
    kept: dict[str, TabComparison] = st.session_state.setdefault(STATE, {})
    playing = kept.get(series.name)
    if playing is None or playing.result.series != series:
        close_page_run(block)
        playing = kept[series.name] = TabComparison(ComparisonResult(series=series))
    st.html(ROOT / "assets" / "series.css")
    with st.container(key=f"series_{series.name}"):
        st.html(tag("h3", words["title"]) + words["text"])
        info = _advance(playing, block, said) if playing.running else None
        if info is None:
            close_page_run(block)
        _buttons(playing, said)
        if info is not None:
            _watch(playing, block, words["axis"])
        if playing.problem:
            st.warning(playing.problem)
        if playing.result.members:
            draw_results(playing.result, words["axis"])


def _buttons(playing: TabComparison, said: Mapping[str, str]) -> None:
    count, name = len(playing.result.series.members), playing.result.series.name
    with st.container(horizontal=True):
        if playing.running:
            st.button(said["stop"], key=f"series_stop_{name}", on_click=playing.stop)
            return
        label = said["run"].format(count=count)
        st.button(label, key=f"series_run_{name}", on_click=playing.start)
        if playing.result.members:
            st.button(said["clear"], key=f"series_clear_{name}", on_click=playing.clear)
    if playing.result.members and not playing.result.complete:
        st.caption(said["stopped"].format(done=playing.place, count=count))


def _advance(playing: TabComparison, block: str, said: Mapping[str, str]) -> RunInfo | None:
    """Keep what the present member has measured if it has ended, and start the next one.

    Returns:
        What the hub knows of the run at work; None where there is none any more.
    """
    run = _open(playing, block)
    info = run.info()
    if info is None:
        message = _told(run)
        playing.stop(said["refused"].format(message=message) if message else said["gone"])
        return None
    if info.error is not None:
        playing.stop(said["failed"].format(message=info.error))
        return None
    ended = _ended(playing.member, info)
    if ended is None:
        return info
    result = playing.result
    playing.result = ComparisonResult(series=result.series, members=(*result.members, ended))
    if playing.result.complete:
        playing.stop()
        return None
    return _advance(playing, block, said)


def _open(playing: TabComparison, block: str) -> TabRun:
    """The block with the run of the present member, started if it was not yet."""
    member = playing.member
    run = open_page_run(block, member.config, plan=member.plan, pace=PACE, hide=("edge",))
    if playing.opened and playing.opened <= playing.place:
        before, run.plan, run.pace, run.notices = run.run_id, member.plan, PACE, []
        run.start(member.config)
        if run.run_id == before:
            run.leave()
            run.run_id = ""
    playing.opened = playing.place + 1
    return run


def _told(run: TabRun) -> str:
    """Why there is no run, as the lab would say it."""
    if not run.notices:
        return ""
    key, values = run.notices[-1]
    return str(texts("lab")["notice"][key]).format(**values)


def _ended(member: Member, info: RunInfo) -> MemberResult | None:
    """What a member has measured; None as long as it runs, or its last step is not measured."""
    kept = _kept(info)
    if kept is None:
        return None
    return member_result(member, kept.near([*member.plan.shown, info.step]))


def _kept(info: RunInfo) -> KeptRecords | None:
    """The frames of a run that has ended; None before the one of its last step has come."""
    if info.status == "running" or info.reason not in ENDED:
        return None
    try:
        kept = current_hub().snapshots(info.id)
    except LiveError:
        return None
    return kept if kept.steps and kept.steps[-1] == info.step else None


def _watch(playing: TabComparison, block: str, axis: str) -> None:
    """The run at work, and a look every now and then whether it has ended.

    Its live view is what watches it: once the page is left the run sleeps, and so does the series.
    """
    said, member, name = texts("series"), playing.member, playing.result.series.name
    run = open_page_run(block, member.config, plan=member.plan, pace=PACE)
    value, count = value_text(member.value), len(playing.result.series.members)
    place = said["run_title"].format(place=playing.place + 1, count=count, axis=axis, value=value)
    st.html(tag("p", place, class_="series-now", role="status"))
    view = LiveViewSpec(key=f"series_view_{name}", charts=((CHART, "full"),), parts=(), knobs=())
    mount_live_view(run, view)

    @st.fragment(run_every=LOOKS_EVERY)
    def look() -> None:
        info = run.info()
        if info is None or info.error is not None or _kept(info) is not None:
            st.rerun()
        else:
            st.caption(_progress(info, member, said))

    look()


def _progress(info: RunInfo, member: Member, said: Mapping[str, Any]) -> str:
    if info.queue_place is not None:
        return str(said["waiting"]).format(place=info.queue_place)
    if info.reason == "unwatched":
        return str(said["asleep"])
    return str(said["progress"]).format(
        step=write(info.step, "count"), last_step=write(member.last_step, "count")
    )
