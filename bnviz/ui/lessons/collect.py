"""Page `collect` for teachers: a table of a class's submissions, with repeated runs.

The hub's usual limits apply. If the hub refuses a run, earlier results stay.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from bnviz.lessons.lesson import Verdict
from bnviz.lessons.observation import NotMeasured
from bnviz.lessons.report import Difference, Reading, ReportedResult, differences
from bnviz.live.contract import LONGEST_LINK, MOST_HANDED_IN
from bnviz.live.runs.parsed_frames import HistoryRecords
from bnviz.live.runs.run import RunInfo
from bnviz.records import Snapshot
from bnviz.ui.component import component, drawn_by
from bnviz.ui.html import Markup, answer, joined, tag
from bnviz.ui.lessons.handed_in import Collection, HandedIn, read_collection
from bnviz.ui.lessons.run import ENDED, observed_run
from bnviz.ui.lessons.summary_pages import Cells, page_table
from bnviz.ui.lessons.words import LessonWords, lesson_words
from bnviz.ui.report import network_name
from bnviz.ui.successive_runs import PlannedRun, TabSeries, records_at_end
from bnviz.words.joining import sentences
from bnviz.words.numbers import write
from bnviz.words.texts import texts

# Key of the collection in the tab's session, and key of the component that takes links and files.
STATE, KEY = "collected", "collect"
# Maximum number of times that an ended run is checked for its verdict. After that, the run has no
# verdict.
MOST_POLLS = 40


@dataclass
class TabCollection(TabSeries):
    """Submissions in this tab, and results by row number; the result of a failed run is None."""

    collection: Collection
    found: dict[int, ReportedResult | None] = field(default_factory=dict)
    polls: int = 0

    @property
    def name(self) -> str:
        return KEY

    @property
    def planned(self) -> PlannedRun | None:
        left = (each for each in self.runnable if each.place not in self.found)
        return next(left, None)

    @property
    def runnable(self) -> list[PlannedRun]:
        return [
            PlannedRun(place, row.config, row.plan, row.probes)
            for place, row in enumerate(self.collection.rows) if row.plan is not None
        ]  # fmt: skip

    @property
    def row(self) -> HandedIn:
        """Row of the present run."""
        return self.collection.rows[self.opened or 0]

    def take(self, info: RunInfo) -> bool:
        kept = records_at_end(info)
        if kept is None:
            return False
        verdict = _verdict(self.row, info, kept)
        if verdict is None and _judges(self.row, info) and self.polls < MOST_POLLS:
            self.polls += 1
            return False
        self._note(measured(kept[-1], verdict))
        return True

    def fail(self, message: str) -> None:
        self._note(None)

    def _note(self, found: ReportedResult | None) -> None:
        self.found[self.opened or 0], self.polls = found, 0


def draw_collect(words: LessonWords) -> bool:
    """Draw the page, and return true: the page counts as seen once it is drawn."""
    own = texts("collect")
    component("collect")(
        key=KEY, on_given_change=take,
        data={
            **drawn_by("collect.js"), "texts": dict(own),
            "longest_links": LONGEST_LINK * MOST_HANDED_IN,
        },
    )  # fmt: skip
    collected: TabCollection | None = st.session_state.get(STATE)
    if collected is None:
        return True
    if collected.collection.problems:
        items = (tag("li", each) for each in collected.collection.problems)
        st.html(tag("ul", *items, class_="collect-problems", role="status"))
    if collected.collection.rows:
        run = collected.advance()
        _draw_buttons(collected)
        if run is not None:
            done, count = len(collected.found) + 1, len(collected.runnable)
            title = own["running"].format(place=done, count=count, who=collected.row.who)
            collected.draw(run, title)
        if collected.problem:
            st.html(answer(collected.problem))
        st.html(_table(collected))
    return True


def take() -> None:
    """Replace the collection with the browser's submissions, and stop the old collection's runs."""
    before: TabCollection | None = st.session_state.get(STATE)
    if before is not None:
        before.stop()
    st.session_state[STATE] = TabCollection(read_collection(st.session_state[KEY].given))


def _draw_buttons(collected: TabCollection) -> None:
    own, count = texts("collect"), len(collected.runnable)
    with st.container(horizontal=True, key="collect_buttons"):
        if collected.running:
            st.button(own["stop"], key="collect_stop", on_click=collected.stop)
        elif collected.planned is not None:
            label = own["go_on" if collected.found else "run"].format(count=count)
            st.button(label, key="collect_run", type="primary", on_click=collected.start)


def _judges(row: HandedIn, info: RunInfo) -> bool:
    """Return whether a run has advanced far enough for a verdict."""
    return row.lesson is not None and (
        info.step >= row.lesson.plan.last_step or info.reason in ENDED
    )


def _verdict(row: HandedIn, info: RunInfo, kept: HistoryRecords) -> Verdict | None:
    """Return the verdict on a lesson's run; None for other runs, and before it is measured."""
    if row.lesson is None:
        return None
    with suppress(NotMeasured):
        return row.lesson.verdict(observed_run(info, kept))
    return None


