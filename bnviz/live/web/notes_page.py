"""`/notes`: the presenter's notes, a window of its own that follows a stage in the same browser.

The page is empty until the stage fills it (`assets/notes.js`): both talk over a channel of the
browser, whose name is in the part of the address after `#`. The server hears nothing of it.
"""

from __future__ import annotations

import orjson
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from bnviz.live.web.answers import plain_page
from bnviz.live.web.assets import VERSION
from bnviz.live.web.page_language import language_of
from bnviz.words.texts import texts

# The styles of all pages, then its own.
STYLES = ("kit.css", "notes.css")


async def notes(base: str, request: Request) -> Response:
    """The answer of the page; `base` is what the server's paths start with."""
    headers = {"Cache-Control": "no-store", "Vary": "Accept-Language"}
    return HTMLResponse(notes_page(language_of(request.scope), base), headers=headers)


def notes_page(language: str, base: str) -> str:
    """The page.

    Args:
        language: of its words.
        base: what the server's paths start with.
    """
    words = texts("talks", language)["presenter"]
    facts = orjson.dumps(dict(words)).decode().replace("<", "\\u003c")
    body = (
        '<main id="notes"></main>'
        f'<script type="application/json" id="words">{facts}</script>'
        f'<script type="module" src="{base}/assets/{VERSION}/notes.js"></script>'
    )
    return plain_page(language, words["title"], STYLES, body)
