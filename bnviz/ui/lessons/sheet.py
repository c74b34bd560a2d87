"""A lesson's worksheet: a page for printing, and its text for editing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from bnviz.lessons.lesson import Lesson
from bnviz.lessons.worksheet import HEADS, Axes, Parts, to_markdown, worksheet
from bnviz.ui.html import Markup, joined, tag
from bnviz.ui.lessons.query import LessonQuery
from bnviz.ui.lessons.words import LessonWords
from bnviz.words.texts import texts


def draw_sheet(lesson: Lesson, words: LessonWords) -> None:
    """Draw the worksheet of a lesson that has a claim. The tools above it are not printed."""
    sheet, frame = worksheet(lesson), words.frame["sheet"]
    query = LessonQuery(name=lesson.name)
    address = _whole_address(query)
    with st.container(key="sheet_tools", horizontal=True):
        st.html(query.link(frame["back"]))
        for label, with_key in (("edit", False), ("edit_key", True)):
            st.download_button(
                frame[label], to_markdown(sheet, address, key=with_key),
                file_name=f"bnviz-{lesson.name}-worksheet{'-key' if with_key else ''}.md",
                mime="text/markdown", on_click="ignore", key=f"sheet_{label}",
            )  # fmt: skip
        st.caption(frame["print"])
    head = joined(
        tag("p", f"{frame['name']}: ", tag("i", class_="sheet-name"), class_="sheet-who"),
        tag("h1", sheet.title),
        tag("p", address, class_="sheet-address"),
    )
    with st.container(key="lesson_sheet"):
        st.html(_page(head, sheet.before, frame) + _page(None, sheet.after, frame))


def _page(head: Markup | None, parts: Parts, frame: Mapping[str, str]) -> Markup:
    pieces = (
        joined(tag("h2", frame[name]), *(HTML[kind](content) for kind, content in pieces))
        for name, pieces in parts.items()
    )
    return tag("section", head, *pieces, class_="sheet-page")


def _listed(items: Iterable[str], *before: Markup, **attributes: str) -> Markup:
    return tag("ul", *(tag("li", *before, item) for item in items), **attributes)


def _table(settings: Iterable[str]) -> Markup:
    words = texts("lessons")["sheet"]
    heads = (tag("th", words[name], scope="col") for name in HEADS)
    rows = (tag("tr", tag("td", name), tag("td"), tag("td")) for name in settings)
    return tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows))


def _axes(axes: Axes) -> Markup:
    numbers = (
        tag("b", number, class_=f"sheet-{axis}", style=f"--at: {place:g}")
        for axis, found in (("step", axes.steps), ("value", axes.values))
        for place, number in found
    )
    across = tag("b", axes.across, class_="sheet-across")
    return tag("div", *numbers, across, class_="sheet-axes", role="img", aria_label=axes.label)


# HTML writer for each kind of worksheet part, like `bnviz.lessons.worksheet.MARKDOWN`.
BOX = tag("i", class_="sheet-box", aria_hidden="true")
HTML: Mapping[str, Callable[[Any], Markup]] = {
    "text": partial(tag, "p"),
    "list": _listed,
    "answers": lambda answers: _listed(answers, BOX, class_="sheet-answers"),
    "lines": lambda count: tag(
        "div", *[tag("i")] * count, class_="sheet-lines", aria_hidden="true"
    ),
    "axes": _axes,
    "settings": _table,
}


def _whole_address(query: LessonQuery) -> str:
    """Return a query's full address, with the server's name, so that readers can type it."""
    here = urlsplit(st.context.url or "")
    return f"{here.scheme}://{here.netloc}{query.address}" if here.netloc else query.address
