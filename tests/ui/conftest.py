"""Pages run by Streamlit's own test harness, against a real hub installed for them."""

from collections.abc import Iterator

import pytest

from bnviz.live import install_hub
from tests.live.conftest import LiveHub, serving


@pytest.fixture(scope="session")
def live() -> Iterator[LiveHub]:
    """One hub with one worker for all pages."""
    limits = {"runs_per_owner": 99, "max_runs": 99, "starts_per_minute": 999}
    with serving(workers=1, **limits) as hub:
        before = install_hub(hub.hub)
        yield hub
        install_hub(before)
