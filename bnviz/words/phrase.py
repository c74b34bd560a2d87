"""A sentence as a key and values, for text that a person will read in a language not known yet.

Engine and hub make phrases; the words stand in `assets/texts/<language>`. A page fills them in its
own language, as does the command line, a browser does so itself, and the log uses English.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from bnviz.words.texts import ENGLISH, text


@dataclass(frozen=True)
class Phrase:
    """A sentence, or a part of one, before it is put into a language.

    Attributes:
        key: the name of its file, and its key there: `errors.one_of`.
        values: what fills its braces: numbers and text as they will be read, phrases, or lists of
            phrases (see `bnviz.words.filling`).
    """

    key: str
    values: Mapping[str, Any] = field(default_factory=dict)

    def text(self, language: str | None = None) -> str:
        """The sentence in a language; None for the current one.

        Raises:
            KeyError: there is no text of this key, or a value for its braces is missing.
        """
        values = {
            name: value.text(language) if isinstance(value, Phrase) else value
            for name, value in self.values.items()
        }
        return text(self.key, language).format(**values)

    def plain(self) -> dict[str, Any]:
        """For JSON: `{"key", "values"}`; `assets/live/lib/texts.js` puts it into words."""
        values = {name: _plain(value) for name, value in self.values.items()}
        return {"key": self.key, "values": values}


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value.plain() if isinstance(value, Phrase) else value


class PhraseText(str):
    """An English text for logs and records that carries its phrase, for pages.

    Attributes:
        phrase: the same sentence, before it is put into a language.
    """

    phrase: Phrase

    def __new__(cls, source: Phrase) -> Self:
        """Make the text of a phrase."""
        made = super().__new__(cls, source.text(ENGLISH))
        made.phrase = source
        return made

    def __getnewargs__(self) -> tuple[Phrase]:  # type: ignore[override]
        # `copy` and `pickle` make it from its phrase again.
        return (self.phrase,)


def phrase(key: str, **values: Any) -> Phrase:
    """A phrase with these values."""
    return Phrase(key, values)


def one_of(names: Iterable[str]) -> Phrase:
    """What an error allows: one of some names."""
    return Phrase("errors.one_of", {"names": listed(names)})


def integer_between(low: int, high: int) -> Phrase:
    """What an error allows: a whole number from `low` to `high`."""
    return Phrase("errors.int_between", {"low": low, "high": high})


def listed(names: Iterable[str]) -> str:
    """Names in code one after another; they are the same in every language."""
    return ", ".join(names)


def english(sentence: Phrase | str) -> str:
    """A phrase in English, for the log; a text as it is."""
    return sentence.text(ENGLISH) if isinstance(sentence, Phrase) else sentence


def error_text(error: Exception | str) -> str:
    """The text of an error: in the current language if it has a phrase, else as it is."""
    found = phrase_of(error)
    return str(error) if found is None else found.text()


def phrase_of(error: Exception | str) -> Phrase | None:
    """The phrase of an error or a text; None if it has none."""
    found = getattr(error, "phrase", None)
    return found if isinstance(found, Phrase) else None


def read_phrase(given: Any) -> Phrase | None:
    """The phrase of what `Phrase.plain` made; None of None."""
    if given is None:
        return None
    values = given["values"].items()
    nested = {
        name: read_phrase(value) if isinstance(value, dict) else value for name, value in values
    }
    return Phrase(given["key"], nested)
