"""Language-dependent joining of texts: sentences, lists, labels, quotes and percent signs.

Patterns are under `join` in `assets/texts/<language>/language.toml`; `plural` names a language with
the same plural rule. `assets/live/lib/joining.js` does the same in the browser.
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


# Plural category of a count, by language (Unicode CLDR, "Language Plural Rules").
PLURALS: Mapping[str, Callable[[float], str]] = {
    "en": lambda count: "one" if count == 1 else "other",
    "ja": lambda count: "other",
    "ru": _slavic,
}


def sentences(parts: Iterable[str], language: str | None = None) -> str:
    return _join("sentences", language).join(parts)


def in_list(names: Iterable[str]) -> str:
    return _join("list").join(names)


def clauses(parts: Iterable[str]) -> str:
    """Join parts of a sentence that contain commas."""
    return _join("clauses").join(parts)


def in_range(first: int, last: int) -> str:
    return _join("range", first=str(first), last=str(last))


def in_quotes(text: str) -> str:
    return _join("quoted", text=text)


def bracketed(text: str, aside: str) -> str:
    return _join("bracketed", text=text, aside=aside)


def labelled(label: str, content: str, language: str | None = None) -> str:
    return _join("labelled", language, label=label, content=content)


def percent(number: str, language: str | None = None) -> str:
    """Add the percent sign to a formatted number."""
    return _join("percent", language, number=number)


def plural(words: Words, key: str, count: float, language: str | None = None) -> str:
    """Return the template for a count: `key_one`, `key_few`, … by the plural rule, else `key`."""
    rule = PLURALS[texts("language", language).get("plural", "en")]
    return str(words.get(f"{key}_{rule(count)}", words[key]))


def _join(pattern: str, language: str | None = None, **values: str) -> str:
    return str(texts("language", language)["join"][pattern]).format(**values)
