"""Pages for phones on bad Wi-Fi: whole as they are sent, without Streamlit and our modules.

Changes a page of HTML on its way to the browser.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# The page to type a code, a ballot, the page that follows the teacher; after any base path.
_PLAIN = re.compile(r"(?:/[^/]+)*/[bw](?:/[^/]*)?/?")


def is_plain(path: str) -> bool:
    """Whether a path leads to such a page, which nothing may be put into."""
    return _PLAIN.fullmatch(path) is not None


async def send_changed(
    app: ASGIApp, scope: Scope, receive: Receive, send: Send, change: Callable[[bytes], bytes]
) -> None:
    """Have an app answer, with the first piece of a page's body changed.

    A page is what comes as HTML; all else is passed on as it is, and so are plain pages. What is
    changed gives up the marks of Streamlit's file by which a browser would keep it: they do not
    tell our versions apart.

    Args:
        app: what answers.
        scope: of the request.
        receive: of the request.
        send: of the request.
        change: makes of a page's first piece another one; the same one changes nothing.
    """
    if is_plain(scope["path"]):
        await app(scope, receive, send)
        return
    await answer_changed(
        app, _uncompressed(scope), receive, send, _is_page,
        lambda start, body: _changed(start, body, change),
    )  # fmt: skip


async def answer_changed(
    app: ASGIApp,
    scope: Scope,
    receive: Receive,
    send: Send,
    concerns: Callable[[Message], bool],
    change: Callable[[Message, Message], Message],
) -> None:
    """Have an app answer, with the start and the first piece of body changed together.

    Args:
        app: what answers.
        scope: of the request.
        receive: of the request.
        send: of the request.
        concerns: whether an answer that starts like this is to be changed.
        change: makes of the start and the first piece of body another piece; may change the
            start's headers in place.
    """
    start: Message | None = None

    async def pass_on(message: Message) -> None:
        nonlocal start
        if message["type"] == "http.response.start" and concerns(message):
            start = message  # its length is known when its body is
            return
        if start is not None:
            message = change(start, message)
            await send(start)
            start = None
        await send(message)

    await app(scope, receive, pass_on)


def with_content(start: Message, body: Message, content: bytes) -> Message:
    """A piece of body with other content; the start's length changes in place."""
    headers = MutableHeaders(scope=start)
    if "content-length" in headers:
        length = int(headers["content-length"]) + len(content) - len(body.get("body", b""))
        headers["content-length"] = str(length)
    return {**body, "body": content}


def _uncompressed(scope: Scope) -> Scope:
    """A request for a page as one that understands no compression.

    Streamlit compresses its page at some addresses, and nothing can be put into that.
    """
    if "text/html" not in Headers(scope=scope).get("accept", ""):
        return scope
    headers = [pair for pair in scope["headers"] if pair[0] != b"accept-encoding"]
    return {**scope, "headers": headers}


def _changed(start: Message, body: Message, change: Callable[[bytes], bytes]) -> Message:
    """A page's first piece of body, changed; its headers change in place."""
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
