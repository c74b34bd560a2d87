"""The middleware `Gate`: what it removes from requests, and which requests it refuses."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from bnviz.live.settings import Settings
from bnviz.live.web.security import STREAM, Gate
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


def policy_of(answer):
    """Return the directives of a response's Content-Security-Policy, by name."""
    parts = answer.headers["content-security-policy"].split("; ")
    return {name: sources for name, *sources in map(str.split, parts)}


@every_case(("sent", "passed_on"), [
    ("bnviz_lang=ja; other=1", "bnviz_lang=ja"),
    ("other=1;bnviz_owner=a.b ; _streamlit_xsrf=2|3", "bnviz_owner=a.b; _streamlit_xsrf=2|3"),
    ("__Host-bnviz_owner=a.b; __Host-other=1", "__Host-bnviz_owner=a.b"),
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


@every_case(("path", "status"), [("/", 200), ("/nothing", 404), ("/_stcore/upload_file/a/b", 403)])
def test_every_answer_has_the_protective_headers(client, path, status):
    answer = client.get(path)
    assert answer.status_code == status
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "same-origin"
    policy = policy_of(answer)
    assert (policy["object-src"], policy["base-uri"]) == (["'none'"], ["'self'"])
    assert policy["img-src"] == ["'self'", "data:", "blob:"], "no picture of another site"
    assert policy["frame-ancestors"] == ["'self'"]


def test_by_default_every_site_may_frame_a_page_that_is_only_watched(client):
    for query in ("embed=1", "preset=spirals&embed=true"):
        assert "frame-ancestors" not in policy_of(client.get(f"/?{query}"))
    for query in ("embed=0", "embed=1&embed=0", "lang=ja"):
        assert policy_of(client.get(f"/?{query}"))["frame-ancestors"] == ["'self'"]


@every_case(("host", "sockets"), [
    ("a.example:8501", ["ws://a.example:8501", "wss://a.example:8501"]), ("[::1]:8501", []),
    ("a.example; script-src *", []), ("a.example *", []),
])  # fmt: skip
def test_the_policy_names_the_sockets_of_the_host_that_was_asked(client, host, sockets):
    policy = policy_of(client.get("/", headers={"host": host}))
    assert policy["connect-src"] == ["'self'", *sockets]
    assert "*" not in policy["script-src"]


@every_case(("setting", "sites"), [
    ("self", ["'self'", "'self'"]),
    ("https://moodle.example https://*.school.example:8443",
     ["'self'", "https://moodle.example", "https://*.school.example:8443"]),
])  # fmt: skip
def test_the_sites_that_may_frame_the_app_are_a_setting(setting, sites):
    app = Starlette(middleware=[Middleware(Gate, settings=Settings(frame_ancestors=setting))])
    assert policy_of(TestClient(app).get("/"))["frame-ancestors"] == sites


def test_an_answer_keeps_the_headers_of_its_own():
    own = {"content-security-policy": "default-src 'none'", "referrer-policy": "no-referrer"}

    async def page(_request: Request) -> PlainTextResponse:
        return PlainTextResponse("", headers=own)

    app = Starlette(routes=[Route("/", page)], middleware=[Middleware(Gate)])
    headers = TestClient(app).get("/").headers
    assert {name: headers[name] for name in own} == own
    assert headers["x-content-type-options"] == "nosniff"
