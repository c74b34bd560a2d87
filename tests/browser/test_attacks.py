"""What a stranger sends to stop the server, and what it answers. No browser takes part."""

import http.client
import json

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

STREAM = "/_stcore/stream"
BACKSLASHES = '\\"' * 10_000


def answer(server, path, method="GET", body=None, **headers):
    """Status and text of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.request(method, server.base + path, body, headers)
        found = connection.getresponse()
        return found.status, found.read().decode(errors="replace")
    finally:
        connection.close()


def socket_of(server, path, **options):
    """A WebSocket of the server."""
    return connect(server.url.replace("http", "ws") + path, **options)


def flood(own):
    """Send large messages until the server closes the connection."""
    own.send(b"x" * 6 * 2**20)
    while True:
        own.recv(timeout=30)


def test_a_cookie_of_backslashes_does_not_reach_pythons_parser(server):
    """It needs seconds for them before 3.11.10, and loses the cookies that follow."""
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


def test_a_qr_code_has_a_longest_text(server):
    status, text = answer(server, "/qr.svg?data=" + "a" * 1_001)
    assert (status, json.loads(text)["field"]) == (400, "data")
