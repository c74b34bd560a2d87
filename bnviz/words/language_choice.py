"""The language of a visitor: that of the address, that of the last visit, or the browser's own.

The server's routes and the pages both choose it here, so that all of a page is in one language. On
the command line it is that of an option, or of the locale.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from bnviz.words.phrase import Phrase, one_of
from bnviz.words.texts import ENGLISH, languages

# The parameter of an address, and the cookie that keeps the language that was last asked for.
PARAMETER, COOKIE = "lang", "bnviz_lang"
# Of a browser's list of languages so many characters are read.
LONGEST = 1000
# What a code of a language looks like (RFC 5646); regions that write Chinese as Taiwan does.
WANTED = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4}")
TAIWAN = frozenset({"tw", "hk", "mo"})
TRADITIONAL = "繁體中文"
# The first of these that is set says in which language a program talks (POSIX, "Locale").
LOCALE = ("LC_ALL", "LC_MESSAGES", "LANG")


def visitor_language(asked: str | None, remembered: str | None, accepted: str | None) -> str:
    """The code of a visitor's language: the first of these that the app has, or English.

    Args:
        asked: the address's parameter, or None.
        remembered: the cookie's value, or None.
        accepted: the browser's `Accept-Language`, or None.
    """
    return (
        language_for(asked)
        or language_for(remembered)
        or language_for(most_wanted(accepted))
        or ENGLISH
    )


def language_for(wanted: str | None) -> str | None:
    """The app's language for a code as browsers and people write it; None: it has none.

    `en-GB` is `en`. Chinese goes by its script: `zh`, `zh-CN` and `zh-SG` are `zh-Hans`; `zh-TW`,
    `zh-HK` and `zh-MO` are `zh-Hant`, in whose place `zh-Hans` stands until there is one.
    """
    known = {code.lower(): code for code in languages()}
    return next((known[code] for code in _candidates(wanted) if code in known), None)


def locale_language(environment: Mapping[str, str]) -> str:
    """The app's language for a locale such as `ja_JP.UTF-8`; English where it has none, as for `C`.

    Args:
        environment: of the process.
    """
    locale = next(filter(None, map(environment.get, LOCALE)), "")
    code = re.split(r"[.@]", locale, maxsplit=1)[0]
    return language_for(code.replace("_", "-")) or ENGLISH


def stands_in(wanted: str | None) -> str | None:
    """The name of the language that was wanted, where one in another script stands in its place."""
    replaced = "zh-hant" in _candidates(wanted) and language_for(wanted) == "zh-Hans"
    return TRADITIONAL if replaced else None


def most_wanted(accepted: str | None) -> str | None:
    """The code, as the browser wrote it, of the most wanted language that the app has.

    It may be less exact than what was wanted: for `de-CH` the app may have `de`.
    """
    listed = list(_weighted(accepted or ""))
    excluded = {code for weight, code in listed if weight == 0}
    for weight, wanted in sorted(listed, key=lambda pair: -pair[0]):
        found = language_for(wanted)
        if weight > 0 and found and found.lower() not in excluded:
            return wanted
    return None


def allowed_languages() -> Phrase:
    """What an error about an address's language allows."""
    return one_of(languages())


def _candidates(wanted: str | None) -> list[str]:
    """Codes, in small letters, that do for a wanted one, the nearest first."""
    if not wanted or not WANTED.fullmatch(wanted):
        return []
    parts = wanted.lower().split("-")
    found = ["-".join(parts[:count]) for count in range(len(parts), 0, -1)]
    if parts[0] == "zh":
        traditional = "hant" in parts or ("hans" not in parts and not TAIWAN.isdisjoint(parts))
        found += ["zh-hant", "zh-hans"] if traditional else ["zh-hans"]
    return found


def _weighted(accepted: str) -> Iterator[tuple[float, str]]:
    """The languages of a header such as `de-CH, en;q=0.8`, each after its weight.

    What is malformed is left out.
    """
    for part in accepted[:LONGEST].split(","):
        code, _, quality = part.strip().lower().partition(";")
        try:
            weight = float(quality.strip().removeprefix("q=")) if quality else 1.0
        except ValueError:
            continue
        if code and 0 <= weight <= 1:
            yield weight, code.strip()
