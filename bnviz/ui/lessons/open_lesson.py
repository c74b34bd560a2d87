"""Lesson that is open in a tab: its address, texts, run and open section."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

import streamlit as st

from bnviz.lessons.lesson import Lesson, Verdict
from bnviz.lessons.observation import NotMeasured
from bnviz.ui.lessons.query import LessonQuery, go_to
from bnviz.ui.lessons.run import LessonRun
from bnviz.ui.lessons.words import LessonWords
from bnviz.ui.query_schema import beats_of

# Session-state keys: lessons whose results were shown, widgets that were used, and verdicts by run
# id.
SEEN, TRIED, SAID = "lessons_seen", "lessons_tried", "lessons_said"


@dataclass(frozen=True)
class OpenLesson:
    """Query, lesson, texts and run from which the sections of a lesson are drawn."""

    query: LessonQuery
    lesson: Lesson
    words: LessonWords
    run: LessonRun

    def go(self, **changes: object) -> Callable[[], None]:
        """Return a callback that shows the page with `changes` in the fields of `LessonQuery`."""
        # If only the section changes, a lesson that was finished before still shows the same run.
        again = self.query.again and changes.keys() <= {"beat"}
        usual: dict[str, object] = {"run": None, "problems": (), "again": again}
        target = replace(self.query, **{**usual, **changes})  # type: ignore[arg-type]
        return lambda: go_to(target)

    def afresh(self, beat: str) -> Callable[[], None]:
        """Return a callback that opens `beat` without a guess and with other initial weights."""
        return self.go(
            guess=None, beat=beat, broken=None, knobs={}, seed=self.query.next_seed,
            account=None, because="",
        )  # fmt: skip

    def begin(self, **changes: object) -> Callable[[], None]:
        """Return a callback that changes the address like `go`, and starts the run."""
        go = self.go(**changes)

        def begin() -> None:
            go()
            self.run.play()

        return begin

    @property
    def seen(self) -> bool:
        """Return whether this tab has shown the run's results, so that later sections are open."""
        return self.lesson.name in _names(SEEN)

    def note_seen(self) -> None:
        _names(SEEN).add(self.lesson.name)

    def verdict(self) -> Verdict | None:
        """Return the verdict on the lesson's own run, or None before it is measured.

        A known verdict stays the same in this tab, even if the run's networks change later.
        """
        said: dict[str, Verdict | None] = st.session_state.setdefault(SAID, {})
        run_id = self.run.tab_run.run_id
        if said.get(run_id) is None:
            with suppress(NotMeasured):
                said[run_id] = self.lesson.verdict(self.run.observed)
        return said.get(run_id)

    @property
    def tried(self) -> bool:
        """Return whether the widget required before the results, if any, has been used."""
        first = self.lesson.tried_first
        return not first or self.query.watching or first in _names(TRIED)

    def note_tried(self, widget: str) -> None:
        _names(TRIED).add(widget)

    @property
    def guessing(self) -> bool:
        """Return whether readers may still choose or draw an answer: until the run begins."""
        query, run, waits = self.query, self.run, self.query.waits(self.lesson)
        begun = run.begun or (run.playing and not waits)
        asked = bool(self.lesson.answers) and (waits or not self.query.broken)
        return asked and not query.watching and not begun

    @property
    def draws(self) -> bool:
        return self.lesson.drawing is not None and self.guessing

    @property
    def otherwise(self) -> bool:
        """Return whether the run has other settings than the lesson's own."""
        return bool(self.query.broken or self.query.knobs)

    @property
    def beat(self) -> str:
        """Open section: the address's section, or the last reached section if that is earlier."""
        query, waits, beats = self.query, self.query.waits(self.lesson), beats_of(self.lesson)
        reached = "predict" if waits or (self.guessing and query.guess) else "verdict"
        # Results of other settings are in the last section, so an address opens it at once.
        if reached == "verdict" and (self.seen or self.otherwise) and not query.hide:
            reached = beats[-1]
        usual = {"predict": "question" if waits else "predict", "verdict": "verdict"}
        asked = query.beat or usual.get(reached) or ("break" if self.otherwise else "verdict")
        return min(asked, reached, key=beats.index)


def _names(key: str) -> set[str]:
    """Return the stored set of names under a key of the tab's session."""
    found: set[str] = st.session_state.setdefault(key, set())
    return found
