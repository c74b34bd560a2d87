"""A QR code of a link, for a phone held up to the projector."""

from __future__ import annotations

import io

import segno
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bnviz.live.protocol.client_messages import BadMessage
from bnviz.live.web.answers import answering
from bnviz.phrase import phrase

# What a code holds that a phone still reads from a few metres.
MOST_CHARACTERS = 1000
BORDER = 2


def qr_route(base: str) -> Route:
    """`/qr.svg?data=…`."""
    return Route(f"{base}/qr.svg", answering(qr))


async def qr(request: Request) -> Response:
    """The code as a picture, black on white in any theme."""
    data = request.query_params.get("data", "")
    if not 1 <= len(data) <= MOST_CHARACTERS:
        allowed = phrase("errors.characters", most=MOST_CHARACTERS)
        raise BadMessage("data", f"{len(data)} characters", allowed)
    try:
        code = segno.make(data, error="l", micro=False)
    except (ValueError, UnicodeError):
        raise BadMessage("data", data, phrase("errors.qr")) from None
    picture = io.BytesIO()
    code.save(picture, kind="svg", border=BORDER, light="#ffffff", svgclass=None, omitsize=True)
    headers = {"Cache-Control": "private, max-age=3600"}
    return Response(picture.getvalue(), media_type="image/svg+xml", headers=headers)
