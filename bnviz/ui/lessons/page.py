"""A lesson on the stage: its run, its charts and its knobs, large.

What stands on a lesson for whoever teaches it.

The page of a lesson: one beat at a time beside a figure that stays where it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from html import escape
from typing import Any

import streamlit as st

from bnviz.config import ConfigError
from bnviz.lessons import LESSONS, place_of
from bnviz.lessons.lesson import Lesson
from bnviz.ui.blocks import View, mount_live_view
from bnviz.ui.lessons.beats import draw_beats
from bnviz.ui.lessons.course import COURSE, dots, draw_course, mount_progress, next_after
from bnviz.ui.lessons.open_lesson import OpenLesson
from bnviz.ui.lessons.prediction import class_question, drawing_data, take_drawing
from bnviz.ui.lessons.query import LessonQuery, current_query, live_knobs
from bnviz.ui.lessons.run import LessonRun, open_lesson_run
from bnviz.ui.lessons.tour import draw_stops
from bnviz.ui.lessons.widgets import draw_widgets
from bnviz.ui.lessons.words import LessonWords, lesson_words, own_names
from bnviz.ui.navigation import page_link
from bnviz.ui.sitemap import ROOT

# Every network has its own on the stage.
ON_CARDS = "hills"
# Where a lesson has no chart over time, there is this one.
USUAL = "loss"


def draw_stage(lesson: Lesson, visit: LessonQuery, said: LessonWords) -> None:
    """Draw the stage with the lesson's run, which begins paused."""
    for key, values in visit.problems:
        st.warning(said.frame["notice"][key].format(**values))
    try:
        running = open_lesson_run(lesson, visit)
    except ConfigError as error:
        st.warning(said.frame["notice"]["knob"].format(message=str(error)))
        return
    names = [name for name, _ in lesson.charts if name != ON_CARDS]
    charts = dict.fromkeys((*names, USUAL))
    networks = own_names(said.words, visit.broken, "networks")
    view = View(
        key=f"lesson_stage_{lesson.name}", layout="stage", knobs=live_knobs(lesson),
        labels=networks, charts=tuple((name, "full") for name in charts), chart_labels=networks,
        tells=(running.plan.last_step,), question=class_question(lesson, said, running),
    )  # fmt: skip
    mount_live_view(running.lab, view)


def draw_teacher(visit: LessonQuery, said: LessonWords) -> None:
    """One sentence to say, what people often think, and links for a class."""
    words, frame = said.words["teacher"], said.frame["teacher"]
    with st.container(key="lesson_teacher"), st.expander(said.frame["beat"]["teacher"]):
        often = "".join(f"<li>{escape(each)}</li>" for each in words["misconceptions"])
        st.html(
            f"<p><em>{escape(frame['say'])}</em> {escape(words['say'])}</p>"
            f"<p><em>{escape(frame['misconceptions'])}</em></p><ul>{often}</ul>"
        )
        with st.container(horizontal=True):
            for label, changes in (
                ("present_off" if visit.present else "present", {"present": not visit.present}),
                ("hide", {"hide": True, "guess": None, "beat": None}),
            ):
                target = replace(visit, run=None, **changes)
                st.html(page_link("lessons", frame[label], target.to_query()))
        st.caption(frame["print"])


# Widths of the words and of the figure.
WIDTHS = (1.0, 2.2)


def draw_lessons() -> None:
    """Draw the page that the address asks for."""
    visit = current_query()
    st.html(ROOT / "assets" / "lessons.css")
    if not visit.name:
        _tell_problems(visit, lesson_words("", None))
        with st.container(key="lesson_course"):
            draw_course()
            mount_progress(visit, done=False, run="")
        return
    entry = LESSONS[visit.name]
    lesson = entry.resolve() if entry.written else None
    said = lesson_words(visit.name, lesson)
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
            run, beat = running.lab.run, OpenLesson(visit, lesson, said, running).beat
    with kept:
        mount_progress(visit, done=done, run=run, beat=beat)


def _tell_problems(visit: LessonQuery, said: LessonWords) -> None:
    for key, values in visit.problems:
        st.warning(said.frame["notice"][key].format(**values))


def _draw_place(visit: LessonQuery, said: LessonWords, lesson: Lesson | None) -> None:
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
        more.append(frame["next"].format(title=lesson_words(following, None).words["title"]))
    with st.container(key="lesson_place"):
        st.html(
            f"<p class='lesson-place'>{escape(here)}</p>{dots(visit.name)}"
            f"<p class='lesson-place'>{escape(' · '.join(more))}</p>"
        )


def _later(visit: LessonQuery, said: LessonWords) -> None:
    """A lesson that is not yet written: its question, and where to try it."""
    frame = said.frame["later"]
    st.html(
        f"{said.html(said.words['question'])}<p class='lesson-later'>{escape(frame['text'])}</p>"
    )
    st.html(page_link("lab", frame["lab"], LESSONS[visit.name].lab))


def _running(lesson: Lesson, visit: LessonQuery, said: LessonWords) -> LessonRun | None:
    try:
        return open_lesson_run(lesson, visit)
    except ConfigError as error:
        st.warning(said.frame["notice"]["knob"].format(message=str(error)))
        return None


def _draw_figure(lesson: Lesson, visit: LessonQuery, said: LessonWords, running: LessonRun) -> None:
    """What is tried by hand, and the live view, which cannot be played before a guess."""
    opened = OpenLesson(visit, lesson, said, running)
    # In another setting the run is what is spoken of.
    hands, live_place = (st.container(), st.container())[:: -1 if opened.otherwise else 1]
    if not visit.embed:
        with hands:
            draw_widgets(opened, "figure")
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
        "parts": ("transport", "step", "timeline"), "knobs": live_knobs(lesson), "waits": waits,
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


def _draw_words(lesson: Lesson, visit: LessonQuery, said: LessonWords, running: LessonRun) -> bool:
    """The words beside the figure; whether the lesson has been seen to its end."""
    if lesson.rule is None:
        done = draw_stops(visit, lesson, said, running)
        following = next_after(visit.name)
        if done and following is not None:
            title = lesson_words(following, None).words["title"]
            label = said.frame["go"]["next"].format(title=title)
            query = LessonQuery(name=following).to_query()
            st.html(page_link("lessons", label, query, class_="lesson-next"))
    else:
        opened = OpenLesson(visit, lesson, said, running)
        draw_beats(opened)
        done = running.finished and not visit.waits(lesson)
    if not (visit.hide or visit.embed):
        draw_teacher(visit, said)
    return done
