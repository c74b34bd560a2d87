"""Text for a class, with its phrases, so that each phone shows the text in its own language.

The teacher's page sends a generated question as text in its own language and as phrases (keys of
the translation tables, with numbers and names). Text typed by a teacher has no phrases.
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

# Text keys that a phrase may use, with `*` as a wildcard. Phones show no other keys.
KEYS = (
    "class.ask.*", "class.answer.*", "class.happened.*",
    "class.map.ask.*", "class.map.answer.*", "class.map.happened.*",
    "map.page.said.*", "map.view.region.*", "norms.*.network", "presets.*.ask",
    "talks.talk.*.station.*.ask", "lessons/*.predict", "lessons/*.answers.*", "lessons/*.class.*",
    "lessons/*.says.*", "lessons/*.networks.*", "home.networks.*", "lessons/*.own_verdict.class",
    "lessons/*.own_verdict.accounts.*.label",
)  # fmt: skip
# Text key: a file name and a path within the file. Only one spelling is allowed, so that a key
# cannot reach another file.
KEY = re.compile(r"(?=.{1,120}$)[a-z_-]+(?:/[a-z0-9-]+)?(?:\.[A-Za-z0-9_-]+)+", re.ASCII)
# Number as a page formats it: 0.31, 12 340, −1e-5.
NUMERAL = re.compile("\u2212?(?:∞|[0-9][0-9.\u202f]{0,20}(?:e-?[0-9]{1,3})?)")
NAME = re.compile(r"\w{1,40}")
# Maximum nesting depth, number of values per phrase, and number of sentences. The map's texts
# require these sizes.
MOST_LEVELS, MOST_VALUES, MOST_SENTENCES = 4, 16, 16


class ClassText(str):
    """Text sent by the teacher's page, with one phrase per question, answer or sentence.

    `phrases` is empty if a teacher typed the text.
    """

    phrases: tuple[Phrase, ...]

    def __new__(cls, sent: str, *phrases: Phrase) -> Self:
        made = super().__new__(cls, sent)
        made.phrases = phrases
        return made


def phrases_of(sent: str) -> tuple[Phrase, ...]:
    return sent.phrases if isinstance(sent, ClassText) else ()


def translated(sent: str) -> str:
    """Return a text in the current language, or unchanged if it cannot be translated.

    A text cannot be translated if it has no phrases, if a value is missing, or if the teacher's
    page has a different version and uses an unknown key. Sentences beyond the length limit are left
    out.
    """
    try:
        parts = [capitalized(filled(each)) for each in phrases_of(sent)]
    except (KeyError, TypeError, ValueError, FileNotFoundError):
        return str(sent)
    while len(parts) > 1 and len(sentences(parts)) > LONGEST_SENTENCE:
        parts.pop()
    return sentences(parts)[:LONGEST_SENTENCE] or str(sent)


def read_class_phrase(field: str, given: Any, levels: int = MOST_LEVELS) -> Phrase:
    """Parse a phrase `{"key", "values"}` from a message field, or raise `BadMessage`.

    `levels` is the allowed depth of nested phrases.
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
    """Parse a value of a phrase. JSON null is read as NaN."""
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
    """Return whether a class may see the text of a key, without checking that the text exists."""
    return bool(KEY.fullmatch(key)) and any(fnmatchcase(key, allowed) for allowed in KEYS)
