"""Widget `nine_rates`: a guess, the recorded results at nine learning rates, and a live run."""

from __future__ import annotations

import streamlit as st

from bnviz.charts.chart import PLOTLY_CONFIG
from bnviz.charts.rates import build_accuracies, build_lengths, build_right_angle
from bnviz.charts.series import value_text
from bnviz.config import RunConfig
from bnviz.lessons.lesson import Numbers
from bnviz.planned_runs.compared_rates import LEARNED, STEPS, compared_rates
from bnviz.planned_runs.comparison import Comparison
from bnviz.ui.comparison import draw_comparison
from bnviz.ui.comparison_results import chart_view
from bnviz.ui.html import tag
from bnviz.ui.lessons.open_lesson import OpenLesson
from bnviz.words.joining import in_list

# Session-state key of the guessed number of learning rates.
STATE = "nine_rates"
WITHOUT, WITH = "none", "batch"


def draw_nine_rates(opened: OpenLesson) -> None:
    """Draw the question, and after a guess also the recorded runs and their explanation."""
    found, words, own = compared_rates(), opened.words, opened.words.own["rates"]
    st.html(tag("h2", own["title"], class_="lesson-beat"))
    st.html(words.html(own["text"]))
    guess = st.session_state.get(STATE)
    st.segmented_control(
        own["guess"], range(len(found.rates) + 1), default=guess, key="nine_rates_guess",
        on_change=_keep_guess,
    )  # fmt: skip
    if guess is None:
        return
    learned = {norm: found.learned(norm) for norm in (WITHOUT, WITH)}
    numbers: Numbers = {
        key: in_list(map(value_text, learned[norm]))
        for key, norm in (("without_rates", WITHOUT), ("with_rates", WITH))
    }
    said = words.inline_html(own["found"], {**numbers, "guess": guess})
    st.html(tag("p", said, role="status", class_="nine-rates-found"))
    view = chart_view(RunConfig())
    st.html(tag("p", words.inline_html(own["accuracies"]), class_="series-title"))
    _draw(build_accuracies(found, view, own["axis"]), "accuracies")
    st.html(tag("h3", own["turns"]["title"]))
    _draw(build_right_angle(view, WITH, own["turns"]), "angle")
    for text in own["turns"]["steps"]:
        st.markdown(words.filled(text), unsafe_allow_html=True)
    st.html(tag("p", words.inline_html(own["lengths"]["title"]), class_="series-title"))
    _draw(build_lengths(found, view, WITH, own["lengths"] | {"axis": own["axis"]}), "lengths")
    st.html(words.html(own["grown"]))
    with st.expander(own["live"]["title"]):
        comparison = Comparison.over(
            "learning_rate", found.rates, RunConfig(seed=opened.query.seed), last_step=STEPS,
            learned=LEARNED,
        )  # fmt: skip
        draw_comparison(
            comparison,
            {**own["live"], "text": words.html(own["live"]["text"]), "axis": own["axis"]},
        )


def _keep_guess() -> None:
    st.session_state[STATE] = st.session_state["nine_rates_guess"]


def _draw(figure: object, name: str) -> None:
    st.plotly_chart(figure, key=f"nine_rates_{name}", theme=None, config=PLOTLY_CONFIG)
