"""The page `syllabus`, for teachers: routes through the course, and what people often think."""

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
    """A way through the course.

    Attributes:
        sessions: each the lessons in their order.
        length: minutes that a session has.
        spare: what comes last where time is left.
    """

    sessions: tuple[Session, ...]
    length: int
    spare: Session = ()


# By name of the route, which has words in `assets/texts/<language>/lessons/syllabus.toml`.
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
    """About how long a session takes: the sum of its lessons' minutes."""
    return sum(LESSONS[name].minutes for name in session)


def draw_syllabus(words: LessonWords) -> bool:
    """Draw the page; it has been seen as soon as it is there."""
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
    """A session's lessons in a table, with its minutes.

    Args:
        own: the page's words.
        session: the lessons.
        key: of the sentence over the table.
        place: number of the session, from 1.
    """
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
    """A lesson with its minutes, the sentence to say, and the links for a class."""
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
    """What people often think, lesson by lesson."""
    for name, entry in LESSONS.items():
        if entry.is_page:
            continue
        theirs = texts(f"lessons/{name}")
        yield tag("dt", LessonQuery(name=name).link())
        for each in theirs["teacher"]["misconceptions"]:
            yield tag("dd", each)
