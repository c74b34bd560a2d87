"""What a lesson asks, and what its reader says to it before the run: an answer, or a curve.

What a class is asked in a lesson: what the lesson itself asks its reader to predict.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import unescape
from typing import Any

import streamlit as st

from bnviz.lessons.drawing import HIGHEST, checked_points, write_points
from bnviz.lessons.lesson import Lesson, Value
from bnviz.lessons.watched import NotMeasured
from bnviz.lessons.words import FORMATS, told_as
from bnviz.ui.lessons.open_lesson import OpenLesson
from bnviz.ui.lessons.run import LessonRun
from bnviz.ui.lessons.words import LessonWords, beat
from bnviz.ui.navigation import page_link


def draw_question(opened: OpenLesson) -> None:
    """Draw what the lesson is about."""
    said = opened.said
    with beat(said.frame["beat"]["question"], key="question"):
        st.html(said.html(said.words["question"]))
        if "about" in said.words:
            st.html(page_link("about", said.words["about"], class_="lesson-about"))


def draw_predict(opened: OpenLesson) -> None:
    """Draw what is asked, and the answers; where one draws, what the drawing says."""
    said = opened.said
    with beat(said.frame["beat"]["predict"], key="predict"):
        if opened.lesson.drawing is None:
            st.html(said.html(said.words["predict"]))
            _answers(opened)
        else:
            _drawn(opened)
        if opened.visit.guess is not None and opened.running.step > 0:
            st.button(said.frame["predict"]["again"], type="tertiary", on_click=_again(opened))


def guess_line(opened: OpenLesson) -> str:
    """What was guessed, in a line."""
    guess, frame = opened.visit.guess, opened.said.frame["drawing"]
    if guess is None:
        return ""
    if opened.visit.drawn is None:
        return opened.said.answer(guess)
    answer = opened.lesson.answer_of(guess)
    if answer is None:
        return str(frame["none"].format(answers=opened.said.usual()))
    told = opened.said.filled(told_as(opened.said.words, answer))
    return str(frame["told"].format(answer=told))


def drawing_data(opened: OpenLesson) -> dict[str, Any] | None:
    """The drawing as the browser has it; None where there is none.

    Of a run that has come to its end in the lesson's own setting also what was measured: the curve,
    its value beside the last point in words, and what it is called where the chart has no such one.
    """
    drawing, points = opened.lesson.drawing, opened.visit.drawn
    shown = opened.draws or points is not None
    hidden = opened.visit.present or (opened.otherwise and not opened.draws)
    if drawing is None or not shown or hidden:
        return None
    frame, words = opened.said.frame["drawing"], opened.said.words["drawing"]
    marks = [
        {"step": step, "text": opened.said.filled(words["marks"][key])}
        for key, step in drawing.marks.items()
    ]
    return {
        "on": drawing.on, "network": drawing.network, "steps": list(drawing.steps),
        "last_step": drawing.last_step, "highest": HIGHEST, "percent": drawing.percent,
        "points": list(points) if points else None, "open": opened.draws, "marks": marks,
        "texts": {name: frame[name] for name in ("yours", "group", "point", "value", "help")},
        "gap": None if opened.draws or points is None else _gap(opened),
    }  # fmt: skip


def take_drawing(opened: OpenLesson) -> Callable[[Any], None]:
    """What is called with points that a browser has sent; others than a pointer makes are left."""

    def take(given: Any) -> None:
        points = checked_points(given)
        if points is None or not opened.draws:
            return
        opened.go(guess=write_points(points), beat="predict")()

    return take


def _gap(opened: OpenLesson) -> dict[str, Any] | None:
    drawing, points = opened.lesson.drawing, opened.visit.drawn
    if drawing is None or points is None or not opened.running.finished or opened.visit.hide:
        return None
    try:
        measured = drawing.measured(opened.running.watched())
    except NotMeasured:
        return None
    if drawing.steps[-1] not in measured:
        return None
    value = measured[drawing.steps[-1]]
    words = opened.said.words["drawing"]
    told = words.get("gap", opened.said.frame["drawing"]["gap"])
    numbers = {
        "drawn": written(points[-1], drawing.percent),
        "measured": written(value, drawing.percent),
    }
    return {
        "measured": value, "text": told.format(**numbers), "curve": sorted(measured.items()),
        "charted": drawing.charted, "name": words.get("name", ""),
    }  # fmt: skip


def written(value: float, percent: bool) -> str:
    """A value of a drawing as a sentence has it."""
    return FORMATS["percent"](value / 100) if percent else FORMATS["plain"](float(value))


def _answers(opened: OpenLesson) -> None:
    said, guess = opened.said, opened.visit.guess
    frame: Mapping[str, str] = said.frame["predict"]
    for key in opened.lesson.answers:
        label = said.answer(key)
        if key == guess:
            label = f"{label} :gray[*{frame['yours']}*]"
        st.button(
            label, key=f"answer_{key}", width="stretch", on_click=_guess(opened, key),
            type="primary" if key == guess else "secondary",
            disabled=guess is not None and opened.running.step > 0 and key != guess,
        )  # fmt: skip
    if guess is None:
        st.caption(frame["blocked"])


def _drawn(opened: OpenLesson) -> None:
    """What to draw, and which answer the curve amounts to."""
    said = opened.said
    st.html(said.html(said.words["drawing"]["prompt"]))
    if opened.visit.guess is None:
        st.caption(said.frame["drawing"]["blocked"])
    else:
        st.html(f"<p class='lesson-drawn' role='status'>{guess_line(opened)}</p>")


def _guess(opened: OpenLesson, key: str) -> Callable[[], None]:
    go = opened.go(guess=key, beat=None)

    def guessed() -> None:
        go()
        opened.running.play()

    return guessed


def _again(opened: OpenLesson) -> Callable[[], None]:
    return opened.go(guess=None, beat="predict", broken=None, knobs={}, seed=opened.visit.next_seed)


# What a ballot has room for.
MOST_CHARACTERS, MOST_IN_ANSWER, MOST_SAID = 140, 48, 200
MARKUP = re.compile(r"<[^>]+>|[*_`]")


def class_question(lesson: Lesson, said: LessonWords, running: LessonRun) -> dict[str, Any] | None:
    """The lesson's question as plain text, with its answers; None of one that asks nothing.

    Where they are too long for a phone, the lesson's words have shorter ones in `[class]`. A run
    that has come to its end says which answer came true.
    """
    if not lesson.answers:
        return None
    text, answers = words_of(lesson, said)
    return {
        "text": text, "answers": answers,
        "kind": None, "network": None, "steps": None, "run": running.lab.run_id,
        "happened": _happened(lesson, said, running),
    }  # fmt: skip


def words_of(lesson: Lesson, said: LessonWords) -> tuple[str, list[str]]:
    """The question and its answers as plain text."""
    short = said.words.get("class", {})
    answers = [_plain(said, short.get(key) or said.words["answers"][key]) for key in lesson.answers]
    return _plain(said, short.get("question") or said.words["predict"]), answers


def _plain(said: LessonWords, text: str, run: Mapping[str, Value] | None = None) -> str:
    return " ".join(unescape(MARKUP.sub("", said.html(text, run))).split())


def _happened(lesson: Lesson, said: LessonWords, running: LessonRun) -> dict[str, Any] | None:
    """Which answer the run gave, and in a sentence; None as long as that is open.

    Also where it gave none of them: what it says instead stands in the lesson.
    """
    if not running.finished:
        return None
    try:
        verdict = lesson.verdict(running.watched())
    except NotMeasured:
        return None
    if verdict is None or verdict.answer is None:
        return None
    sentence = _plain(said, said.words["says"][verdict.answer], verdict.numbers)
    return {"answers": [lesson.answers.index(verdict.answer)], "sentence": sentence[:MOST_SAID]}
