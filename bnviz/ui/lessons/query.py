"""The address of a lesson, read on every run of the script: it alone says what stands there.

A wrong value is answered by a sentence and left out.

Which lesson a tab shows: what its address says, or what the page has made of it since.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from bnviz.config import KNOBS, LIVE_KNOBS, ConfigError, RunConfig
from bnviz.knobs import from_text, to_text
from bnviz.lessons import LESSONS
from bnviz.lessons.drawing import Points, read_points
from bnviz.lessons.lesson import Lesson
from bnviz.planned_runs.plan import Plan
from bnviz.ui.browser_history import WrittenQueries, led_here
from bnviz.ui.embed import embedded
from bnviz.ui.language import carried
from bnviz.ui.query_schema import (
    FIRST,
    MOST_SEED,
    Problem,
    QueryReader,
    lesson_parameters,
    unknown_names,
    write_query,
)


@dataclass(frozen=True, kw_only=True)
class LessonQuery:
    """What an address asks for.

    Attributes:
        name: of the lesson, a key of `LESSONS`; "" for the page that lists them.
        beat: which beat is open; None: the one that the guess and the run lead to.
        guess: the answer chosen, or what was drawn as `draw:…`, or None.
        seed: of the run.
        broken: which of the lesson's breaks is run, or None for its own run.
        knobs: structural knobs of the lesson that were set otherwise.
        run: a run to go on with, or None.
        present: its run on the stage, for a hall.
        hide: whether the link takes away what the run says.
        stop: how many of the lesson's stops have been passed.
        embed: alone in another page's frame, watching only.
        problems: a sentence for each thing that was wrong: (key of `notice`, values).
    """

    name: str = FIRST
    beat: str | None = None
    guess: str | None = None
    seed: int = 0
    broken: str | None = None
    knobs: Mapping[str, Any] = field(default_factory=dict)
    run: str | None = None
    present: bool = False
    hide: bool = False
    stop: int = 0
    embed: bool = False
    problems: tuple[Problem, ...] = ()

    def setting(self, lesson: Lesson) -> tuple[RunConfig, Plan]:
        """With what the run begins, and its schedule.

        Raises:
            ConfigError: the knobs do not go together.
        """
        if self.broken is not None:
            return lesson.break_config(self.broken, self.seed), lesson.break_plan(self.broken)
        return lesson.config(self.seed).replace(**self.knobs), lesson.plan

    @property
    def drawn(self) -> Points | None:
        """What was drawn, or None."""
        return read_points(self.guess) if self.guess else None

    @property
    def next_seed(self) -> int:
        """That of other weights; after the last one comes the first."""
        return (self.seed + 1) % (MOST_SEED + 1)

    def waits(self, lesson: Lesson) -> bool:
        """Whether the run stands still until an answer is chosen; in a frame nobody does, and on
        the stage a class is asked there.
        """
        alone = self.embed or self.present
        return bool(lesson.answers) and self.guess is None and not alone

    def address(self) -> dict[str, str]:
        """The query of a link to this visit; the language goes along."""
        return {**self.to_query(), **carried()}

    def to_query(self) -> dict[str, str]:
        """What the address says of this visit, cleaned."""
        parameters = lesson_parameters(None)
        query = {"lesson": self.name} if self.name else {}
        query |= write_query(
            parameters, {"beat": self.beat, "guess": self.guess, "seed": self.seed}
        )
        query |= write_query(parameters, {"break": self.broken})
        query |= {name: to_text(value) for name, value in self.knobs.items()}
        values = {"present": self.present, "hide": self.hide, "stop": self.stop}
        return query | write_query(parameters, values)


def restart_knobs(lesson: Lesson) -> tuple[str, ...]:
    """The knobs of a lesson that start its run over."""
    return tuple(name for name in lesson.knobs if name not in LIVE_KNOBS)


def live_knobs(lesson: Lesson) -> tuple[str, ...]:
    """The knobs of a lesson that act while it runs."""
    return tuple(name for name in lesson.knobs if name in LIVE_KNOBS)


def read_lesson_query(query: Mapping[str, str]) -> LessonQuery:
    """Read the query of an address; what is wrong in it becomes `problems`."""
    if not query.get("lesson"):
        unknown = unknown_names(query, ("lesson",))
        problem = ("unknown", {"names": ", ".join(unknown)})
        return LessonQuery(name="", problems=(problem,) if unknown else ())
    reader = QueryReader.of(query)
    name = reader.take(lesson_parameters(None), "lesson")
    lesson = LESSONS[name].resolve() if LESSONS[name].written else None
    parameters = lesson_parameters(lesson)
    run, broken, hide = (reader.take(parameters, name) for name in ("run", "break", "hide"))
    own = restart_knobs(lesson) if lesson else ()
    unknown = unknown_names(query, (*parameters, *own))
    if unknown:
        reader.problems.append(("unknown", {"names": ", ".join(unknown)}))
    beat, guess, seed = (reader.take(parameters, name) for name in ("beat", "guess", "seed"))
    knobs = _knobs(lesson, reader) if lesson and not broken else {}
    present, stop = (reader.take(parameters, name) for name in ("present", "stop"))
    return LessonQuery(
        name=name, beat=beat, guess=guess, seed=seed, broken=broken, knobs=knobs, run=run,
        present=present, hide=hide, stop=stop, problems=tuple(reader.problems),
    )  # fmt: skip


def _knobs(lesson: Lesson, reader: QueryReader) -> dict[str, Any]:
    """The knobs that the address sets otherwise than the lesson, checked with each other."""
    own = lesson.config()
    moved: dict[str, Any] = {}
    for name in restart_knobs(lesson):
        if name not in reader.rest:
            continue
        try:
            given = from_text(KNOBS[name], reader.rest[name])
            # As the config has it: a number, and no longer its text.
            value = getattr(own.replace(**{**moved, name: given}), name)
        except ConfigError as error:
            reader.problems.append(("knob", {"message": str(error)}))
            continue
        if value != getattr(own, name):
            moved[name] = value
    return moved


STATE = "lesson_address"


def current_query() -> LessonQuery:
    """What the page is to show now: what its address says, the run aside, is a command only where
    it is new, or where the browser says that it was led there.
    """
    query = st.query_params.to_dict()
    heard = {name: value for name, value in query.items() if name != "run"}
    known: WrittenQueries | None = st.session_state.get(STATE)
    if led_here() or known is None or heard not in known:
        known = WrittenQueries(heard)
        st.session_state[STATE] = known
    asked = known.shown | ({"run": query["run"]} if "run" in query else {})
    return replace(read_lesson_query(asked), embed=embedded())


def go_to(visit: LessonQuery) -> None:
    """Show another visit, and write it into the address: a step that Back takes back."""
    address = visit.address()
    known: WrittenQueries = st.session_state[STATE]
    known.write(address)
    st.query_params.from_dict(address)
