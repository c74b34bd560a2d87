"""Layout and translation of every page in a made-up language, in Chinese and in Japanese.

The server of the made-up language has a base path, so that requests outside this path fail.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, TimeoutError

from bnviz.lessons import LESSONS
from bnviz.ui.sitemap import PAGES
from bnviz.words.texts import ENGLISH, languages
from tests.browser.conftest import PATIENCE, Server
from tests.browser.lab_page import LabPage
from tests.browser.reading import EXEMPT, LEFT_IN_ENGLISH, TOO_WIDE
from tests.browser.tabs import OpenTab, Tabs
from tests.browser.test_header import stays_above
from tests.made_up_language import CODE, write_language
from tests.words.latin import allowed_in_latin, owed_words

WIDTHS = (1440, 1024, 390)
# Paths of pages that are longer than the window, whatever its width.
CAN_SCROLL = [PAGES[name].path for name in ("lessons", "lab", "claims", "about")]
# Window widths for real languages. They include the width of a laptop.
MORE_WIDTHS = (1440, 1280, 1024, 390)
# Pattern of English text that is allowed in Chinese and Japanese: terms in brackets, papers, and
# library classes.
TERMS = (
    r"（[A-Za-z][^（）]*）|[，；、][A-Za-z][A-Za-z ]*(?=[）；，、])"
    r"|[A-Z][A-Za-zé’. &-]* (?:et al\. )?\d{4}|(?:PyTorch|Keras)：[\w.]+"
)
# Names in addresses and commands, which are the same in every language.
NAMES = ["bnviz"]
STILL = "document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"
SCROLLS = """[...document.querySelectorAll("[data-testid=stMain], [data-testid=stSidebarContent]")]
  .some(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight)"""
# JavaScript that returns whether all visible live views have drawn a frame. A lesson may hide its
# live view.
DRAWN = """[...document.querySelectorAll('[data-testid=live-view]')]
  .every(view => view.dataset.seq || !view.checkVisibility())"""

# JavaScript function that returns Han and kana text in italics. These scripts have no italics, so
# browsers only slant the text.
LEANING = r"""() => [...document.querySelectorAll("body *")]
  .filter(element => element.checkVisibility() && getComputedStyle(element).fontStyle === "italic"
    && [...element.childNodes].some(node => node.nodeType === 3
      && /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u.test(node.data)))
  .map(element => `italic: ${element.textContent.slice(0, 60)}`)"""


def paths() -> list[Any]:
    """Return the path of every page and, under `make verify`, of every lesson.

    The lessons page opens with the first lesson. tests/ui/lessons/test_language.py checks the
    language of all lessons.
    """
    return [page.path for page in PAGES.values()] + [
        pytest.param(f"lessons?lesson={name}", marks=pytest.mark.verify) for name in LESSONS
    ]


@pytest.fixture(scope="module")
def made_up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Yield a server with a base path, which also has the made-up language."""
    write_language(folder := tmp_path_factory.mktemp("texts"))
    running = Server("/bn/viz", BNVIZ_TEXTS=str(folder), BNVIZ_WORKERS="1")
    yield running
    running.stop()


@pytest.fixture(scope="module")
def tab(tabs: Tabs, made_up: Server) -> Iterator[OpenTab]:
    tab = tabs.take(viewport={"width": WIDTHS[0], "height": 1000}, locale="en-US")
    tab.page.set_default_timeout(PATIENCE)
    yield tab
    tabs.give_back(tab, made_up.url + "/_stcore/health")


@pytest.fixture(scope="module")
def read(tabs: Tabs, server: Server) -> Iterator[OpenTab]:
    tab = tabs.take(viewport={"width": MORE_WIDTHS[0], "height": 1000}, locale="en-US")
    tab.page.set_default_timeout(PATIENCE)
    yield tab
    tabs.give_back(tab, server.url + "/_stcore/health")


