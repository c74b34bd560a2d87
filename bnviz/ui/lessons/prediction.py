"""Sections `question` and `predict`: readers choose an answer or draw a curve; classes vote."""

from __future__ import annotations

from typing import Any

import streamlit as st

from bnviz.charts.theme import LIGHT
from bnviz.lessons.drawing import (
    HIGHEST,
    POINTS,
    Drawing,
    Points,
    read_points,
    write_points,
)
from bnviz.lessons.lesson import Lesson
from bnviz.lessons.observation import NotMeasured
from bnviz.live.contract import LONGEST_SENTENCE
from bnviz.ui.html import tag
from bnviz.ui.lessons.open_lesson import OpenLesson
from bnviz.ui.lessons.query import LessonQuery
from bnviz.ui.lessons.words import LessonWords, answer_button
from bnviz.ui.navigation import page_link
from bnviz.words.joining import in_quotes, sentences
from bnviz.words.numbers import FORMATS

DRAWN_TEXTS = (
    "yours", "yours_named", "group", "point", "value", "help", "help_named", "point_named", "now",
    "undo", "again",
)  # fmt: skip


def draw_question(opened: OpenLesson) -> None:
    words = opened.words
    with words.beat("question"):
        words.draw("question")
        if "about" in words.own:
            st.html(page_link("about", words.own["about"], class_="lesson-about"))


def draw_predict(opened: OpenLesson) -> None:
    """Draw the section `predict`: the answers, or the drawing prompt and the curve's meaning."""
    words = opened.words
    with words.beat("predict"):
        if opened.lesson.drawing is None:
            words.draw("predict")
            _draw_answers(opened)
        else:
            st.html(words.html(words.own["drawing"]["prompt"]))
            chosen = opened.lesson.drawing.chosen and opened.query.drawn is None
            if chosen:
                st.html(tag("p", words.frame["drawing"]["or_chosen"]))
                _draw_answers(opened)
            elif opened.query.guess is None:
                st.caption(words.frame["drawing"]["blocked"])
            else:
                st.html(f"<p class='lesson-drawn' role='status'>{guess_line(opened)}</p>")
        if opened.query.guess is not None and opened.run.begun:
            again = opened.afresh("predict")
            st.button(words.frame["predict"]["again"], type="tertiary", on_click=again)


def _draw_answers(opened: OpenLesson) -> None:
    """Draw a button for each answer: the choice may change until the run has begun."""
    words, guess, frame = opened.words, opened.query.guess, opened.words.frame["predict"]
    for key in opened.lesson.answers:
        answer_button(
            words, key, words.answer(key), chosen=key == guess,
            on_click=opened.go(guess=key, beat="predict"),
            disabled=not opened.guessing and key != guess,
        )  # fmt: skip
    if opened.guessing:
        run = words.frame["fold"]["run"]
        st.caption(frame["blocked" if guess is None else "chosen"].format(run=run))


def guess_line(opened: OpenLesson) -> str:
    return guess_text(opened.query, opened.lesson, opened.words)


def guess_text(query: LessonQuery, lesson: Lesson, words: LessonWords) -> str:
    """Return the guess in an address as one line, or "" if there is no guess."""
    if query.guess is None:
        return ""
    if query.drawn is None:
        return words.answer(query.guess)
    answer = lesson.answer_of(query.guess)
    if answer is None:
        return drawn_meaning(lesson.drawing, query.drawn, words) if lesson.drawing else ""
    return str(words.frame["drawing"]["told"].format(answer=words.answer(answer, drawn=True)))


def drawn_meaning(drawing: Drawing, points: Points, words: LessonWords) -> str:
    """Describe a drawing that matches no answer, and name the nearest answer."""
    answer = words.quoted_answer(drawing.nearest(points), drawn=True)
    nearest = words.frame["drawing"]["nearest"].format(answer=answer)
    told = _one_curve if len(drawing.curves) == 1 else _two_curves
    return sentences((*told(drawing, points, words), nearest))


def _one_curve(drawing: Drawing, points: Points, words: LessonWords) -> tuple[str, ...]:
    first, last, low, high = (
        _value_text(value, drawing.percent)
        for value in (points[0], points[-1], min(points), max(points))
    )
    sentence = words.frame["drawing"]["one"].format(
        begin=drawing.steps[0], end=drawing.steps[-1], first=first, last=last, low=low, high=high
    )
    return (sentence,)


def _two_curves(drawing: Drawing, points: Points, words: LessonWords) -> tuple[str, ...]:
    frame, names = words.frame["drawing"], words.own["drawing"]["curves"]
    first, second = (in_quotes(names[key]) for key in drawing.curves)
    pairs = zip(drawing.steps, points[:POINTS], points[POINTS:], strict=True)
    gaps = {step: one - other for step, one, other in pairs}

    def told(key: str, step: int) -> str:
        upper, lower = (first, second) if gaps[step] > 0 else (second, first)
        return str(frame[key].format(step=step, upper=upper, lower=lower, far=abs(gaps[step])))

    widest, end = max(gaps, key=lambda step: abs(gaps[step])), drawing.steps[-1]
    if widest == end:
        return (told("widest", widest),)
    return told("widest", widest), told("end" if gaps[end] else "end_level", end)


