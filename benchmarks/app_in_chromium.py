"""Start the app and open its pages in headless Chromium, for benchmarks."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import ARGUMENTS, CHROMIUM, Server
from tests.browser.lab_page import LabPage


@contextlib.contextmanager
def app_page(path: str = "/lab", **environment: str) -> Iterator[LabPage]:
    """Start a server, open one of its pages in Chromium, and yield the page."""
    server = Server(**environment)
    try:
        with chromium_page() as page:
            page.goto(server.url + path)
            yield LabPage(page, [])
    finally:
        server.stop()


@contextlib.contextmanager
def chromium_page(height: int = 1000) -> Iterator[Page]:
    """Yield a page in headless Chromium, 1440 pixels wide."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1440, "height": height})
        page.set_default_timeout(60_000)
        yield page
        browser.close()
