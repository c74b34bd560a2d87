"""Chart templates at `/templates/<id>.json`. The id changes with the content.

Templates are large and rarely change between script runs, so a script sends only their id.
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
from bnviz.recently_used import RecentlyUsed

# Maximum number of stored templates, of about 30 kB each. A browser requests the templates right
# after its script has sent their id.
MOST_KEPT = 512
GZIP_LEVEL = 6

_kept: RecentlyUsed[str, bytes] = RecentlyUsed(MOST_KEPT)
_lock = threading.Lock()


class Templates(NamedTuple):
    """Chart templates as gzip-compressed JSON. `id` is a digest of the content."""

    id: str
    compressed: bytes


def pack(content: Any) -> Templates:
    text = orjson.dumps(content, option=orjson.OPT_SERIALIZE_NUMPY)
    name = hashlib.blake2b(text, digest_size=8).hexdigest()
    return Templates(name, gzip.compress(text, GZIP_LEVEL, mtime=0))


def offer(templates: Templates) -> str:
    """Store templates so that browsers can request them. Return their id."""
    with _lock:
        _kept.put(templates.id, templates.compressed)
    return templates.id


def find(name: str) -> bytes | None:
    """Return the compressed templates with the id `name`, or None if they are not stored."""
    with _lock:
        return _kept.get(name)


async def known_templates(request: Request) -> Response:
    compressed = find(request.path_params["id"])
    if compressed is None:
        return no_file()
    return file_answer(request, None, compressed, "application/json")
