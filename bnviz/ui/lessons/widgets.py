"""What can be tried by hand in a lesson, beside its run."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from bnviz.lessons.by_hand import ASKED
from bnviz.lessons.moving_targets import CUT, FROZEN
from bnviz.live import LiveError, current_hub
from bnviz.records import Snapshot
from bnviz.ui.knobs import network_labels
from bnviz.ui.lesson_widgets import (
    ByHandState,
    by_hand_data,
    cut_network_data,
    mount_widget,
    outside_gradient_data,
)
from bnviz.ui.lessons.open_lesson import OpenLesson
from bnviz.ui.lessons.prediction import drawing_data, take_drawing
from bnviz.ui.lessons.run import LessonRun

DrawWidget = Callable[[OpenLesson], None]


def _by_hand(opened: OpenLesson) -> None:
    guess = opened.visit.guess
    said = opened.said.answer(guess) if guess else None
    data = by_hand_data(mode="forward", highlight=ASKED, guess=said)
    state = mount_widget("by_hand", key="by_hand", data=data)
    if isinstance(state, ByHandState) and state.changed:
        opened.try_out("by_hand")


def _by_hand_backward(opened: OpenLesson) -> None:
    mount_widget("by_hand", key="by_hand_backward", data=by_hand_data(mode="backward"))


def _outside(opened: OpenLesson) -> None:
    begun = not (opened.visit.waits(opened.lesson) or opened.draws)
    data = outside_gradient_data(seed=opened.visit.seed, begun=begun)
    data["drawing"] = drawing_data(opened)
    mount_widget("outside_gradient", key="outside", data=data, on_drawing=take_drawing(opened))


def _cut(opened: OpenLesson) -> None:
    running = opened.running
    keep = running.plan.keep
    # The upper half that was frozen; where a break keeps other steps, the last but one.
    frozen = FROZEN if FROZEN in keep else keep[-2]
    labels = network_labels(running.lab)
    data = cut_network_data(_newest(running), labels, keep=keep, cut=CUT, t=frozen)
    # What was chosen in one setting may not be there in another.
    mount_widget("cut_network", key=f"cut_network_{opened.visit.broken}", data=data)


def _newest(running: LessonRun) -> Snapshot | None:
    try:
        kept = current_hub().snapshots(running.lab.run_id)
    except LiveError:
        return None
    return kept[-1] if len(kept) else None


LESSON_WIDGETS: dict[str, DrawWidget] = {
    "by_hand": _by_hand,
    "by_hand_backward": _by_hand_backward,
    "outside_gradient": _outside,
    "cut_network": _cut,
}


def draw_widgets(opened: OpenLesson, place: str) -> None:
    """Draw a lesson's widgets of one place, in order.

    Args:
        opened: the lesson.
        place: the beat in which they stand, or "figure".
    """
    for name in opened.lesson.widgets.get(place, ()):
        with st.container(key=f"lesson_hand_{name}"):
            LESSON_WIDGETS[name](opened)
