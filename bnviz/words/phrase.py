"""Phrases: sentences kept as keys and values until the reader's language is known.

The engine and the hub create them. Pages, the command line and the browser look up the texts in
`assets/texts/<language>`. The log uses English.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from bnviz.words.texts import ENGLISH, text


@dataclass(frozen=True)
class Phrase:
    """Sentence, or part of a sentence, independent of the language.

    Attributes:
        key: file and key of the text, such as `errors.one_of`.
        values: values of its placeholders: numbers, text, phrases, or lists of phrases.
    """

    key: str
    values: Mapping[str, Any] = field(default_factory=dict)

    def text(self, language: str | None = None) -> str:
        """Return the sentence in a language, by default the current one."""
        values = {
            name: value.text(language) if isinstance(value, Phrase) else value
            for name, value in self.values.items()
        }
        return text(self.key, language).format(**values)

    def plain(self) -> dict[str, Any]:
        """Return the phrase for JSON; `assets/live/lib/texts.js` turns it into text."""
        values = {name: _plain(value) for name, value in self.values.items()}
        return {"key": self.key, "values": values}


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value.plain() if isinstance(value, Phrase) else value


class PhraseText(str):
    """English text for logs and records that keeps its phrase, so that pages can translate it."""

    phrase: Phrase

    def __new__(cls, source: Phrase) -> Self:
        made = super().__new__(cls, source.text(ENGLISH))
        made.phrase = source
        return made

    def __getnewargs__(self) -> tuple[Phrase]:  # type: ignore[override]
        # Let `copy` and `pickle` create the text from its phrase again.
        return (self.phrase,)


def phrase(key: str, **values: Any) -> Phrase:
    return Phrase(key, values)


def one_of(names: Iterable[str]) -> Phrase:
    """Return the phrase "one of these names", for errors."""
    return Phrase("errors.one_of", {"names": listed(names)})


def integer_between(low: int, high: int) -> Phrase:
    """Return the phrase "a whole number from `low` to `high`", for errors."""
    return Phrase("errors.int_between", {"low": low, "high": high})


def listed(names: Iterable[str]) -> str:
    """Join names from code, which are the same in every language."""
    return ", ".join(names)


def english(sentence: Phrase | str) -> str:
    """Return a phrase in English; return a text unchanged."""
    return sentence.text(ENGLISH) if isinstance(sentence, Phrase) else sentence


def error_text(error: Exception | str) -> str:
    """Return the text of an error, in the current language if it has a phrase."""
    found = phrase_of(error)
    return str(error) if found is None else found.text()


def phrase_of(error: Exception | str) -> Phrase | None:
    """Return the phrase of an error or a text, or None if it has none."""
    found = getattr(error, "phrase", None)
    return found if isinstance(found, Phrase) else None


def read_phrase(given: Any) -> Phrase | None:
    """Return the phrase from the result of `Phrase.plain`, or None for None."""
    if given is None:
        return None
    values = given["values"].items()
    nested = {
        name: read_phrase(value) if isinstance(value, dict) else value for name, value in values
    }
    return Phrase(given["key"], nested)
