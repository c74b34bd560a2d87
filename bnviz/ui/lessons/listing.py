"""The list of lessons, beside the page or folded above it."""

from __future__ import annotations

from html import escape

import streamlit as st

from bnviz.lessons import LESSONS, place_of
from bnviz.texts import texts
from bnviz.ui.claims.html import Markup
from bnviz.ui.lessons.visit import Visit
from bnviz.ui.navigation import page_link

FIGURE_SPACE = "\u2007"


def draw_list(here: str, *, folded: bool) -> None:
    """Links to all lessons; which are done is marked by the browser, which keeps that.

    Args:
        here: the lesson that is open.
        folded: the list that opens where there is no room for it beside the page.
    """
    words = texts("lessons")["list"]
    where = "fold" if folded else "side"
    said = set[str]()
    for name, entry in LESSONS.items():
        group = "extra" if entry.extra else None if entry.written else "later"
        if group and group not in said:
            said.add(group)
            st.html(f"<p class='lesson-group'>{escape(words[group])}</p>")
        with st.container(key=f"lesson_link_{where}_{name}"):
            st.html(_link(name, here))


def _link(name: str, here: str) -> Markup:
    place = place_of(name)
    # Figure spaces are as wide as a digit.
    number = ("" if place is None else str(place)).rjust(2, FIGURE_SPACE)
    title = f"{number}\u2002{texts(f'lessons/{name}')['title']}"
    return page_link(
        "lessons", title, Visit(name=name).to_query(), class_="lesson-link",
        aria_current="page" if name == here else None,
        data_later=None if LESSONS[name].written else "1",
    )  # fmt: skip


def next_after(name: str) -> str | None:
    """The lesson that follows, or None."""
    names = list(LESSONS)
    at = names.index(name) + 1
    return names[at] if at < len(names) else None
