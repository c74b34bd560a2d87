from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from bnviz.live.cut import CUT, Cuttable
from bnviz.live.origin import same_host
from bnviz.live.owner import COOKIE, OwnerCookie, owner_in


async def page(request):
    return PlainTextResponse(request.headers.get("cookie", ""))


def client(base_url: str = "http://testserver") -> TestClient:
    routes = [Route("/{path:path}", page)]
    app = Starlette(routes=routes, middleware=[Middleware(OwnerCookie)])
    return TestClient(app, base_url=base_url)


PAGE = {"accept": "text/html,*/*", "sec-fetch-dest": "document"}


def test_a_first_visit_gets_a_secret_of_256_bits_that_scripts_cannot_read():
    answer = client().get("/", headers=PAGE)
    assert len(bytes.fromhex(answer.cookies[COOKIE])) == 32
    for word in ("HttpOnly", "SameSite=Strict", "Path=/", "Max-Age="):
        assert word in answer.headers["set-cookie"]
    assert "Secure" not in answer.headers["set-cookie"]


def test_every_browser_gets_another_secret():
    assert len({client().get("/", headers=PAGE).cookies[COOKIE] for _ in range(5)}) == 5


def test_over_https_the_cookie_stays_on_https():
    answer = client("https://testserver").get("/", headers=PAGE)
    assert "; Secure" in answer.headers["set-cookie"]


def test_a_secret_is_kept():
    browser = client()
    browser.get("/", headers=PAGE)
    assert "set-cookie" not in browser.get("/", headers=PAGE).headers


@pytest.mark.parametrize("value", ["", "x", "A" * 64, "0" * 63, "0" * 65, '"; Path=/'])
def test_what_does_not_look_like_a_secret_is_replaced(value):
    answer = client().get("/", headers={**PAGE, "cookie": f"{COOKIE}={value}"})
    assert len(answer.cookies[COOKIE]) == 64


def test_whoever_comes_from_another_site_keeps_the_secret_that_was_not_sent():
    browser = client()
    across = {**PAGE, "sec-fetch-site": "cross-site"}
    assert "set-cookie" not in browser.get("/", headers=across).headers
    without_hints = {"accept": "text/html", "referer": "http://elsewhere.example/a"}
    assert "set-cookie" not in browser.get("/", headers=without_hints).headers
    from_here = {"accept": "text/html", "referer": "http://testserver/a"}
    assert "set-cookie" in browser.get("/", headers=from_here).headers
    config = {"sec-fetch-site": "same-origin", "sec-fetch-dest": "empty", "accept": "*/*"}
    answer = client().get("/prefix/_stcore/host-config", headers=config)
    assert COOKIE in answer.cookies


@pytest.mark.parametrize("kind", ["script", "style", "image", "empty"])
def test_parts_of_a_page_bring_no_second_secret(kind):
    answer = client().get("/x.js", headers={"accept": "*/*", "sec-fetch-dest": kind})
    assert "set-cookie" not in answer.headers


def test_owner_in_reads_a_secret_among_other_cookies():
    secret = "0f" * 32
    assert owner_in(Headers({"cookie": f"a=b; {COOKIE}={secret}; c=d"})) == secret
    assert owner_in(Headers({"cookie": "a=b; ;;=="})) is None
    assert owner_in(Headers({})) is None


@pytest.mark.parametrize(
    ("origin", "host", "same"),
    [
        ("http://a.example", "a.example", True),
        ("http://a.example:8501", "a.example:8501", True),
        ("https://a.example", "a.example", True),
        ("https://a.example", "a.example:443", True),
        ("http://A.example", "a.example", True),
        ("http://[::1]:80", "[::1]", True),
        ("http://a.example", "a.example:8501", False),
        ("http://a.example.evil.example", "a.example", False),
        ("http://evil.example/a.example", "a.example", False),
        ("http://a.example@evil.example", "a.example", False),
        ("http://evil.example:a.example", "a.example", False),
        ("null", "a.example", False),
        ("", "a.example", False),
        ("ftp://a.example", "a.example", False),
        ("http://", "", False),
    ],
)
def test_only_the_host_asked_is_the_same_host(origin, host, same):
    assert same_host(Headers({"origin": origin, "host": host})) is same


def test_a_missing_or_doubled_origin_is_not_the_same_host():
    assert not same_host(Headers({"host": "a"}))
    doubled = [(b"origin", b"http://a"), (b"origin", b"http://b"), (b"host", b"a")]
    assert not same_host(Headers(raw=doubled))


class Protocol:
    """As a server has them: `send` is a method of what holds the transport."""

    def __init__(self) -> None:
        self.transport, self.aborted = self, False

    def abort(self) -> None:
        self.aborted = True

    async def send(self, message) -> None: ...


def call(send) -> dict:
    import asyncio

    seen: dict = {}

    async def app(scope, receive, send):
        seen.update(scope)

    asyncio.run(Cuttable(app)({"type": "websocket"}, None, send))
    return seen


def test_a_socket_can_be_cut_where_the_server_lets_us():
    protocol = Protocol()
    call(protocol.send)[CUT]()
    assert protocol.aborted


def test_elsewhere_cutting_does_nothing():
    async def send(message) -> None: ...

    assert call(send)[CUT]() is None
