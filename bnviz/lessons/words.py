"""A lesson's words, with every number filled in from where it comes from.

In a text stand, and nothing else that is a number:
    {run:plain:percent}         measured in the run that was watched
    {if:worse}                  nothing; the sentence stands only where the run says so
    {setting:raised_at}         a knob, a step of the lesson's schedule, or one of its values
    {claim:E12.no-better}       median of a measured claim; `.place`, `.lowest`, `.highest` of it
    {cite:IS15}                 a source; {cite:IS15.algorithm1} with a place in it;
                                {cite:IS15.steps} a number that it gives (`citations.toml`)
    [[saturation|saturated]]    a word of the glossary
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
    """A sentence names a number that this run did not measure, or a case that it is not.

    The sentence is left out.
    """


@dataclass(frozen=True)
class Filling:
    """Fills texts with numbers.

    Attributes:
        settings: values for `{setting:…}`.
        run: values for `{run:…}`; None: nothing was measured yet, and no text may name any.
    """

    settings: Numbers = field(default_factory=dict)
    run: Numbers | None = None

    def sentence(self, text: str) -> str:
        """One text as Markdown with its numbers, its words of the glossary marked.

        Raises:
            KeyError: it names what there is not.
            NotInThisRun: it names a number that this run has none of.
        """
        filled = keep_products(PLACEHOLDER.sub(self._value, text))
        return TERM.sub(self._term, filled)

    def sentences(self, given: Iterable[str]) -> list[str]:
        """Those texts whose numbers this run has, in order.

        Raises:
            KeyError: one names what there is not.
        """
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
    """A word of the glossary where it stands in a text; its line opens on hover, focus and tap.

    Raises:
        KeyError: the glossary has no such word.
    """
    known = texts("glossary")[name]
    word, line = html.escape(shown or str(known["word"])), html.escape(str(known["line"]))
    says = f'<span class="bnviz-says" role="tooltip">{line}</span>'
    return f'<span class="bnviz-term" data-term="{name}" tabindex="0">{word}{says}</span>'


def citation(key: str) -> str:
    """A source as a link, with or without a place in it; or a number that it gives.

    Args:
        key: "IS15", or "IS15.algorithm1".

    Raises:
        KeyError: `citations.toml` has no such source, place or number.
    """
    name, _, part = key.partition(".")
    source: Mapping[str, Any] = texts("citations")[name]
    if part in source.get("numbers", {}):
        return str(source["numbers"][part]).replace(" %", "\u00a0%")  # never at a line's end
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
