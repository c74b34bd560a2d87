"""Language of a visitor, written into each page's `<html lang>` and stored in a cookie.

Screen readers and translators use `<html lang>`. Streamlit's own page always says English.
"""

from __future__ import annotations

from html import escape
from urllib.parse import quote, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Scope

from bnviz.live.web.cookies import cookie_values, set_cookie
from bnviz.live.web.owner import issuer
from bnviz.live.web.page_change import HEAD, Change, FindChange
from bnviz.live.web.request_source import query_of
from bnviz.words.language_choice import COOKIE, PARAMETER, language_for, visitor_language
from bnviz.words.texts import languages

WRITTEN = b'<html lang="en"'
# Lifetime of the language cookie in seconds. Scripts may read this cookie, because it is not
# secret.
SECONDS = 365 * 24 * 3600


def page_language(base: str = "") -> FindChange:
    """Return a change that writes the visitor's language into a page's `<html lang>`."""

    def find(scope: Scope) -> Change:
        asked, code = _asked(scope), language_of(scope)

        def change(headers: MutableHeaders, content: bytes) -> bytes:
            if found := language_for(asked):
                cookie = set_cookie(
                    COOKIE, found, scope, issuer().trusted, seconds=SECONDS, same_site="Lax",
                    path=base or "/", for_scripts=True,
                )  # fmt: skip
                headers.append("set-cookie", cookie)
            headers["content-language"] = code
            if len(languages()) == 1 or HEAD not in content:
                return content
            content = content.replace(WRITTEN, f'<html lang="{code}"'.encode(), 1)
            return content.replace(HEAD, _alternates(scope) + HEAD, 1)

        return change

    return find


def _alternates(scope: Scope) -> bytes:
    rest = [(name, value) for name, value in query_of(scope) if name != PARAMETER]
    path = quote(scope["path"])
    return "".join(
        f'<link rel="alternate" hreflang="{code}"'
        f' href="{path}?{escape(urlencode([*rest, (PARAMETER, code)]))}">'
        for code in languages()
    ).encode()


def language_of(scope: Scope) -> str:
    """Return a visitor's language from the address, the cookie or the browser's settings."""
    headers = Headers(scope=scope)
    sent = (value for _, value in cookie_values(headers, COOKIE))
    remembered = next(filter(language_for, sent), None)
    return visitor_language(_asked(scope), remembered, headers.get("accept-language"))


def _asked(scope: Scope) -> str | None:
    """Return the last language in the address, which the page's script also uses, or None."""
    return dict(query_of(scope)).get(PARAMETER)