def settled(page: Page) -> Page:
    page.wait_for_selector(".bnviz-pages", state="attached")
    page.wait_for_function(f"() => {STILL} && {DRAWN}")
    return page


@pytest.mark.parametrize("path", paths())
def test_every_word_of_a_page_is_in_its_language_and_fits(made_up, tab, path):
    page = tab.page
    tab.problems.clear()
    page.set_viewport_size({"width": WIDTHS[0], "height": 1000})
    page.goto(f"{made_up.url}/{path}{'&' if '?' in path else '?'}lang={CODE}")
    settled(page)
    assert page.evaluate("document.documentElement.lang") == CODE
    if path == PAGES["lab"].path:
        page.locator(".bnviz-drawer-toggle").click()
    found = page.evaluate(LEFT_IN_ENGLISH, [EXEMPT, NAMES])
    if path == PAGES["lab"].path:
        goes_back(LabPage(page, tab.problems))
        found += in_dialogs(page)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 844})
        settled(page)
        if path in CAN_SCROLL:  # on a shorter page, scrolling cannot hide the header
            page.wait_for_function(f"() => {SCROLLS}")
        found += [f"at {width} px: {wide}" for wide in too_wide(page)]
        stays_above(page)
    assert not found, "\n".join(found)
    assert not tab.problems


def read_pages() -> list[Any]:
    """Return all pairs of language and page. Only one pair is tested outside `make verify`."""
    every = [page.path for page in PAGES.values()] + [f"lessons?lesson={name}" for name in LESSONS]
    ordinary = ("ja", PAGES["lessons"].path)
    return [
        pytest.param(code, path, marks=() if (code, path) == ordinary else pytest.mark.verify)
        for code in languages() if code != ENGLISH for path in every
    ]  # fmt: skip


@pytest.mark.parametrize(("code", "path"), read_pages())
def test_a_page_is_in_its_language_alone_and_fits(server, read, code, path):
    page = read.page
    read.problems.clear()
    page.set_viewport_size({"width": MORE_WIDTHS[0], "height": 1000})
    page.goto(f"{server.url}/{path}{'&' if '?' in path else '?'}lang={code}")
    settled(page)
    assert page.evaluate("document.documentElement.lang") == code
    allowed = allowed_in_latin() | owed_words(code)
    found = page.evaluate(LEFT_IN_ENGLISH, [EXEMPT, sorted(allowed), TERMS])
    found += page.evaluate(LEANING)
    for width in MORE_WIDTHS:
        page.set_viewport_size({"width": width, "height": 1000})
        settled(page)
        found += [f"at {width} px: {wide}" for wide in too_wide(page)]
    assert not found, "\n".join(found)
    assert not read.problems


def too_wide(page: Page) -> list[str]:
    """Return elements that remain too wide after the charts have been resized."""
    try:
        page.wait_for_function(
            f"exempt => ({TOO_WIDE})(exempt).length === 0", arg=EXEMPT, polling=250
        )
    except TimeoutError:
        wide: list[str] = page.evaluate(TOO_WIDE, EXEMPT)
        return wide
    return []


def goes_back(lab: LabPage) -> None:
    """Pause the run, load an earlier frame from the server, and return to the live frame."""
    lab.until_step(2).pause()
    line = lab.view.locator(".bnviz-timeline input")
    line.focus()
    line.press("Home")
    lab.wait("Number(view.step) === 0 && view.time === 'pinned'")
    line.press("Escape")
    lab.wait("view.time === 'live'")


def in_dialogs(page: Page) -> list[str]:
    """Return English text left in the lab's dialogs."""
    found = []
    for opener in ("[data-control=share]", "[data-control=export]", ".bnviz-add"):
        # the button does not fit, so it is in the menu
        if not page.locator(opener).first.is_visible():
            page.locator(".bnviz-others-more").click()
        page.locator(opener).first.click()
        page.wait_for_selector("dialog[open]")
        found += page.evaluate(LEFT_IN_ENGLISH, [EXEMPT, NAMES])
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog[open]", state="detached")
    return found
