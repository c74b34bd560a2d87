"""The course: all lessons on a page of their own, and as dots over each of them.

What a browser keeps of the course: which lessons it has seen to the end, and its guesses.

Nothing of it is sent to the server but what stands in the address.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

import streamlit as st

from bnviz.lessons import LESSONS, place_of
from bnviz.ui.component import component, drawn_by
from bnviz.ui.html import Markup, tag
from bnviz.ui.lessons.query import LessonQuery
from bnviz.ui.navigation import page_link
from bnviz.words.texts import texts

COURSE = tuple(name for name, entry in LESSONS.items() if not entry.extra)


def draw_course() -> None:
    """Draw the page of all lessons: what each asks, how long it takes; what is not yet written."""
    frame = texts("lessons")
    written = [name for name, entry in LESSONS.items() if entry.written]
    minutes = sum(LESSONS[name].resolve().minutes for name in written)
    st.html(
        f"<h1>{escape(frame['title'])}</h1>"
        f"<p class='lesson-intro'>{escape(frame['list']['intro'].format(minutes=minutes))}</p>"
    )
    st.html(tag("ol", *map(_entry, written), class_="lesson-list", aria_label=frame["title"]))
    later = [name for name in LESSONS if name not in written]
    st.html(tag("p", f"{frame['list']['later']}: ", *_titles(later), class_="lesson-later"))


def _entry(name: str) -> Markup:
    frame, words = texts("lessons"), texts(f"lessons/{name}")
    place, minutes = place_of(name), LESSONS[name].resolve().minutes
    key = "minutes_one" if minutes == 1 else "minutes"
    return tag(
        "li",
        page_link(
            "lessons",
            Markup(
                tag("span", "" if place is None else str(place), class_="lesson-number")
                + tag("b", words["title"])
                + tag("span", words["short"], class_="lesson-asks")
                + tag("small", frame["place"][key].format(minutes=minutes))
            ),
            LessonQuery(name=name).to_query(), class_="lesson-link",
        ),
        data_lesson=name,
    )  # fmt: skip


def _titles(names: Iterable[str]) -> Iterable[str | Markup]:
    for at, name in enumerate(names):
        yield " · " if at else ""
        title = texts(f"lessons/{name}")["title"]
        yield page_link("lessons", title, LessonQuery(name=name).to_query())


def dots(here: str) -> str:
    """The course as a row of dots, each a link; those done are marked by the browser."""
    frame = texts("lessons")
    links = (
        tag("li", page_link(
            "lessons", "", LessonQuery(name=name).to_query(), title=_numbered(name),
            aria_label=_numbered(name), aria_current="page" if name == here else None,
            data_later=None if LESSONS[name].written else "1",
        ), data_lesson=name)
        for name in COURSE
    )  # fmt: skip
    course = page_link("lessons", frame["all"], class_="lesson-all")
    return tag(
        "nav", tag("ol", *links), course, class_="lesson-course-dots", aria_label=frame["all"]
    )


def _numbered(name: str) -> str:
    return f"{place_of(name)} {texts(f'lessons/{name}')['title']}"


def next_after(name: str) -> str | None:
    """The lesson that follows, or None."""
    names = list(LESSONS)
    at = names.index(name) + 1
    return names[at] if at < len(names) else None


KEY = "lesson_progress"


def mount_progress(visit: LessonQuery, *, done: bool, run: str, beat: str = "") -> None:
    """Mark in the list what this browser has done, and keep what it does now.

    Args:
        visit: the lesson that is open.
        done: whether it has been seen to its end.
        beat: the beat that is open; another one is shown from its head.
        run: its run, which the address gets so that a reload finds it again.
    """
    words = texts("lessons")["list"]
    component("lesson_progress")(
        key=KEY,
        data={
            **drawn_by("lessons.js"), "lesson": visit.name or None, "beat": beat,
            "guess": visit.guess, "done": done, "run": run or None, "texts": dict(words),
        },
    )  # fmt: skip
