"""A server refuses pages while it still has file descriptors left to send the refusal."""

import gc

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from bnviz.live.web import descriptors
from bnviz.live.web.security import STREAM
from bnviz.words.texts import text

PAGE = {"accept": "text/html"}


@pytest.fixture
def client():
    async def page(_request: Request) -> PlainTextResponse:
        return PlainTextResponse("a page")

    async def stream(websocket: WebSocket) -> None:
        await websocket.accept()
        await websocket.close()

    routes = [Route("/lab", page), WebSocketRoute(STREAM, stream)]
    return TestClient(Starlette(routes=routes, middleware=[Middleware(descriptors.RoomForPages)]))


@pytest.fixture
def full(monkeypatch):
    # Replace only the limit. Other servers in this test process also count descriptors, so the
    # count must stay real.
    almost_all = descriptors.RESERVE // 2
    monkeypatch.setattr(descriptors, "limit", lambda: descriptors.used() + almost_all)


def test_a_page_is_refused_with_a_sentence_in_its_language(client, full):
    answer = client.get("/lab?lang=ja", headers=PAGE)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "30")
    assert text("errors.server_full", "ja") in answer.text
    with pytest.raises(WebSocketDisconnect) as refused, client.websocket_connect(STREAM):
        pass
    assert refused.value.code == 1013


def test_what_opens_no_page_is_answered(client, full):
    assert client.get("/lab", headers={"accept": "application/json"}).text == "a page"


def test_with_room_pages_open(client):
    assert client.get("/lab", headers=PAGE).text == "a page"
    with client.websocket_connect(STREAM):
        pass


def test_garbage_is_collected_before_a_page_is_refused(client, monkeypatch):
    """An unreferenced event loop keeps its descriptors until garbage is collected."""
    left = [1_000]
    monkeypatch.setattr(descriptors, "limit", lambda: 1_024)
    monkeypatch.setattr(descriptors, "used", lambda: left[0])
    monkeypatch.setattr(gc, "collect", lambda: left.__setitem__(0, 500))
    assert client.get("/lab", headers=PAGE).status_code == 200


def test_a_flood_of_pages_does_not_collect_garbage_again_and_again(client, full, monkeypatch):
    """A garbage collection blocks all other requests, so it must not run for every page."""
    collected = []
    monkeypatch.setattr(gc, "collect", lambda: collected.append(1))
    monkeypatch.setattr(descriptors, "GARBAGE_SECONDS", 3600)
    for _ in range(20):
        assert client.get("/lab", headers=PAGE).status_code == 503
    assert len(collected) == 1


def test_the_limit_is_raised_as_far_as_the_system_allows(monkeypatch):
    given = {"now": (1_024, 4_096)}
    monkeypatch.setattr(descriptors.resource, "getrlimit", lambda _which: given["now"])
    monkeypatch.setattr(
        descriptors.resource, "setrlimit", lambda _which, wanted: given.update(now=wanted)
    )
    descriptors.raise_limit()
    assert given["now"] == (4_096, 4_096)
    assert descriptors.limit() == 4_096
    assert 0 < descriptors.used() < 4_096
