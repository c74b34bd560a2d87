"""Course overview, row of dots on each lesson's page, and progress, which the browser stores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from bnviz.lessons import CURRICULUM, LESSONS, place_of
from bnviz.ui.component import component, drawn_by
from bnviz.ui.html import Markup, joined, tag
from bnviz.ui.lessons.for_teachers import for_teachers
from bnviz.ui.lessons.query import LessonQuery
from bnviz.ui.lessons.words import lesson_title
from bnviz.ui.navigation import page_link
from bnviz.words.joining import plural
from bnviz.words.texts import texts

# Lessons by heading of the overview; the headings' texts are in `lessons.toml`.
PARTS: Mapping[str, Sequence[str]] = {
    "see": ("read-the-charts", "break-it", "by-hand"),
    "training": (
        "moving-targets", "slow-start", "through-the-batch", "scale-and-shift", "two-modes",
        "in-code",
    ),
    "limits": ("size-of-weights", "depth", "batch-size", "does-it-regularize"),
    "why": ("is-it-shift", "what-it-buys", "whitening", "images-and-sequences"),
    "summary": ("when-it-loses", "what-to-use-when", "notes-corrected", "what-you-can-say"),
    "teachers": ("syllabus", "collect"),
}  # fmt: skip


def draw_curriculum() -> None:
    frame = texts("lessons")
    minutes = sum(LESSONS[name].minutes for name in CURRICULUM)
    st.html(
        tag("h1", frame["title"])
        + tag("p", frame["list"]["intro"].format(minutes=minutes), class_="lesson-intro")
    )
    for part, names in PARTS.items():
        title = frame["list"]["parts"][part]
        items = tag("ol", *map(_lesson_item, names), class_="lesson-list", aria_label=title)
        st.html(tag("h2", title, class_="lesson-part") + items)
    with st.expander(frame["beat"]["teacher"]):
        for name in LESSONS:
            if not LESSONS[name].is_page:
                st.html(tag("h3", lesson_title(name)) + for_teachers(LessonQuery(name=name)))


def _lesson_item(name: str) -> Markup:
    frame, own = texts("lessons"), texts(f"lessons/{name}")
    place, minutes = place_of(name), LESSONS[name].minutes
    return tag(
        "li",
        LessonQuery(name=name).link(
            joined(
                tag("span", "" if place is None else str(place), class_="lesson-number"),
                tag("b", own["title"]),
                tag("span", own["short"], class_="lesson-asks"),
                tag("small", plural(frame["place"], "minutes", minutes).format(minutes=minutes)),
            ),
            class_="lesson-link",
        ),
        data_lesson=name,
    )  # fmt: skip


def dots(here: str) -> Markup:
    """Row of dots that link to the lessons. The tour, lesson 0, has no dot."""
    frame = texts("lessons")
    links = (
        tag("li", LessonQuery(name=name).link(
            "", title=_numbered(name), aria_label=_numbered(name),
            aria_current="page" if name == here else None,
        ), data_lesson=name)
        for name in CURRICULUM if place_of(name)
    )  # fmt: skip
    course = page_link("lessons", frame["all"], class_="lesson-all")
    return tag(
        "nav", tag("ol", *links), course, class_="lesson-course-dots", aria_label=frame["all"]
    )


def _numbered(name: str) -> str:
    return f"{place_of(name)} {lesson_title(name)}"


def next_after(name: str) -> str | None:
    """Return the next lesson or None. Pages for teachers follow only other pages for teachers."""
    teachers = PARTS["teachers"]
    names = [each for each in LESSONS if name in teachers or each not in teachers]
    following = names.index(name) + 1
    return names[following] if following < len(names) else None


def draw_next_lesson(name: str, *, hide: bool = False) -> None:
    """Draw the link to the next lesson or overview; `hide` also hides the next lesson's results."""
    following = next_after(name)
    if following is None:
        st.html(page_link("lessons", texts("lessons")["all"], class_="lesson-next"))
        return
    frame = texts("lessons")["go"]
    numbered = _numbered_after(following)
    if numbered in (None, following):
        html = _link_to(following, frame["next"], hide, "lesson-next")
    else:
        html = _link_to(following, frame["next_extra"], hide, "lesson-next")
        text = frame["skip"].format(place=place_of(numbered))
        html = tag("div", html, _link_to(numbered, text, hide, "lesson-skip"), class_="lesson-on")
    st.html(html)


def _numbered_after(name: str) -> str | None:
    """Return `name` if the lesson is numbered, else the next numbered lesson, or None."""
    names = list(LESSONS)
    return next((each for each in names[names.index(name) :] if place_of(each)), None)


def _link_to(name: str, text: str, hide: bool, class_: str) -> Markup:
    query = LessonQuery(name=name, hide=hide and not LESSONS[name].is_page)
    return query.link(text, class_=class_, title=lesson_title(name))


def mount_progress(
    query: LessonQuery, *, done: bool = False, run_id: str = "", beat: str = ""
) -> None:
    """Mount the reader's progress. The browser writes `run_id` into the address, for reloads.

    The browser scrolls to the heading of a section when `beat` changes.
    """
    component("lesson_progress")(
        key="lesson_progress",
        data={
            **drawn_by("lessons.js"), "lesson": query.name or None, "beat": beat,
            "guess": query.guess, "seed": query.seed, "done": done, "run": run_id or None,
            "course": [*CURRICULUM],
            "texts": {table: dict(texts("lessons")[table]) for table in ("list", "along")},
        },
    )  # fmt: skip
