"""In which language a visitor reads: asked for in the address, remembered, or the browser's own.

Server and pages ask here, so that a page's first byte and its last word are in one language.
"""

from __future__ import annotations

from collections.abc import Iterator

from bnviz.words.phrase import Phrase, one_of
from bnviz.words.texts import ENGLISH, languages

# The parameter of an address, and the cookie that remembers what was asked for last.
PARAMETER, COOKIE = "lang", "bnviz_lang"
# A browser's list of languages longer than this is no list of a person's.
LONGEST = 1000


def visitor_language(asked: str | None, remembered: str | None, accepted: str | None) -> str:
    """The language of a visitor: the first of these that there is, or English.

    Args:
        asked: what the address says, or None.
        remembered: what the cookie says, or None.
        accepted: the browser's `Accept-Language`, or None.
    """
    known = languages()
    found = next((code for code in (asked, remembered) if code in known), None)
    return found or _preferred(accepted or "") or ENGLISH


def allowed_languages() -> Phrase:
    """What an address may ask for."""
    return one_of(languages())


def _preferred(accepted: str) -> str | None:
    """The best of a browser's languages: `de-CH` is read in `de` where there is no closer one."""
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
        code, _, said = part.strip().lower().partition(";")
        try:
            weight = float(said.strip().removeprefix("q=")) if said else 1.0
        except ValueError:
            continue
        if code and 0 < weight <= 1:
            weighted.append((weight, code.strip()))
    yield from (code for _, code in sorted(weighted, key=lambda pair: -pair[0]))
