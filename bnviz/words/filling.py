"""Text of a phrase in the current language, with numbers formatted for that language.

`assets/live/lib/texts.js` produces the same text in the browser.
"""

from __future__ import annotations

import re
from typing import Any

from bnviz.words.joining import in_list
from bnviz.words.numbers import FORMATS
from bnviz.words.phrase import Phrase
from bnviz.words.texts import text

# Placeholders such as `{step}` and `{before:percent1}`, and, in lessons, `{setting:asked}` and
# `{run:plain:percent}`.
SLOT = re.compile(r"\{(?:(setting|run):)?([^{}:]+)(?::(\w+))?\}")
# Greek letter that does not begin a Greek word.
SYMBOL = re.compile("[\u0370-\u03ff](?![\u0370-\u03ff])")


def filled(phrase: Phrase) -> str:
    """Return the text of a phrase; values may be numbers, text, phrases, or lists of phrases.

    Raises:
        KeyError: If the text, a value or a number format is missing.
    """

    def fill(slot: re.Match[str]) -> str:
        source, name, style = slot.groups()
        usual = "exact" if source == "setting" else "percent" if name == "share" else "plain"
        return _written(phrase.values[name], style or usual)

    return SLOT.sub(fill, text(phrase.key))


def slots(template: str) -> set[str]:
    """Return the names of the values that a template needs."""
    return {slot[2] for slot in SLOT.finditer(template)}


def capitalized(sentence: str) -> str:
    """Capitalize the first letter, unless it is a symbol such as σ."""
    return sentence if SYMBOL.match(sentence) else sentence[:1].upper() + sentence[1:]


def _written(value: Any, style: str) -> str:
    if isinstance(value, Phrase):
        return filled(value)
    if isinstance(value, list | tuple):
        return in_list(map(filled, value))
    return value if isinstance(value, str) else FORMATS[style](value)
