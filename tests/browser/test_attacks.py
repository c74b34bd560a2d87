"""Malicious requests, sent without a browser, and the server's responses to them."""

import http.client
import json

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from bnviz.live.web.assets import VERSION

STREAM = "/_stcore/stream"
BACKSLASHES = '\\"' * 10_000


def answer(server, path, method="GET", body=None, **headers):
    """Return the status and the text of a response."""
    found, text = exchange(server, path, method, body, **headers)
    return found.status, text.decode(errors="replace")


def exchange(server, path, method="GET", body=None, **headers):
    """Return a response and its body."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.request(method, server.base + path, body, headers)
        found = connection.getresponse()
        return found, found.read()
    finally:
        connection.close()


# Paths of Streamlit and of the app, with their expected status codes.
ANSWERS = {
    "/": 200, "/lab": 200, "/status": 200, "/b": 200, "/no/such/page": 200, "/?depth=3": 307,
    "/_stcore/health": 200, "/_stcore/metrics": 200, "/_stcore/host-config": 200,
    "/favicon.png": 200, f"/assets/{VERSION}/live_view.js": 200, f"/plotly/{VERSION}.js": 200,
    "/qr.svg?data=a": 200, "/qr.svg": 400, "/media/nothing": 404, f"/history/{'0' * 32}": 404,
    "/%2e%2e/x": 400, "/_stcore/upload_file/a/b": 403,
}  # fmt: skip


def socket_of(server, path, **options):
    """Open a WebSocket to the server."""
    return connect(server.url.replace("http", "ws") + path, **options)


def flood(own):
    """Send large messages until the server closes the connection."""
    own.send(b"x" * 6 * 2**20)
    while True:
        own.recv(timeout=30)


def test_a_cookie_of_backslashes_does_not_reach_pythons_parser(server):
    """Python before 3.11.10 takes seconds to parse this cookie, and drops all later cookies."""
    cookies = f'other="{BACKSLASHES}"; bnviz_lang=ja'
    status, page = answer(server, "/lab", Cookie=cookies, Accept="text/html")
    assert status == 200
    assert '<html lang="ja"' in page


@pytest.mark.parametrize("method", ["PUT", "POST", "DELETE", "OPTIONS"])
def test_a_file_is_refused(server, method):
    assert answer(server, "/_stcore/upload_file/a/b", method, b"x")[0] == 403


@pytest.mark.parametrize("origin", ["https://elsewhere.example", "null", "http://127.0.0.1:1"])
def test_the_page_of_another_site_gets_no_socket_of_streamlit(server, origin):
    with pytest.raises(InvalidStatus), socket_of(server, STREAM, origin=origin):
        pass
    with socket_of(server, STREAM, origin=server.url, subprotocols=["streamlit"]) as own:
        assert own.subprotocol == "streamlit"


@pytest.mark.parametrize("path", [STREAM, f"/live/{'0' * 32}"])
def test_a_message_of_many_megabytes_closes_its_socket(server, path):
    with socket_of(server, path, origin=server.url, max_size=None) as own:
        with pytest.raises(ConnectionClosed):
            flood(own)
        assert own.close_code != 1000


def test_every_answer_says_what_a_browser_may_do_with_it(server):
    lacking = {}
    for path, status in ANSWERS.items():
        found, _ = exchange(server, path, Accept="text/html", **{"Accept-Encoding": "gzip"})
        policy = found.headers["Content-Security-Policy"] or ""
        said = (
            found.status, found.headers["X-Content-Type-Options"], found.headers["Referrer-Policy"],
            "object-src 'none'" in policy or "default-src 'none'" in policy, "base-uri" in policy,
        )  # fmt: skip
        if said != (status, "nosniff", "same-origin", True, True):
            lacking[path] = said
    assert lacking == {}


@pytest.mark.parametrize("path", ["/status", "/status?as=json", "/_stcore/metrics"])
def test_whoever_has_no_token_gets_no_process_id(server, path):
    status, text = answer(server, path)
    assert status == 200
    assert "pid" not in text


def test_a_qr_code_has_a_longest_text(server):
    status, text = answer(server, "/qr.svg?data=" + "a" * 1_001)
    assert (status, json.loads(text)["field"]) == (400, "data")
