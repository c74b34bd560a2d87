"""The knobs of a lesson that start its run over, as widgets that move the address.

What comes after a lesson's run has said something: why, and the same run in other settings.

The beats of a lesson, one at a time: what is done folds to a line, and buttons lead on.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import streamlit as st

from bnviz.config import KNOBS
from bnviz.lessons.lesson import Lesson
from bnviz.ui.comparison import draw_comparison
from bnviz.ui.knobs import LADDERS, number
from bnviz.ui.lessons.course import next_after
from bnviz.ui.lessons.open_lesson import OpenLesson
from bnviz.ui.lessons.prediction import draw_predict, draw_question, guess_line
from bnviz.ui.lessons.query import LessonQuery, restart_knobs
from bnviz.ui.lessons.verdict import draw_verdict, draw_verdict_below, outcome_line
from bnviz.ui.lessons.widgets import draw_widgets
from bnviz.ui.lessons.words import beat, lesson_words
from bnviz.ui.navigation import page_link
from bnviz.ui.query_schema import BEATS
from bnviz.words.texts import texts

Move = Callable[..., Callable[[], None]]


def draw_settings(visit: LessonQuery, lesson: Lesson, go: Move) -> None:
    """Draw a lesson's structural knobs.

    Args:
        visit: what the address says now.
        lesson: whose knobs they are.
        go: makes what changes the address, from what is to change of the visit.
    """
    own, shown = lesson.config(), visit.setting(lesson)[0]
    for name in restart_knobs(lesson):
        value = getattr(shown, name)
        if value is None:  # of no use in this setting
            value = getattr(own, name)
        # Another value is another widget: a browser may still send the last one's.
        key = f"lesson_knob_{name}_{value}"
        _draw(name, value, key, _moved(visit, name, getattr(own, name), key, go))


def _moved(visit: LessonQuery, name: str, own: Any, key: str, go: Move) -> Callable[[], None]:
    def moved() -> None:
        value = st.session_state[key]
        knobs = {knob: set_to for knob, set_to in visit.knobs.items() if knob != name}
        go(broken=None, beat="break", knobs=knobs if value == own else {**knobs, name: value})()

    return moved


def _draw(name: str, value: Any, key: str, on_change: Callable[[], None]) -> None:
    knob, label = KNOBS[name], KNOBS[name].label
    if knob.kind == "bool":
        st.toggle(label, value, key=key, help=knob.help, on_change=on_change)
    elif knob.choices:
        words = texts("lab")["choice"]
        st.segmented_control(
            label, knob.choices, default=value, key=key, required=True, help=knob.help,
            format_func=lambda choice: words[choice], on_change=on_change,
        )  # fmt: skip
    else:
        rungs = sorted({*LADDERS[name], value})
        st.select_slider(
            label, rungs, value, key=key, format_func=number, help=knob.help, on_change=on_change
        )


def draw_why(opened: OpenLesson) -> None:
    """Draw why it is so, with what is folded away, and the runs that are compared for it."""
    said, words = opened.said, opened.said.words
    with beat(said.frame["beat"]["why"], key="why"):
        st.html(said.html(words["why"]))
        with st.expander(said.frame["beat"]["more"]):
            for part in words["more"]:
                text = f"**{part['title']}**\n\n{said.filled(part['text'])}"
                st.markdown(text, unsafe_allow_html=True)
        with st.expander(said.frame["beat"]["popular"]):
            items = "".join(
                f"<dt>“{said.html(each['says']).removeprefix('<p>').removesuffix('</p>')}”</dt>"
                f"<dd>{said.html(each['seen'])}</dd>"
                for each in words["popular"]
            )
            st.html(f"<dl class='lesson-popular'>{items}</dl>")
        draw_widgets(opened, "why")
    if opened.lesson.series is not None:
        own = {**words["series"], "text": said.html(words["series"]["text"])}
        draw_comparison(opened.lesson.series.with_seed(opened.visit.seed), own)


def draw_break(opened: OpenLesson) -> None:
    """Draw the settings in which the claim is put to a harder test, and what the one run says."""
    said, visit = opened.said, opened.visit
    frame = said.frame["break"]
    with beat(said.frame["beat"]["break"], key="break"):
        st.html(f"<p>{escape(frame['intro'])}</p>")
        for each in opened.lesson.breaks:
            label = said.filled(said.words["break"][each.name]["label"])
            st.button(
                label, key=f"break_{each.name}", width="stretch",
                type="primary" if each.name == visit.broken else "secondary",
                on_click=opened.go(broken=each.name, knobs={}, beat="break"),
            )  # fmt: skip
            if each.name == visit.broken:
                draw_verdict_below(opened)
        if restart_knobs(opened.lesson):
            st.html(f"<p>{escape(frame['knobs'])}</p>")
            draw_settings(visit, opened.lesson, opened.go)
        if visit.knobs:
            draw_verdict_below(opened)
        if opened.otherwise:
            own = opened.go(broken=None, knobs={}, beat="verdict")
            st.button(frame["own"], type="tertiary", on_click=own)
        query = {**opened.running.lab.config.to_query(), "run": opened.running.lab.run_id}
        asked = {name: value for name, value in query.items() if value}
        st.html(page_link("lab", frame["lab"], asked, data_run=opened.running.lab.run_id))


def draw_so_far(opened: OpenLesson) -> None:
    """Draw what the course has seen so far, where a lesson ends with that."""
    so_far = opened.said.words.get("so_far")
    if so_far is None:
        return
    reasons = "".join(
        f"<li><span class='lesson-state'>{escape(so_far[each['state']])}</span> "
        f"{escape(each['text'])}</li>"
        for each in so_far["reasons"]
    )
    st.html(
        f"<section class='lesson-so-far'><h3>{escape(so_far['title'])}</h3>"
        f"<p>{escape(so_far['intro'])}</p><ol>{reasons}</ol></section>"
    )


def draw_beats(opened: OpenLesson) -> None:
    """Draw the beat that is open, what was done before it as lines, and buttons that lead on."""
    if opened.visit.embed:
        # Watched in another page's frame: nothing is asked.
        draw_question(opened)
        draw_verdict(opened)
        return
    now = opened.beat
    for name in BEATS[: BEATS.index(now)]:
        _folded(opened, name)
    match now:
        case "question":
            draw_question(opened)
        case "predict":
            draw_predict(opened)
        case "verdict" if draw_verdict(opened):
            opened.see()
        case "why":
            draw_why(opened)
        case "break":
            draw_break(opened)
            draw_so_far(opened)
    _ways_on(opened, now)


def _folded(opened: OpenLesson, name: str) -> None:
    """A beat that is done: its name, what became of it, and a button that opens it again."""
    frame = opened.said.frame
    told = {
        "question": opened.said.words["short"], "predict": guess_line(opened),
        "verdict": outcome_line(opened), "why": "",
    }[name]  # fmt: skip
    title = frame["beat"][name]
    with st.container(key=f"lesson_done_{name}", horizontal=True):
        st.html(f"<p class='lesson-done'><b>{escape(title)}</b> <span>{escape(told)}</span></p>")
        st.button(
            frame["fold"]["show"], key=f"lesson_show_{name}", type="tertiary",
            help=frame["fold"]["show_help"].format(beat=title), on_click=opened.go(beat=name),
        )  # fmt: skip


def _ways_on(opened: OpenLesson, now: str) -> None:
    """Where in the lesson this is, back and on; after the last beat, to the next lesson."""
    frame, at = opened.said.frame, BEATS.index(now)
    dots = "".join(
        f"<i class='{'lesson-here' if place == at else 'lesson-past' if place < at else ''}'></i>"
        for place in range(len(BEATS))
    )
    place = frame["fold"]["place"].format(place=at + 1, count=len(BEATS))
    with st.container(key="lesson_ways", horizontal=True):
        st.html(f"<p class='lesson-dots'><span aria-hidden='true'>{dots}</span> <b>{place}</b></p>")
        if at:
            st.button(
                frame["fold"]["back"], key="lesson_back", on_click=opened.go(beat=BEATS[at - 1])
            )
        if now == BEATS[-1]:
            _next_lesson(opened)
        else:
            _on(opened, now)


def _on(opened: OpenLesson, now: str) -> None:
    """The button that leads on, once there is something to lead to."""
    frame, following = opened.said.frame["fold"], BEATS[BEATS.index(now) + 1]
    if now == "predict":
        _run_over(opened)
        return
    if now == "verdict" and (not opened.seen or opened.visit.hide):
        return
    st.button(
        frame[f"to_{following}"], key=f"lesson_to_{following}", type="primary",
        on_click=opened.go(beat=following),
    )  # fmt: skip


def _run_over(opened: OpenLesson) -> None:
    """From what was predicted to the run: it begins where the answer was drawn, or goes on."""
    frame = opened.said.frame["fold"]
    if not opened.draws:
        if opened.visit.guess is not None:
            st.button(
                frame["to_verdict"], key="lesson_to_verdict", type="primary",
                on_click=opened.go(beat="verdict"),
            )  # fmt: skip
        return
    go = opened.go(beat=None)

    def begin() -> None:
        go()
        opened.running.play()

    st.button(
        frame["run"], key="lesson_run", type="primary", on_click=begin,
        disabled=opened.visit.guess is None,
    )  # fmt: skip


def _next_lesson(opened: OpenLesson) -> None:
    following = next_after(opened.visit.name)
    if following is None:
        return
    title = lesson_words(following, None).words["title"]
    label = opened.said.frame["go"]["next"].format(title=title)
    st.html(
        page_link("lessons", label, LessonQuery(name=following).to_query(), class_="lesson-next")
    )
