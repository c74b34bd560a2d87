"""Choice of a visitor's language: from the URL, the last visit, or the browser.

Routes and pages share this choice, so that all parts of a page are in the same language. The
command line uses an option or the locale.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from bnviz.words.phrase import Phrase, one_of
from bnviz.words.texts import ENGLISH, languages

# URL parameter, and cookie that stores the language requested last.
PARAMETER, COOKIE = "lang", "bnviz_lang"
# Maximum number of characters that are read from a browser's list of languages.
LONGEST = 1000
# Syntax of language codes (RFC 5646), regions that use traditional Chinese, and the name of its
# script.
WANTED = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4}")
TAIWAN = frozenset({"tw", "hk", "mo"})
TRADITIONAL = "繁體中文"
# Environment variables for the locale; the first one that is set counts (POSIX, "Locale").
LOCALE = ("LC_ALL", "LC_MESSAGES", "LANG")


def visitor_language(asked: str | None, remembered: str | None, accepted: str | None) -> str:
    """Return a visitor's language from the URL, the cookie or `Accept-Language`, or English."""
    return (
        language_for(asked)
        or language_for(remembered)
        or language_for(most_wanted(accepted))
        or ENGLISH
    )


def language_for(wanted: str | None) -> str | None:
    """Return the app's language for a code such as `en-GB`, or None.

    Chinese is matched by script: `zh-CN` and `zh-SG` mean `zh-Hans`; `zh-TW`, `zh-HK` and `zh-MO`
    mean `zh-Hant`, or `zh-Hans` as long as the app has no `zh-Hant`.
    """
    known = {code.lower(): code for code in languages()}
    return next((known[code] for code in _candidates(wanted) if code in known), None)


def locale_language(environment: Mapping[str, str]) -> str:
    """Return the app's language for a locale such as `ja_JP.UTF-8`, or English (as for `C`)."""
    locale = next(filter(None, map(environment.get, LOCALE)), "")
    code = re.split(r"[.@]", locale, maxsplit=1)[0]
    return language_for(code.replace("_", "-")) or ENGLISH


def stands_in(wanted: str | None) -> str | None:
    """Return the name of traditional Chinese if simplified Chinese is shown instead, else None."""
    replaced = "zh-hant" in _candidates(wanted) and language_for(wanted) == "zh-Hans"
    return TRADITIONAL if replaced else None


def most_wanted(accepted: str | None) -> str | None:
    """Return the most wanted code, such as `de-CH`, that matches a language of the app."""
    listed = list(_weighted(accepted or ""))
    excluded = {code for weight, code in listed if weight == 0}
    for weight, wanted in sorted(listed, key=lambda pair: -pair[0]):
        found = language_for(wanted)
        if weight > 0 and found and found.lower() not in excluded:
            return wanted
    return None


def allowed_languages() -> Phrase:
    """Return the allowed languages, as a phrase for errors."""
    return one_of(languages())


def _candidates(wanted: str | None) -> list[str]:
    """Return lower-case codes that satisfy a wanted code, the closest first."""
    if not wanted or not WANTED.fullmatch(wanted):
        return []
    parts = wanted.lower().split("-")
    found = ["-".join(parts[:count]) for count in range(len(parts), 0, -1)]
    if parts[0] == "zh":
        traditional = "hant" in parts or ("hans" not in parts and not TAIWAN.isdisjoint(parts))
        found += ["zh-hant", "zh-hans"] if traditional else ["zh-hans"]
    return found


def _weighted(accepted: str) -> Iterator[tuple[float, str]]:
    """Yield the weight and code of each language in `de-CH, en;q=0.8`; skip malformed parts."""
    for part in accepted[:LONGEST].split(","):
        code, _, quality = part.strip().lower().partition(";")
        try:
            weight = float(quality.strip().removeprefix("q=")) if quality else 1.0
        except ValueError:
            continue
        if code and 0 <= weight <= 1:
            yield weight, code.strip()
