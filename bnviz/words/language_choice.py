"""The language of a visitor: that of the address, that of the last visit, or the browser's own.

The server's routes and the pages both choose it here, so that all of a page is in one language.
"""

from __future__ import annotations

from collections.abc import Iterator

from bnviz.words.phrase import Phrase, one_of
from bnviz.words.texts import ENGLISH, languages

# The parameter of an address, and the cookie that keeps the language that was last asked for.
PARAMETER, COOKIE = "lang", "bnviz_lang"
# Of a browser's list of languages so many characters are read.
LONGEST = 1000


def visitor_language(asked: str | None, remembered: str | None, accepted: str | None) -> str:
    """The code of a visitor's language: the first of these that the app has, or English.

    Args:
        asked: the address's parameter, or None.
        remembered: the cookie's value, or None.
        accepted: the browser's `Accept-Language`, or None.
    """
    known = languages()
    found = next((code for code in (asked, remembered) if code in known), None)
    return found or _preferred(accepted or "") or ENGLISH


def allowed_languages() -> Phrase:
    """What an error about an address's language allows."""
    return one_of(languages())


def _preferred(accepted: str) -> str | None:
    """The most wanted of a browser's languages that the app has; for `de-CH` that may be `de`."""
    known = {code.lower(): code for code in languages()}
    for wanted in _by_weight(accepted[:LONGEST]):
        for code in (wanted, wanted.partition("-")[0]):
            if code in known:
                return known[code]
    return None


def _by_weight(accepted: str) -> Iterator[str]:
    """The languages of a header such as `de-CH, en;q=0.8`, the most wanted first."""
    weighted: list[tuple[float, str]] = []
    for part in accepted.split(","):
        code, _, quality = part.strip().lower().partition(";")
        try:
            weight = float(quality.strip().removeprefix("q=")) if quality else 1.0
        except ValueError:
            continue
        if code and 0 < weight <= 1:
            weighted.append((weight, code.strip()))
    yield from (code for _, code in sorted(weighted, key=lambda pair: -pair[0]))
