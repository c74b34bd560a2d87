"""Our routes, lifespan and middleware in a bare Starlette, with one real worker behind them."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from bnviz.live import current_hub, install_hub
from bnviz.live.app import lifespan_of, middleware, routes
from bnviz.live.hub import Hub
from bnviz.live.settings import Settings
from tests.live.conftest import MANY, OWNER, SMALL, until


@pytest.fixture(scope="session")
def served() -> Iterator[tuple[TestClient, Hub]]:
    """The app under `/x`, for the tests of all modules, and its hub."""
    limits = Settings(workers=1, grace_seconds=3000, **MANY)
    app = Starlette(routes=routes("/x"), lifespan=lifespan_of(limits), middleware=middleware)
    with TestClient(app) as client:
        yield client, current_hub()


@pytest.fixture(scope="module")
def client(served: tuple[TestClient, Hub]) -> Iterator[TestClient]:
    """The app as a browser without cookies finds it; its hub is the current one."""
    client, hub = served
    client.cookies.clear()
    before = install_hub(hub)
    yield client
    install_hub(before)


@pytest.fixture(scope="module")
def run(client: TestClient) -> str:
    """A run at a standstill after some steps."""
    hub = current_hub()
    run = hub.start(OWNER, SMALL, pace="fast", paused=True)
    until(lambda: hub.viewers.kept(run))
    for _ in range(15):
        hub.step(OWNER, run)
    until(lambda: hub.info(run).step == 15)
    until(lambda: _rests(run))
    return run


def _rests(run: str) -> bool:
    """Whether all of the last frame is of its step: what takes long is measured after it."""
    last = json.loads(current_hub().viewers.kept(run)[-1].body)
    measured = [network["measured_at"] for network in last["networks"].values()]
    return all("sharpness" in at and set(at.values()) == {last["step"]} for at in measured)
