"""Names of networks in a lesson's sentences: each has the colour and line that it has in charts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import streamlit as st

from bnviz.charts.theme import NetworkStyle, theme
from bnviz.texts import texts

TAG = re.compile(r"(<[^>]*>)")
# The lines of charts, as borders of a style sheet are called.
DRAWN = {"dash": "dashed", "longdash": "dashed", "dot": "dotted", "solid": "solid"}


def with_lines(html: str, norms: Sequence[str], own: Mapping[str, str]) -> str:
    """A text in which the names of networks stand in their colours, each after a piece of its line.

    Args:
        html: the text; within its tags nothing is a name.
        norms: the networks of the run, in order: their colours hang on it.
        own: (norm, name) of networks that are called something else here; another network's name
            may be a part of it.
    """
    names = texts("lessons")["called"]
    styles = theme(st.context.theme.type == "dark").networks(norms)
    known = {norm: (*names.get(norm, ()), *([own[norm]] if norm in own else ())) for norm in norms}
    called = {name.lower(): styles[norm] for norm in norms for name in known[norm]}
    if not called:
        return html
    longest_first = sorted(called, key=len, reverse=True)
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, longest_first))})\b", re.IGNORECASE)
    return "".join(
        part if part.startswith("<")
        else pattern.sub(lambda found: _marked(found[0], called[found[0].lower()]), part)
        for part in TAG.split(html)
    )  # fmt: skip


def _marked(name: str, style: NetworkStyle) -> str:
    look = (f"--network: {style.text}; --network-line: {style.line}; "
            f"--network-drawn: {DRAWN.get(style.dash, 'dashed')}")  # fmt: skip
    return f'<span class="lesson-network" style="{look}">{name}</span>'
