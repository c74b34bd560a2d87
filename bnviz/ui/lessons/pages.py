"""Pages of the course without a run, each with a function that draws it from its texts."""

from __future__ import annotations

from collections.abc import Callable

from bnviz.ui.lessons.collect import draw_collect
from bnviz.ui.lessons.in_code import draw_in_code
from bnviz.ui.lessons.own_words import draw_own_words
from bnviz.ui.lessons.summary_pages import (
    draw_notes_corrected,
    draw_what_to_use_when,
    draw_when_it_loses,
)
from bnviz.ui.lessons.syllabus import draw_syllabus
from bnviz.ui.lessons.words import LessonWords

# Functions that draw the pages, by name. They return whether the reader has reached the end.
PAGES: dict[str, Callable[[LessonWords], bool]] = {
    "in-code": draw_in_code,
    "when-it-loses": draw_when_it_loses,
    "what-you-can-say": draw_own_words,
    "syllabus": draw_syllabus,
    "what-to-use-when": draw_what_to_use_when,
    "notes-corrected": draw_notes_corrected,
    "collect": draw_collect,
}
