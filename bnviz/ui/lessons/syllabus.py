"""Page `syllabus` for teachers: routes through the course, and common misconceptions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from bnviz.lessons import LESSONS
from bnviz.ui.html import Markup, joined, tag
from bnviz.ui.lessons.curriculum import PARTS
from bnviz.ui.lessons.query import LessonQuery
from bnviz.ui.lessons.summary_pages import Cells, page_table
from bnviz.ui.lessons.words import LessonWords
from bnviz.words.joining import plural
from bnviz.words.texts import texts

Session = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Route:
    """Route through the course. Sessions last `length` minutes; `spare` fills leftover time."""

    sessions: tuple[Session, ...]
    length: int
    spare: Session = ()


# Routes by name; their texts are in `assets/texts/<language>/lessons/syllabus.toml`.
ROUTES: dict[str, Route] = {
    "fifty-minutes": Route(
        sessions=(("break-it", "by-hand", "two-modes", "size-of-weights", "batch-size"),), length=50
    ),
    "two-sessions": Route(
        sessions=(
            ("break-it", "by-hand", "moving-targets", "slow-start", "scale-and-shift", "two-modes"),
            ("size-of-weights", "depth", "batch-size", "is-it-shift", "what-it-buys"),
        ),
        length=60, spare=("does-it-regularize",),
    ),
    "whole": Route(
        sessions=(tuple(name for name in LESSONS if name not in PARTS["teachers"]),), length=240
    ),
}  # fmt: skip


def minutes(session: Session) -> int:
    """Estimate the duration of a session: the sum of its lessons' minutes."""
    return sum(LESSONS[name].minutes for name in session)


def draw_syllabus(words: LessonWords) -> bool:
    """Draw the page, and return true: the page counts as seen once it is drawn."""
    own = words.own
    for name, route in ROUTES.items():
        theirs = own["route"][name]
        st.html(tag("h2", theirs["title"]) + tag("p", theirs["text"]))
        key = "session" if len(route.sessions) > 1 else "alone"
        for place, session in enumerate(route.sessions, 1):
            st.html(_session(own, session, key, place))
        if route.spare:
            st.html(_session(own, route.spare, "spare"))
    st.html(tag("h2", own["misconceptions"]["title"]) + tag("p", own["misconceptions"]["text"]))
    st.html(tag("dl", *_misconceptions(), class_="lesson-misconceptions"))
    return True


def _session(own: Mapping[str, Any], session: Session, key: str, place: int = 1) -> Markup:
    """Table of a session's lessons; `key` selects the sentence above it, `place` counts from 1."""
    told = own["told"][key].format(place=place, minutes=minutes(session))
    return joined(
        tag("p", told, class_="lesson-session"),
        page_table(
            own["columns"],
            ((name, _cells(own, name)) for name in session),
            class_="lesson-syllabus",
        ),
    )


def _cells(own: Mapping[str, Any], name: str) -> Cells:
    """Cells of a row: a lesson with its minutes, the sentence to say, and links for a class."""
    theirs, takes = texts(f"lessons/{name}"), LESSONS[name].minutes
    lesson = LESSONS[name].lesson
    says = theirs["teacher"]["say"] if lesson else theirs["short"]
    links: dict[str, LessonQuery] = {}
    if lesson:
        links["stage"] = LessonQuery(name=name, present=True)
        if lesson.rule is not None:
            links["homework"] = LessonQuery(name=name, hide=True)
            links["worksheet"] = LessonQuery(name=name, printed=True)
    told = plural(texts("lessons")["place"], "minutes", takes).format(minutes=takes)
    return {
        "lesson": joined(LessonQuery(name=name).link(), tag("small", told)),
        "say": says,
        "links": joined(*(to.link(own["link"][key]) for key, to in links.items())),
    }


def _misconceptions() -> Iterable[Markup]:
    """Yield the common misconceptions of each lesson."""
    for name, entry in LESSONS.items():
        if entry.is_page:
            continue
        theirs = texts(f"lessons/{name}")
        yield tag("dt", LessonQuery(name=name).link())
        for each in theirs["teacher"]["misconceptions"]:
            yield tag("dd", each)
