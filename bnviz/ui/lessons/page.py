"""Page of a lesson: texts beside a figure that stays in place, or the presentation view."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st

from bnviz.config import ConfigError
from bnviz.lessons import CURRICULUM, LESSONS, place_before, place_of
from bnviz.lessons.lesson import Lesson
from bnviz.locations import locations
from bnviz.ui.html import answer, tag
from bnviz.ui.lessons.beats import draw_beats
from bnviz.ui.lessons.curriculum import (
    dots,
    draw_curriculum,
    draw_next_lesson,
    mount_progress,
    next_after,
)
from bnviz.ui.lessons.for_teachers import for_teachers
from bnviz.ui.lessons.open_lesson import OpenLesson
from bnviz.ui.lessons.own_verdict import class_opinion
from bnviz.ui.lessons.pages import PAGES
from bnviz.ui.lessons.prediction import class_question, drawing_data, take_drawing
from bnviz.ui.lessons.query import LessonQuery, current_query, live_knobs
from bnviz.ui.lessons.remembering import draw_remembering
from bnviz.ui.lessons.report import lesson_report
from bnviz.ui.lessons.run import open_lesson_run
from bnviz.ui.lessons.sheet import draw_sheet
from bnviz.ui.lessons.tour import draw_tour, lit_chart
from bnviz.ui.lessons.verdict import poll_again
from bnviz.ui.lessons.widgets import draw_in_use, draw_widgets
from bnviz.ui.lessons.words import LessonWords, lesson_title, lesson_words
from bnviz.ui.live_view import LiveViewSpec, mount_live_view
from bnviz.ui.query_problems import answer_link, problem_text
from bnviz.words.joining import plural

# Relative widths of the text column and the figure.
WIDTHS = (1.0, 2.2)
# Charts of the presentation view: the chart on each network's card, and the chart over time.
ON_CARDS, OVER_TIME = "hills", "loss"


def draw_lessons() -> None:
    query = current_query()
    st.html(locations().assets / "lessons.css")
    if not query.name:
        _draw_problems(query, lesson_words("", None))
        with st.container(key="lesson_course"):
            draw_curriculum()
            mount_progress(query)
        return
    lesson = LESSONS[query.name].lesson
    words = lesson_words(query.name, lesson)
    _draw_problems(query, words)
    if query.printed and lesson is not None and lesson.rule is not None:
        draw_sheet(lesson, words)
        return
    if query.present and lesson is not None and not query.embed:
        opened = _open(lesson, query, words)
        if opened is not None:
            _draw_stage(opened)
            if not query.hide:
                with st.expander(words.frame["beat"]["teacher"]):
                    st.html(for_teachers(query))
        return
    if not query.embed:
        _draw_place(query, words)
    if lesson is None:
        with st.container(key="lesson_page"), st.container(key="lesson_words"):
            st.html(tag("h1", words.own["title"]))
            if not query.embed:
                draw_remembering(words)
            words.draw("question")
            mount_progress(query, done=PAGES[query.name](words))
            if not query.embed:
                draw_next_lesson(query.name)
        return
    column, figure = st.columns(WIDTHS, gap="medium")
    with column, st.container(key="lesson_words"):
        st.html(tag("h1", words.own["title"]))
        text, progress = st.container(), st.container()
    done = False
    with figure, st.container(key="lesson_view"):
        opened = _open(lesson, query, words)
        if opened is not None:
            _draw_figure(opened)
    if opened is not None:
        with text:
            done = _draw_words(opened)
    with progress:
        run_id, beat = (opened.run.tab_run.run_id, opened.beat) if opened else ("", "")
        mount_progress(query, done=done, run_id=run_id, beat=beat)


def _draw_problems(query: LessonQuery, words: LessonWords) -> None:
    """Draw a sentence for each problem in the address."""
    answer_link([problem_text(each, words.frame["notice"]) for each in query.problems])


def _open(lesson: Lesson, query: LessonQuery, words: LessonWords) -> OpenLesson | None:
    """Open the lesson's run, or draw an error and return None if its knobs are incompatible."""
    try:
        return OpenLesson(query, lesson, words, open_lesson_run(lesson, query))
    except ConfigError as error:
        st.html(answer(words.frame["notice"]["knob"].format(message=str(error))))
        return None


def _draw_place(query: LessonQuery, words: LessonWords) -> None:
    """Draw the lesson's place in the course, its duration, and the next lesson's title."""
    place, frame, entry = place_of(query.name), words.frame["place"], LESSONS[query.name]
    count = len(CURRICULUM) - 1  # lesson 0 comes before the course
    key = "extra" if place is None else "numbered" if place else "first"
    here = frame[key].format(place=place_before(query.name), count=count)
    more = [plural(frame, "minutes", entry.minutes).format(minutes=entry.minutes)]
    following = next_after(query.name)
    if following is not None:
        more.append(frame["next"].format(title=lesson_title(following)))
    with st.container(key="lesson_place"):
        before, after = (tag("p", each, class_="lesson-place") for each in (here, " · ".join(more)))
        st.html(before + dots(query.name) + after)


