"""The page of a lesson: the list, the words, and a live view that stays in sight beside them."""

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
from bnviz.ui.lessons.beats import Page
from bnviz.ui.lessons.class_question import class_question
from bnviz.ui.lessons.listing import draw_list, next_after
from bnviz.ui.lessons.progress import mount_progress
from bnviz.ui.lessons.running import Running, open_running
from bnviz.ui.lessons.said import Said, own_names, said_of
from bnviz.ui.lessons.stage import draw_stage
from bnviz.ui.lessons.stops import draw_stops
from bnviz.ui.lessons.teacher import draw_teacher
from bnviz.ui.lessons.visit import Visit, live
from bnviz.ui.navigation import page_link
from bnviz.ui.places import ROOT

# Widths of the list, the words and the live view.
WIDTHS = (1.05, 2.2, 3.5)
# What does not stand there where a lesson stands alone.
ALONE = (
    '[data-testid="stColumn"]:has(.st-key-lesson_list)', ".st-key-lesson_fold",
    ".st-key-lesson_foot",
)  # fmt: skip


def draw_lessons() -> None:
    """Draw the page that the address asks for."""
    visit = visit_here()
    entry = LESSONS[visit.name]
    lesson = entry.resolve() if entry.written else None
    said = said_of(visit.name, lesson)
    st.html(ROOT / "assets" / "lessons.css")
    if visit.present and lesson is not None and not visit.embed:
        draw_stage(lesson, visit, said)
        return
    if visit.embed:
        # In another page's frame there is this lesson and no other.
        st.html(f"<style>{', '.join(ALONE)} {{ display: none !important; }}</style>")
    for key, values in visit.problems:
        st.warning(said.frame["notice"][key].format(**values))
    side, words, view = st.columns(WIDTHS, gap="medium")
    with side, st.container(key="lesson_list"):
        st.html(f"<p class='lesson-group'>{escape(said.frame['list']['label'])}</p>")
        draw_list(visit.name, folded=False)
        kept = st.container()
    with words, st.container(key="lesson_words"):
        with st.container(key="lesson_fold"), st.popover(said.frame["all"]):
            draw_list(visit.name, folded=True)
        _heading(visit, said, lesson)
        place = st.container()
    if lesson is None:
        with place:
            _later(visit, said)
        done, run = False, ""
    else:
        with view, st.container(key="lesson_view"):
            running = _running(lesson, visit, said)
            if running is not None:
                _mount(lesson, visit, said, running)
        done, run = False, ""
        if running is not None:
            with place:
                done = _beats(lesson, visit, said, running)
            run = running.lab.run
    with kept:
        mount_progress(visit, done=done, run=run)


def _heading(visit: Visit, said: Said, lesson: Lesson | None) -> None:
    place, frame = place_of(visit.name), said.frame["place"]
    parts = [frame["extra"] if place is None else frame["numbered"].format(place=place)]
    if lesson is not None:
        key = "minutes_one" if lesson.minutes == 1 else "minutes"
        parts.append(frame[key].format(minutes=lesson.minutes))
    title = escape(said.words["title"])
    st.html(f"<p class='lesson-place'>{escape(' · '.join(parts))}</p><h1>{title}</h1>")


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


def _mount(lesson: Lesson, visit: Visit, said: Said, running: Running) -> None:
    """The live view: before a guess it cannot be played."""
    waits = visit.waits(lesson)
    notes: Mapping[str, str] = {}
    if visit.guess is not None and not lesson.guess_on:
        notes = {lesson.charts[0][0]: said.guess(visit.guess)}
    watching: dict[str, Any] = {"parts": ("timeline",), "knobs": ()}
    acting: dict[str, Any] = {
        "parts": ("transport", "step", "timeline"), "knobs": live(lesson), "waits": waits,
    }  # fmt: skip
    networks = own_names(said.words, visit.broken, "networks")
    view = View(
        key=f"lesson_{lesson.name}", charts=lesson.charts,
        tells=(running.plan.last_step,), one_on_phone=True, notes=notes,
        labels=networks, chart_labels=networks,
        question=class_question(lesson, said, running),
        **(watching if visit.embed else acting),
    )  # fmt: skip
    mount_live_view(running.lab, view)


def _beats(lesson: Lesson, visit: Visit, said: Said, running: Running) -> bool:
    """The words beside the run; whether the lesson has been seen to its end."""
    if lesson.rule is None:
        done = draw_stops(visit, lesson, said, running)
    else:
        Page(visit, lesson, said, running).draw()
        done = running.finished and not visit.waits(lesson)
    with st.container(key="lesson_foot", horizontal=True):
        query = {**running.lab.config.to_query(), "run": running.lab.run}
        asked = {name: value for name, value in query.items() if value}
        st.html(page_link("lab", said.frame["break"]["lab"], asked, data_run=running.lab.run))
        following = next_after(visit.name)
        if following is not None:
            title = said_of(following, None).words["title"]
            label = said.frame["go"]["next"].format(title=title)
            st.html(page_link("lessons", label, Visit(name=following).to_query()))
    if not (visit.hide or visit.embed):
        draw_teacher(visit, said)
    return done
