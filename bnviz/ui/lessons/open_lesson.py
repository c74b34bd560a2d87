"""A lesson that is open in a tab: its address, its words, its run, and which beat is open."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

import streamlit as st

from bnviz.lessons.lesson import Lesson, Verdict
from bnviz.lessons.watched import NotMeasured
from bnviz.ui.lessons.query import LessonQuery, go_to
from bnviz.ui.lessons.run import LessonRun
from bnviz.ui.lessons.words import LessonWords
from bnviz.ui.query_schema import beats_of

# Keys in the tab's session: lessons whose run has said something, widgets that were used, and what
# runs have said.
SEEN, TRIED, SAID = "lessons_seen", "lessons_tried", "lessons_said"


@dataclass(frozen=True)
class OpenLesson:
    """What the beats of a lesson draw from.

    Attributes:
        query: what the address says.
        lesson: the lesson.
        words: its words.
        run: its run.
    """

    query: LessonQuery
    lesson: Lesson
    words: LessonWords
    run: LessonRun

    def go(self, **changes: object) -> Callable[[], None]:
        """The callback of a button that changes the address, and with it the page.

        Args:
            **changes: fields of `LessonQuery`.
        """
        # Another beat of a lesson that was finished before is still of the same run.
        again = self.query.again and changes.keys() <= {"beat"}
        usual: dict[str, object] = {"run": None, "problems": (), "again": again}
        target = replace(self.query, **{**usual, **changes})  # type: ignore[arg-type]
        return lambda: go_to(target)

    def afresh(self, beat: str) -> Callable[[], None]:
        """The callback of a button that leads to a beat before the guess, with other weights."""
        return self.go(
            guess=None, beat=beat, broken=None, knobs={}, seed=self.query.next_seed,
            account=None, because="",
        )  # fmt: skip

    def begin(self, **changes: object) -> Callable[[], None]:
        """The callback of a button that changes the address as `go` does, and starts the run."""
        go = self.go(**changes)

        def begin() -> None:
            go()
            self.run.play()

        return begin

    @property
    def seen(self) -> bool:
        """Whether the lesson's run has said something in this tab; later beats are open then."""
        return self.lesson.name in _names(SEEN)

    def note_seen(self) -> None:
        """Note that the lesson's run has said something."""
        _names(SEEN).add(self.lesson.name)

    def verdict(self) -> Verdict | None:
        """Verdict on the lesson's own run; None if it is too early, or a probe was not measured.

        What it has said stays said in this tab, whatever is done to its networks afterwards.
        """
        said: dict[str, Verdict | None] = st.session_state.setdefault(SAID, {})
        run_id = self.run.tab_run.run_id
        if said.get(run_id) is None:
            with suppress(NotMeasured):
                said[run_id] = self.lesson.verdict(self.run.watched)
        return said.get(run_id)

    @property
    def tried(self) -> bool:
        """Whether the widget that the lesson wants tried first, if any, was used in this tab."""
        first = self.lesson.tried_first
        return not first or self.query.watching or first in _names(TRIED)

    def note_tried(self, widget: str) -> None:
        """Note that a widget was used."""
        _names(TRIED).add(widget)

    @property
    def guessing(self) -> bool:
        """Whether the reader may still choose an answer, or draw it: before the run has begun."""
        query, run, waits = self.query, self.run, self.query.waits(self.lesson)
        begun = run.begun or (run.playing and not waits)
        asked = bool(self.lesson.answers) and (waits or not self.query.broken)
        return asked and not query.watching and not begun

    @property
    def draws(self) -> bool:
        """Whether the reader may draw a curve now."""
        return self.lesson.drawing is not None and self.guessing

    @property
    def otherwise(self) -> bool:
        """Whether the run has another setting than the lesson's own."""
        return bool(self.query.broken or self.query.knobs)

    @property
    def beat(self) -> str:
        """The beat that is open: the address's, but none after the last that is reached."""
        query, waits, beats = self.query, self.query.waits(self.lesson), beats_of(self.lesson)
        reached = "predict" if waits or (self.guessing and query.guess) else "verdict"
        # Another setting has its findings in the last beat: an address leads there at once.
        if reached == "verdict" and (self.seen or self.otherwise) and not query.hide:
            reached = beats[-1]
        usual = {"predict": "question" if waits else "predict", "verdict": "verdict"}
        asked = query.beat or usual.get(reached) or ("break" if self.otherwise else "verdict")
        return min(asked, reached, key=beats.index)


def _names(key: str) -> set[str]:
    """The set of names under a key of the tab's session."""
    found: set[str] = st.session_state.setdefault(key, set())
    return found