def drawing_data(opened: OpenLesson) -> dict[str, Any] | None:
    """Data of the curve drawn over a chart or a widget, or None if there is no such curve.

    After the lesson's own run, `gap` contains the measured curve and a sentence that compares it
    with the drawn curve.
    """
    drawing, points = opened.lesson.drawing, opened.query.drawn
    shown = opened.draws or points is not None
    hidden = opened.query.present or (opened.otherwise and not opened.draws)
    if drawing is None or not shown or hidden:
        return None
    frame, own = opened.words.frame["drawing"], opened.words.own["drawing"]
    # After the run starts, the chart itself marks the changes.
    changed = () if opened.draws else {change.step for change in opened.lesson.plan.changes}
    marks = [{"step": step, "text": text} for step, text in _marks(opened) if step not in changed]
    names = own.get("curves", {})
    return {
        "curves": [names.get(key, "") for key in drawing.curves],
        "on": drawing.on, "network": drawing.network, "steps": list(drawing.steps),
        "last_step": drawing.last_step, "highest": HIGHEST, "percent": drawing.percent,
        "points": list(points) if points else None, "open": opened.draws, "marks": marks,
        "texts": {name: frame[name] for name in DRAWN_TEXTS},
        "gap": None if opened.draws or points is None else _gap_data(opened),
    }  # fmt: skip


def _marks(opened: OpenLesson) -> list[tuple[int, str]]:
    """List the marked steps of a drawing with their texts."""
    drawing, words = opened.lesson.drawing, opened.words
    if drawing is None:
        return []
    told = words.own["drawing"].get("marks", {})
    return [(step, words.filled(told[key])) for key, step in drawing.marks.items()]


def drawn_guess(opened: OpenLesson) -> dict[str, Any] | None:
    """Data of the drawn guess for a report, or None if no curve was drawn.

    The measured curves are empty for other settings, and until the run has ended.
    """
    drawing, points = opened.lesson.drawing, opened.query.drawn
    if drawing is None or points is None:
        return None
    gap = None if opened.otherwise else _gap_data(opened)
    names = opened.words.own["drawing"].get("curves", {})
    styles = LIGHT.networks(opened.run.config.norms)
    curves = [
        {
            "name": names.get(key, ""),
            "drawn": list(zip(drawing.steps, points[at * POINTS : (at + 1) * POINTS], strict=True)),
            "measured": gap["curves"][at] if gap else [],
        }
        for at, key in enumerate(drawing.curves)
    ]
    return {
        "curves": curves, "last_step": drawing.last_step, "highest": HIGHEST,
        "percent": drawing.percent, "marks": _marks(opened),
        "text": gap["text"].replace("\n", " ") if gap else "",
        "colour": styles[drawing.network].line if drawing.network in styles else LIGHT.ink,
    }  # fmt: skip


def _gap_data(opened: OpenLesson) -> dict[str, Any] | None:
    """Data of the measured curve, shown with the drawn curve; None before it is measured."""
    drawing, points = opened.lesson.drawing, opened.query.drawn
    if drawing is None or points is None or not opened.run.finished or opened.query.hide:
        return None
    try:
        measured = drawing.measured_curves(opened.run.observed)
    except NotMeasured:
        return None
    if any(drawing.steps[-1] not in curve for curve in measured):
        return None
    own = opened.words.own["drawing"]
    # The compared value of several curves is a difference in points, not a percentage.
    shares = drawing.percent and drawing.compared is None
    sentence = own.get("gap", opened.words.frame["drawing"]["gap"])
    numbers = {
        "drawn": _value_text(drawing.drawn_number(*drawing.drawn(points)), shares),
        "measured": _value_text(drawing.drawn_number(*measured), shares),
    }
    return {
        "text": sentence.format(**numbers), "charted": drawing.charted, "name": own.get("name", ""),
        "curves": [sorted(curve.items()) for curve in measured],
    }  # fmt: skip


def _value_text(value: float, percent: bool) -> str:
    return FORMATS["percent"](value / 100) if percent else FORMATS["plain"](float(value))


def take_drawing(opened: OpenLesson, given: Any) -> None:
    """Store a browser's points as the guess; an empty list removes the guess.

    Ignore invalid points, and all points after the run has begun.
    """
    drawing = opened.lesson.drawing
    if drawing is None or not opened.draws or not isinstance(given, list):
        return
    guess = write_points(given) if given else None
    if guess is None or read_points(guess, len(drawing.curves)):
        opened.go(guess=guess, beat="predict")()


def class_question(opened: OpenLesson) -> dict[str, Any] | None:
    """Question for a class, or None; after the run, `happened` has the answer that the run gave."""
    if not opened.lesson.answers:
        return None
    return {
        **opened.words.asked(*question_keys(opened.lesson, opened.words)),
        "kind": None, "network": None, "steps": None, "run": opened.run.tab_run.run_id,
        "happened": _happened(opened),
    }  # fmt: skip


def question_keys(lesson: Lesson, words: LessonWords) -> tuple[str, list[str]]:
    """Return the text keys of question and answers, in the short form for phones if it exists."""
    short = words.own.get("class", {})
    answers = [f"class.{key}" if short.get(key) else f"answers.{key}" for key in lesson.answers]
    return ("class.question" if short.get("question") else "predict"), answers


def _happened(opened: OpenLesson) -> dict[str, Any] | None:
    """Number and sentence of the answer that the run gave, or None if it gave none."""
    lesson, words = opened.lesson, opened.words
    verdict = opened.verdict() if opened.run.finished else None
    if verdict is None or verdict.answer is None:
        return None
    sentence = words.plain(words.own["says"][verdict.answer], verdict.numbers)
    said = words.phrase(f"says.{verdict.answer}", verdict.numbers)
    return {
        "answers": [lesson.answers.index(verdict.answer)],
        "sentence": sentence[:LONGEST_SENTENCE], "sentence_phrases": [said.plain()],
    }  # fmt: skip
