"""The preview of a link where it is shared: a title, a sentence and a picture, in the page's head.

Whatever makes a preview reads the head and runs no script. The words are handed over by the pages
(`bnviz.ui.serving`); the addresses are made here, as the request has them.
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
# A name or an IPv4 address, or an IPv6 address in brackets; with or without a port.
HOST = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252})|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?")
# Pixels of every picture.
WIDTH, HEIGHT = 1200, 630


class Preview(NamedTuple):
    """The preview of one page.

    Attributes:
        title: of the page.
        text: one sentence.
        image: its picture, by its path under `assets/`.
        query: the parameters that belong to its address.
    """

    title: str
    text: str
    image: str
    query: Mapping[str, str] = {}


class LinkPreview:
    """Puts previews of links into the heads of pages.

    Args:
        base: what the server's paths start with.
        find: the preview of the page at a path, after the base, with a query; None: it has none.
    """

    def __init__(self, base: str, find: Callable[[str, Mapping[str, str]], Preview | None]) -> None:
        self._base, self._find = base, find

    def change(self, scope: Scope) -> Change | None:
        """The change of the page that a request asks for; None: it has no preview."""
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
        # Whatever makes a preview says hardly ever which language it wants; the address may.
        with in_language(language_of(scope)):
            return self._find(path.removeprefix(self._base).strip("/"), query)

    def _tags(self, preview: Preview, scope: Scope) -> list[str]:
        facts = {
            "description": preview.text, "og:type": "website", "og:site_name": "bnviz",
            "og:title": preview.title, "og:description": preview.text,
        }  # fmt: skip
        links = []
        # Only absolute addresses are understood. Without a valid host there are none.
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
    """Scheme, host and port of the server as the browser knows them; None: they are not valid."""
    host = Headers(scope=scope).get("host", "")
    if not HOST.fullmatch(host):
        return None
    scheme = scheme_of(scope, issuer().trusted)
    return f"{scheme}://{host}" if scheme in ("http", "https") else None
