"""How a language joins words: sentences, lists, labels and texts, numbers and their sign.

The patterns are `join` in `assets/texts/<language>/language.toml`; `plural` there names a language
that counts in the same way. `assets/live/lib/joining.js` does the same in the browser.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from bnviz.words.texts import Words, texts


def _slavic(count: float) -> str:
    if count != int(count):
        return "other"
    last, two = count % 10, count % 100
    if last == 1 and two != 11:
        return "one"
    return "few" if 2 <= last <= 4 and not 12 <= two <= 14 else "many"


# By a language that counts so, as browsers know it (Unicode CLDR, "Language Plural Rules").
PLURALS: Mapping[str, Callable[[float], str]] = {
    "en": lambda count: "one" if count == 1 else "other",
    "ja": lambda count: "other",
    "ru": _slavic,
}


def sentences(parts: Iterable[str], language: str | None = None) -> str:
    """Sentences, one after another."""
    return _join("sentences", language).join(parts)


def in_list(names: Iterable[str]) -> str:
    """Words or numbers in a list."""
    return _join("list").join(names)


def clauses(parts: Iterable[str]) -> str:
    """Parts of a sentence that have commas of their own."""
    return _join("clauses").join(parts)


def in_range(first: int, last: int) -> str:
    """All whole numbers from the first to the last."""
    return _join("range", first=str(first), last=str(last))


def quoted(text: str) -> str:
    """A text in quotation marks."""
    return _join("quoted", text=text)


def bracketed(text: str, aside: str) -> str:
    """A text and what stands in brackets after it."""
    return _join("bracketed", text=text, aside=aside)


def labelled(label: str, content: str, language: str | None = None) -> str:
    """A label and what it labels: `label: content`."""
    return _join("labelled", language, label=label, content=content)


def percent(number: str, language: str | None = None) -> str:
    """A number, as it is written, with the sign of per cent."""
    return _join("percent", language, number=number)


def plural(words: Words, key: str, count: float, language: str | None = None) -> str:
    """The template for so many: `key_one`, `key_few`, … as the language counts, or else `key`.

    Args:
        words: a table of the language's words.
        key: of the plain template, which stands for every number that has none of its own.
        count: the number.
        language: None for the current one.
    """
    rule = PLURALS[texts("language", language).get("plural", "en")]
    return str(words.get(f"{key}_{rule(count)}", words[key]))


def _join(pattern: str, language: str | None = None, **values: str) -> str:
    """A pattern of the language, filled in."""
    return str(texts("language", language)["join"][pattern]).format(**values)
