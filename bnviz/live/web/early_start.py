"""Scripts and styles added to each page, so that the live view loads while Streamlit starts."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

import orjson
from starlette.types import Scope

from bnviz.live.web.assets import ASSETS, VERSION, live_modules, package_file
from bnviz.live.web.page_change import HEAD, Change, FindChange
from bnviz.words.texts import in_language, languages, text

COMMENT = re.compile(r"/\*.*?\*/\s*", re.DOTALL)
# Style sheets of all pages, in order. The live view's style sheets follow them.
KIT = ("kit.css", "controls.css")
# Streamlit's main module.
ENTRY = "index.html"
# Types of Streamlit elements that a page draws first, and types that it draws after the live view.
FIRST = ("BidiComponent", "Html")
LATER = (
    "Selectbox", "Slider", "Checkbox", "ButtonGroup", "Button", "PageLink", "Multiselect",
    "NumberInput",
)  # fmt: skip


def early_start(base: str = "", without: Sequence[str] = ()) -> FindChange:
    """Return a change that adds scripts and styles to the head of every page.

    - The live view. Streamlit would load it only after its own start, during which the browser is
      mostly idle. Its module comes after Streamlit's main module, so that it does not delay
      Streamlit.
    - `page_links.js`, which follows links between pages without a reload.
    - `lost_connection.js`, inline, so that it works if the server dies while the page loads.
    - The server's address. At a path like `/claims`, Streamlit would first look for a server there.
    - The style sheets of all pages, so that they apply before anything is drawn.

    `without` are the paths of pages without a live view.
    """
    plain = {f"{base}/{path}" for path in without}
    server = f"window.__streamlit={{BACKEND_BASE_URL:location.origin+{json.dumps(base)}}}"
    links = f"{base}/assets/{VERSION}/page_links.js"
    # The style sheets are inline, because scripts would wait for an external style sheet to load.
    sheets = "".join((ASSETS / name).read_text(encoding="utf-8") for name in KIT)
    kit = f"<style data-kit>{COMMENT.sub('', sheets)}</style>"
    every = f"{kit}{lost_line(base)}<script>{server}</script>"
    every += f'<script type="module" src="{links}"></script>'
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


def lost_line(base: str = "") -> str:
    """Return the script that shows a line while the connection is lost."""
    texts = {}
    for code in languages():
        with in_language(code):
            texts[code] = text("navigation.lost")
    script = (ASSETS / "lost_connection.js").read_text(encoding="utf-8")
    data = f'data-health="{base}/_stcore/health" data-texts="{escape(json.dumps(texts))}"'
    return f"<script {data}>{script}</script>"


# Streamlit's own modules. Streamlit requests the module for a type of element when it first draws
# such an element. A page with known elements can request it earlier.


def entries(kinds: Iterable[str]) -> list[str]:
    """Return paths of Streamlit modules for some kinds of elements. Unknown kinds are left out."""
    build = _build()
    return [f"/{build[name]['file']}" for name in _named(build, kinds)]


def chunks(kinds: Iterable[str]) -> list[str]:
    """Return the paths of `entries` and their imports, except modules that every page loads."""
    build = _build()
    there = _needed(build, [ENTRY])
    needed = _needed(build, _named(build, kinds))
    return [f"/{build[name]['file']}" for name in needed if name not in there]


@functools.cache
def _build() -> dict[str, Any]:
    """Return Streamlit's build manifest, which lists the imports of each module."""
    path = package_file("streamlit", "static", "manifest.json")
    build: dict[str, Any] = orjson.loads(path.read_bytes()) if path.exists() else {}
    return build


def _named(build: dict[str, Any], kinds: Iterable[str]) -> list[str]:
    lazy = {Path(name).stem: name for name, part in build.items() if part.get("isDynamicEntry")}
    return [lazy[kind] for kind in kinds if kind in lazy]


def _needed(build: dict[str, Any], names: list[str]) -> list[str]:
    """Return some modules and all their imports, without duplicates."""
    found: dict[str, None] = {}
    waiting = list(reversed(names))
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = None
            waiting += reversed(build.get(name, {}).get("imports", []))
    return list(found)
