"""A lesson that is open: what the address says, its words and its run, and what follows a click."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import streamlit as st

from bnviz.lessons.lesson import Lesson
from bnviz.ui.lessons.query import LessonQuery, go_to
from bnviz.ui.lessons.run import LessonRun
from bnviz.ui.lessons.words import LessonWords
from bnviz.ui.query_schema import BEATS

# Lessons whose run has said something in this tab.
SEEN = "lessons_seen"
# Widgets in which something was moved in this tab.
TRIED = "lessons_tried"


@dataclass(frozen=True)
class OpenLesson:
    """What the beats of a lesson need.

    Attributes:
        visit: what the address says.
        lesson: which lesson.
        said: its words.
        running: its run.
    """

    visit: LessonQuery
    lesson: Lesson
    said: LessonWords
    running: LessonRun

    def go(self, **changes: object) -> Callable[[], None]:
        """What a button calls to change the address, and with it the page."""
        target = replace(self.visit, run=None, problems=(), **changes)  # type: ignore[arg-type]

        def went() -> None:
            go_to(target)

        return went

    @property
    def seen(self) -> bool:
        """Whether its run has said something in this tab; then the rest may be opened."""
        return self.lesson.name in _seen()

    def see(self) -> None:
        """The run has said something."""
        _seen().add(self.lesson.name)

    @property
    def tried(self) -> bool:
        """Whether what the lesson wants tried by hand first was tried in this tab."""
        alone = self.visit.embed or self.visit.present
        return not self.lesson.tried_first or alone or self.lesson.tried_first in _tried()

    def try_out(self, widget: str) -> None:
        """Something was moved in a widget."""
        _tried().add(widget)

    @property
    def draws(self) -> bool:
        """Whether the reader may draw: as long as the run has not begun."""
        visit, running = self.visit, self.running
        alone = visit.embed or visit.present
        begun = running.step > 0 or (running.playing and not visit.waits(self.lesson))
        return self.lesson.drawing is not None and not alone and not begun

    @property
    def otherwise(self) -> bool:
        """Whether the run is in another setting than the lesson's own."""
        return bool(self.visit.broken or self.visit.knobs)

    @property
    def beat(self) -> str:
        """The beat that is open: the one asked for, unless what comes before it is missing."""
        visit, waits = self.visit, self.visit.waits(self.lesson)
        reached = "predict" if waits or (self.draws and visit.guess) else "verdict"
        # A link to another setting leads to where that setting speaks, and stays there.
        if reached == "verdict" and (self.seen or self.otherwise) and not visit.hide:
            reached = "break"
        usual = {"predict": "question" if waits else "predict", "verdict": "verdict"}
        asked = visit.beat or usual.get(reached) or ("break" if self.otherwise else "verdict")
        return min(asked, reached, key=BEATS.index)


def _tried() -> set[str]:
    found: set[str] = st.session_state.setdefault(TRIED, set())
    return found


def _seen() -> set[str]:
    found: set[str] = st.session_state.setdefault(SEEN, set())
    return found
