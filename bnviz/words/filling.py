"""A phrase in the current language, its numbers as that language writes them.

`assets/live/lib/texts.js` does the same in the browser: a page and the server make the same text of
the same phrase.
"""

from __future__ import annotations

import re
from typing import Any

from bnviz.words.joining import in_list
from bnviz.words.numbers import FORMATS
from bnviz.words.phrase import Phrase
from bnviz.words.texts import text

# `{step}`, `{before:percent1}`; in the words of a lesson `{setting:asked}`, `{run:plain:percent}`.
SLOT = re.compile(r"\{(?:(setting|run):)?([^{}:]+)(?::(\w+))?\}")
# A Greek letter that begins no word.
SYMBOL = re.compile("[\u0370-\u03ff](?![\u0370-\u03ff])")


def filled(phrase: Phrase) -> str:
    """The text of a phrase. Values may be numbers, text as it will be read, and phrases.

    Several phrases in one value become a list.

    Raises:
        KeyError: there is no text of this key, a value is missing, or a format is unknown.
    """

    def fill(slot: re.Match[str]) -> str:
        source, name, style = slot.groups()
        usual = "exact" if source == "setting" else "percent" if name == "share" else "plain"
        return _written(phrase.values[name], style or usual)

    return SLOT.sub(fill, text(phrase.key))


def slots(template: str) -> set[str]:
    """The names of the values that a text needs."""
    return {slot[2] for slot in SLOT.finditer(template)}


def capitalized(sentence: str) -> str:
    """A text with a capital first letter, unless that is a symbol: σ stays what it is."""
    return sentence if SYMBOL.match(sentence) else sentence[:1].upper() + sentence[1:]


def _written(value: Any, style: str) -> str:
    if isinstance(value, Phrase):
        return filled(value)
    if isinstance(value, list | tuple):
        return in_list(map(filled, value))
    return value if isinstance(value, str) else FORMATS[style](value)
