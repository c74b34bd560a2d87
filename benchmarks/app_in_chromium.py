"""The app as served, and a page of it in headless Chromium, for the benchmarks."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import ARGUMENTS, CHROMIUM, Server
from tests.browser.lab_page import LabPage


@contextlib.contextmanager
def app_page(path: str = "/lab", **environment: str) -> Iterator[LabPage]:
    """A fresh server and one visitor of it."""
    server = Server(**environment)
    try:
        with chromium_page() as page:
            page.goto(server.url + path)
            yield LabPage(page, [])
    finally:
        server.stop()


@contextlib.contextmanager
def chromium_page(height: int = 1000) -> Iterator[Page]:
    """A page 1440 wide in headless Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1440, "height": height})
        page.set_default_timeout(60_000)
        yield page
        browser.close()
