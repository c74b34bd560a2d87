"""Widgets on a page of their own: no server, only the files under `assets/`."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, Route

ASSETS = Path(__file__).parents[3] / "assets"
ORIGIN = "http://widgets.test"
# What Streamlit's component gives a module, and what the page's script would hear from it.
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,">
<title>widget</title><meta name="viewport" content="width=device-width,initial-scale=1">
<style>body { margin: 0; padding: 12px; font: 16px/1.5 sans-serif; }</style>
<main id="place"></main><script type="module">
window.states = [];
window.mountWidget = async (module, data) => {
  const { default: mount } = await import(`/assets/v1/${module}`);
  document.body.style.background = data.dark ? "#14181e" : "#fff";
  window.cleanup = mount({ parentElement: document.getElementById("place"), data,
    setStateValue: (name, value) => window.states.push(value) });
};
</script>"""


def serve(route: Route) -> None:
    """Answer what a page asks for, from the files."""
    path = route.request.url.removeprefix(ORIGIN)
    if path == "/":
        route.fulfill(body=PAGE, content_type="text/html")
        return
    file = ASSETS / path.removeprefix("/assets/v1/")
    route.fulfill(body=file.read_bytes(), content_type=mimetypes.guess_type(file)[0] or "")


class WidgetPage:
    """A page with one widget on it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.root: Locator = page.locator(".bnviz-widget")

    def mount(self, module: str, data: dict[str, Any]) -> None:
        """Mount, or hand new data to what is mounted, as a rerun of the script does."""
        self.page.evaluate("(asked) => window.mountWidget(...asked)", [module, data])

    def state(self) -> Any:
        """What the script heard last, once the widget has come to rest."""
        self.page.wait_for_function("window.states.length > 0")
        return self.page.evaluate("window.states.at(-1)")

    def heard(self, condition: str) -> Any:
        """The newest state, once it fulfils a condition on `state`."""
        self.page.wait_for_function(
            f"((state) => state && ({condition}))(window.states.at(-1))", timeout=10_000
        )
        return self.page.evaluate("window.states.at(-1)")


@pytest.fixture(scope="module")
def blank(chromium: Browser) -> Iterator[Page]:
    """A page that can import our modules."""
    page = chromium.new_page()
    page.route(f"{ORIGIN}/**", serve)
    page.goto(ORIGIN + "/")
    yield page
    page.close()


@pytest.fixture(scope="module")
def open_widget(chromium: Browser) -> Iterator[Callable[..., WidgetPage]]:
    """`open_widget(module, data, width=…, **context options)`; any error of the page fails."""
    problems: list[str] = []
    contexts = []

    def begin(module: str, data: dict[str, Any], width: int = 760, **options: Any) -> WidgetPage:
        context = chromium.new_context(viewport={"width": width, "height": 1000}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on(
            "console", lambda line: problems.append(line.text) if line.type == "error" else None
        )
        page.route(f"{ORIGIN}/**", serve)
        page.goto(ORIGIN + "/")
        widget = WidgetPage(page)
        widget.mount(module, data)
        widget.root.wait_for()
        return widget

    yield begin
    for context in contexts:
        context.close()
    assert not problems, "\n".join(problems)
