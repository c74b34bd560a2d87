"""HTML from plain values: text that is not markup already is escaped."""

from __future__ import annotations

import re
from html import escape

# Elements without children, which are not closed.
VOID = frozenset({"input", "br", "img"})
# `code`, **strong** and *emphasis*, as the claims' notes are written.
MARKS = (
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
    (re.compile(r"\*\*(\S(?:[^*]*\S)?)\*\*"), r"<strong>\1</strong>"),
    (re.compile(r"\*(\S(?:[^*]*\S)?)\*"), r"<em>\1</em>"),
)


class Markup(str):
    """Text that is HTML already."""


def tag(name: str, /, *children: str | None, **attributes: object) -> Markup:
    """An element.

    Args:
        name: of the element.
        *children: text or markup, in order; None is left out.
        **attributes: `class_` is written as class, `data_name` as data-name; None and False are
            left out, True is written without a value.
    """
    written = "".join(
        _attribute(key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items()
    )
    if name in VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{joined(*children)}</{name}>")


def joined(*children: str | None) -> Markup:
    """Children one after the other, escaped where they are plain text."""
    return Markup("".join(_safe(child) for child in children if child is not None))


def answer(text: str, *, role: str = "status") -> Markup:
    """A sentence that the page says to its reader. Whatever it repeats of an address is text.

    Args:
        text: the sentence.
        role: "status", "alert" for what is wrong, or "note".
    """
    return tag("p", text, class_="bnviz-answer", role=role)


def prose(text: str) -> Markup:
    """A line of text in which `code`, **strong** and *emphasis* are marked."""
    return marked(escape(text, quote=False))


def marked(html: str) -> Markup:
    """The same of a line that is HTML already."""
    for pattern, element in MARKS:
        html = pattern.sub(element, html)
    return Markup(html)


def paragraphs(text: str) -> Markup:
    """Text with empty lines between its paragraphs."""
    return joined(*(tag("p", prose(part)) for part in re.split(r"\n{2,}", text.strip())))


def _safe(child: str) -> str:
    return child if isinstance(child, Markup) else escape(child, quote=False)


def _attribute(name: str, value: object) -> str:
    if value is None or value is False:
        return ""
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'
