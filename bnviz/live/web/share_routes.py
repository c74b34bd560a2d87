"""Routes for sharing: `/qr.svg` for QR codes, and `/recording/<talk>.html` for talks as files."""

from __future__ import annotations

import io
from functools import lru_cache

import segno
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from bnviz.live.contract import MOST_QR_CHARACTERS
from bnviz.live.protocol.client_messages import BadMessage
from bnviz.live.web.answers import to_save
from bnviz.live.web.assets import no_file
from bnviz.live.web.page_language import language_of
from bnviz.talks.recording import data_path, recording
from bnviz.talks.talk import TALKS
from bnviz.words.phrase import phrase

BORDER = 2  # modules
KEPT_CODES = 64


async def qr(request: Request) -> Response:
    """Return the QR code of the parameter `data`, in black on white for every theme."""
    data = request.query_params.get("data", "")
    if not 1 <= len(data) <= MOST_QR_CHARACTERS:
        allowed = phrase("errors.characters", most=MOST_QR_CHARACTERS)
        raise BadMessage("data", f"{len(data)} characters", allowed)
    try:
        picture = await run_in_threadpool(_picture, data)
    except (ValueError, UnicodeError):
        raise BadMessage("data", data, phrase("errors.qr")) from None
    headers = {"Cache-Control": "private, max-age=3600"}
    return Response(picture, media_type="image/svg+xml", headers=headers)


@lru_cache(KEPT_CODES)
def _picture(data: str) -> bytes:
    """Return a QR code as SVG, in about 0.1 s. Raise `ValueError` or `UnicodeError` on failure."""
    code = segno.make(data, error="l", micro=False)
    picture = io.BytesIO()
    code.save(picture, kind="svg", border=BORDER, light="#ffffff", svgclass=None, omitsize=True)
    return picture.getvalue()


async def recording_file(request: Request) -> Response:
    """Return the recording of a talk in the visitor's language, as a file to download."""
    talk = request.path_params["talk"]
    if talk not in TALKS or not data_path(talk).is_file():
        return no_file()
    page = await run_in_threadpool(recording, talk, language_of(request.scope))
    return to_save(page, f"bnviz-{talk}.html", "text/html")
