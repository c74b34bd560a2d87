"""The page of a lesson: one beat at a time beside a figure that stays where it is."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import streamlit as st

from bnviz.config import ConfigError
from bnviz.lessons import LESSONS, place_of
from bnviz.lessons.lesson import Lesson
from bnviz.ui.blocks import View, mount_live_view
from bnviz.ui.lessons.address import visit_here
from bnviz.ui.lessons.beats import draw_beats
from bnviz.ui.lessons.class_question import class_question
from bnviz.ui.lessons.hands import draw_hands
from bnviz.ui.lessons.listing import COURSE, dots, draw_course, next_after
from bnviz.ui.lessons.opened import Opened
from bnviz.ui.lessons.predicting import drawing_data, take_drawing
from bnviz.ui.lessons.progress import mount_progress
from bnviz.ui.lessons.running import Running, open_running
from bnviz.ui.lessons.said import Said, own_names, said_of
from bnviz.ui.lessons.stage import draw_stage
from bnviz.ui.lessons.stops import draw_stops
from bnviz.ui.lessons.teacher import draw_teacher
from bnviz.ui.lessons.visit import Visit, live
from bnviz.ui.navigation import page_link
from bnviz.ui.places import ROOT

# Widths of the words and of the figure.
WIDTHS = (1.0, 2.2)


def draw_lessons() -> None:
    """Draw the page that the address asks for."""
    visit = visit_here()
    st.html(ROOT / "assets" / "lessons.css")
    if not visit.name:
        _tell_problems(visit, said_of("", None))
        with st.container(key="lesson_course"):
            draw_course()
            mount_progress(visit, done=False, run="")
        return
    entry = LESSONS[visit.name]
    lesson = entry.resolve() if entry.written else None
    said = said_of(visit.name, lesson)
    if visit.present and lesson is not None and not visit.embed:
        draw_stage(lesson, visit, said)
        return
    _tell_problems(visit, said)
    if not visit.embed:
        _draw_place(visit, said, lesson)
    words, figure = st.columns(WIDTHS, gap="medium")
    with words, st.container(key="lesson_words"):
        st.html(f"<h1>{escape(said.words['title'])}</h1>")
        place = st.container()
        kept = st.container()
    if lesson is None:
        with place:
            _later(visit, said)
        done, run, beat = False, "", ""
    else:
        with figure, st.container(key="lesson_view"):
            running = _running(lesson, visit, said)
            if running is not None:
                _draw_figure(lesson, visit, said, running)
        done, run, beat = False, "", ""
        if running is not None:
            with place:
                done = _draw_words(lesson, visit, said, running)
            run, beat = running.lab.run, Opened(visit, lesson, said, running).beat
    with kept:
        mount_progress(visit, done=done, run=run, beat=beat)


def _tell_problems(visit: Visit, said: Said) -> None:
    for key, values in visit.problems:
        st.warning(said.frame["notice"][key].format(**values))


def _draw_place(visit: Visit, said: Said, lesson: Lesson | None) -> None:
    """Where in the course this is, and what comes next."""
    place, frame = place_of(visit.name), said.frame["place"]
    count = len(COURSE) - 1  # the one that is numbered 0 comes before the course
    key = "extra" if place is None else "numbered" if place else "first"
    here = frame[key].format(place=place, count=count)
    more = []
    if lesson is not None:
        key = "minutes_one" if lesson.minutes == 1 else "minutes"
        more.append(frame[key].format(minutes=lesson.minutes))
    following = next_after(visit.name)
    if following is not None:
        more.append(frame["next"].format(title=said_of(following, None).words["title"]))
    with st.container(key="lesson_place"):
        st.html(
            f"<p class='lesson-place'>{escape(here)}</p>{dots(visit.name)}"
            f"<p class='lesson-place'>{escape(' · '.join(more))}</p>"
        )


def _later(visit: Visit, said: Said) -> None:
    """A lesson that is not yet written: its question, and where to try it."""
    frame = said.frame["later"]
    st.html(
        f"{said.html(said.words['question'])}<p class='lesson-later'>{escape(frame['text'])}</p>"
    )
    st.html(page_link("lab", frame["lab"], LESSONS[visit.name].lab))


def _running(lesson: Lesson, visit: Visit, said: Said) -> Running | None:
    try:
        return open_running(lesson, visit)
    except ConfigError as error:
        st.warning(said.frame["notice"]["knob"].format(message=str(error)))
        return None


def _draw_figure(lesson: Lesson, visit: Visit, said: Said, running: Running) -> None:
    """What is tried by hand, and the live view, which cannot be played before a guess."""
    opened = Opened(visit, lesson, said, running)
    # In another setting the run is what is spoken of.
    hands, live_place = (st.container(), st.container())[:: -1 if opened.otherwise else 1]
    if not visit.embed:
        with hands:
            draw_hands(opened, "figure")
        alone = opened.beat in ("question", "predict") or not opened.tried
        if "figure" in lesson.widgets and alone:
            # What is asked, or to be tried first, is about that alone.
            st.html("<style>.st-key-lesson_live { display: none; }</style>")
    waits = visit.waits(lesson) or opened.draws
    notes: Mapping[str, str] = {}
    if visit.guess is not None and visit.drawn is None and not lesson.guess_on:
        notes = {lesson.charts[0][0]: said.guess(visit.guess)}
    watching: dict[str, Any] = {"parts": ("timeline",), "knobs": ()}
    acting: dict[str, Any] = {
        "parts": ("transport", "step", "timeline"), "knobs": live(lesson), "waits": waits,
    }  # fmt: skip
    networks = own_names(said.words, visit.broken, "networks")
    view = View(
        key=f"lesson_{lesson.name}", charts=lesson.charts,
        tells=(running.plan.last_step,), one_on_phone=True, notes=notes,
        labels=networks, chart_labels=networks, drawing=drawing_data(opened),
        question=class_question(lesson, said, running),
        **(watching if visit.embed else acting),
    )  # fmt: skip
    with live_place, st.container(key="lesson_live"):
        mount_live_view(running.lab, view, on_drawing=take_drawing(opened))


def _draw_words(lesson: Lesson, visit: Visit, said: Said, running: Running) -> bool:
    """The words beside the figure; whether the lesson has been seen to its end."""
    if lesson.rule is None:
        done = draw_stops(visit, lesson, said, running)
        following = next_after(visit.name)
        if done and following is not None:
            title = said_of(following, None).words["title"]
            label = said.frame["go"]["next"].format(title=title)
            query = Visit(name=following).to_query()
            st.html(page_link("lessons", label, query, class_="lesson-next"))
    else:
        opened = Opened(visit, lesson, said, running)
        draw_beats(opened)
        done = running.finished and not visit.waits(lesson)
    if not (visit.hide or visit.embed):
        draw_teacher(visit, said)
    return done
