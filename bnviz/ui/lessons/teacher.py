"""What stands on a lesson for whoever teaches it."""

from __future__ import annotations

from dataclasses import replace
from html import escape

import streamlit as st

from bnviz.ui.lessons.said import Said
from bnviz.ui.lessons.visit import Visit
from bnviz.ui.navigation import page_link


def draw_teacher(visit: Visit, said: Said) -> None:
    """One sentence to say, what people often think, and links for a class."""
    words, frame = said.words["teacher"], said.frame["teacher"]
    with st.container(key="lesson_teacher"), st.expander(said.frame["beat"]["teacher"]):
        often = "".join(f"<li>{escape(each)}</li>" for each in words["misconceptions"])
        st.html(
            f"<p><em>{escape(frame['say'])}</em> {escape(words['say'])}</p>"
            f"<p><em>{escape(frame['misconceptions'])}</em></p><ul>{often}</ul>"
        )
        with st.container(horizontal=True):
            for label, changes in (
                ("present_off" if visit.present else "present", {"present": not visit.present}),
                ("hide", {"hide": True, "guess": None, "beat": None}),
            ):
                target = replace(visit, run=None, **changes)
                st.html(page_link("lessons", frame[label], target.to_query()))
        st.caption(frame["print"])
