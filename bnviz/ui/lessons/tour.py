"""Tour of a lesson without a claim: highlighted parts of the live view, then a question."""

from __future__ import annotations

import streamlit as st

from bnviz.lessons.observation import NotMeasured
from bnviz.lessons.words import Filling
from bnviz.ui.lessons.open_lesson import OpenLesson
from bnviz.ui.lessons.verdict import wait_for_measuring
from bnviz.ui.lessons.words import beat_container

# Chart that each stop highlights; None highlights the timeline.
LIT = {
    "accuracy": "accuracy", "layers": "hills", "gradients": "gradients", "timeline": None,
    "colour": "hills", "stopped": "hills",
}  # fmt: skip
# Session-state key of the layer that was chosen as the answer.
CHOSEN = "lesson_chosen"


def lit_chart(opened: OpenLesson) -> str | None:
    """Return the chart that the current stop highlights, or None."""
    stop, stops = opened.query.stop, opened.lesson.stops
    return LIT[stops[stop]] if stop < len(stops) else None


def draw_tour(opened: OpenLesson) -> bool:
    """Draw the stops so far, then the question. Return whether the question is answered."""
    words, stop, stops = opened.words, opened.query.stop, opened.lesson.stops
    words.draw("question")
    with beat_container(words.frame["beat"]["watch"], key="stops"):
        lines = "".join(
            f"<li value={number + 1}{' class=lesson-now' if number == stop else ''}>"
            f"{words.html(text)}</li>"
            for number, text in enumerate(words.own["stops"][name] for name in stops[: stop + 1])
        )
        st.html(f"<ol class='lesson-stops' aria-live='polite'>{lines}</ol>")
        if stop < len(stops):
            chart = lit_chart(opened)
            lit = f".bnviz-panel-{chart}" if chart else ".bnviz-timeline"
            st.html(
                f"<style>.bnviz-block {lit} {{ outline: 3px solid #0b63ce; "
                "outline-offset: -2px; } "
                # Move the highlighted panel to the top. On a phone, the timeline is already visible
                # in its place.
                f".bnviz-block .bnviz-panel{lit}, "
                f".bnviz-narrow.bnviz-block {lit} {{ order: -1; }}</style>"
            )
            # Use a new button for each stop, so that a second click on the old button has no
            # effect.
            with st.container(key="lesson_next"):
                st.button(
                    words.frame["check"]["next"], type="primary", key=f"lesson_next_{stop}",
                    on_click=opened.go(stop=stop + 1),
                )  # fmt: skip
            return False
    return _draw_check(opened)


def _draw_check(opened: OpenLesson) -> bool:
    """Draw the question with its answers and results. Return whether the results are drawn."""
    words, run = opened.words, opened.run
    own, chosen = words.own["check"], st.session_state.get(CHOSEN)
    with beat_container(words.filled(own["question"]), key="check"):
        if not run.finished:
            st.caption(words.framed("check", "none", step=opened.lesson.plan.last_step))
        # Put the results above the buttons, so that they are visible at once.
        findings = st.container()
        with st.container(horizontal=True):
            for layer in range(1, run.config.depth + 1):
                label = Filling({"layer": layer}).sentence(own["answer"])
                st.button(
                    label, key=f"layer_{layer}", disabled=not run.finished,
                    type="primary" if layer == chosen else "secondary",
                    on_click=_choose, args=(layer,),
                )  # fmt: skip
        if chosen is None or not run.finished or opened.lesson.check is None:
            return False
        with findings:
            try:
                numbers = opened.lesson.check(run.observed)
            except NotMeasured:
                wait_for_measuring(words, run)
                return False
            yours = words.framed("check", "yours", layer=chosen)
            seen = words.sentences([own["seen"]], numbers)
            st.html(f"<div role='status'><p>{yours}</p>{seen}</div>")
            return True


def _choose(layer: int) -> None:
    st.session_state[CHOSEN] = layer
