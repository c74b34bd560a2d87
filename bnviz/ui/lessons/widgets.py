"""Widgets of lessons, mounted with the lesson's guess, drawing and run."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from bnviz.charts.chart import PLOTLY_CONFIG
from bnviz.charts.ladder import GuessedBar, build_ladder
from bnviz.lessons.by_hand import ASKED, CHANGED, CHANGED_TO
from bnviz.lessons.moving_targets import FROZEN
from bnviz.live import LiveError, current_hub
from bnviz.networks import GRID
from bnviz.planned_runs.comparison import VariedValue
from bnviz.records import Snapshot
from bnviz.ui.comparison_results import chart_view
from bnviz.ui.html import tag
from bnviz.ui.knobs import network_labels
from bnviz.ui.lesson_widgets import (
    averages_data,
    by_hand_data,
    cloud_data,
    compose_batch_data,
    cut_network_data,
    ellipse_data,
    gamma_beta_data,
    mount_widget,
    outside_gradient_data,
    shared_mean_data,
    shift_outside_data,
    steps_seconds_data,
)
from bnviz.ui.lessons.network_names import mark_networks
from bnviz.ui.lessons.nine_rates import draw_nine_rates
from bnviz.ui.lessons.open_lesson import OpenLesson
from bnviz.ui.lessons.prediction import drawing_data, take_drawing
from bnviz.ui.lessons.query import LessonQuery
from bnviz.ui.lessons.run import LessonRun
from bnviz.ui.live_view import LiveViewSpec, mount_live_view
from bnviz.words.joining import in_list
from bnviz.words.numbers import write
from bnviz.words.texts import texts

Draw = Callable[[OpenLesson], object]


def _by_hand(opened: OpenLesson) -> None:
    guess = opened.query.guess
    answer = opened.words.answer(guess) if guess and not opened.guessing else None
    data = by_hand_data(mode="forward", highlight=ASKED, guess=answer, task=(CHANGED, CHANGED_TO))
    mount_widget(
        "by_hand", key="by_hand", data=data, changed=lambda _: opened.note_tried("by_hand")
    )


def _outside_gradient(opened: OpenLesson) -> None:
    begun = not (opened.query.waits(opened.lesson) or opened.draws)
    data = outside_gradient_data(seed=opened.query.seed, begun=begun)
    data["drawing"] = drawing_data(opened)
    take = partial(take_drawing, opened)
    mount_widget("outside_gradient", key="outside", data=data, drawing=take)


def _cut_network(opened: OpenLesson) -> None:
    run = opened.run
    keep = run.plan.keep
    # Step at which the upper half was frozen; in a try-it experiment without this step, the
    # second-to-last kept step.
    frozen = FROZEN if FROZEN in keep else keep[-2]
    labels = network_labels(run.tab_run)
    data = cut_network_data(_newest(run), labels, keep=keep, t=frozen)
    # Use a new widget for each try-it experiment, because the step chosen in an old widget may not
    # be among the new steps.
    mount_widget("cut_network", key=f"cut_network_{opened.query.broken}", data=data)


def _newest(run: LessonRun) -> Snapshot | None:
    try:
        kept = current_hub().snapshots(run.tab_run.run_id)
    except LiveError:
        return None
    return kept[-1] if len(kept) else None


def _estimate(opened: OpenLesson) -> None:
    """Draw the chart `estimate`, collapsed at first, with a title and a text."""
    own = opened.words.own["estimate"]
    with st.expander(own["title"]):
        st.html(opened.words.html(own["text"]))
        _mount_chart(opened, "estimate")


def _mount_chart(opened: OpenLesson, name: str) -> None:
    """Draw a chart of the lesson's run that follows the step of the lesson's figure."""
    names = opened.words.network_names(opened.query.broken, "networks")
    view = LiveViewSpec(
        key=f"lesson_more_{opened.lesson.name}", charts=((name, "full"),), parts=(), knobs=(),
        labels=names, chart_labels=names, follows=True, last_step=opened.run.plan.last_step,
    )  # fmt: skip
    mount_live_view(opened.run.tab_run, view)


def _leakage(opened: OpenLesson) -> None:
    """Draw a sentence on leakage, and a link to the lesson whose widget shows the effect."""
    text = opened.words.own["leakage"]["text"]
    link = LessonQuery(name="two-modes").link()
    st.html(tag("p", opened.words.inline_html(text), " ", link))


def _benefits(opened: OpenLesson) -> None:
    """Draw the list of benefits, each with a link to its lesson."""
    words = opened.words
    items = (
        tag("li", words.inline_html(each["text"]), " ", LessonQuery(name=each["lesson"]).link())
        for each in words.entries("benefits")
    )
    st.html(tag("ol", *items, class_="lesson-benefits"))


def _ladder(opened: OpenLesson) -> None:
    """Draw the numbers of steps that each network needed in each run, for all seeds so far."""
    result, words = opened.run.comparing, texts("series")
    if result is None:
        return
    # Do not reveal the results of other seeds before a guess.
    earlier = () if opened.guessing else opened.run.others
    seeds = len(earlier) + result.complete
    until = write(result.comparison.target_accuracy or 0, "percent0")
    title = words["ladder" if seeds < 2 else "ladder_seeds"].format(until=until, seeds=seeds)
    view = chart_view(opened.run.config)
    labels = {norm: view.label(norm) for norm in view.norms}
    marked = mark_networks(in_list(labels.values()), view.norms, labels)
    st.html(tag("p", title, ": ", marked, class_="series-title"))
    figure = build_ladder(
        (*earlier, result), view, names_of(opened), words, _guess(opened), asked(opened)
    )
    st.plotly_chart(figure, key="lesson_ladder", theme=None, config=PLOTLY_CONFIG)


def _steps_seconds(opened: OpenLesson) -> None:
    """Draw the curves over steps and seconds, once all runs have ended."""
    result = opened.run.comparing
    if result is None or not result.complete:
        return
    view = chart_view(opened.run.config)
    labels = {norm: view.label(norm) for norm in view.norms}
    run, _ = asked(opened)
    data = steps_seconds_data(result, names_of(opened), labels, run)
    mount_widget("steps_seconds", key="steps_seconds", data=data)


def names_of(opened: OpenLesson) -> dict[VariedValue, str]:
    return {key: opened.words.filled(name) for key, name in opened.words.own["ladder"].items()}


def asked(opened: OpenLesson) -> tuple[VariedValue, str]:
    """Run and network of the bar that the question is about."""
    value, norm, _ = next(iter(opened.lesson.guessed_bars.values()))
    return value, norm


def _guess(opened: OpenLesson) -> GuessedBar | None:
    """Return the guess as a bar, or None if the guess has no bar."""
    found = opened.lesson.guessed_bars.get(opened.query.guess or "")
    if found is None:
        return None
    value, norm, steps = found
    return GuessedBar(value, norm, steps, opened.words.frame["predict"]["yours"])


def _shared_mean_data(opened: OpenLesson) -> dict[str, Any]:
    """Data of the shared-mean widget: the run's mini-batch size, and 4×4 places per feature map."""
    return shared_mean_data(examples=opened.lesson.config().batch_size, side=GRID)