def measured(last: Snapshot, verdict: Verdict | None) -> ReportedResult:
    return ReportedResult(
        step=last.step,
        networks={norm: Reading.of(record) for norm, record in last.networks.items()},
        outcome=verdict.outcome if verdict else None,
        answer=verdict.answer if verdict else None,
    )


def _table(collected: TabCollection) -> Markup:
    rows = (
        (str(place), _cells(row, collected, place))
        for place, row in enumerate(collected.collection.rows)
    )
    return page_table(texts("collect")["column"], rows, class_="collect-table")


def _cells(row: HandedIn, collected: TabCollection, place: int) -> Cells:
    own = texts("collect")
    numbers = _numbers(row, row.report.measured) if row.report else [own["no_numbers"]]
    return {
        "who": row.who, "lesson": row.link, "guess": row.guess or own["no_guess"],
        "setting": _lines(row.setting or (own["own_setting"],)),
        "numbers": _lines(numbers), "again": _again(row, collected, place),
    }  # fmt: skip


def _again(row: HandedIn, collected: TabCollection, place: int) -> Markup:
    """Describe the result of a repeated run, compared with the report."""
    own = texts("collect")
    if row.plan is None:
        return _lines([own["not_again"].format(problem=row.problem)])
    if place not in collected.found:
        return _lines([own["not_yet"]])
    found = collected.found[place]
    if found is None:
        return _lines([own["run_failed"]])
    if row.report is None:
        return _lines(_numbers(row, found))
    differing = differences(row.report.measured, found)
    if not differing:
        return tag("b", own["same"], class_="collect-same")
    lines = (tag("li", _difference(row, each)) for each in differing)
    return joined(tag("b", own["other"]), tag("ul", *lines, class_="collect-differs"))


def _difference(row: HandedIn, difference: Difference) -> str:
    own = texts("collect")
    what = own["what"][difference.what]
    if difference.network:
        what = own["of"].format(network=network_name(difference.network), what=what)
    told = own["differs"].format(
        what=what, reported=_value(row, difference.what, difference.reported),
        found=_value(row, difference.what, difference.found),
    )  # fmt: skip
    if difference.by is None:
        return str(told)
    percent = difference.what == "test_accuracy"
    size = write(100 * difference.by if percent else difference.by, "number3")
    return sentences((told, own["by_points" if percent else "by"].format(by=size)))


def _numbers(row: HandedIn, numbers: ReportedResult) -> list[str]:
    own = texts("collect")
    lines = [own["at_step"].format(step=numbers.step)]
    lines += [
        own["network"].format(
            network=network_name(norm), accuracy=_value(row, "test_accuracy", each.test_accuracy),
            loss=_value(row, "test_loss", each.test_loss), state=_value(row, "state", each.state),
        )
        for norm, each in numbers.networks.items()
    ]  # fmt: skip
    if numbers.outcome is not None:
        lines.append(_value(row, "outcome", numbers.outcome))
    if numbers.answer is not None:
        lines.append(own["answer"].format(answer=_value(row, "answer", numbers.answer)))
    return lines


def _value(row: HandedIn, what: str, value: Any) -> str:
    """Format a number, a state or an answer. A value from a file may have any type."""
    if value is None:
        return str(texts("collect")["none"])
    if what == "test_accuracy":
        return write(value, "percent1")
    if what == "test_loss":
        return write(value, "number3")
    named = {"state": texts("live")["state"], "outcome": texts("lessons")["verdict"]}
    if what in named:
        return str(named[what].get(value, value))
    if what == "answer" and row.lesson is not None and value in row.lesson.answers:
        words = lesson_words(row.lesson.name, row.lesson)
        return words.quoted_answer(value, drawn=row.lesson.drawing is not None)
    return str(value)


def _lines(lines: Iterable[str]) -> Markup:
    return joined(*(tag("span", line) for line in lines))
