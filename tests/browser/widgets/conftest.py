"""Fixtures for widgets on a test page: no server, only the files under `assets/`."""

from __future__ import annotations

import functools
import mimetypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Route

from bnviz.experiment import Experiment
from bnviz.live.contract import CONTRACT_FILE, contract_module
from bnviz.trained import RECIPES
from bnviz.trained.packed import pack, trained

ASSETS = Path(__file__).parents[3] / "assets"
ORIGIN = "http://widgets.test"
# Page that mounts a module as Streamlit does, and records the values sent to the script.
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,">
<title>widget</title><meta name="viewport" content="width=device-width,initial-scale=1">
<link rel="stylesheet" href="/assets/v1/kit.css">
<style>body { margin: 0; padding: 12px; font: 16px/1.5 sans-serif; }</style>
<main id="place"></main><script type="module">
window.states = [];
window.heard = [];
window.mountWidget = async (module, data, ground = ["#fff", "#14181e"]) => {
  const { default: mount } = await import(`/assets/v1/${module}`);
  document.body.style.background = ground[Number(Boolean(data.dark))];
  window.cleanup = mount({ parentElement: document.getElementById("place"), data,
    setStateValue: (name, value) => window.states.push(value),
    setTriggerValue: (name, value) => window.heard.push([name, value]) });
  // It links its styles: before they are here, nothing has its size.
  const styled = [...document.querySelectorAll("link[rel=stylesheet]")].filter((one) => !one.sheet);
  await Promise.all(styled.map((one) => new Promise((done) => one.addEventListener("load", done))));
};
// The end of a visit: the place goes, as Streamlit takes it away. Returns what stayed on the page.
window.leave = () => {
  const place = Object.assign(document.createElement("main"), { id: "place" });
  document.getElementById("place")?.replaceWith(place);
  window.cleanup?.();
  Object.assign(window, { states: [], heard: [], cleanup: null });
  document.body.removeAttribute("style");
  sessionStorage.clear();
  localStorage.clear();
  window.scrollTo(0, 0);
  return !place.isConnected || Boolean(document.querySelector("body > :not(#place, script)"));
};
</script>"""


@functools.cache
def trained_run(name: str) -> Experiment:
    """Return the trained run of a recipe. Tests must not modify it."""
    return trained(RECIPES[name])


@functools.cache
def trained_networks(name: str) -> bytes:
    """Return the packed networks of a recipe as the server writes them."""
    return pack(trained_run(name))


def serve(route: Route) -> None:
    """Fulfill a page's request from the asset files."""
    path = route.request.url.removeprefix(ORIGIN)
    if path == "/":
        route.fulfill(body=PAGE, content_type="text/html")
        return
    if path == f"/assets/v1/{CONTRACT_FILE}":
        route.fulfill(body=contract_module(), content_type="text/javascript")
        return
    if path.startswith("/trained/"):
        route.fulfill(body=trained_networks(path.removeprefix("/trained/")))
        return
    if path.startswith("/tests/"):
        file = Path(__file__).parent / path.removeprefix("/tests/")
    else:
        file = ASSETS / path.removeprefix("/assets/v1/")
    if not file.is_file():  # only a server has it
        route.fulfill(status=404)
        return
    route.fulfill(body=file.read_bytes(), content_type=mimetypes.guess_type(file)[0] or "")


