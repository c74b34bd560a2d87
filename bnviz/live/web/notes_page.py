"""Page `/notes` with the presenter's notes, filled in by a presentation in the same browser.

The presentation (`assets/notes.js`) uses a browser channel, so the server does not see the notes.
"""

from __future__ import annotations

import orjson
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from bnviz.live.web.answers import plain_page
from bnviz.live.web.assets import VERSION
from bnviz.live.web.page_language import language_of
from bnviz.words.texts import texts

# Style sheets: the first is shared by all pages, the second is only for this page.
STYLES = ("kit.css", "notes.css")


async def notes(base: str, request: Request) -> Response:
    headers = {"Cache-Control": "no-store", "Vary": "Accept-Language"}
    return HTMLResponse(notes_page(language_of(request.scope), base), headers=headers)


def notes_page(language: str, base: str) -> str:
    words = texts("talks", language)["presenter"]
    facts = orjson.dumps(dict(words)).decode().replace("<", "\\u003c")
    body = (
        '<main id="notes"></main>'
        f'<script type="application/json" id="words">{facts}</script>'
        f'<script type="module" src="{base}/assets/{VERSION}/notes.js"></script>'
    )
    return plain_page(language, words["title"], STYLES, body)
