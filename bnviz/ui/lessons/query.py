"""Query of a lesson's address, the only source of what the page shows.

Every script run reads the query, and every button writes a new query. A wrong value is reported and
replaced by its default.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from bnviz.actions import ACTIONS
from bnviz.config import KNOBS, LIVE_KNOBS, ConfigError, RunConfig
from bnviz.knobs import from_text, to_text
from bnviz.lessons import LESSONS
from bnviz.lessons.drawing import Points, read_points
from bnviz.lessons.lesson import Lesson
from bnviz.planned_runs.plan import Plan
from bnviz.ui.browser_history import WrittenQueries, asked_query, led_here
from bnviz.ui.embed import embedded
from bnviz.ui.html import Markup
from bnviz.ui.lessons.words import lesson_title
from bnviz.ui.navigation import page_link
from bnviz.ui.query_problems import Problem
from bnviz.ui.query_schema import (
    FIRST_LESSON,
    MOST_SEED,
    QueryReader,
    lesson_schema,
    unknown_names,
    write_query,
)
from bnviz.ui.sitemap import page_address

# Names of fields that differ from their parameter's name, by parameter.
FIELDS = {"break": "broken", "print": "printed"}
# Order of the parameters before the knobs in an address, and of the parameters after the knobs.
BEFORE_KNOBS = ("beat", "guess", "seed", "break")
AFTER_KNOBS = ("present", "hide", "stop", "print", "account", "because", "again")
# Session-state key of the queries that the page has written.
STATE = "lesson_queries"


@dataclass(frozen=True, kw_only=True)
class LessonQuery:
    """Query of a lesson's address.

    Attributes:
        name: lesson, a key of `LESSONS`, or "" for the overview.
        beat: open section, or None for the section that fits the state of guess and run.
        guess: chosen answer, a drawn curve as `draw:…`, or None.
        broken: name of the open try-it experiment, or None for the lesson's own run.
        knobs: restart knobs whose values differ from the lesson's values.
        run: id of a run to continue, or None; `to_query` leaves it out.
        present: whether the page is the presentation view.
        hide: whether the run's results are hidden, for example for homework.
        stop: number of finished stops of a tour.
        account: explanation that the reader chose, a key of the lesson's `accounts`, or None.
        again: whether the reader finished the lesson before, so that its run repeats quickly.
        embed: whether the page is in a frame of another site, which only allows watching.
        led: whether Back, Forward or a link has just opened the address.
    """

    name: str = FIRST_LESSON
    beat: str | None = None
    guess: str | None = None
    seed: int = 0
    broken: str | None = None
    knobs: Mapping[str, Any] = field(default_factory=dict)
    run: str | None = None
    present: bool = False
    hide: bool = False
    stop: int = 0
    printed: bool = False
    account: str | None = None
    because: str = ""
    again: bool = False
    embed: bool = False
    led: bool = False
    problems: tuple[Problem, ...] = ()

    def setting(self, lesson: Lesson) -> tuple[RunConfig, Plan]:
        """Return the initial config of the run, and its schedule.

        Raises:
            ConfigError: The knobs are incompatible.
        """
        if self.broken is not None:
            return lesson.config_of_try(self.broken, self.seed), lesson.plan_of_try(self.broken)
        return lesson.config(self.seed).replace(**self.knobs), lesson.plan

    @property
    def drawn(self) -> Points | None:
        return read_points(self.guess, None) if self.guess else None

    @property
    def next_seed(self) -> int:
        """Seed of other initial weights: the next seed, or 0 after the last."""
        return (self.seed + 1) % (MOST_SEED + 1)

    @property
    def watching(self) -> bool:
        """Return whether readers cannot guess here: in a frame, or while a class votes."""
        return self.embed or self.present

    def waits(self, lesson: Lesson) -> bool:
        """Return whether the run stays at step 0 until an answer is chosen.

        The answers are about the lesson's own run, so a try-it experiment needs no answer unless
        `hide` is set.
        """
        watching = self.watching or (self.broken is not None and not self.hide)
        return bool(lesson.answers) and self.guess is None and not watching

    def to_query(self) -> dict[str, str]:
        """Return the parameters of this page, without those that all pages share."""

        def written(names: Iterable[str]) -> dict[str, str]:
            values = {name: getattr(self, FIELDS.get(name, name)) for name in names}
            return write_query(lesson_schema(None), values)

        knobs = {name: to_text(value) for name, value in self.knobs.items()}
        own = {"lesson": self.name} if self.name else {}
        return {**own, **written(BEFORE_KNOBS), **knobs, **written(AFTER_KNOBS)}

    @property
    def address(self) -> str:
        return page_address("lessons", self.to_query())

    def link(self, label: str | None = None, **attributes: object) -> Markup:
        """Link to the page; the default label is the lesson's title."""
        text = lesson_title(self.name) if label is None else label
        return page_link("lessons", text, self.to_query(), **attributes)


