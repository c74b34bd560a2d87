"""The page `notes-corrected`: what accounts repeat, what was found, and where it can be seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from bnviz.lessons import LESSONS
from bnviz.lessons.corrections import CORRECTIONS, values
from bnviz.ui.html import Markup, tag
from bnviz.ui.lessons.query import LessonQuery
from bnviz.ui.lessons.table import page_table
from bnviz.ui.lessons.words import LessonWords, lesson_words
from bnviz.words.joining import quoted


def draw_notes_corrected(words: LessonWords) -> bool:
    """Draw the page; it has been seen as soon as it is there."""
    words = replace(words, settings=values())
    own = words.own
    st.html(words.html(own["question"]))
    for section, corrections in CORRECTIONS.items():
        title = own["sections"][section]
        rows = [(name, _cells(words, name, place)) for name, place in corrections.items()]
        st.html(tag("h2", title) + page_table(own["columns"], rows, label=title))
    return True


def _cells(words: LessonWords, name: str, place: str) -> Mapping[str, Markup]:
    """What is said, what was found, and the link to where it can be seen."""
    said = words.own["entry"][name]
    return {
        "says": Markup(tag("p", Markup(quoted(words.inline_html(said["says"]))))),
        "seen": Markup(words.html(said["seen"])),
        "link": _link(words, place),
    }


def _link(words: LessonWords, place: str) -> Markup:
    """The link to the lesson, or to its break, which runs at once."""
    name, _, broken = place.partition("/")
    theirs = lesson_words(name, LESSONS[name].lesson)
    label = theirs.filled(theirs.own["break"][broken]["label"]) if broken else ""
    text = words.own["link"]["broken" if broken else "text"]
    query = LessonQuery(name=name, broken=broken or None)
    return query.link(text.format(title=theirs.own["title"], label=label))
