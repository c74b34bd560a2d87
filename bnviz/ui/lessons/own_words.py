"""Page `what-you-can-say`: open questions, whose answers the browser stores and never sends."""

from __future__ import annotations

from typing import Any

from bnviz.ui.component import component, drawn_by
from bnviz.ui.lessons.query import LessonQuery
from bnviz.ui.lessons.words import LessonWords, lesson_title

# Number of points per model answer; `assets/lessons/progress.js` stores one tick per point.
POINTS = 3


def draw_own_words(words: LessonWords) -> bool:
    """Draw the page, and return false: only the browser knows whether it is done."""
    data = {
        **drawn_by("own_words.js"), "lesson": words.name, "questions": own_words_questions(words),
        "texts": {table: words.frame[table] for table in ("say", "along")},
    }  # fmt: skip
    component("own_words")(key="own_words", data=data)
    return False


def own_words_questions(words: LessonWords) -> list[dict[str, Any]]:
    return [
        {
            "name": each["name"], "question": each["question"],
            "answer": [words.filled(part).strip() for part in each["answer"].split("\n\n")],
            "points": list(each["points"]),
            "page": {
                "title": lesson_title(each["lesson"]),
                "href": LessonQuery(name=each["lesson"]).address,
            },
        }
        for each in words.entries("questions")
    ]  # fmt: skip
