"""The charts' templates at `/templates/<id>.json`; the id changes with their content.

Templates are large, and the same in most reruns of a page's script. So the script sends their id
alone, and a browser asks for those that it does not have.
"""

from __future__ import annotations

import gzip
import hashlib
import threading
from typing import Any, NamedTuple

import orjson
from starlette.requests import Request
from starlette.responses import Response

from bnviz.live.web.assets import file_answer, no_file
from bnviz.recent import RecentlyUsed

# Some 30 kB each. A browser asks for them right after its script has offered them.
MOST_KEPT = 512
GZIP_LEVEL = 6

_kept: RecentlyUsed[str, bytes] = RecentlyUsed(MOST_KEPT)
_lock = threading.Lock()


class Templates(NamedTuple):
    """Templates as they are sent.

    Attributes:
        id: a digest of their content.
        compressed: JSON, by gzip.
    """

    id: str
    compressed: bytes


def pack(content: Any) -> Templates:
    """Encode and compress templates.

    Args:
        content: plain values and arrays.
    """
    text = orjson.dumps(content, option=orjson.OPT_SERIALIZE_NUMPY)
    name = hashlib.blake2b(text, digest_size=8).hexdigest()
    return Templates(name, gzip.compress(text, GZIP_LEVEL, mtime=0))


def offer(templates: Templates) -> str:
    """Keep templates for the browsers that will ask for them. Returns their id."""
    with _lock:
        _kept.put(templates.id, templates.compressed)
    return templates.id


def find(name: str) -> bytes | None:
    """Templates that were offered, compressed; None: they were not, or are not kept any more."""
    with _lock:
        return _kept.get(name)


async def known_templates(request: Request) -> Response:
    compressed = find(request.path_params["id"])
    if compressed is None:
        return no_file()
    return file_answer(request, None, compressed, "application/json")
