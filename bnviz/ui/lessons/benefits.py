"""What is said to be gained by BN, each with the page of the course that shows it."""

from __future__ import annotations

import streamlit as st

from bnviz.ui.html import Markup, tag
from bnviz.ui.lessons.open_lesson import OpenLesson
from bnviz.ui.lessons.query import LessonQuery
from bnviz.words.texts import ENGLISH, texts


def draw_benefits(opened: OpenLesson) -> None:
    """Draw the list of a lesson that has one; each item leads to another lesson."""
    own, words = texts(f"lessons/{opened.lesson.name}", ENGLISH), opened.words
    # A lesson's name is no word: a translation may say anything there.
    lessons = [each["lesson"] for each in own["benefits"]]
    items = (
        tag("li", Markup(words.inline_html(each["text"])), " ", LessonQuery(name=name).link())
        for each, name in zip(words.own["benefits"], lessons, strict=True)
    )
    st.html(tag("ol", *items, class_="lesson-benefits"))
