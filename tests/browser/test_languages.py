"""Every page in a made-up language, in Chinese and in Japanese: no word of another one, all fits,
and the header lies over all of it.

The made-up one under a base path: no page, chart or frame of the past is looked for elsewhere.
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
# Pages that are longer than the window, whatever its width.
CAN_SCROLL = [PAGES[name].path for name in ("lessons", "lab", "claims", "about")]
# Of the languages that people read also a laptop.
MORE_WIDTHS = (1440, 1280, 1024, 390)
# In Chinese and Japanese: an English term in brackets, a paper, a part of a library.
TERMS = (
    r"（[A-Za-z][^（）]*）|[，；、][A-Za-z][A-Za-z ]*(?=[）；，、])"
    r"|[A-Z][A-Za-zé’. &-]* (?:et al\. )?\d{4}|(?:PyTorch|Keras)：[\w.]+"
)
# Names that are the same in every language: they stand in addresses and commands.
NAMES = ["bnviz"]
STILL = "document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"
SCROLLS = """[...document.querySelectorAll("[data-testid=stMain], [data-testid=stSidebarContent]")]
  .some(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight)"""
# The live views that a page shows have drawn (a lesson may keep one back); what else it has stands.
DRAWN = """[...document.querySelectorAll('[data-testid=live-view]')]
  .every(view => view.dataset.seq || !view.checkVisibility())"""

# Han and kana have no italics: a browser would only slant them.
LEANING = r"""() => [...document.querySelectorAll("body *")]
  .filter(element => element.checkVisibility() && getComputedStyle(element).fontStyle === "italic"
    && [...element.childNodes].some(node => node.nodeType === 3
      && /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u.test(node.data)))
  .map(element => `italic: ${element.textContent.slice(0, 60)}`)"""


def paths() -> list[Any]:
    """Every page; by `make verify` the lessons too.

    The page of the lessons opens with the first one. That the words of all are in their language
    is held by tests/ui/lessons/test_language.py.
    """
    return [page.path for page in PAGES.values()] + [
        pytest.param(f"lessons?lesson={name}", marks=pytest.mark.verify) for name in LESSONS
    ]


@pytest.fixture(scope="module")
def made_up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that has the made-up language too, under a base path."""
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
        if path in CAN_SCROLL:  # where nothing scrolls, the header could not be lost
            page.wait_for_function(f"() => {SCROLLS}")
        found += [f"at {width} px: {wide}" for wide in too_wide(page)]
        stays_above(page)
    assert not found, "\n".join(found)
    assert not tab.problems


def read_pages() -> list[Any]:
    """Every page and lesson in each language; a single one where it is not `make verify`."""
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
    """What stays too wide: charts take their time to follow the window."""
    try:
        page.wait_for_function(
            f"exempt => ({TOO_WIDE})(exempt).length === 0", arg=EXEMPT, polling=250
        )
    except TimeoutError:
        wide: list[str] = page.evaluate(TOO_WIDE, EXEMPT)
        return wide
    return []


def goes_back(lab: LabPage) -> None:
    """Pause, look at a frame of the past, which is had from the server, and come back."""
    lab.until_step(2).pause()
    line = lab.view.locator(".bnviz-timeline input")
    line.focus()
    line.press("Home")
    lab.wait("Number(view.step) === 0 && view.time === 'pinned'")
    line.press("Escape")
    lab.wait("view.time === 'live'")


def in_dialogs(page: Page) -> list[str]:
    """What is left in English of what the lab opens only when it is asked."""
    found = []
    for opener in ("[data-control=share]", "[data-control=export]", ".bnviz-add"):
        if not page.locator(opener).first.is_visible():  # it has no room, and stands in the menu
            page.locator(".bnviz-others-more").click()
        page.locator(opener).first.click()
        page.wait_for_selector("dialog[open]")
        found += page.evaluate(LEFT_IN_ENGLISH, [EXEMPT, NAMES])
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog[open]", state="detached")
    return found
