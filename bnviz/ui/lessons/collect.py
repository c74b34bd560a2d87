"""The page `collect`, for a teacher: what a class has handed in, in a table, and run again.

The runs are made one after another on the hub, as any visitor's are: it refuses them where it is
full, and what was found so far stays.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from bnviz.lessons.lesson import Verdict
from bnviz.lessons.report import Difference, Measured, Reading, differences
from bnviz.lessons.watched import NotMeasured, Watched
from bnviz.lessons.words import drawn_answer
from bnviz.live.contract import LONGEST_LINK, MOST_HANDED_IN
from bnviz.live.runs.kept_frames import KeptRecords
from bnviz.live.runs.run import RunInfo
from bnviz.ui.comparison import CHART, LOOK_EVERY, PACE, kept_at_end, refusal_of
from bnviz.ui.component import component, drawn_by
from bnviz.ui.html import Markup, answer, joined, tag
from bnviz.ui.lessons.handed_in import Collection, HandedIn, read_collection
from bnviz.ui.lessons.run import ENDED, look_every
from bnviz.ui.lessons.table import page_table
from bnviz.ui.lessons.words import LessonWords, lesson_words
from bnviz.ui.live_view import LiveViewSpec, mount_live_view
from bnviz.ui.report import network_name
from bnviz.ui.tab_run import TabRun, close_page_run, open_page_run
from bnviz.words.joining import quoted, sentences
from bnviz.words.numbers import write
from bnviz.words.texts import texts

# Key in the tab's session, and of the component that takes links and files.
STATE, KEY = "collected", "collect"
# Looks at a run that has ended until its verdict is measured; then it counts as not measured.
MOST_LOOKS = 40


@dataclass
class TabCollection:
    """What was handed in, in this tab, and what was found when it was run again.

    Attributes:
        collection: the rows.
        found: what a row's run came to, by place; None: the run has failed.
        running: whether runs are made.
        looks: how often the run that has ended was looked at in vain.
        problem: a sentence on why it stopped, or "".
    """

    collection: Collection
    found: dict[int, Measured | None] = field(default_factory=dict)
    running: bool = False
    looks: int = 0
    problem: str = ""

    @property
    def next(self) -> int | None:
        """The place of the row that runs, or is next; None: all have run."""
        return next((place for place in self.runnable if place not in self.found), None)

    @property
    def runnable(self) -> list[int]:
        """The places of the rows that can be run."""
        return [place for place, row in enumerate(self.collection.rows) if row.plan is not None]

    def start(self) -> None:
        """Make the runs that were not made yet."""
        self.running, self.problem, self.looks = True, "", 0

    def stop(self, problem: str = "") -> None:
        """Make no more runs; what was found stays."""
        self.running, self.problem = False, problem
        if self.next is not None:
            close_page_run(_name(self.next))

    def note(self, found: Measured | None) -> None:
        """Note what the present run came to, and go on."""
        if self.next is not None:
            close_page_run(_name(self.next))
            self.found[self.next] = found
        self.looks = 0


def draw_collect(words: LessonWords) -> bool:
    """Draw the page; it has been seen as soon as it is there."""
    own = texts("collect")
    st.html(words.html(words.own["question"]))
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
        running = _advance(collected) if collected.running else None
        _draw_buttons(collected)
        if running is not None:
            _draw_run(collected, *running)
        if collected.problem:
            st.html(answer(collected.problem))
        st.html(_table(collected))
    return True


def take() -> None:
    """Take what the browser has sent; runs of what was there before end."""
    before: TabCollection | None = st.session_state.get(STATE)
    if before is not None:
        before.stop()
    st.session_state[STATE] = TabCollection(read_collection(st.session_state[KEY].given))


def _name(place: int) -> str:
    """The name of a row's run in this tab."""
    return f"collect:{place}"


def _draw_buttons(collected: TabCollection) -> None:
    own, count = texts("collect"), len(collected.runnable)
    with st.container(horizontal=True, key="collect_buttons"):
        if collected.running:
            st.button(own["stop"], key="collect_stop", on_click=collected.stop)
        elif collected.next is not None:
            label = own["go_on" if collected.found else "run"].format(count=count)
            st.button(label, key="collect_run", type="primary", on_click=collected.start)


