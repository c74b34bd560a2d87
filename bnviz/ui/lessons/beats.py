"""The beats of a lesson, one at a time: what is done folds to a line, and buttons lead on."""

from __future__ import annotations

from html import escape

import streamlit as st

from bnviz.ui.lessons.after import draw_break, draw_so_far, draw_why
from bnviz.ui.lessons.listing import next_after
from bnviz.ui.lessons.opened import Opened
from bnviz.ui.lessons.predicting import draw_predict, draw_question, guess_told
from bnviz.ui.lessons.said import said_of
from bnviz.ui.lessons.telling import draw_told, outcome_told
from bnviz.ui.lessons.visit import BEATS, Visit
from bnviz.ui.navigation import page_link


def draw_beats(opened: Opened) -> None:
    """Draw the beat that is open, what was done before it as lines, and buttons that lead on."""
    if opened.visit.embed:
        # Watched in another page's frame: nothing is asked.
        draw_question(opened)
        draw_told(opened)
        return
    now = opened.beat
    for name in BEATS[: BEATS.index(now)]:
        _folded(opened, name)
    match now:
        case "question":
            draw_question(opened)
        case "predict":
            draw_predict(opened)
        case "verdict" if draw_told(opened):
            opened.see()
        case "why":
            draw_why(opened)
        case "break":
            draw_break(opened)
            draw_so_far(opened)
    _ways_on(opened, now)


def _folded(opened: Opened, name: str) -> None:
    """A beat that is done: its name, what became of it, and a button that opens it again."""
    frame = opened.said.frame
    told = {
        "question": opened.said.words["short"], "predict": guess_told(opened),
        "verdict": outcome_told(opened), "why": "",
    }[name]  # fmt: skip
    title = frame["beat"][name]
    with st.container(key=f"lesson_done_{name}", horizontal=True):
        st.html(f"<p class='lesson-done'><b>{escape(title)}</b> <span>{escape(told)}</span></p>")
        st.button(
            frame["fold"]["show"], key=f"lesson_show_{name}", type="tertiary",
            help=frame["fold"]["show_help"].format(beat=title), on_click=opened.go(beat=name),
        )  # fmt: skip


def _ways_on(opened: Opened, now: str) -> None:
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


def _on(opened: Opened, now: str) -> None:
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


def _run_over(opened: Opened) -> None:
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


def _next_lesson(opened: Opened) -> None:
    following = next_after(opened.visit.name)
    if following is None:
        return
    title = said_of(following, None).words["title"]
    label = opened.said.frame["go"]["next"].format(title=title)
    st.html(page_link("lessons", label, Visit(name=following).to_query(), class_="lesson-next"))
