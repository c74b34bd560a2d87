"""What comes after a lesson's run has said something: why, and the same run in other settings."""

from __future__ import annotations

from html import escape

import streamlit as st

from bnviz.ui.lessons.hands import draw_hands
from bnviz.ui.lessons.opened import Opened
from bnviz.ui.lessons.said import beat
from bnviz.ui.lessons.settings import draw_settings
from bnviz.ui.lessons.telling import say_below
from bnviz.ui.lessons.visit import structural
from bnviz.ui.navigation import page_link
from bnviz.ui.series import draw_series


def draw_why(opened: Opened) -> None:
    """Draw why it is so, with what is folded away, and the runs that are compared for it."""
    said, words = opened.said, opened.said.words
    with beat(said.frame["beat"]["why"], key="why"):
        st.html(said.html(words["why"]))
        with st.expander(said.frame["beat"]["more"]):
            for part in words["more"]:
                text = f"**{part['title']}**\n\n{said.filled(part['text'])}"
                st.markdown(text, unsafe_allow_html=True)
        with st.expander(said.frame["beat"]["popular"]):
            items = "".join(
                f"<dt>“{said.html(each['says']).removeprefix('<p>').removesuffix('</p>')}”</dt>"
                f"<dd>{said.html(each['seen'])}</dd>"
                for each in words["popular"]
            )
            st.html(f"<dl class='lesson-popular'>{items}</dl>")
        draw_hands(opened, "why")
    if opened.lesson.series is not None:
        own = {**words["series"], "text": said.html(words["series"]["text"])}
        draw_series(opened.lesson.series.with_seed(opened.visit.seed), own)


def draw_break(opened: Opened) -> None:
    """Draw the settings in which the claim is put to a harder test, and what the one run says."""
    said, visit = opened.said, opened.visit
    frame = said.frame["break"]
    with beat(said.frame["beat"]["break"], key="break"):
        st.html(f"<p>{escape(frame['intro'])}</p>")
        for each in opened.lesson.breaks:
            label = said.filled(said.words["break"][each.name]["label"])
            st.button(
                label, key=f"break_{each.name}", width="stretch",
                type="primary" if each.name == visit.broken else "secondary",
                on_click=opened.go(broken=each.name, knobs={}, beat="break"),
            )  # fmt: skip
            if each.name == visit.broken:
                say_below(opened)
        if structural(opened.lesson):
            st.html(f"<p>{escape(frame['knobs'])}</p>")
            draw_settings(visit, opened.lesson, opened.go)
        if visit.knobs:
            say_below(opened)
        if opened.otherwise:
            own = opened.go(broken=None, knobs={}, beat="verdict")
            st.button(frame["own"], type="tertiary", on_click=own)
        query = {**opened.running.lab.config.to_query(), "run": opened.running.lab.run}
        asked = {name: value for name, value in query.items() if value}
        st.html(page_link("lab", frame["lab"], asked, data_run=opened.running.lab.run))


def draw_so_far(opened: Opened) -> None:
    """Draw what the course has seen so far, where a lesson ends with that."""
    so_far = opened.said.words.get("so_far")
    if so_far is None:
        return
    reasons = "".join(
        f"<li><span class='lesson-state'>{escape(so_far[each['state']])}</span> "
        f"{escape(each['text'])}</li>"
        for each in so_far["reasons"]
    )
    st.html(
        f"<section class='lesson-so-far'><h3>{escape(so_far['title'])}</h3>"
        f"<p>{escape(so_far['intro'])}</p><ol>{reasons}</ol></section>"
    )