def _draw_figure(opened: OpenLesson) -> None:
    """Draw the lesson's widgets and its live view, which cannot be started before a guess."""
    query, lesson, words = opened.query, opened.lesson, opened.words
    # Draw widgets above the run. With other settings, draw the run first, because the open section
    # is about the run.
    above, below = st.container(), st.container()
    swapped = opened.otherwise and "figure" in lesson.widgets
    widgets, live = (below, above) if swapped else (above, below)
    if not query.embed:
        with above:
            in_use = draw_in_use(opened)
        with widgets, st.container(key="lesson_figure"):
            draw_widgets(opened, "figure")
            if opened.beat == "why":
                draw_widgets(opened, "beside_why")
        if in_use:
            hidden = ".st-key-lesson_live, .st-key-lesson_figure"
            st.html(f"<style>{hidden} {{ display: none; }}</style>")
        compared = opened.run.comparing is not None and opened.run.finished
        widgets_alone = opened.beat in ("question", "predict") or not opened.tried or compared
        if "figure" in lesson.widgets and widgets_alone:
            # Hide the run, because the question or the required first try is about the widgets.
            # After a comparison, the last run adds nothing to the widgets.
            st.html("<style>.st-key-lesson_live { display: none; }</style>")
    notes: Mapping[str, str] = {}
    hints: Mapping[str, str] = {}
    covered: Mapping[str, str] = {}
    waits = query.waits(lesson) or opened.guessing
    if not opened.otherwise:  # hints and guess are about the lesson's own run
        hints = {name: words.filled(text) for name, text in words.own.get("look", {}).items()}
        # Do not repeat a guess that is drawn on a chart, or that a widget shows.
        if query.guess is not None and query.drawn is None and "figure" not in lesson.widgets:
            notes = {lesson.guess_on or lesson.charts[0]: words.short_guess(query.guess)}
        if waits:
            covered = dict.fromkeys(lesson.covered, words.frame["predict"]["covered"])
    watching: dict[str, Any] = {"parts": ("timeline",), "knobs": ()}
    acting: dict[str, Any] = {
        "parts": ("transport", "step", "timeline"), "knobs": live_knobs(lesson),
        "waits": waits,
    }  # fmt: skip
    said = opened.run.finished and opened.tried and not query.knobs and not query.hide
    speaker = lesson.try_named(query.broken) if query.broken else lesson
    view = LiveViewSpec(
        key=f"lesson_{lesson.name}", charts=lesson.charts_of(query.broken), one_on_phone=True,
        at=speaker.said_at if said else None, leads=(lit_chart(opened), query.stop), notes=notes,
        hints=hints, covered=covered, drawing=drawing_data(opened), report=lesson_report(opened),
        **_of_lesson(opened), **(watching if query.embed else acting),
    )  # fmt: skip
    with live, st.container(key="lesson_live"):
        mount_live_view(opened.run.tab_run, view, on_drawing=partial(take_drawing, opened))


def _of_lesson(opened: OpenLesson) -> dict[str, Any]:
    """Arguments of every live view of a lesson: names of networks, steps, axes, class questions."""
    words, broken = opened.words, opened.query.broken
    names = words.network_names(broken, "networks")
    return {
        "labels": names, "chart_labels": names,
        "label_keys": words.network_keys(broken, "networks"),
        "report_steps": (opened.run.plan.last_step,), "last_step": opened.run.plan.last_step,
        "ranges": {} if opened.otherwise else opened.lesson.ranges,
        "question": class_question(opened), "opinion": class_opinion(opened),
    }  # fmt: skip


def _draw_words(opened: OpenLesson) -> bool:
    """Draw the texts beside the figure, and return whether the lesson is finished."""
    query, lesson = opened.query, opened.lesson
    if lesson.rule is None:
        done = draw_tour(opened)
        if done:
            draw_next_lesson(query.name)
    else:
        draw_beats(opened)
        done = opened.run.finished and not query.waits(lesson)
    return done


def _draw_stage(opened: OpenLesson) -> None:
    """Draw the presentation view: large charts and live knobs. The run starts paused."""
    lesson = opened.lesson
    own = lesson.charts_of(opened.query.broken)
    charts = dict.fromkeys((*(name for name, _ in own if name != ON_CARDS), OVER_TIME))
    view = LiveViewSpec(
        key=f"lesson_stage_{lesson.name}", layout="stage", knobs=live_knobs(lesson),
        charts=tuple((name, "full") for name in charts), **_of_lesson(opened),
    )  # fmt: skip
    mount_live_view(opened.run.tab_run, view)
    # The class's question is answered as soon as the ended run is measured.
    measuring = lesson.answers and opened.run.is_measured_later and opened.verdict() is None
    if opened.run.lags or measuring:
        poll_again()
