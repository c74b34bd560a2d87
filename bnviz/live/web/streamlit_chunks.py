"""The pieces of Streamlit's own page, by the names that its build gives them.

Streamlit asks for a piece when it first draws an element of that kind. A page that knows its
elements can ask earlier.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson

from bnviz.live.web.package_file import package_file

ENTRY = "index.html"


def entries(kinds: Iterable[str]) -> list[str]:
    """Paths, under the server's base path, of the modules that draw some kinds of elements.

    Args:
        kinds: as Streamlit's components are called: "Slider", "BidiComponent", ….

    Returns:
        None for a kind that this version of Streamlit does not have. Paths are hints to browsers,
        without which they load the same later.
    """
    build = _build()
    return [f"/{build[name]['file']}" for name in _named(build, kinds)]


def chunks(kinds: Iterable[str]) -> list[str]:
    """`entries`, and what they import beyond what every page has; each path once."""
    build = _build()
    there = _needed(build, [ENTRY] if ENTRY in build else [])
    needed = _needed(build, _named(build, kinds))
    return [f"/{build[name]['file']}" for name in needed if name not in there]


@functools.cache
def _build() -> dict[str, Any]:
    """Streamlit's list of its pieces and what each of them imports."""
    path = package_file("streamlit", "static", "manifest.json")
    build: dict[str, Any] = orjson.loads(path.read_bytes()) if path.exists() else {}
    return build


def _named(build: dict[str, Any], kinds: Iterable[str]) -> list[str]:
    lazy = {Path(name).stem: name for name, part in build.items() if part.get("isDynamicEntry")}
    return [lazy[kind] for kind in kinds if kind in lazy]


def _needed(build: dict[str, Any], names: list[str]) -> list[str]:
    """Some pieces with all that they import, each once."""
    found: dict[str, None] = {}
    waiting = list(reversed(names))
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = None
            waiting += reversed(build[name].get("imports", []))
    return list(found)
