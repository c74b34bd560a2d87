"""Pages run by Streamlit's own test harness, against a real hub installed for them."""

from collections.abc import Callable, Iterator

import pytest
from streamlit.testing.v1 import AppTest

from bnviz.live import install_hub
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
def open_lab(live: LiveHub) -> Callable[..., AppTest]:
    """Opens the lab at an address; returns the page once its script has run."""

    def open_page(**query: str) -> AppTest:
        page = AppTest.from_file(str(ROOT / "bnviz" / "ui" / "shell.py"), default_timeout=30)
        for name, value in query.items():
            page.query_params[name] = value
        page.run()
        assert not page.exception, [problem.message for problem in page.exception]
        return page

    return open_page
