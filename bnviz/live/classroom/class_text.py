"""A text that a class is shown, and the phrases it was made of: each phone has its own language.

A question that the app makes comes from the teacher's page as text in the language of that page,
and as phrases: keys of the tables of words, with numbers and names. What a teacher typed has none.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any, Self

from bnviz.live.contract import LONGEST_SENTENCE
from bnviz.live.protocol.client_messages import BadMessage
from bnviz.words.filling import capitalized, filled
from bnviz.words.joining import sentences
from bnviz.words.phrase import Phrase, one_of, phrase

# Texts that a phrase may name, with `*` for any characters: nothing else is put on a phone.
KEYS = (
    "class.ask.*", "class.answer.*", "class.happened.*",
    "class.map.ask.*", "class.map.answer.*", "class.map.happened.*",
    "map.page.said.*", "map.view.region.*", "norms.*.network", "presets.*.ask",
    "talks.talk.*.station.*.ask", "lessons/*.predict", "lessons/*.answers.*", "lessons/*.class.*",
    "lessons/*.says.*", "lessons/*.networks.*", "home.networks.*", "lessons/*.own_verdict.class",
    "lessons/*.own_verdict.accounts.*.label",
)  # fmt: skip
# A file and what it holds, written in one way only, so that no spelling is read as another file.
KEY = re.compile(r"(?=.{1,120}$)[a-z_-]+(?:/[a-z0-9-]+)?(?:\.[A-Za-z0-9_-]+)+", re.ASCII)
# A number as a page writes it: 0.31, 12 340, −1e-5.
NUMERAL = re.compile("\u2212?(?:∞|[0-9][0-9.\u202f]{0,20}(?:e-?[0-9]{1,3})?)")
NAME = re.compile(r"\w{1,40}")
# The map's largest: a sentence, the shares in it, their regions, the names of these.
MOST_LEVELS, MOST_VALUES, MOST_SENTENCES = 4, 16, 16


class ClassText(str):
    """A text as the teacher's page sent it, which carries its phrases.

    Attributes:
        phrases: what it was made of: one of a question, an answer or each sentence; none of what a
            teacher typed.
    """

    phrases: tuple[Phrase, ...]

    def __new__(cls, sent: str, *phrases: Phrase) -> Self:
        """A text with its phrases; none of what a teacher typed."""
        made = super().__new__(cls, sent)
        made.phrases = phrases
        return made


def phrases_of(sent: str) -> tuple[Phrase, ...]:
    """The phrases of a text; none of what a teacher typed."""
    return sent.phrases if isinstance(sent, ClassText) else ()


def translated(sent: str) -> str:
    """A text in the current language; as it was sent where that cannot be made.

    It has no phrases, one lacks a value, or the teacher's page is of another version and names a
    text that is gone. What the language has no words for is in English, as on all of its pages.
    Sentences at the end that would make a text too long for a phone are left out, as on the
    teacher's page.
    """
    try:
        parts = [capitalized(filled(each)) for each in phrases_of(sent)]
    except (KeyError, TypeError, ValueError, FileNotFoundError):
        return str(sent)
    while len(parts) > 1 and len(sentences(parts)) > LONGEST_SENTENCE:
        parts.pop()
    return sentences(parts)[:LONGEST_SENTENCE] or str(sent)


def read_class_phrase(field: str, given: Any, levels: int = MOST_LEVELS) -> Phrase:
    """A phrase as a page sends it: `{"key", "values"}`.

    Args:
        field: of the message, which has the phrase.
        given: the value in the message.
        levels: how many phrases may stand within each other.

    Raises:
        BadMessage: names what is wrong.
    """
    if not isinstance(given, Mapping) or not levels:
        raise BadMessage(field, given, phrase("errors.class_phrase", levels=MOST_LEVELS))
    key, values = given.get("key"), given.get("values")
    if not isinstance(key, str) or not _may_be_named(key):
        raise BadMessage(field, key, one_of(KEYS))
    if values is None:
        values = {}
    if not isinstance(values, Mapping) or len(values) > MOST_VALUES:
        raise BadMessage(field, values, phrase("errors.class_values", most=MOST_VALUES))
    read = {name: _read_value(field, name, value, levels) for name, value in values.items()}
    return Phrase(key, read)


def _read_value(field: str, name: str, value: Any, levels: int) -> Any:
    """A value of a phrase. JSON has None for what is no finite number."""
    wrong = BadMessage(field, {name: value}, phrase("errors.class_values", most=MOST_VALUES))
    if not NAME.fullmatch(name):
        raise wrong
    if isinstance(value, Mapping):
        return read_class_phrase(field, value, levels - 1)
    if value is None:
        return math.nan
    if isinstance(value, list) and 0 < len(value) <= MOST_SENTENCES:
        return [read_class_phrase(field, each, levels - 1) for each in value]
    number = isinstance(value, int | float) and not isinstance(value, bool)
    numeral = isinstance(value, str) and NUMERAL.fullmatch(value)
    if not (number or numeral):
        raise wrong
    return value


def _may_be_named(key: str) -> bool:
    """Whether it is the key of a text for a class; whether there is one is seen when it is made."""
    return bool(KEY.fullmatch(key)) and any(fnmatchcase(key, allowed) for allowed in KEYS)
