"""Fixtures for lesson pages in Streamlit's test harness. Their runs are at step 0 by default."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pytest

from bnviz.live import current_hub
from bnviz.records import Snapshot
from bnviz.ui.sitemap import PAGES


@pytest.fixture(scope="module")
def lessons(open_page):
    """Return a function that opens a lesson at an address."""
    return partial(open_page, PAGES["lessons"].script)


@pytest.fixture
def became(monkeypatch):
    """Return a function that replaces the hub's run information, and optionally its snapshots."""

    def say(snapshots: Sequence[Snapshot] | None = None, **changes):
        hub, known = type(current_hub()), current_hub().info
        monkeypatch.setattr(
            hub, "info", lambda _self, run: (info := known(run)) and replace(info, **changes)
        )
        if snapshots is not None:
            monkeypatch.setattr(hub, "snapshots", lambda _self, run: snapshots)

    return say
