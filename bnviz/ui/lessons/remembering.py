"""Review questions from earlier lessons. The browser stores which answers the reader has opened."""

from __future__ import annotations

import streamlit as st

from bnviz.ui.html import tag
from bnviz.ui.lessons.words import LessonWords, lesson_title


def draw_remembering(words: LessonWords) -> None:
    """Draw a lesson's review questions, collapsed at first, if it has any."""
    items, frame = words.entries("remember"), words.frame["remember"]
    if not items:
        return
    questions = (
        tag(
            "li",
            tag(
                "details",
                tag("summary", words.inline_html(each["question"])),
                words.html(each["answer"]),
                tag("small", frame["from"].format(title=lesson_title(each["lesson"]))),
                data_question=f"{words.name}-{number}",
            ),
        )
        for number, each in enumerate(items)
    )
    st.html(
        tag(
            "details",
            tag("summary", frame["title"]),
            tag("p", frame["intro"]),
            tag("ol", *questions),
            class_="lesson-remember",
        )
    )
