"""Pages run by Streamlit's own test harness, against a real hub installed for them."""

from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest
import streamlit.runtime.context
from streamlit.testing.v1 import AppTest

from bnviz.live import install_hub
from bnviz.live.web.owner import COOKIE, issuer
from bnviz.ui.places import ROOT
from tests.live.conftest import LiveHub, serving


@pytest.fixture(scope="session")
def live() -> Iterator[LiveHub]:
    """One hub with one worker for all pages."""
    limits = {"runs_per_owner": 99, "max_runs": 99, "starts_per_minute": 999}
    with serving(workers=1, **limits) as hub:
        before = install_hub(hub.hub)
        yield hub
        install_hub(before)


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """What a page's socket brings along; Streamlit's harness has no way to say it."""
    visitor = SimpleNamespace(cookies={}, headers=[], remote_ip="192.0.2.1")
    monkeypatch.setattr(streamlit.runtime.context, "_get_client_context", lambda: visitor)
    return visitor


@pytest.fixture
def first_look(live: LiveHub, browser: SimpleNamespace) -> Callable[..., AppTest]:
    """Opens the lab at an address; returns the page as a browser gets it first.

    Every page is another browser's, with a cookie of its own or the one given ("": with none).
    """

    def open_page(cookie: str | None = None, /, **query: str) -> AppTest:
        browser.cookies = {COOKIE: issuer().signer.new() if cookie is None else cookie}
        page = AppTest.from_file(str(ROOT / "bnviz" / "ui" / "shell.py"), default_timeout=30)
        for name, value in query.items():
            page.query_params[name] = value
        return _run(page)

    return open_page


@pytest.fixture
def open_lab(first_look: Callable[..., AppTest]) -> Callable[..., AppTest]:
    """Opens the lab at an address; returns the page once its live view stands."""

    def open_page(cookie: str | None = None, /, **query: str) -> AppTest:
        page = first_look(cookie, **query)
        page.session_state["lab"].drawn = True  # as the live view says in a browser
        return _run(page)

    return open_page


@pytest.fixture
def open_unfolded(open_lab: Callable[..., AppTest]) -> Callable[..., AppTest]:
    """Opens the lab, and then everything that is folded away in it."""

    def open_page(cookie: str | None = None, /, **query: str) -> AppTest:
        page = open_lab(cookie, **query)
        for group in ("more_norms", "ablations", "more"):
            page.session_state[f"fold_{group}"] = True
        return _run(page)

    return open_page


def _run(page: AppTest) -> AppTest:
    page.run()
    assert not page.exception, [problem.message for problem in page.exception]
    return page
