"""What a lesson that compares shows of its runs: a ladder of steps, and the curves by any clock."""

from __future__ import annotations

import streamlit as st

from bnviz.charts.chart import PLOTLY_CONFIG
from bnviz.charts.ladder import GuessedBar, build_ladder
from bnviz.planned_runs.comparison import Value
from bnviz.ui.comparison_results import chart_view
from bnviz.ui.html import tag
from bnviz.ui.lesson_widgets import mount_widget, steps_seconds_data
from bnviz.ui.lessons.network_names import mark_networks
from bnviz.ui.lessons.open_lesson import OpenLesson
from bnviz.words.joining import in_list
from bnviz.words.numbers import write
from bnviz.words.texts import texts


def draw_ladder(opened: OpenLesson) -> None:
    """Draw how many steps each network of each run needed, over all seeds that have run here.

    Runs that are still to come have their places.
    """
    comparing, words = opened.run.comparing, texts("series")
    if comparing is None:
        return
    # Before a guess nothing is shown of what other seeds gave.
    earlier = () if opened.query.waits(opened.lesson) else comparing.others
    seeds = len(earlier) + comparing.result.complete
    until = write(comparing.result.member.until or 0, "percent0")
    title = words["ladder" if seeds < 2 else "ladder_seeds"].format(until=until, seeds=seeds)
    view = chart_view(opened.run.config)
    labels = {norm: view.label(norm) for norm in view.norms}
    marked = mark_networks(in_list(labels.values()), view.norms, labels)
    st.html(tag("p", title, ": ", marked, class_="series-title"))
    figure = build_ladder(
        (*earlier, comparing.result), view, names_of(opened), words, _guess(opened), asked(opened)
    )
    st.plotly_chart(figure, key="lesson_ladder", theme=None, config=PLOTLY_CONFIG)


def draw_steps_seconds(opened: OpenLesson) -> None:
    """Draw the curves by any clock, once all runs have ended."""
    comparing = opened.run.comparing
    if comparing is None or not comparing.result.complete:
        return
    view = chart_view(opened.run.config)
    labels = {norm: view.label(norm) for norm in view.norms}
    run, _ = asked(opened)
    data = steps_seconds_data(comparing.result, names_of(opened), labels, run)
    mount_widget("steps_seconds", key="steps_seconds", data=data)


def names_of(opened: OpenLesson) -> dict[Value, str]:
    """What the runs of a lesson that compares are called."""
    return {key: opened.words.filled(name) for key, name in opened.words.own["ladder"].items()}


def asked(opened: OpenLesson) -> tuple[Value, str]:
    """The bar about which the question is: its run, and the network."""
    value, norm, _ = next(iter(opened.lesson.guessed_bars.values()))
    return value, norm


def _guess(opened: OpenLesson) -> GuessedBar | None:
    """The guessed answer as a bar; None without a guess, or where it means none."""
    found = opened.lesson.guessed_bars.get(opened.query.guess or "")
    if found is None:
        return None
    value, norm, steps = found
    return GuessedBar(value, norm, steps, opened.words.frame["predict"]["yours"])
