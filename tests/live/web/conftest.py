"""A run of the server that `client` asks (see `tests/live/conftest.py`)."""

from __future__ import annotations

import json

import pytest
from starlette.testclient import TestClient

from bnviz.live import current_hub
from tests.live.conftest import OWNER, SMALL, until


@pytest.fixture(scope="module")
def run(client: TestClient) -> str:
    """A run at a standstill after some steps."""
    hub = current_hub()
    run = hub.start(OWNER, SMALL, pace="fast", paused=True)
    until(lambda: len(hub.registry.runs[run].history))
    for _ in range(15):
        hub.step(OWNER, run)
    until(lambda: hub.info(run).step == 15)
    until(lambda: _rests(run))
    return run


def _rests(run: str) -> bool:
    """Whether all of the last frame is of its step: what takes long is measured after it."""
    last = json.loads([*current_hub().registry.runs[run].history][-1].body)
    measured = [network["measured_at"] for network in last["networks"].values()]
    return all("sharpness" in at and set(at.values()) == {last["step"]} for at in measured)
