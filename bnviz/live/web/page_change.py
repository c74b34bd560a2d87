"""Changes pages of HTML on their way to the browser: their headers and first piece of the body."""

from __future__ import annotations

import re
from collections.abc import Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEAD = b"</head>"

# Makes another first piece of a page's body; it may change the headers in place.
Change = Callable[[MutableHeaders, bytes], bytes]


class PageChange:
    """ASGI middleware that changes the first piece of a page's body.

    A page is an answer of HTML; other answers are sent as they are. A changed page has no ETag and
    no Last-Modified: those of Streamlit's file do not tell our versions apart.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        change = self.change(scope) if scope["type"] == "http" else None
        if change is None:
            await self._app(scope, receive, send)
            return
        start: Message | None = None

        async def pass_on(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _is_page(message):
                start = message  # sent together with the body, whose length it has
                return
            if start is not None:
                message = _changed(start, message, change)
                await send(start)
                start = None
            await send(message)

        await self._app(_uncompressed(scope), receive, pass_on)

    def change(self, scope: Scope) -> Change | None:
        """The change of a page; None: it stays as it is."""
        raise NotImplementedError


def _uncompressed(scope: Scope) -> Scope:
    """A request for a page, without the encodings that the browser accepts.

    Streamlit compresses its page at some addresses, and a compressed page cannot be changed. Pages
    of phones are complete in one answer, and stay compressed.
    """
    accept = Headers(scope=scope).get("accept", "")
    if "text/html" not in accept or is_phone_page(scope["path"]):
        return scope
    headers = [pair for pair in scope["headers"] if pair[0] != b"accept-encoding"]
    return {**scope, "headers": headers}


def _changed(start: Message, body: Message, change: Change) -> Message:
    """The first piece of a page's body, changed; the start's headers are changed in place."""
    headers, before = MutableHeaders(scope=start), body.get("body", b"")
    content = change(headers, before)
    if content == before:
        return body
    del headers["etag"], headers["last-modified"]
    if "content-length" in headers:
        length = int(headers["content-length"]) + len(content) - len(before)
        headers["content-length"] = str(length)
    return {**body, "body": content}


def _is_page(start: Message) -> bool:
    return MutableHeaders(scope=start).get("content-type", "").startswith("text/html")


# Where a code is typed, a ballot, the page that follows the teacher; after any base path.
_OF_PHONES = re.compile(r"(?:/[^/]+)*/[bw](?:/[^/]*)?/?")


def is_phone_page(path: str) -> bool:
    return _OF_PHONES.fullmatch(path) is not None
