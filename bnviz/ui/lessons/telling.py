"""What a run says of a lesson: while it is at work what to watch, then its verdict."""

from __future__ import annotations

from html import escape

import streamlit as st

from bnviz.lessons.lesson import ends
from bnviz.lessons.watched import NotMeasured
from bnviz.ui.lessons.hands import draw_hands
from bnviz.ui.lessons.judgement import Judgement
from bnviz.ui.lessons.networks import with_lines
from bnviz.ui.lessons.opened import Opened
from bnviz.ui.lessons.said import beat, own_names
from bnviz.ui.lessons.waiting import wait_for_measuring


def draw_told(opened: Opened) -> bool:
    """Draw the beat; whether the run said something."""
    said, running = opened.said, opened.running
    finished = running.finished and opened.tried and not opened.visit.waits(opened.lesson)
    key = "verdict" if finished else "watch"
    with beat(said.frame["beat"][key], key="verdict"):
        told = _say(opened) if finished else _watch(opened)
        if not opened.visit.embed:
            draw_hands(opened, "verdict")
    return told


def say_below(opened: Opened) -> None:
    """Draw what another setting says, or that it is at work, below the buttons that set it."""
    with st.container(key="lesson_said"):
        if opened.running.finished:
            _say(opened)
        else:
            _progress(opened)


def outcome_told(opened: Opened) -> str:
    """What the lesson's own run said, in a word or two; "" where that is open."""
    if opened.otherwise or not (opened.running.finished and opened.tried) or opened.visit.hide:
        return ""
    try:
        verdict = opened.lesson.verdict(opened.running.watched())
    except NotMeasured:
        return ""
    return str(opened.said.frame["verdict"][verdict.outcome]) if verdict else ""


def _watch(opened: Opened) -> bool:
    st.html(opened.said.html(opened.said.words["watch"]))
    if opened.tried:
        _progress(opened)
    else:
        st.caption(opened.said.frame["watch"]["try"])
    return False


def _progress(opened: Opened) -> None:
    said, running = opened.said, opened.running
    if running.finished or opened.visit.embed or opened.visit.waits(opened.lesson):
        return
    step, at = str(running.plan.last_step), running.step
    if running.playing:
        st.caption(said.plain("watch", "running", step=step))
        return
    if at > 0:
        st.caption(said.plain("watch", "paused", step=step, at=str(at)))
    label, key = ("go_on", "lesson_go_on") if at > 0 else ("start", "lesson_play")
    st.button(said.frame["watch"][label], key=key, type="primary", on_click=running.play)


def _say(opened: Opened) -> bool:
    if opened.visit.hide:
        st.caption(opened.said.frame["verdict"]["hidden"])
        return False
    try:
        _tell(opened)
    except NotMeasured:
        wait_for_measuring(opened.said, opened.running)
        return False
    return True


def _tell(opened: Opened) -> None:
    visit, said, running = opened.visit, opened.said, opened.running
    watched, judgement = running.watched(), Judgement(visit, opened.lesson, said, running)
    if visit.broken is not None:
        chosen = opened.lesson.break_named(visit.broken)
        label = escape(said.filled(said.words["break"][visit.broken]["label"]))
        st.html(f"<p>{said.frame['break']['shown'].format(label=label)}</p>")
        seen = said.words["break"][chosen.name].get("seen", ())
        more = judgement.reached(ends(watched)) if chosen.ends else ()
        told = said.sentences(seen, chosen.tell(watched), more)
        names = own_names(said.words, chosen.name, "called")
        lined = with_lines(told, running.config.norms, names)
        st.html(f"<div role='status'>{lined}</div>")
        return
    verdict = opened.lesson.verdict(watched)
    if verdict is None:
        raise NotMeasured("the last step")
    st.html(f"<div role='status'>{judgement.sentences(verdict)}</div>")
    if not visit.embed:
        st.button(
            said.frame["verdict"]["seed"], type="tertiary", key="other_seed",
            on_click=opened.go(seed=visit.next_seed, beat="verdict"),
        )  # fmt: skip
