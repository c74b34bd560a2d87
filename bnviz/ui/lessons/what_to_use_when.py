"""The page `what-to-use-when`: which norm goes with which network and task, as others say."""

from __future__ import annotations

import streamlit as st

from bnviz.ui.html import Markup
from bnviz.ui.lessons.query import LessonQuery
from bnviz.ui.lessons.table import page_table
from bnviz.ui.lessons.words import LessonWords
from bnviz.words.texts import texts

# The rows, and the lesson in which something of each can be seen; None: in none.
ROWS: dict[str, str | None] = {
    "images": "images-and-sequences",
    "small-batches": "batch-size",
    "transformers": None,
    "sequences": "images-and-sequences",
    "style": None,
    "fine-tuning": "two-modes",
    "eval": "in-code",
    "other-data": "two-modes",
    "deployment": "two-modes",
}


def draw_what_to_use_when(words: LessonWords) -> bool:
    """Draw the page; it has been seen as soon as it is there."""
    own = words.own
    st.html(words.html(own["question"]))
    rows = []
    for name, lesson in ROWS.items():
        cells = {key: Markup(words.html(own["row"][name][key])) for key in own["columns"]}
        if lesson is not None:
            label = own["link"]["text"].format(title=texts(f"lessons/{lesson}")["title"])
            cells["setting"] = Markup(cells["setting"] + LessonQuery(name=lesson).link(label))
        rows.append((name, cells))
    st.html(page_table(own["columns"], rows))
    return True
