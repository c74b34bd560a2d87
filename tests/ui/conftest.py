"""Fixtures that run pages in Streamlit's own test harness, with a real hub."""

import sys
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path

import pytest
import streamlit.runtime.context
from streamlit.testing.v1 import AppTest

from bnviz.charts import CHARTS
from bnviz.live import install_hub
from bnviz.live.web.owner import COOKIE, issuer
from bnviz.ui import chart_templates
from bnviz.ui.sitemap import PAGES
from tests.conftest import ROOT
from tests.live.conftest import MANY, LiveHub, serving, until
from tests.live.stub_worker import SHOW, write_worker
from tests.ui.handed_over import drawn

FOLDS = ("more_norms",)
# Code of the worker for the pages. It confirms changes but does not train, because no test reads
# the frames of these runs.
CONFIRM = """
        elif header["type"] == "set_knobs":
            change = {"step": 0, "values": header["values"], "drag": header["drag"]}
            known = {"run": header["run"], "generation": header["generation"]}
            say({"type": "changed", "number": header["number"], "change": change, "planned": None,
                 "step": 0, "origin": 0, "pause_at": 1000, "target": 1000, **known})"""


@pytest.fixture(scope="session")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveHub]:
    """Hub for the pages of all modules."""
    write_worker(worker := tmp_path_factory.mktemp("ui") / "worker", hears=SHOW + CONFIRM)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "executable", str(worker))
        with serving(workers=1, **MANY) as hub:
            until(hub.all_ready)
            patch.undo()
            yield hub


@pytest.fixture(scope="module")
def live(hub: LiveHub) -> Iterator[LiveHub]:
    """Install the hub of the fixture `hub` for the pages of a module."""
    before = install_hub(hub.hub)
    yield hub
    install_hub(before)
    hub.empty()


@pytest.fixture(scope="module")
def trained() -> Iterator[LiveHub]:
    """Hub whose worker really trains, installed for the pages of a module."""
    with serving(workers=1, **MANY) as live:
        before = install_hub(live.hub)
        yield live
        install_hub(before)


class Browser:
    """Stand-in for a page's request as Streamlit presents it. The cookies are also in a header."""

    def __init__(self) -> None:
        self.cookies: dict[str, str] = {}
        self.remote_ip, self.other_headers = "192.0.2.1", []

    @property
    def headers(self) -> list[tuple[str, str]]:
        line = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return [("Cookie", line), *self.other_headers]

    @headers.setter
    def headers(self, others: list[tuple[str, str]]) -> None:
        self.other_headers = others


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Yield the visitor's request, which Streamlit's harness cannot set itself."""
    visitor = Browser()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streamlit.runtime.context, "_get_client_context", lambda: visitor)
        yield visitor


@pytest.fixture(scope="module")
def open_page(live: LiveHub, browser: Browser) -> Callable[..., AppTest]:
    """Return a function that opens a page at an address and returns the page as first rendered.

    The script `None` opens the root page. As in a move within the app, no server redirects the
    address. Each page has a new browser with its own cookie, or with the given cookie (an empty
    text: no cookie).
    """

    def opened(script: Path | None, cookie: str | None = None, /, **query: str) -> AppTest:
        browser.cookies = {COOKIE: issuer().signer.new() if cookie is None else cookie}
        page = AppTest.from_file(str(ROOT / "bnviz" / "ui" / "shell.py"), default_timeout=60)
        if script is not None:
            page.switch_page(str(script))
        for name, value in query.items():
            page.query_params[name] = value
        return drawn(page)

    return opened


class OneInTheLab(dict):
    """All charts by name. When the lab lists the charts, the list contains only the loss chart."""

    def values(self):
        return [self["loss"]]


@pytest.fixture(scope="session")
def loss_templates() -> Callable:
    """Return the app's `build_charts` with its own cache, for the reduced list of charts."""
    return lru_cache(maxsize=64)(chart_templates.build_charts.__wrapped__)


@pytest.fixture
def one_chart(monkeypatch: pytest.MonkeyPatch, loss_templates: Callable) -> None:
    """Reduce the lab to one chart, for tests that read no charts.

    Most of a page's time goes into building all charts for each new setting. `tests/charts` builds
    every chart for every kind of run.
    """
    monkeypatch.setattr(chart_templates, "CHARTS", OneInTheLab(CHARTS))
    monkeypatch.setattr(chart_templates, "build_charts", loss_templates)


@pytest.fixture(scope="module")
def first_look(open_page: Callable[..., AppTest]) -> Callable[..., AppTest]:
    """Return a function that opens the lab at an address and returns the lab as first rendered."""
    return partial(open_page, PAGES["lab"].script)


@pytest.fixture(scope="module")
def open_lab(first_look: Callable[..., AppTest]) -> Callable[..., AppTest]:
    """Return a function that opens the lab at an address and returns it with its live view."""

    def open_page(cookie: str | None = None, /, *, folds: tuple[str, ...] = (), **query: str):
        page = first_look(cookie, **query)
        page.session_state["lab"].view_drawn = True  # in a browser, the live view reports this
        for group in folds:
            page.session_state[f"fold_{group}"] = True
        return drawn(page)

    return open_page


@pytest.fixture(scope="module")
def open_unfolded(open_lab: Callable[..., AppTest]) -> Callable[..., AppTest]:
    """Return a function that opens the lab with all folds open."""
    return partial(open_lab, folds=FOLDS)


@pytest.fixture(scope="module")
def unfolded(open_unfolded: Callable[..., AppTest]) -> AppTest:
    """Lab with all folds open. Tests must not change it."""
    return open_unfolded()
