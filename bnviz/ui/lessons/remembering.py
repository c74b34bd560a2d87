"""Two questions from lessons before, over the question of a lesson: say the answer, then look.

Nothing is asked for and nothing is counted. A browser keeps which answers it has opened.
"""

from __future__ import annotations

import streamlit as st

from bnviz.ui.html import tag
from bnviz.ui.lessons.words import LessonWords, lesson_title
from bnviz.words.texts import ENGLISH, texts


def draw_remembering(name: str, words: LessonWords) -> None:
    """Draw the questions of a lesson that has some, folded.

    Args:
        name: of the lesson.
        words: its words.
    """
    items, frame = words.own.get("remember", ()), words.frame["remember"]
    if not items:
        return
    # A lesson's name is no word: a translation may say anything there.
    asked_of = [each["lesson"] for each in texts(f"lessons/{name}", ENGLISH)["remember"]]
    questions = (
        tag(
            "li",
            tag(
                "details",
                tag("summary", words.inline_html(each["question"])),
                words.html(each["answer"]),
                tag("small", frame["from"].format(title=lesson_title(lesson))),
                data_question=f"{name}-{number}",
            ),
        )
        for number, (each, lesson) in enumerate(zip(items, asked_of, strict=True))
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
