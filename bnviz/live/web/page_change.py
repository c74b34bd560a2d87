"""Changes pages of HTML on their way to the browser: in the start and the first piece of the body.

Pages of phones are left as they are: they are complete in one answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class PageChange:
    """ASGI middleware that changes the first piece of a page's body.

    A page is an answer of HTML. Other answers and pages of phones are sent as they are. A changed
    page has no ETag and no Last-Modified: those of Streamlit's file do not tell our versions apart.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        page = scope["type"] == "http" and not is_phone_page(scope["path"])
        change = self.change(scope) if page else None
        if change is None:
            await self._app(scope, receive, send)
            return
        await answer_changed(
            self._app, _uncompressed(scope), receive, send, _is_page,
            lambda start, body: _changed(start, body, change),
        )  # fmt: skip

    def change(self, scope: Scope) -> Callable[[bytes], bytes] | None:
        """What makes another piece of a page's first one; None: the page stays as it is."""
        raise NotImplementedError


async def answer_changed(
    app: ASGIApp,
    scope: Scope,
    receive: Receive,
    send: Send,
    concerns: Callable[[Message], bool],
    change: Callable[[Message, Message], Message],
) -> None:
    """Have an app answer, and change the start and the first piece of the body together.

    Args:
        app: what answers.
        scope: of the request.
        receive: of the request.
        send: of the request.
        concerns: whether an answer with this start is to be changed.
        change: of the start and the first piece of the body, returns another piece; it may change
            the start's headers in place.
    """
    start: Message | None = None

    async def pass_on(message: Message) -> None:
        nonlocal start
        if message["type"] == "http.response.start" and concerns(message):
            start = message  # sent together with the body, whose length it has
            return
        if start is not None:
            message = change(start, message)
            await send(start)
            start = None
        await send(message)

    await app(scope, receive, pass_on)


def with_content(start: Message, body: Message, content: bytes) -> Message:
    """A piece of the body with other content; the start's Content-Length is changed in place."""
    headers = MutableHeaders(scope=start)
    if "content-length" in headers:
        length = int(headers["content-length"]) + len(content) - len(body.get("body", b""))
        headers["content-length"] = str(length)
    return {**body, "body": content}


def _uncompressed(scope: Scope) -> Scope:
    """A request for a page, without the encodings that the browser accepts.

    Streamlit compresses its page at some addresses, and a compressed page cannot be changed.
    """
    if "text/html" not in Headers(scope=scope).get("accept", ""):
        return scope
    headers = [pair for pair in scope["headers"] if pair[0] != b"accept-encoding"]
    return {**scope, "headers": headers}


def _changed(start: Message, body: Message, change: Callable[[bytes], bytes]) -> Message:
    """The first piece of a page's body, changed; the start's headers are changed in place."""
    content = body.get("body", b"")
    changed = change(content)
    if changed == content:
        return body
    headers = MutableHeaders(scope=start)
    for name in ("etag", "last-modified"):
        if name in headers:
            del headers[name]
    return with_content(start, body, changed)


def _is_page(start: Message) -> bool:
    headers = MutableHeaders(scope=start)
    html = headers.get("content-type", "").startswith("text/html")
    return html and "content-encoding" not in headers


# Where a code is typed, a ballot, the page that follows the teacher; after any base path.
_OF_PHONES = re.compile(r"(?:/[^/]+)*/[bw](?:/[^/]*)?/?")


def is_phone_page(path: str) -> bool:
    return _OF_PHONES.fullmatch(path) is not None
