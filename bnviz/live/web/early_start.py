"""Lets a browser load the live view while Streamlit is still starting in it."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import orjson
from starlette.types import Scope

from bnviz.live.web.assets import ASSETS, VERSION, live_modules, package_file
from bnviz.live.web.page_change import HEAD, Change, FindChange

COMMENT = re.compile(r"/\*.*?\*/\s*", re.DOTALL)
# The styles of all pages, in the order in which they apply; the live view's own come after them.
KIT = ("kit.css", "controls.css")
# The module of Streamlit's that all others belong to.
ENTRY = "index.html"
# Streamlit's elements on a page when it is first drawn, and those that come after the live view.
FIRST = ("BidiComponent", "Html")
LATER = (
    "Selectbox", "Slider", "Checkbox", "ButtonGroup", "Button", "PageLink", "Multiselect",
    "NumberInput",
)  # fmt: skip


def early_start(base: str = "", without: Sequence[str] = ()) -> FindChange:
    """Put scripts and styles of ours into the head of every page.

    - The live view. Without this, Streamlit would load it after its own start, during most of which
      the browser waits. As a module after Streamlit's own it runs right after that one, and what it
      loads itself, above all Plotly, delays nothing of Streamlit's.
    - `page_links.js`, which follows links between pages without a reload.
    - The server's address. At a path like `/claims` Streamlit would first try whether a server of
      its own is there.
    - The styles of the kit, so that they apply before anything is drawn.

    Args:
        base: what the server's paths start with.
        without: the paths, after that, of pages that have no live view.
    """
    plain = {f"{base}/{path}" for path in without}
    server = f"window.__streamlit={{BACKEND_BASE_URL:location.origin+{json.dumps(base)}}}"
    links = f"{base}/assets/{VERSION}/page_links.js"
    # Inline, for scripts would wait for a style sheet that is still being loaded.
    sheets = "".join((ASSETS / name).read_text(encoding="utf-8") for name in KIT)
    kit = f"<style data-kit>{COMMENT.sub('', sheets)}</style>"
    every = f'{kit}<script>{server}</script><script type="module" src="{links}"></script>'
    preloads = "".join(
        f'<link rel="modulepreload" crossorigin href="{base}{path}">' for path in chunks(FIRST)
    )
    modules = " ".join(live_modules())
    later = " ".join(f"{base}{path}" for path in entries(LATER))
    source = f"{base}/assets/{VERSION}/live_view.js"
    attributes = f'data-modules="{modules}" data-later="{later}"'
    view = f'<script type="module" src="{source}" {attributes}></script>'

    def find(scope: Scope) -> Change:
        scripts = every if scope["path"].rstrip("/") in plain else every + preloads + view
        head = scripts.encode() + HEAD
        return lambda _, content: content.replace(HEAD, head, 1)

    return find


# Streamlit's own modules. It asks for one when it first draws an element of that kind; a page whose
# elements are known can ask earlier.


def entries(kinds: Iterable[str]) -> list[str]:
    """The paths of the modules of Streamlit's that draw some kinds of elements.

    They are hints for browsers, which load the same later without them. A kind that this version of
    Streamlit does not have is left out.

    Args:
        kinds: names of Streamlit's components: "Slider", "BidiComponent", ….
    """
    build = _build()
    return [f"/{build[name]['file']}" for name in _named(build, kinds)]


def chunks(kinds: Iterable[str]) -> list[str]:
    """`entries`, and what they import and not every page loads; each path once."""
    build = _build()
    there = _needed(build, [ENTRY])
    needed = _needed(build, _named(build, kinds))
    return [f"/{build[name]['file']}" for name in needed if name not in there]


@functools.cache
def _build() -> dict[str, Any]:
    """Streamlit's list of its modules, with what each of them imports."""
    path = package_file("streamlit", "static", "manifest.json")
    build: dict[str, Any] = orjson.loads(path.read_bytes()) if path.exists() else {}
    return build


def _named(build: dict[str, Any], kinds: Iterable[str]) -> list[str]:
    """The modules of some kinds of elements."""
    lazy = {Path(name).stem: name for name, part in build.items() if part.get("isDynamicEntry")}
    return [lazy[kind] for kind in kinds if kind in lazy]


def _needed(build: dict[str, Any], names: list[str]) -> list[str]:
    """Some modules with all that they import, each once."""
    found: dict[str, None] = {}
    waiting = list(reversed(names))
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = None
            waiting += reversed(build.get(name, {}).get("imports", []))
    return list(found)
