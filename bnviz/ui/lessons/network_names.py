"""Network names in sentences, in the network's colour, preceded by a sample of its chart line."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import streamlit as st

from bnviz.charts.theme import NetworkStyle, theme
from bnviz.ui.html import Markup
from bnviz.words.texts import texts

TAG = re.compile(r"(<[^>]*>)")
# CSS border styles that imitate the line styles of charts.
BORDERS = {"dash": "dashed", "longdash": "dashed", "dot": "dotted", "solid": "solid"}


def mark_networks(html: str, norms: Sequence[str], own: Mapping[str, str]) -> Markup:
    """Give network names in HTML the network's colour, and a sample of its chart line.

    `own` contains additional names by norm. If names overlap, the longest name is marked.
    """
    names = texts("lessons")["called"]
    styles = theme(st.context.theme.type == "dark").networks(norms)
    known = {norm: (*names.get(norm, ()), *([own[norm]] if norm in own else ())) for norm in norms}
    called = {name.lower(): styles[norm] for norm in norms for name in known[norm]}
    if not called:
        return Markup(html)
    longest_first = sorted(called, key=len, reverse=True)
    # Match whole words only, but allow Han and kana letters next to a name.
    name = "|".join(map(re.escape, longest_first))
    pattern = re.compile(rf"(?<![A-Za-z0-9_])({name})(?![A-Za-z0-9_])", re.IGNORECASE)
    return Markup("".join(
        part if part.startswith("<")
        else pattern.sub(lambda found: _marked(found[0], called[found[0].lower()]), part)
        for part in TAG.split(html)
    ))  # fmt: skip


def _marked(name: str, style: NetworkStyle) -> str:
    look = (f"--network: {style.text}; --network-line: {style.line}; "
            f"--network-drawn: {BORDERS.get(style.dash, 'dashed')}")  # fmt: skip
    return f'<span class="lesson-network" style="{look}">{name}</span>'
