"""Link previews for messengers: title, sentence and picture in the head of each page.

Preview services run no scripts. `bnviz.ui.serving` defines the texts of the pages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import escape
from typing import NamedTuple
from urllib.parse import quote, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Scope

from bnviz.live.web.assets import VERSION
from bnviz.live.web.owner import issuer
from bnviz.live.web.page_change import HEAD, Change
from bnviz.live.web.page_language import language_of
from bnviz.live.web.request_source import query_of, scheme_of
from bnviz.words.texts import in_language

TITLE = re.compile(rb"<title>.*?</title>", re.DOTALL)
# Host name, IPv4 address or IPv6 address in brackets, with an optional port.
HOST = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252})|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?")
# Width and height of every preview picture in pixels.
WIDTH, HEIGHT = 1200, 630


class Preview(NamedTuple):
    """Preview of a page.

    Attributes:
        image: path of the picture under `assets/`.
        query: parameters that the address of the page needs.
    """

    title: str
    text: str
    image: str
    query: Mapping[str, str] = {}


class LinkPreview:
    """Change of pages that adds link previews. `find` returns the preview of a page, or None."""

    def __init__(self, base: str, find: Callable[[str, Mapping[str, str]], Preview | None]) -> None:
        self._base, self._find = base, find

    def change(self, scope: Scope) -> Change | None:
        """Return the change that adds the page's preview, or None if the page has no preview."""
        preview = self._preview(scope)
        if preview is None:
            return None
        title = f"<title>{escape(preview.title)}</title>".encode()
        tags = "".join(self._tags(preview, scope)).encode()

        def change(_headers: MutableHeaders, content: bytes) -> bytes:
            if HEAD not in content:
                return content
            content = TITLE.sub(lambda _: title, content, count=1)
            return content.replace(HEAD, tags + HEAD, 1)

        return change

    def _preview(self, scope: Scope) -> Preview | None:
        path = scope["path"]
        if scope["method"] not in ("GET", "HEAD") or not f"{path}/".startswith(f"{self._base}/"):
            return None
        query = {name: value for name, value in query_of(scope) if value}
        # Preview services rarely send a preferred language, but the address may contain a language.
        with in_language(language_of(scope)):
            return self._find(path.removeprefix(self._base).strip("/"), query)

    def _tags(self, preview: Preview, scope: Scope) -> list[str]:
        facts = {
            "description": preview.text, "og:type": "website", "og:site_name": "bnviz",
            "og:title": preview.title, "og:description": preview.text,
        }  # fmt: skip
        links = []
        # Previews require absolute addresses. Leave links out if the host is invalid.
        if (origin := _origin(scope)) is not None:
            query = f"?{urlencode(preview.query)}" if preview.query else ""
            address = f"{origin}{quote(scope['path'].rstrip('/') or '/')}{query}"
            image = f"{origin}{self._base}/assets/{VERSION}/{preview.image}"
            links.append(f'<link rel="canonical" href="{escape(address)}">')
            facts |= {
                "og:url": address, "og:image": image,
                "og:image:width": str(WIDTH), "og:image:height": str(HEIGHT),
                "og:image:alt": preview.text, "twitter:card": "summary_large_image",
            }  # fmt: skip
        return links + [
            f'<meta {"property" if name.startswith("og:") else "name"}="{name}"'
            f' content="{escape(content)}">'
            for name, content in facts.items()
        ]


def _origin(scope: Scope) -> str | None:
    """Return the server's origin as the browser sees it, or None if the host is invalid."""
    host = Headers(scope=scope).get("host", "")
    if not HOST.fullmatch(host):
        return None
    scheme = scheme_of(scope, issuer().trusted)
    return f"{scheme}://{host}" if scheme in ("http", "https") else None