def _plain(name: str, data: Callable[[OpenLesson], dict[str, Any]]) -> Draw:
    """Return a function that mounts a widget with its data only."""
    return lambda opened: mount_widget(name, key=name, data=data(opened))


LESSON_WIDGETS: dict[str, Draw] = {
    "by_hand": _by_hand,
    "by_hand_backward": lambda _: mount_widget(
        "by_hand", key="by_hand_backward", data=by_hand_data(mode="backward")
    ),
    "outside_gradient": _outside_gradient,
    "cut_network": _cut_network,
    "ellipse": _plain("ellipse", lambda _: ellipse_data()),
    "amplify": partial(_mount_chart, name="amplify"),
    "estimate": _estimate,
    "leakage": _leakage,
    "gamma_beta": _plain(
        "gamma_beta", lambda opened: gamma_beta_data(opened.lesson.config(opened.query.seed))
    ),
    "compose_batch": _plain("compose_batch", lambda _: compose_batch_data()),
    "averages": _plain("averages", lambda _: averages_data()),
    "shift_outside": _plain("shift_outside", lambda _: shift_outside_data()),
    "cloud": _plain("cloud", lambda _: cloud_data()),
    "shared_mean": _plain("shared_mean", _shared_mean_data),
    "nine_rates": draw_nine_rates,
    "ladder": _ladder,
    "steps_seconds": _steps_seconds,
    "benefits": _benefits,
}


# Widgets that need the width of the figure, each with the name of its table of texts.
WIDE = {
    "by_hand_backward": "by_hand",
    **{
        name: name
        for name in (
            "cut_network", "ellipse", "gamma_beta", "compose_batch", "averages", "shift_outside",
            "cloud", "shared_mean",
        )
    },
}  # fmt: skip
# Session-state key of the lesson, section and name of the open wide widget.
IN_USE = "lesson_widget_in_use"


def draw_widgets(opened: OpenLesson, place: str) -> None:
    """Draw the lesson's widgets at a place; for a wide widget, only its button.

    Args:
        place: a section, "more", "figure", or "beside_why" for the figure in the section `why`.
    """
    for name in opened.lesson.widgets.get(place, ()):
        if name in WIDE and place not in ("figure", "beside_why"):
            _draw_opener(opened, name)
            continue
        with st.container(key=f"lesson_hand_{name}"):
            LESSON_WIDGETS[name](opened)


def draw_in_use(opened: OpenLesson) -> bool:
    """Draw the open wide widget in place of the charts. Return whether a wide widget is open."""
    name = _in_use(opened)
    if name is None:
        return False
    with st.container(key="lesson_in_use"):
        st.button(texts("widgets")["common"]["close"], key="lesson_close", on_click=_use(opened))
        with st.container(key=f"lesson_hand_{name}"):
            LESSON_WIDGETS[name](opened)
    return True


def _in_use(opened: OpenLesson) -> str | None:
    """Return the wide widget that is open in this section, or None."""
    lesson, beat, name = st.session_state.get(IN_USE, ("", "", None))
    return name if (lesson, beat) == (opened.lesson.name, opened.beat) else None


def _draw_opener(opened: OpenLesson, name: str) -> None:
    """Draw the button that opens a wide widget, or closes it."""
    words, used = texts("widgets"), _in_use(opened) == name
    label = words["common"]["close" if used else "open"].format(title=words[WIDE[name]]["title"])
    st.button(
        label, key=f"lesson_open_{name}", width="stretch",
        on_click=_use(opened, None if used else name),
    )  # fmt: skip


def _use(opened: OpenLesson, name: str | None = None) -> Callable[[], None]:
    """Return a callback that opens a wide widget, or closes it if `name` is None."""
    place = (opened.lesson.name, opened.beat, name)
    return lambda: st.session_state.update({IN_USE: place})
