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
from bnviz.lessons.drawing import HIGHEST, POINTS, PREFIX, Points, read_points, write_points
from bnviz.lessons.lesson import Lesson
from bnviz.planned_runs.plan import Plan
from bnviz.ui.browser_history import WrittenQueries, led_here
from bnviz.ui.embed import embedded
from bnviz.ui.lab_query import RUN_ID, unknown_names
from bnviz.ui.language import carried

FIRST = next(iter(LESSONS))
MOST_SEED = 2**31 - 1
HIDE_ANSWERS = "answers"
NAMES = ("lesson", "beat", "guess", "seed", "break", "run", "present", "hide", "stop")

# The beats of a lesson, in order; a lesson that asks nothing has none to predict.
BEATS = ("question", "predict", "verdict", "why", "break")

Problem = tuple[str, dict[str, str]]


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
        query = {"lesson": self.name} if self.name else {}
        query |= {"beat": self.beat} if self.beat else {}
        query |= {"guess": self.guess} if self.guess else {}
        query |= {"seed": str(self.seed)} if self.seed else {}
        query |= {"break": self.broken} if self.broken else {}
        query |= {name: to_text(value) for name, value in self.knobs.items()}
        query |= {"present": "1"} if self.present else {}
        query |= {"hide": HIDE_ANSWERS} if self.hide else {}
        query |= {"stop": str(self.stop)} if self.stop else {}
        return query


def restart_knobs(lesson: Lesson) -> tuple[str, ...]:
    """The knobs of a lesson that start its run over."""
    return tuple(name for name in lesson.knobs if name not in LIVE_KNOBS)


def live_knobs(lesson: Lesson) -> tuple[str, ...]:
    """The knobs of a lesson that act while it runs."""
    return tuple(name for name in lesson.knobs if name in LIVE_KNOBS)


def read_lesson_query(query: Mapping[str, str]) -> LessonQuery:
    """Read an address."""
    problems: list[Problem] = []
    name = query.get("lesson", "")
    if not name:
        unknown = unknown_names(query, ("lesson",))
        return LessonQuery(
            name="", problems=(("unknown", {"names": ", ".join(unknown)}),) if unknown else ()
        )
    if name not in LESSONS:
        problems.append(("lesson", {"value": _short(name), "allowed": ", ".join(LESSONS)}))
        name = FIRST
    lesson = LESSONS[name].resolve() if LESSONS[name].written else None
    run = query.get("run")
    if run is not None and not RUN_ID.fullmatch(run):
        problems.append(("run", {"value": _short(run)}))
        run = None
    answers = lesson.answers if lesson else ()
    breaks = tuple(each.name for each in lesson.breaks) if lesson else ()
    broken = _one_of("break", query, breaks, problems)
    hide = query.get("hide", "")
    if hide not in ("", HIDE_ANSWERS):
        problems.append(("hide", {"value": _short(hide)}))
    unknown = unknown_names(query, (*NAMES, *(restart_knobs(lesson) if lesson else ())))
    if unknown:
        problems.append(("unknown", {"names": ", ".join(unknown)}))
    return LessonQuery(
        name=name, beat=_one_of("beat", query, BEATS if answers else (), problems),
        guess=_guess(query, lesson, problems), seed=_seed(query, problems),
        broken=broken, knobs=_knobs(lesson, query, problems) if lesson and not broken else {},
        run=run, present=_flag("present", query, problems), hide=hide == HIDE_ANSWERS,
        stop=_stop(query, lesson, problems), problems=tuple(problems),
    )  # fmt: skip


def _one_of(
    name: str, query: Mapping[str, str], allowed: tuple[str, ...], problems: list[Problem]
) -> str | None:
    given = query.get(name)
    if given is None or given in allowed:
        return given
    if allowed:
        problems.append((name, {"value": _short(given), "allowed": ", ".join(allowed)}))
    else:
        problems.append(("unknown", {"names": name}))
    return None


def _guess(query: Mapping[str, str], lesson: Lesson | None, problems: list[Problem]) -> str | None:
    """An answer, or where the lesson has its reader draw, five points."""
    given = query.get("guess")
    drawing = lesson.drawing if lesson else None
    if given is None or drawing is None or not given.startswith(PREFIX):
        return _one_of("guess", query, lesson.answers if lesson else (), problems)
    points = read_points(given)
    if points is None:
        values = {"value": _short(given), "count": str(POINTS), "most": str(HIGHEST)}
        problems.append(("drawing", values))
        return None
    return write_points(points)


def _seed(query: Mapping[str, str], problems: list[Problem]) -> int:
    given = query.get("seed", "0")
    # A number of thousands of digits is not even read.
    short = len(given) <= len(str(MOST_SEED))
    if short and given.isascii() and given.isdecimal() and int(given) <= MOST_SEED:
        return int(given)
    problems.append(("seed", {"value": _short(given), "most": str(MOST_SEED)}))
    return 0


def _stop(query: Mapping[str, str], lesson: Lesson | None, problems: list[Problem]) -> int:
    given, count = query.get("stop", "0"), len(lesson.stops) if lesson else 0
    if given in map(str, range(count + 1)):
        return int(given)
    if count:
        problems.append(("stop", {"value": _short(given), "most": str(count)}))
    else:
        problems.append(("unknown", {"names": "stop"}))
    return 0


def _flag(name: str, query: Mapping[str, str], problems: list[Problem]) -> bool:
    given = query.get(name, "0")
    if given not in ("0", "1"):
        problems.append(("flag", {"field": name, "value": _short(given)}))
    return given == "1"


def _knobs(lesson: Lesson, query: Mapping[str, str], problems: list[Problem]) -> dict[str, Any]:
    """Structural knobs that differ from the lesson's own; each is checked with the whole run."""
    own = lesson.config()
    moved: dict[str, Any] = {}
    for name in restart_knobs(lesson):
        if name not in query:
            continue
        try:
            given = from_text(KNOBS[name], query[name])
            # As the config has it: a number, and no longer its text.
            value = getattr(own.replace(**{**moved, name: given}), name)
        except ConfigError as error:
            problems.append(("knob", {"message": str(error)}))
            continue
        if value != getattr(own, name):
            moved[name] = value
    return moved


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


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
