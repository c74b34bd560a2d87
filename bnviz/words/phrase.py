"""A sentence as a key and values: what engine and hub hand over where a person will read it.

Its words stand in `assets/texts/<language>`. A page says it in its own language, a browser puts it
together itself, and the command line and the log have it in English.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from bnviz.words.texts import ENGLISH, text


@dataclass(frozen=True)
class Phrase:
    """A sentence, or a part of one, in no language yet.

    Attributes:
        key: the name of its file, and its key there: `errors.one_of`.
        values: what fills its braces: numbers and text as they are to be read, or phrases.
    """

    key: str
    values: Mapping[str, Any] = field(default_factory=dict)

    def text(self, language: str | None = None) -> str:
        """In the language that is spoken, or in a given one.

        Raises:
            KeyError: there are no words for it.
        """
        told = {
            name: value.text(language) if isinstance(value, Phrase) else value
            for name, value in self.values.items()
        }
        return text(self.key, language).format(**told)

    def plain(self) -> dict[str, Any]:
        """For JSON: `{"key", "values"}`; `assets/live/lib/texts.js` says it."""
        values = {
            name: value.plain() if isinstance(value, Phrase) else value
            for name, value in self.values.items()
        }
        return {"key": self.key, "values": values}


class PhraseText(str):
    """A text in English that knows its phrase: for the log and for records, and for pages.

    Attributes:
        phrase: what it says, in no language yet.
    """

    phrase: Phrase

    def __new__(cls, said: Phrase) -> Self:
        """Of a phrase."""
        made = super().__new__(cls, said.text(ENGLISH))
        made.phrase = said
        return made

    def __getnewargs__(self) -> tuple[Phrase]:  # type: ignore[override]
        # Copied, it is made of its phrase again.
        return (self.phrase,)


def phrase(key: str, **values: Any) -> Phrase:
    """A phrase of these values."""
    return Phrase(key, values)


def one_of(names: Iterable[str]) -> Phrase:
    """What may be chosen: one of some names."""
    return Phrase("errors.one_of", {"names": listed(names)})


def integer_between(low: int, high: int) -> Phrase:
    """What is allowed: a whole number within bounds."""
    return Phrase("errors.int_between", {"low": low, "high": high})


def listed(names: Iterable[str]) -> str:
    """Names in a sentence."""
    return ", ".join(names)


def english(said: Phrase | str) -> str:
    """For the command line and the log."""
    return said.text(ENGLISH) if isinstance(said, Phrase) else said


def error_text(error: Exception | str) -> str:
    """What an error or a text says: in the language that is spoken, if it has a phrase."""
    said = phrase_of(error)
    return str(error) if said is None else said.text()


def phrase_of(said: Exception | str) -> Phrase | None:
    """The phrase of an error or a text, if it has one."""
    found = getattr(said, "phrase", None)
    return found if isinstance(found, Phrase) else None


def read_phrase(given: Any) -> Phrase | None:
    """What `Phrase.plain` made, and None of None."""
    if given is None:
        return None
    values = given["values"].items()
    nested = {
        name: read_phrase(value) if isinstance(value, dict) else value for name, value in values
    }
    return Phrase(given["key"], nested)