class Pages:
    """Pool of pages, because opening a page takes longer than most tests.

    Attributes:
        problems: console errors and uncaught exceptions of the pages in use.
    """

    def __init__(self, chromium: Browser) -> None:
        self._chromium = chromium
        self._idle: list[Page] = []
        self.problems: list[str] = []

    def take(self, width: int, height: int, **options: Any) -> Page:
        """Return an empty page at the address of `PAGE`, without storage.

        Args:
            **options: browser context options. A page with options is not reused.
        """
        size = {"width": width, "height": height}
        if self._idle and not options:
            page = self._idle.pop()
            page.set_viewport_size(size)  # type: ignore[arg-type]
            return page
        context = self._chromium.new_context(viewport=size, **options)  # type: ignore[arg-type]
        context.set_default_timeout(240_000)
        context.route(f"{ORIGIN}/**", serve)
        page = context.new_page()
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", self._note)
        page.goto(ORIGIN + "/")
        return page

    def _note(self, line: ConsoleMessage) -> None:
        # Some tests cover missing servers and files on purpose.
        if line.type == "error" and not line.text.startswith("Failed to load resource"):
            self.problems.append(line.text)

    def give_back(self, page: Page, *, again: bool = True) -> None:
        """Clear a page for reuse, or close it if `again` is false."""
        if not again:
            page.context.close()
            return
        # Reload only if something is left on the page, because a reload is slow.
        if page.evaluate("window.leave ? leave() : true"):
            # Leave the page before removing its routes, so that its pending requests end first.
            # Otherwise a request would be answered twice, which breaks the page's next request.
            page.goto("about:blank")
            page.unroute_all(behavior="ignoreErrors")
            page.goto(ORIGIN + "/")
            page.evaluate("leave()")
        # Wait until each request of a feed has been answered by its own route, and only then remove
        # the routes.
        page.unroute_all(behavior="wait")
        page.mouse.up()
        page.mouse.move(0, 0)
        self._idle.append(page)


@pytest.fixture(scope="session")
def pages(chromium: Browser) -> Pages:
    return Pages(chromium)


@contextmanager
def taking(pages: Pages) -> Iterator[Callable[..., Page]]:
    """Yield a function that takes pages from the pool. Return the pages to the pool afterwards.
    Page errors fail the test.
    """
    taken: list[tuple[Page, bool]] = []

    def take(width: int, height: int, **options: Any) -> Page:
        page = pages.take(width, height, **options)
        taken.append((page, not options))
        return page

    yield take
    for page, again in taken:
        pages.give_back(page, again=again)
    problems, pages.problems = pages.problems, []
    assert not problems, "\n".join(problems)


class WidgetPage:
    """A page with one widget on it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.root: Locator = page.locator(".bnviz-widget")

    def mount(self, module: str, data: dict[str, Any]) -> None:
        """Mount a widget, or update the mounted one as a rerun of the script does."""
        self.page.evaluate("(asked) => window.mountWidget(...asked)", [module, data])

    def begin_again(self, module: str, data: dict[str, Any], *, kept: str = "") -> None:
        """Mount a widget as on a new visit.

        Args:
            kept: JavaScript to run before mounting, such as filling the browser's storage.
        """
        self.page.evaluate(f"leave(); {kept}")
        self.mount(module, data)

    def values(self, condition: str = "true") -> Any:
        """Return the unrounded values behind the widget's sentence, once its `state` fulfils a
        condition.
        """
        root = "document.querySelector('.bnviz-widget')"
        fulfilled = f"((state) => state && ({condition}))({root}.values)"
        self.page.wait_for_function(fulfilled, timeout=10_000)
        return self.page.evaluate(f"{root}.values")

    def heard(self, condition: str) -> Any:
        """Return the last value sent to the script, once `state` fulfils a condition."""
        self.page.wait_for_function(
            f"((state) => state && ({condition}))(window.states.at(-1))", timeout=10_000
        )
        return self.page.evaluate("window.states.at(-1)")


@pytest.fixture(scope="session")
def blank(pages: Pages) -> Page:
    """Return a page that can import the project's modules."""
    return pages.take(1100, 900)


@pytest.fixture(scope="module")
def open_widget(pages: Pages) -> Iterator[Callable[..., WidgetPage]]:
    """Yield `open_widget(module, data, width=…, **context options)`. Page errors fail the test."""
    with taking(pages) as take:

        def begin(module: str, data: dict[str, Any], width: int = 760, **options: Any):
            widget = WidgetPage(take(width, 1000, **options))
            widget.mount(module, data)
            widget.root.wait_for()
            return widget

        yield begin
