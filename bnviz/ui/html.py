"""HTML elements from plain values; text that is not yet markup is escaped."""

from __future__ import annotations

import re
from html import escape

# Elements without children, which have no end tag.
VOID = frozenset({"input", "br", "img"})
# Patterns of `code`, **strong** and *emphasis*, as in the notes on the claims, and their HTML.
MARKS = (
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
    (re.compile(r"\*\*(\S(?:[^*]*\S)?)\*\*"), r"<strong>\1</strong>"),
    (re.compile(r"\*(\S(?:[^*]*\S)?)\*"), r"<em>\1</em>"),
)


class Markup(str):
    """HTML that needs no escaping."""


def tag(name: str, /, *children: str | None, **attributes: object) -> Markup:
    """Build an element; children that are None are skipped.

    `class_` becomes class and `data_name` becomes data-name. An attribute that is None or False is
    skipped, and True is written without a value.
    """
    written = "".join(
        _attribute(key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items()
    )
    if name in VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{joined(*children)}</{name}>")


def joined(*children: str | None) -> Markup:
    """Join children in order, and escape plain text."""
    return Markup("".join(_safe(child) for child in children if child is not None))


def answer(text: str, *, role: str = "status") -> Markup:
    """Build a message paragraph; `role` is "status", "alert" for an error, or "note"."""
    return tag("p", text, class_="bnviz-answer", role=role)


def prose(text: str) -> Markup:
    """Render `code`, **strong** and *emphasis* in a line of plain text."""
    return marked(escape(text, quote=False))


def marked(html: str) -> Markup:
    """Render `code`, **strong** and *emphasis* in a line that is already HTML."""
    for pattern, element in MARKS:
        html = pattern.sub(element, html)
    return Markup(html)


def paragraphs(text: str) -> Markup:
    """Render text whose paragraphs are separated by blank lines."""
    return joined(*(tag("p", prose(part)) for part in re.split(r"\n{2,}", text.strip())))


def _safe(child: str) -> str:
    return child if isinstance(child, Markup) else escape(child, quote=False)


def _attribute(name: str, value: object) -> str:
    if value is None or value is False:
        return ""
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'
