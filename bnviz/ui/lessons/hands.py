"""What can be tried by hand in a lesson, beside its run."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from bnviz.lessons.by_hand import ASKED
from bnviz.lessons.lesson import Lesson
from bnviz.lessons.moving_targets import CUT, FROZEN
from bnviz.live import LiveError, current_hub
from bnviz.records import Snapshot
from bnviz.ui.knobs import network_labels
from bnviz.ui.lesson_widgets import (
    by_hand_data,
    cut_network_data,
    mount_widget,
    outside_gradient_data,
)
from bnviz.ui.lessons.running import Running
from bnviz.ui.lessons.said import Said
from bnviz.ui.lessons.visit import Visit

Hand = Callable[[Visit, Said, Running], None]


def _by_hand(visit: Visit, said: Said, running: Running) -> None:
    guess = said.answer(visit.guess) if visit.guess else None
    data = by_hand_data(mode="forward", highlight=ASKED, guess=guess)
    mount_widget("by_hand", key="by_hand", data=data)


def _by_hand_backward(visit: Visit, said: Said, running: Running) -> None:
    mount_widget("by_hand", key="by_hand_backward", data=by_hand_data(mode="backward"))


def _outside(visit: Visit, said: Said, running: Running) -> None:
    if visit.guess:
        st.caption(said.guess(visit.guess))
    # The verdict tells of these runs: once it stands there, so do they.
    data = outside_gradient_data(seed=visit.seed, begun=running.finished)
    mount_widget("outside_gradient", key="outside", data=data)


def _cut(visit: Visit, said: Said, running: Running) -> None:
    keep = running.plan.keep
    # The upper half that was frozen; where a break keeps other steps, the last but one.
    frozen = FROZEN if FROZEN in keep else keep[-2]
    labels = network_labels(running.lab)
    data = cut_network_data(_newest(running), labels, keep=keep, cut=CUT, t=frozen)
    # What was chosen in one setting may not be there in another.
    mount_widget("cut_network", key=f"cut_network_{visit.broken}", data=data)


def _newest(running: Running) -> Snapshot | None:
    try:
        kept = current_hub().snapshots(running.lab.run)
    except LiveError:
        return None
    return kept[-1] if len(kept) else None


HANDS: dict[str, Hand] = {
    "by_hand": _by_hand,
    "by_hand_backward": _by_hand_backward,
    "outside_gradient": _outside,
    "cut_network": _cut,
}


def draw_hands(visit: Visit, lesson: Lesson, said: Said, running: Running) -> None:
    """Draw a lesson's widgets, in order."""
    for name in lesson.widgets:
        with st.container(key=f"lesson_hand_{name}"):
            HANDS[name](visit, said, running)
