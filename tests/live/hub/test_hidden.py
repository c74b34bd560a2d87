"""A page that is out of view keeps its run, but does not keep it awake."""

from __future__ import annotations

import json

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from bnviz.live import current_hub
from bnviz.live.settings import Settings
from bnviz.live.web.app_parts import lifespan_of, routes
from tests.live.conftest import OWNER, SMALL, serving, until

SHORT = {"grace_seconds": 0.2, "lease_seconds": 0.6, "workers": 1}


@pytest.fixture(scope="module")
def hub():
    with serving(Settings(**SHORT)) as live:
        yield live


def hide(live, watcher, hidden: bool) -> None:
    live.call(lambda: live.hub.viewer_api.hide(watcher.run, watcher.viewer, hidden))


def test_a_run_whose_pages_are_all_hidden_sleeps_and_wakes_when_one_is_shown(hub):
    run, seen = (hub.hub.start(OWNER, SMALL) for _ in range(2))
    first, second = hub.watch(run), hub.watch(run)
    _visible, beside = hub.watch(seen), hub.watch(seen)
    for watcher in (first, second, beside):
        hide(hub, watcher, hidden=True)
    until(lambda: hub.info(run).reason == "unwatched")
    assert hub.info(run).status == "paused"
    # Longer unseen than an unwatched run is kept: one that nobody watches ends meanwhile.
    forgotten = hub.hub.start(OWNER, SMALL)
    until(lambda: hub.hub.info(forgotten) is None)
    assert hub.info(run).reason == "unwatched"
    assert hub.info(seen).status == "running", "one page of it is in view"
    step = hub.info(run).step
    hide(hub, second, hidden=False)
    assert hub.info(run).status == "running", "at once, not when its turn comes"
    second.frame_at(step + 3)


def test_a_page_that_says_it_is_hidden_is_believed():
    app = Starlette(routes=routes(), lifespan=lifespan_of(Settings(**SHORT)))
    with TestClient(app) as client:
        hub = current_hub()
        run = hub.start(OWNER, SMALL)
        address = f"/live/{run}"
        with client.websocket_connect(address, headers={"origin": "http://testserver"}) as socket:
            socket.send_text(json.dumps({"type": "hidden", "hidden": True}))
            until(lambda: hub.info(run).reason == "unwatched")
            socket.send_text(json.dumps({"type": "hidden", "hidden": False}))
            until(lambda: hub.info(run).status == "running")
