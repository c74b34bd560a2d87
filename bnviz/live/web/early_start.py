"""The pieces of Streamlit's own page, by the names that its build gives them.

Streamlit asks for a piece when it first draws an element of that kind. A page that knows its
elements can ask earlier.

Lets browsers begin with the live view while Streamlit is still starting in them.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import orjson
from starlette.types import ASGIApp, Receive, Scope, Send

from bnviz.live.web.assets import VERSION, live_modules, package_file
from bnviz.live.web.page_change import send_changed

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


HEAD = b"</head>"
ASSETS = Path(__file__).resolve().parents[3] / "assets"
COMMENT = re.compile(r"/\*.*?\*/\s*", re.DOTALL)
# The styles of all pages, in the order in which they count; the live view's own come after them.
KIT = ("kit.css", "controls.css")
# The elements of a page's first picture, and those that come when the live view stands.
FIRST = ("BidiComponent", "Html")
LATER = (
    "Selectbox", "Slider", "Checkbox", "ButtonGroup", "Button", "PageLink", "Multiselect",
    "NumberInput",
)  # fmt: skip


class EarlyStart:
    """ASGI middleware that puts the live view into the head of every page.

    Left to itself, it would be asked for when Streamlit has started and drawn its first elements;
    until then the browser mostly waits. As a module behind Streamlit's own it runs right after it:
    what it loads in its turn, Plotly above all, takes nothing from Streamlit's start.

    Every page also follows links to the others without starting over, and says where the server is:
    of an address like `/claims` Streamlit would first try whether that is a server of its own, and
    be told that it is not. And every page is styled by the kit before anything is drawn.

    Args:
        base: what the server's paths start with.
        without: the paths, after that, of pages that have no live view.
    """

    def __init__(self, app: ASGIApp, base: str = "", without: Sequence[str] = ()) -> None:
        self._app = app
        self._without = {f"{base}/{path}" for path in without}
        server = f"window.__streamlit={{BACKEND_BASE_URL:location.origin+{json.dumps(base)}}}"
        links = f"{base}/assets/{VERSION}/page_links.js"
        # Within the page: scripts wait for styles that are still on their way.
        kit = f"<style data-kit>{''.join(_style(name) for name in KIT)}</style>"
        every = f'{kit}<script>{server}</script><script type="module" src="{links}"></script>'
        self._every = every.encode()
        preloads = "".join(
            f'<link rel="modulepreload" crossorigin href="{base}{path}">' for path in chunks(FIRST)
        )
        modules = " ".join(live_modules())
        later = " ".join(f"{base}{path}" for path in entries(LATER))
        source = f"{base}/assets/{VERSION}/live_view.js"
        attributes = f'data-modules="{modules}" data-later="{later}"'
        view = f'<script type="module" src="{source}" {attributes}></script>'
        self._scripts = self._every + (preloads + view).encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on; an HTML page gets the scripts."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        plain = scope["path"].rstrip("/") in self._without
        scripts = self._every if plain else self._scripts
        await send_changed(
            self._app, scope, receive, send,
            lambda content: content.replace(HEAD, scripts + HEAD, 1),
        )  # fmt: skip


def _style(name: str) -> str:
    """A style sheet without its comments."""
    return COMMENT.sub("", (ASSETS / name).read_text(encoding="utf-8"))