def _advance(collected: TabCollection) -> tuple[TabRun, RunInfo] | None:
    """Take what the present run came to, if it has ended, and start the next one.

    Returns:
        The run that goes on; None where none does.
    """
    place, own = collected.next, texts("series")
    if place is None:
        collected.stop()
        return None
    row = collected.collection.rows[place]
    run = open_page_run(
        _name(place), row.config, plan=row.plan, pace=PACE, hide=("edge",), extra_probes=row.probes
    )
    info = run.info()
    if info is None:
        message = refusal_of(run)
        collected.stop(own["refused"].format(message=message) if message else own["gone"])
        return None
    if info.error is None:
        kept = kept_at_end(info)
        if kept is None:
            return run, info
        verdict = _verdict(row, info, kept)
        if verdict is None and _judges(row, info) and collected.looks < MOST_LOOKS:
            collected.looks += 1
            return run, info
        collected.note(measured(info.step, kept, verdict))
    else:
        collected.note(None)
    return _advance(collected)


def _judges(row: HandedIn, info: RunInfo) -> bool:
    """Whether a run has gone far enough for a verdict."""
    return row.lesson is not None and (
        info.step >= row.lesson.plan.last_step or info.reason in ENDED
    )


def _verdict(row: HandedIn, info: RunInfo, kept: KeptRecords) -> Verdict | None:
    """The verdict on a lesson's run; None: there is none, or it is not measured yet."""
    if row.lesson is None:
        return None
    watched = Watched(
        snapshots=kept, config=info.initial_config, changes=info.changes,
        ended=info.reason in ENDED,
    )  # fmt: skip
    try:
        return row.lesson.verdict(watched)
    except NotMeasured:
        return None


def measured(step: int, kept: KeptRecords, verdict: Verdict | None) -> Measured:
    """The numbers of a run at its last step."""
    return Measured(
        step=step,
        networks={norm: Reading.of(record) for norm, record in kept.at(step).networks.items()},
        outcome=verdict.outcome if verdict else None,
        answer=verdict.answer if verdict else None,
    )


def _draw_run(collected: TabCollection, run: TabRun, info: RunInfo) -> None:
    """Draw the live view of the present run, and run the script again when it has ended."""
    own, series = texts("collect"), texts("series")
    row = collected.collection.rows[collected.next or 0]
    done, count = len(collected.found) + 1, len(collected.runnable)
    title = own["running"].format(place=done, count=count, who=row.who)
    st.html(tag("p", title, class_="series-now", role="status"))
    view = LiveViewSpec(key="collect_view", charts=((CHART, "full"),), parts=(), knobs=())
    mount_live_view(run, view)

    def look() -> None:
        now = run.info()
        if now is None or now.error is not None or kept_at_end(now) is not None:
            st.rerun()
        elif now.queue_place is not None:
            st.caption(series["waiting"].format(place=now.queue_place))
        else:
            last = row.plan.last_step if row.plan else 0
            st.caption(series["progress"].format(step=now.step, last_step=last))

    look_every(LOOK_EVERY, look)


def _table(collected: TabCollection) -> Markup:
    rows = (
        (str(place), _cells(row, collected, place))
        for place, row in enumerate(collected.collection.rows)
    )
    return page_table(texts("collect")["column"], rows, class_="collect-table")


def _cells(row: HandedIn, collected: TabCollection, place: int) -> Mapping[str, str]:
    own = texts("collect")
    numbers = _numbers(row, row.report.measured) if row.report else [own["no_numbers"]]
    return {
        "who": row.who, "lesson": row.link, "guess": row.guess or own["no_guess"],
        "setting": _lines(row.setting or (own["own_setting"],)),
        "numbers": _lines(numbers), "again": _again(row, collected, place),
    }  # fmt: skip


def _again(row: HandedIn, collected: TabCollection, place: int) -> Markup:
    """What came of running a row again."""
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


def _numbers(row: HandedIn, numbers: Measured) -> list[str]:
    """The numbers of a run in lines."""
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
    """A number, a state or an answer as a person reads it; of a file it may be anything."""
    if value is None:
        return str(texts("collect")["none"])
    if what == "test_accuracy":
        return write(value, "percent1")
    if what == "test_loss":
        return write(value, "number3") if math.isfinite(value) else write(value, "number")
    if what == "state":
        return str(texts("live")["state"].get(value, value))
    if what == "outcome":
        return str(texts("lessons")["verdict"].get(value, value))
    if what == "answer" and row.lesson is not None and value in row.lesson.answers:
        words = lesson_words(row.lesson.name, row.lesson)
        drawn = row.lesson.drawing is not None
        told = words.filled(drawn_answer(words.own, value)) if drawn else words.answer(value)
        return quoted(told.rstrip(".。"))
    return str(value)


def _lines(lines: Iterable[str]) -> Markup:
    return joined(*(tag("span", line) for line in lines))
