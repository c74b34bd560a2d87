"""The knobs of a lesson that start its run over, as widgets that move the address."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from bnviz.config import KNOBS
from bnviz.lessons.lesson import Lesson
from bnviz.texts import texts
from bnviz.ui.ladders import LADDERS, number
from bnviz.ui.lessons.visit import Visit, structural

Move = Callable[..., Callable[[], None]]


def draw_settings(visit: Visit, lesson: Lesson, go: Move) -> None:
    """Draw a lesson's structural knobs.

    Args:
        visit: what the address says now.
        lesson: whose knobs they are.
        go: makes what changes the address, from what is to change of the visit.
    """
    own, shown = lesson.config(), visit.setting(lesson)[0]
    for name in structural(lesson):
        value = getattr(shown, name)
        if value is None:  # of no use in this setting
            value = getattr(own, name)
        # Another value is another widget: a browser may still send the last one's.
        key = f"lesson_knob_{name}_{value}"
        _draw(name, value, key, _moved(visit, name, getattr(own, name), key, go))


def _moved(visit: Visit, name: str, own: Any, key: str, go: Move) -> Callable[[], None]:
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
