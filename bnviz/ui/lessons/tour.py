"""The beats of the lesson that has no claim: parts of the page lit one by one, and one look."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from bnviz.config import RunConfig
from bnviz.lessons.lesson import Lesson
from bnviz.lessons.watched import NotMeasured
from bnviz.lessons.words import Filling
from bnviz.ui.lessons.query import LessonQuery, go_to
from bnviz.ui.lessons.run import LessonRun
from bnviz.ui.lessons.verdict import wait_for_measuring
from bnviz.ui.lessons.words import LessonWords, beat

# What is lit at each stop, within the live view.
LIT = {
    "accuracy": ".bnviz-panel-accuracy", "layers": ".bnviz-panel-hills",
    "gradients": ".bnviz-panel-gradients", "timeline": ".bnviz-timeline",
    "colour": ".bnviz-panel-hills", "stopped": ".bnviz-panel-hills",
}  # fmt: skip
CHOSEN = "lesson_chosen"


def draw_stops(visit: LessonQuery, lesson: Lesson, said: LessonWords, running: LessonRun) -> bool:
    """Draw the stops and the question; whether it is answered."""
    at, stops = visit.stop, lesson.stops
    st.html(said.html(said.words["question"]))
    with beat(said.frame["beat"]["watch"], key="stops"):
        lines = "".join(
            f"<li{' class=lesson-now' if place == at else ''}>{said.html(text)}</li>"
            for place, text in enumerate(said.words["stops"][name] for name in stops[: at + 1])
        )
        st.html(f"<ol class='lesson-stops' aria-live='polite'>{lines}</ol>")
        if at < len(stops):
            st.html(
                f"<style>.bnviz-block {LIT[stops[at]]} {{ outline: 3px solid #0b63ce; "
                "outline-offset: -2px; } "
                # But on a phone the timeline is in sight where it stands.
                f".bnviz-block .bnviz-panel{LIT[stops[at]]}, "
                f".bnviz-narrow.bnviz-block {LIT[stops[at]]} {{ order: -1; }}</style>"
            )
            # Another stop is another button: a second click on the last one leads no further.
            with st.container(key="lesson_next"):
                st.button(said.frame["check"]["next"], type="primary", key=f"lesson_next_{at}",
                    on_click=_go, args=(visit, at + 1),
                )  # fmt: skip
            return False
    return _check(lesson, said, running)


def _go(visit: LessonQuery, stop: int) -> None:
    go_to(replace(visit, run=None, problems=(), stop=stop))


def _check(lesson: Lesson, said: LessonWords, running: LessonRun) -> bool:
    words, chosen = said.words["check"], st.session_state.get(CHOSEN)
    config: RunConfig = running.config
    with beat(said.filled(words["question"]), key="check"):
        if not running.finished:
            st.caption(said.plain("check", "none", step=str(lesson.plan.last_step)))
        # Over the buttons, where it is in sight when it comes.
        told = st.container()
        with st.container(horizontal=True):
            for layer in range(1, config.depth + 1):
                label = Filling({"layer": layer}).sentence(words["answer"])
                st.button(
                    label, key=f"layer_{layer}", disabled=not running.finished,
                    type="primary" if layer == chosen else "secondary",
                    on_click=_choose, args=(layer,),
                )  # fmt: skip
        if chosen is None or not running.finished or lesson.check is None:
            return False
        with told:
            return _tell(lesson, said, running, chosen)


def _tell(lesson: Lesson, said: LessonWords, running: LessonRun, chosen: int) -> bool:
    """Draw what the run says to the layer that was chosen; whether it can."""
    assert lesson.check is not None
    try:
        numbers = lesson.check(running.watched())
    except NotMeasured:
        wait_for_measuring(said, running)
        return False
    yours = said.plain("check", "yours", layer=str(chosen))
    seen = said.sentences([said.words["check"]["seen"]], numbers)
    st.html(f"<div role='status'><p>{yours}</p>{seen}</div>")
    return True


def _choose(layer: int) -> None:
    st.session_state[CHOSEN] = layer
