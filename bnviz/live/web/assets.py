"""Static files for browsers: the files in `assets/` and the Plotly library.

The URL of a file changes with its content, so that browsers can cache it forever.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import importlib.metadata
import importlib.util
import mimetypes
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from bnviz.live.contract import CONTRACT_FILE, contract_module
from bnviz.live.protocol.server_messages import words_of
from bnviz.locations import locations
from bnviz.words.phrase import PhraseText, phrase

ASSETS = locations().assets
SERVED = (".js", ".css", ".svg", ".png", ".woff2")
FOREVER = "public, max-age=31536000, immutable"
# Size in bytes below which compression costs more than it saves.
SMALL = 1024
# Comment that makes Chromium compile all functions on another thread during the download. Plotly
# calls most of its functions at the start, and compiling them one by one would take twice as long.
COMPILE_AT_ONCE = b"//# allFunctionsCalledOnLoad\n"


# The files are read once, because a file that changes later would no longer match its URL.
_FILES = {
    path.relative_to(ASSETS).as_posix(): path.read_bytes()
    for path in sorted(ASSETS.rglob("*"))
    if path.suffix in SERVED and path.is_file()
} | {CONTRACT_FILE: contract_module()}
_DIGEST = hashlib.blake2b(digest_size=8)
for _name, _content in _FILES.items():
    _DIGEST.update(f"{_name}\0{len(_content)}\0".encode() + _content)
VERSION = _DIGEST.hexdigest()
PLOTLY_VERSION = importlib.metadata.version("plotly")


def live_modules() -> list[str]:
    """Return the paths of a live view's modules, such as `contract` and `live/view`."""
    paths = [Path(name) for name in _FILES if name.endswith(".js")]
    return [
        path.with_suffix("").as_posix()
        for path in paths
        if path.parts[0] == "live" or path.parent.name == "classroom" or path.name == CONTRACT_FILE
    ]


async def asset(request: Request) -> Response:
    path = request.path_params["path"]
    if request.path_params["version"] != VERSION or path not in _FILES:
        return no_file()
    kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
    return file_answer(request, _FILES[path], _compressed_asset(path), kind)


async def plotly(request: Request) -> Response:
    if request.path_params["version"] not in (PLOTLY_VERSION, VERSION):
        return no_file()
    plain, compressed = await run_in_threadpool(plotly_library)
    return file_answer(request, plain, compressed, "text/javascript")


@functools.cache
def plotly_library() -> tuple[bytes, bytes]:
    """Return the Plotly library, plain and compressed. The first call takes almost a second."""
    path = package_file("plotly", "package_data", "plotly.min.js")
    plain = COMPILE_AT_ONCE + path.read_bytes()
    return plain, gzip.compress(plain, 6, mtime=0)


@functools.cache
def _compressed_asset(path: str) -> bytes | None:
    content = _FILES[path]
    if len(content) < SMALL or not path.endswith((".js", ".css", ".svg")):
        return None
    return gzip.compress(content, 9, mtime=0)


def file_answer(
    request: Request,
    plain: bytes | None,
    compressed: bytes | None,
    kind: str,
    cache_control: str = FOREVER,
) -> Response:
    """Return a file, compressed if the browser accepts gzip. One of the contents may be None."""
    headers = {"Cache-Control": cache_control, "Vary": "Accept-Encoding"}
    if compressed is not None and "gzip" in request.headers.get("accept-encoding", ""):
        headers["Content-Encoding"], body = "gzip", compressed
    elif plain is None:
        assert compressed is not None
        body = gzip.decompress(compressed)
    else:
        body = plain
    return Response(body, media_type=kind, headers=headers)


NO_FILE = PhraseText(phrase("errors.no_file"))


def no_file() -> Response:
    return JSONResponse(words_of(NO_FILE), 404)


def package_file(package: str, *parts: str) -> Path:
    """Return the path of a file in an installed package, without importing the package."""
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0], *parts)
