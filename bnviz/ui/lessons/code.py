"""Code on lesson pages: numbered lines, and lessons' runs as scripts to download."""

from __future__ import annotations

import streamlit as st

from bnviz.lessons import LESSONS
from bnviz.lessons.scripts import script_of
from bnviz.live.web.script_routes import DIGITS_FILE
from bnviz.ui.html import Markup, joined, tag
from bnviz.ui.lessons.words import LessonWords, lesson_title
from bnviz.ui.sitemap import base_path


def draw_code(code: str) -> None:
    """Draw code with numbered lines. The keyboard can scroll it, unlike Streamlit's code block."""
    lines = (tag("span", line or " ", "\n") for line in code.rstrip("\n").split("\n"))
    st.html(tag("pre", tag("code", *lines), class_="lesson-code", tabindex="0"))


def script_link(name: str, label: str) -> Markup:
    return tag("a", label, href=f"{base_path()}/scripts/{name}.py", download=True)


def script_links() -> Markup:
    """List the scripts of all lessons that have one, in course order."""
    there = [name for name in LESSONS if script_of(name) is not None]
    rows = (tag("li", script_link(name, lesson_title(name))) for name in there)
    return tag("ul", *rows, class_="lesson-scripts")


def draw_script(name: str, words: LessonWords) -> None:
    """Draw a lesson's script and links that download it and its data, if it has a script."""
    code, frame = script_of(name), words.frame["script"]
    if code is None:
        return
    st.html(tag("h3", frame["title"]) + tag("p", frame["text"]))
    needs_digits = DIGITS_FILE in code
    digits = tag("a", frame["digits"], href=f"{base_path()}/scripts/{DIGITS_FILE}", download=True)
    links = [script_link(name, frame["take"]), *([digits] if needs_digits else [])]
    st.html(tag("p", joined(*_spaced(links)), class_="lesson-script"))
    draw_code(code)


def _spaced(links: list[Markup]) -> list[str]:
    return [part for link in links for part in (link, " ")]
