"""The query of a lesson's address, which alone decides what the page shows.

Every run of the script reads it; every button writes another one. A wrong value is answered by a
sentence, and its default is taken instead.
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

# Fields of a query that are not named as their parameters.
FIELDS = {"break": "broken", "print": "printed"}
# Parameters in the order in which an address has them; between them stand the knobs.
BEFORE_KNOBS = ("beat", "guess", "seed", "break")
AFTER_KNOBS = ("present", "hide", "stop", "print", "account", "because", "again")
# Key in the tab's session: the queries that the page has written.
STATE = "lesson_queries"


@dataclass(frozen=True, kw_only=True)
class LessonQuery:
    """The query of a lesson's address.

    Attributes:
        name: of the lesson, a key of `LESSONS`; "" for the page that lists them.
        beat: the beat that is open; None: the one to which guess and run have led.
        guess: the chosen answer, or a drawn curve as `draw:…`, or None.
        seed: of the run.
        broken: name of the break that is run; None: the lesson's own run.
        knobs: knobs that start the run over and were set otherwise than the lesson's.
        run: id of a run to go on with, or None; it is not written again.
        present: whether the run is on the stage, for a hall.
        hide: whether the address takes away what the run says.
        stop: how many stops of a tour have been passed.
        printed: whether the page is the lesson's worksheet.
        account: the explanation that the reader holds, a key of the lesson's `accounts`, or None.
        because: why, in the reader's own words; "" where nothing was said.
        again: whether the reader has finished the lesson before, and its run is repeated quickly.
        embed: whether the page is in the frame of another site, where it can only be watched.
        led: whether Back, Forward or a link has just led the browser to the address.
        problems: what was wrong in the address.
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
        """The config with which the run begins, and its schedule.

        Raises:
            ConfigError: the knobs do not go together.
        """
        if self.broken is not None:
            return lesson.break_config(self.broken, self.seed), lesson.break_plan(self.broken)
        return lesson.config(self.seed).replace(**self.knobs), lesson.plan

    @property
    def drawn(self) -> Points | None:
        """The points of the drawn curve, or None."""
        return read_points(self.guess, None) if self.guess else None

    @property
    def next_seed(self) -> int:
        """The seed of other weights: the next one, or the first after the last."""
        return (self.seed + 1) % (MOST_SEED + 1)

    @property
    def watching(self) -> bool:
        """Whether nobody guesses here: in a frame, or on the stage, where the class does."""
        return self.embed or self.present

    def waits(self, lesson: Lesson) -> bool:
        """Whether the run stays at step 0 until an answer is chosen.

        The answers are about the lesson's own run: a link to one of its breaks asks for none,
        unless answers are hidden.
        """
        watching = self.watching or (self.broken is not None and not self.hide)
        return bool(lesson.answers) and self.guess is None and not watching

    def to_query(self) -> dict[str, str]:
        """The clean query, without the parameters of every page."""

        def written(names: Iterable[str]) -> dict[str, str]:
            values = {name: getattr(self, FIELDS.get(name, name)) for name in names}
            return write_query(lesson_schema(None), values)

        knobs = {name: to_text(value) for name, value in self.knobs.items()}
        own = {"lesson": self.name} if self.name else {}
        return {**own, **written(BEFORE_KNOBS), **knobs, **written(AFTER_KNOBS)}

    @property
    def address(self) -> str:
        """The address as a path."""
        return page_address("lessons", self.to_query())

    def link(self, label: str | None = None, **attributes: object) -> Markup:
        """A link to the page.

        Args:
            label: its text; None: the lesson's title.
            **attributes: further ones of the element.
        """
        text = lesson_title(self.name) if label is None else label
        return page_link("lessons", text, self.to_query(), **attributes)


def restart_knobs(lesson: Lesson) -> tuple[str, ...]:
    """The knobs of a lesson that start its run over when they are set.

    Where its run is several, each of them does.
    """
    if lesson.compares is not None:
        return lesson.knobs
    return tuple(name for name in lesson.knobs if name not in (*LIVE_KNOBS, *ACTIONS))


def live_knobs(lesson: Lesson) -> tuple[str, ...]:
    """The knobs of a lesson that act while its run goes on, and its actions."""
    return tuple(name for name in lesson.knobs if name not in restart_knobs(lesson))


def read_lesson_query(query: Mapping[str, str]) -> LessonQuery:
    """Read the query of an address; what is wrong in it becomes `problems`."""
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
    """The knobs that the address sets otherwise than the lesson, checked with each other."""
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
    """The query that the page is to show now.

    It is the browser's where that is new, or where the visitor was led to it by Back, Forward or a
    link; else it is the one that the page has written last. The run's id is read either way.
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
    """Show what another query asks for, and write it into the address: Back leads to this one."""
    written: WrittenQueries = st.session_state[STATE]
    written.write(query.to_query())
