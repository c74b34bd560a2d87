"""Fixture: a run on the server of `client` (see `tests/live/conftest.py`)."""

from __future__ import annotations

import json

import pytest
from starlette.testclient import TestClient

from bnviz.live import current_hub
from tests.live.conftest import OWNER, SMALL, until


@pytest.fixture(scope="module")
def run(client: TestClient) -> str:
    """Run paused after 15 steps, with its measurements complete."""
    hub = current_hub()
    run = hub.start(OWNER, SMALL, pace="fast", paused=True)
    until(lambda: len(hub.registry.runs[run].history))
    for _ in range(15):
        hub.step(OWNER, run)
    until(lambda: hub.info(run).step == 15)
    until(lambda: _rests(run))
    return run


def _rests(run: str) -> bool:
    """Return whether every probe of the last frame was measured at the frame's own step."""
    last = json.loads([*current_hub().registry.runs[run].history][-1].body)
    measured = [network["measured_at"] for network in last["networks"].values()]
    return all("sharpness" in at and set(at.values()) == {last["step"]} for at in measured)
