"""A lesson on the stage: its run, its charts and its knobs, large."""

from __future__ import annotations

import streamlit as st

from bnviz.config import ConfigError
from bnviz.lessons.lesson import Lesson
from bnviz.ui.blocks import View, mount_live_view
from bnviz.ui.lessons.class_question import class_question
from bnviz.ui.lessons.running import open_running
from bnviz.ui.lessons.said import Said, own_names
from bnviz.ui.lessons.visit import Visit, live

# Every network has its own on the stage.
ON_CARDS = "hills"
# Where a lesson has no chart over time, there is this one.
USUAL = "loss"


def draw_stage(lesson: Lesson, visit: Visit, said: Said) -> None:
    """Draw the stage with the lesson's run, which begins paused."""
    for key, values in visit.problems:
        st.warning(said.frame["notice"][key].format(**values))
    try:
        running = open_running(lesson, visit)
    except ConfigError as error:
        st.warning(said.frame["notice"]["knob"].format(message=str(error)))
        return
    names = [name for name, _ in lesson.charts if name != ON_CARDS]
    charts = dict.fromkeys((*names, USUAL))
    networks = own_names(said.words, visit.broken, "networks")
    view = View(
        key=f"lesson_stage_{lesson.name}", layout="stage", knobs=live(lesson), labels=networks,
        charts=tuple((name, "full") for name in charts), chart_labels=networks,
        tells=(running.plan.last_step,), question=class_question(lesson, said, running),
    )  # fmt: skip
    mount_live_view(running.lab, view)
