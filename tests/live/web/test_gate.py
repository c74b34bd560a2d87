"""What the gate takes away from requests, and what it refuses."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from bnviz.live.web.gate import STREAM, Gate
from tests.every_case import every_case


@pytest.fixture(scope="module")
def client():
    async def cookies(request: Request) -> PlainTextResponse:
        return PlainTextResponse("|".join(request.headers.getlist("cookie")))

    async def stream(websocket: WebSocket) -> None:
        await websocket.accept()
        await websocket.send_text(websocket.headers.get("cookie", ""))
        await websocket.close()

    routes = [
        Route("/", cookies), Route("/_stcore/upload_file/a/b", cookies, methods=["PUT", "GET"]),
        WebSocketRoute(STREAM, stream), WebSocketRoute(f"/x{STREAM}", stream),
    ]  # fmt: skip
    return TestClient(Starlette(routes=routes, middleware=[Middleware(Gate)]))


@every_case(("sent", "passed_on"), [
    ("bnviz_lang=ja; other=1", "bnviz_lang=ja"),
    ("other=1;bnviz_owner=a.b ; _streamlit_xsrf=2|3", "bnviz_owner=a.b; _streamlit_xsrf=2|3"),
    ('bnviz_lang="ja"', ""), ("bnviz_lang=a\\\\b", ""), (f"bnviz_lang={'a' * 4_097}", ""),
    ("xbnviz_lang=ja", ""), ("", ""), (";;=;", ""),
])  # fmt: skip
def test_only_our_cookies_are_passed_on(client, sent, passed_on):
    assert client.get("/", headers={"cookie": sent}).text == passed_on


def test_a_socket_has_only_our_cookies_too(client):
    headers = {"cookie": "other=1; bnviz_lang=ja", "origin": "http://testserver"}
    with client.websocket_connect(STREAM, headers=headers) as socket:
        assert socket.receive_text() == "bnviz_lang=ja"


@every_case("method", ["GET", "PUT"])
def test_a_file_is_refused(client, method):
    assert client.request(method, "/_stcore/upload_file/a/b", content=b"x").status_code == 403


@every_case("origin", ["https://elsewhere.example", "null", "http://testserver:81", ""])
def test_a_page_of_another_site_gets_no_socket(client, origin):
    for path in (STREAM, f"/x{STREAM}"):
        opening = client.websocket_connect(path, headers={"origin": origin})
        with pytest.raises(WebSocketDisconnect) as refused, opening:
            pass
        assert refused.value.code == 1008


def test_a_program_has_no_origin(client):
    with client.websocket_connect(STREAM) as socket:
        assert socket.receive_text() == ""
