"""The charts' templates, at addresses that change with what they hold.

They are large, and the same from one rerun of a page's script to the next: the script names them,
and the browser asks for them once, instead of getting them again with every knob that moves.
"""

from __future__ import annotations

import gzip
import hashlib
import threading
from collections import OrderedDict
from typing import Any, NamedTuple

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bnviz.live.web.assets import file_answer, no_file

# Some 30 kB each; a browser asks for them right after its script has offered them.
MOST_KEPT = 512
LEVEL = 6

_kept: OrderedDict[str, bytes] = OrderedDict()
_lock = threading.Lock()


class Templates(NamedTuple):
    """Packed templates.

    Attributes:
        id: what their address is made of; it changes with them.
        packed: JSON, compressed.
    """

    id: str
    packed: bytes


def pack(content: Any) -> Templates:
    """Templates as they travel.

    Args:
        content: plain values and arrays.
    """
    text = orjson.dumps(content, option=orjson.OPT_SERIALIZE_NUMPY)
    name = hashlib.blake2b(text, digest_size=8).hexdigest()
    return Templates(name, gzip.compress(text, LEVEL, mtime=0))


def offer(templates: Templates) -> str:
    """Keep templates for the browsers that will ask for them; returns their id."""
    with _lock:
        _kept[templates.id] = templates.packed
        _kept.move_to_end(templates.id)
        while len(_kept) > MOST_KEPT:
            _kept.popitem(last=False)
    return templates.id


def find(name: str) -> bytes | None:
    """Templates that were offered, compressed."""
    with _lock:
        return _kept.get(name)


def templates_route(base: str) -> Route:
    """`/templates/<id>.json`."""
    return Route(f"{base}/templates/{{id}}.json", _templates)


async def _templates(request: Request) -> Response:
    packed = find(request.path_params["id"])
    if packed is None:
        return no_file()
    return file_answer(request, None, packed, "application/json")
