"""Changes to HTML pages before they are sent: headers and the first piece of the body."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEAD = b"</head>"

# Function that returns a new first piece of a page's body. It may also change the headers in place.
Change = Callable[[MutableHeaders, bytes], bytes]
# Function that returns the change for the page of a request, or None to leave the page as it is.
FindChange = Callable[[Scope], Change | None]


class PageChange:
    """ASGI middleware that applies `changes`, in order, to the first piece of each HTML response.

    ETag and Last-Modified are removed, because Streamlit sends the same values for every version.
    """

    def __init__(self, app: ASGIApp, changes: Sequence[FindChange]) -> None:
        self._app, self._changes = app, changes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = [find(scope) for find in self._changes] if scope["type"] == "http" else []
        changes = [change for change in found if change is not None]
        if not changes:
            await self._app(scope, receive, send)
            return
        start: Message | None = None

        async def pass_on(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _is_page(message):
                # send this message later, because the content length depends on the changed body
                start = message
                return
            if start is not None:
                message = _changed(start, message, changes)
                await send(start)
                start = None
            await send(message)

        await self._app(_uncompressed(scope), receive, pass_on)


def _uncompressed(scope: Scope) -> Scope:
    """Remove accepted encodings from a page request: a compressed page cannot be changed."""
    accept = Headers(scope=scope).get("accept", "")
    if "text/html" not in accept or is_phone_page(scope["path"]):
        return scope
    headers = [pair for pair in scope["headers"] if pair[0] != b"accept-encoding"]
    return {**scope, "headers": headers}


def _changed(start: Message, body: Message, changes: Sequence[Change]) -> Message:
    """Return the changed first piece of a body, and change the headers of `start` in place."""
    headers, before = MutableHeaders(scope=start), body.get("body", b"")
    content = before
    for change in changes:
        content = change(headers, content)
    if content == before:
        return body
    del headers["etag"], headers["last-modified"]
    if "content-length" in headers:
        length = int(headers["content-length"]) + len(content) - len(before)
        headers["content-length"] = str(length)
    return {**body, "body": content}


def _is_page(start: Message) -> bool:
    return MutableHeaders(scope=start).get("content-type", "").startswith("text/html")


# Paths of the code page, the voting page and the follower page, after any base path.
_OF_PHONES = re.compile(r"(?:/[^/]+)*/[bw](?:/[^/]*)?/?")


def is_phone_page(path: str) -> bool:
    return _OF_PHONES.fullmatch(path) is not None
