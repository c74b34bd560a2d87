"""A lesson's worksheet: a page that is made to be printed, and its text to edit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

import streamlit as st

from bnviz.lessons.lesson import Lesson
from bnviz.lessons.worksheet import Worksheet, play_sentence, to_markdown, worksheet
from bnviz.ui.html import Markup, joined, tag
from bnviz.ui.lessons.query import LessonQuery
from bnviz.ui.lessons.words import LessonWords


def draw_sheet(lesson: Lesson, words: LessonWords) -> None:
    """Draw the worksheet of a lesson with a claim, and above it what is not printed."""
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
    with st.container(key="lesson_sheet"):
        st.html(_first_page(sheet, frame, address) + _second_page(sheet, frame))


def _first_page(sheet: Worksheet, frame: Mapping[str, str], address: str) -> Markup:
    """Before the run."""
    boxes = (
        tag("li", tag("i", class_="sheet-box", aria_hidden="true"), answer)
        for answer in sheet.answers
    )
    return tag(
        "section",
        tag("p", f"{frame['name']}: ", tag("i", class_="sheet-name"), class_="sheet-who"),
        tag("h1", sheet.title),
        tag("p", address, class_="sheet-address"),
        *_part(frame["goals"], tag("ul", *(tag("li", goal) for goal in sheet.goals))),
        *_part(frame["play"], tag("p", play_sentence(sheet)), _lines(2)),
        *_part(frame["question"], *(tag("p", text) for text in sheet.question)),
        *_part(
            frame["guess"], tag("p", sheet.predict),
            tag("div", class_="sheet-axes", role="img", aria_label=frame["draw"])
            if sheet.draws else None,
            tag("ul", *boxes, class_="sheet-answers"), tag("p", frame["because"]), _lines(2),
        ),
        class_="sheet-page",
    )  # fmt: skip


def _second_page(sheet: Worksheet, frame: Mapping[str, str]) -> Markup:
    """During the run and after it."""
    heads = (tag("th", frame[name], scope="col") for name in ("setting", "expect", "happened"))
    rows = (tag("tr", tag("td", name), tag("td"), tag("td")) for name in sheet.breaks)
    return tag(
        "section",
        *_part(
            frame["seen"], tag("p", sheet.watch), tag("p", frame["outcome"]),
            tag("p", frame["numbers"]), _lines(3),
        ),
        *_part(frame["why"], tag("p", frame["explain"]), _lines(5)),
        *_part(
            frame["break"],
            tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows)),
        ),
        class_="sheet-page",
    )  # fmt: skip


def _part(title: str, *children: Markup | None) -> Iterable[Markup]:
    yield tag("h2", title)
    yield joined(*children)


def _lines(count: int) -> Markup:
    """Lines to write on."""
    lines = (tag("i") for _ in range(count))
    return tag("div", *lines, class_="sheet-lines", aria_hidden="true")


def _whole_address(query: LessonQuery) -> str:
    """An address that can be typed: with the server's name, as this browser has it."""
    here = urlsplit(st.context.url or "")
    return f"{here.scheme}://{here.netloc}{query.address}" if here.netloc else query.address
