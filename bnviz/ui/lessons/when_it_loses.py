"""The page `when-it-loses`: every break of the course in which BN loses, in one table."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from bnviz.lessons.lesson import BatchLoses, Lesson
from bnviz.lessons.losses import STEPS, Loss, breaks_lost, key_of, read
from bnviz.ui.html import Markup, tag
from bnviz.ui.lessons.query import LessonQuery
from bnviz.ui.lessons.table import page_table
from bnviz.ui.lessons.words import LessonWords, lesson_words
from bnviz.words.joining import in_list
from bnviz.words.numbers import FORMATS
from bnviz.words.texts import texts


def draw_when_it_loses(words: LessonWords) -> bool:
    """Draw the page; it has been seen as soon as it is there."""
    own, losses = words.own, read()
    # Skip what was not measured.
    known = [each for each in breaks_lost() if key_of(*each[:2]) in losses]
    st.html(words.html(own["question"]))
    rows = [
        (key_of(lesson, name), _cells(own, lesson, name, by, losses[key_of(lesson, name)]))
        for lesson, name, by in known
    ]
    st.html(page_table(own["columns"], rows))
    seeds = {len(losses[key_of(lesson, name)].seeds) for lesson, name, _ in known}
    counts = in_list(str(count) for count in sorted(seeds))
    st.html(tag("p", own["how"].format(seeds=counts), class_="lesson-how"))
    return True


def _cells(
    own: Mapping[str, Mapping[str, str]], lesson: Lesson, name: str, by: BatchLoses, loss: Loss
) -> Mapping[str, Markup]:
    """The setting with the link to it, by how much BN loses, why, and what to use."""
    theirs = lesson_words(lesson.name, lesson)
    said, until = theirs.own["break"][name]["loses"], lesson.break_plan(name).until
    label = own["link"]["text"].format(title=theirs.own["title"])
    link = LessonQuery(name=lesson.name, broken=name).link(label)
    return {
        "setting": Markup(theirs.html(said["setting"]) + link),
        "measured": Markup(tag("b", _gap(own, loss)) + tag("p", _told(own, by, loss, until))),
        "why": Markup(theirs.html(said["why"])),
        "instead": Markup(theirs.html(said["instead"])),
    }


def _gap(own: Mapping[str, Mapping[str, str]], loss: Loss) -> str:
    """How far BN is behind, in percentage points or steps: the median, the lowest, the highest."""
    key, style = ("gap_steps", "count") if loss.by == STEPS else ("gap", "points")
    values = {"gap": loss.gap, "low": min(loss.gaps), "high": max(loss.gaps)}
    return own["told"][key].format(**{k: FORMATS[style](v) for k, v in values.items()})


def _told(
    own: Mapping[str, Mapping[str, str]], by: BatchLoses, loss: Loss, until: float | None
) -> str:
    """What both networks come to: the medians, and by which measure."""
    written = FORMATS["count" if by.by == STEPS else "percent1"]
    return own["told"][by.by].format(
        batch=written(loss.median_of("batch")), other=written(loss.median_of("other")),
        network=texts("norms")[by.to]["network"], until=FORMATS["percent"](until or 0),
    )  # fmt: skip