def restart_knobs(lesson: Lesson) -> tuple[str, ...]:
    """Knobs whose change restarts the lesson's run. In a lesson with several runs, all knobs do."""
    if lesson.compares is not None:
        return lesson.knobs
    return tuple(name for name in lesson.knobs if name not in (*LIVE_KNOBS, *ACTIONS))


def live_knobs(lesson: Lesson) -> tuple[str, ...]:
    """Knobs and actions of a lesson that act while its run continues."""
    return tuple(name for name in lesson.knobs if name not in restart_knobs(lesson))


def read_lesson_query(query: Mapping[str, str]) -> LessonQuery:
    """Read the query of an address, and list its errors in `problems`."""
    if not query.get("lesson"):
        unknown = unknown_names(query, ("lesson",))
        problem = ("unknown", {"names": ", ".join(unknown)})
        return LessonQuery(name="", problems=(problem,) if unknown else ())
    reader = QueryReader.of(query, lesson_schema(None))
    name = reader.take("lesson")
    lesson = LESSONS[name].lesson
    reader.schema = lesson_schema(lesson)
    found = {name: reader.take(name) for name in ("run", "break", "hide")}
    own = restart_knobs(lesson) if lesson else ()
    unknown = unknown_names(query, (*reader.schema, *own))
    if unknown:
        reader.problems.append(("unknown", {"names": ", ".join(unknown)}))
    found |= {name: reader.take(name) for name in ("beat", "guess", "seed")}
    knobs = _knobs(lesson, reader) if lesson and not found["break"] else {}
    found |= {name: reader.take(name) for name in AFTER_KNOBS if name != "hide"}
    fields = {FIELDS.get(name, name): value for name, value in found.items()}
    return LessonQuery(name=name, knobs=knobs, problems=tuple(reader.problems), **fields)


def _knobs(lesson: Lesson, reader: QueryReader) -> dict[str, Any]:
    """Read the knobs that differ from the lesson's values, and check their combination."""
    own = lesson.config()
    changed: dict[str, Any] = {}
    for name in restart_knobs(lesson):
        if name not in reader.rest:
            continue
        try:
            given = from_text(KNOBS[name], reader.rest[name])
            # The config turns the text into a number.
            value = getattr(own.replace(**{**changed, name: given}), name)
        except ConfigError as error:
            reader.problems.append(("knob", {"message": str(error)}))
            continue
        if value != getattr(own, name):
            changed[name] = value
    return changed


def current_query() -> LessonQuery:
    """Return the query that the page must show now.

    The browser's query applies if it is new, or if Back, Forward or a link opened it. Otherwise the
    query that the page wrote last applies. The run's id always comes from the browser.
    """
    query = asked_query()
    sent = {name: value for name, value in query.items() if name != "run"}
    written: WrittenQueries | None = st.session_state.get(STATE)
    led = led_here()
    if led or written is None or sent not in written:
        written = st.session_state[STATE] = WrittenQueries(sent)
    asked = written.newest | ({"run": query["run"]} if "run" in query else {})
    return replace(read_lesson_query(asked), embed=embedded(), led=led)


def go_to(query: LessonQuery) -> None:
    """Show another query, and write it into the address as a new entry of the browser's history."""
    written: WrittenQueries = st.session_state[STATE]
    written.write(query.to_query())
