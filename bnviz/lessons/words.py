"""Texts of a lesson, and the placeholders in them that are replaced by numbers.

A text contains these placeholders instead of numbers:
    {run:plain:percent}         number measured in the run
    {if:worse}                  nothing; the sentence is kept only if this case applies to the run
    {setting:raised_at}         knob, step of the schedule, or another value of the lesson
    {claim:E12.no-better}       median of a measured claim, or its `.place`, `.lowest`, `.highest`
    {cite:IS15}                 source; {cite:IS15.algorithm1} adds a place in it;
                                {cite:IS15.steps} is a number from it (`citations.toml`)
    [[saturation|saturated]]    term of the glossary
"""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bnviz.claims import results
from bnviz.lessons.lesson import Numbers
from bnviz.words.numbers import FORMATS, keep_products
from bnviz.words.texts import texts

PLACEHOLDER = re.compile(r"\{(run|if|setting|claim|cite):([^{}:]+)(?::([a-z0-9]+))?\}")
TERM = re.compile(r"\[\[([a-z-]+)(?:\|([^\[\]]+))?\]\]")


class NotInThisRun(Exception):
    """Raised if the run lacks a number or case that a sentence needs; the sentence is left out."""


@dataclass(frozen=True)
class Filling:
    """Values for `{setting:…}` and `{run:…}`; without `run`, no text may contain `{run:…}`."""

    settings: Numbers = field(default_factory=dict)
    run: Numbers | None = None

    def sentence(self, text: str) -> str:
        """Return a text as Markdown, with its numbers filled in and its glossary terms marked.

        Raises:
            KeyError: a placeholder or term is unknown.
            NotInThisRun: the run lacks a number, or the case of an `{if:…}` does not apply.
        """
        filled = keep_products(PLACEHOLDER.sub(self._value, text))
        return TERM.sub(self._term, filled)

    def sentences(self, given: Iterable[str]) -> list[str]:
        """Return, in order, the texts that apply to this run, with their numbers filled in."""
        kept = []
        for text in given:
            try:
                kept.append(self.sentence(text))
            except NotInThisRun:
                continue
        return kept

    def _value(self, found: re.Match[str]) -> str:
        kind, key, style = found.groups()
        if kind == "cite":
            return citation(key)
        if kind == "claim":
            return _claim(key, style)
        value = (self.settings if kind == "setting" else self.run or {})[key]
        if value is None or (kind == "if" and not value):
            raise NotInThisRun(key)
        usual = "plain" if kind == "run" else "exact"
        return "" if kind == "if" else _written(value, style or usual)

    def _term(self, found: re.Match[str]) -> str:
        return term(found.group(1), found.group(2))


def term(name: str, shown: str | None = None) -> str:
    """Return a glossary term as HTML; its explanation opens on hover, focus and tap."""
    known = texts("glossary")[name]
    word, line = html.escape(shown or str(known["word"])), html.escape(str(known["line"]))
    says = f'<span class="bnviz-says" role="tooltip">{line}</span>'
    return f'<span class="bnviz-term" data-term="{name}" tabindex="0">{word}{says}</span>'


def citation(key: str) -> str:
    """Return a link to a source ("IS15") or to a place in it ("IS15.algorithm1"), or a number from
    it.
    """
    name, _, part = key.partition(".")
    source: Mapping[str, Any] = texts("citations")[name]
    if part in source.get("numbers", {}):
        return str(source["numbers"][part]).replace(" %", "\u00a0%")  # no line break before %
    label = f"{source['label']}, {source['places'][part]}" if part else str(source["label"])
    return f"[{label}]({source['link']})" if "link" in source else label


@functools.cache
def _rows() -> Mapping[str, results.Row]:
    return {row.name: row for row in results.read(results.FILE).rows}


def _claim(key: str, style: str | None) -> str:
    experiment, _, rest = key.partition(".")
    name, _, part = rest.partition(".")
    row = _rows()[f"{experiment}.{name}"]
    parts: dict[str, float | str] = {
        "": row.median, "lowest": row.lowest, "highest": row.highest, "place": row.place,
    }  # fmt: skip
    return _written(parts[part], style or "plain")


def _written(value: float | str, style: str) -> str:
    return html.escape(value) if isinstance(value, str) else FORMATS[style](value)
