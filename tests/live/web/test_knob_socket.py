"""Knobs over a real socket: permissions, allowed messages, rate limit."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from starlette.datastructures import Headers
from starlette.testclient import TestClient, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect

from bnviz.config import LIVE_KNOBS
from bnviz.live import current_hub
from bnviz.live.web import run_socket
from bnviz.live.web.owner import COOKIE, owner_in
from tests.live.conftest import SMALL, until

ORIGIN = "http://testserver"


class Browser:
    """Browser that has a cookie of the server, and the owner that this cookie names."""

    def __init__(self, client: TestClient) -> None:
        client.cookies.clear()
        cookie = client.get("/x/nothing", headers={"accept": "text/html"}).cookies[COOKIE]
        client.cookies.clear()
        self._client = client
        self.headers = {"origin": ORIGIN, "cookie": f"{COOKIE}={cookie}"}
        self.owner = owner_in(Headers(self.headers)) or ""
        assert self.owner

    def open(self, run: str) -> WebSocketTestSession:
        return self._client.websocket_connect(f"/x/live/{run}", headers=self.headers)


@pytest.fixture(scope="module")
def browser(client: TestClient) -> Browser:
    return Browser(client)


@pytest.fixture(scope="module")
def run(browser: Browser) -> str:
    """Paused run."""
    run = current_hub().start(browser.owner, SMALL, paused=True)
    until(lambda: len(current_hub().registry.runs[run].history))
    return run


def set_knob(n: int, value: Any, knob: str = "momentum", drag: int = 0) -> dict[str, Any]:
    return {"type": "knob", "n": n, "knob": knob, "value": value, "drag": drag}


def said_until(socket: WebSocketTestSession, *kinds: str) -> dict[str, Any]:
    """Acknowledge frames until a message of one of these kinds arrives, and return that message."""
    while (message := socket.receive_json())["type"] not in kinds:
        if message["type"] == "frame":
            socket.send_json({"type": "ack", "seq": message["seq"]})
    return message


def test_the_cookie_of_the_handshake_lets_its_owner_turn_the_knobs(browser: Browser):
    run = current_hub().start(browser.owner, SMALL)
    with browser.open(run) as socket:
        assert said_until(socket, "hello")["can_control"] is True
        socket.send_json(set_knob(0, 0.5))
        answer = said_until(socket, "knob", "refused", "error")
    assert (answer["type"], answer["n"], answer["value"]) == ("knob", 0, 0.5)
    (change,) = current_hub().info(run).changes
    assert (change.step, change.values) == (answer["step"], {"momentum": 0.5})


def test_an_action_goes_over_the_same_socket(browser: Browser):
    run = current_hub().start(browser.owner, SMALL)
    message = {"type": "action", "n": 1, "action": "scale_weights", "value": [10, 1]}
    with browser.open(run) as socket:
        said_until(socket, "hello")
        socket.send_json(message)
        answer = said_until(socket, "acted", "refused", "error")
        assert (answer["type"], answer["n"], answer["value"]) == ("acted", 1, [10.0, 1])
        socket.send_json({**message, "n": 2, "value": [10, 99]})
        refusal = said_until(socket, "acted", "refused", "error")
        assert (refusal["type"], refusal["n"]) == ("refused", 2)
        socket.send_json({**message, "n": 3, "action": "halve_weights"})
        assert said_until(socket, "acted", "refused", "error")["field"] == "action"
    (change,) = current_hub().info(run).changes
    assert (change.step, change.values) == (answer["step"], {"scale_weights": (10.0, 1)})


@pytest.mark.parametrize("cookie", [None, f"{COOKIE}={'a' * 64}", f"{COOKIE}=x", "another"])
def test_a_socket_without_the_owners_cookie_only_watches_and_is_closed_if_it_insists(
    client: TestClient, browser: Browser, run: str, cookie: str | None,
    caplog: pytest.LogCaptureFixture,
):  # fmt: skip
    headers = {"origin": ORIGIN, **({} if cookie is None else {"cookie": cookie})}
    if cookie == "another":
        headers = Browser(client).headers
    hub, caplog.handler.level = current_hub(), logging.INFO
    before = hub.viewers.status()["knob_refusals"]
    with client.websocket_connect(f"/x/live/{run}", headers=headers) as socket:
        assert said_until(socket, "hello")["can_control"] is False
        for n in range(20):
            socket.send_json(set_knob(n, 0.5))
        heard: list[dict[str, Any]] = []
        with pytest.raises(WebSocketDisconnect) as closed:
            heard.extend(iter(lambda: said_until(socket, "refused", "knob", "error"), None))
    assert closed.value.code == 1008
    assert {message["field"] for message in heard} <= {"owner"}
    assert hub.viewers.status()["knob_refusals"] == before + 20
    assert [record.message for record in caplog.records].count("knob refused") == 1
    assert hub.info(run).config == SMALL


def test_a_wrong_origin_turns_nothing_whatever_cookie_it_sends(
    client: TestClient, browser: Browser, run: str
):
    headers = {**browser.headers, "origin": "http://evil.example"}
    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect(f"/x/live/{run}", headers=headers) as socket,
    ):
        socket.send_json(set_knob(0, 0.5))
    assert current_hub().info(run).config == SMALL


def test_a_hand_turns_the_knobs_of_its_sockets_run_only(browser: Browser, run: str):
    other = current_hub().start(browser.owner, SMALL, paused=True)
    with browser.open(other) as socket:
        socket.send_json({**set_knob(1, 0.5), "run": run})
        assert said_until(socket, "knob", "refused", "error")["type"] == "knob"
    assert current_hub().info(other).config.momentum == 0.5
    assert current_hub().info(run).config == SMALL


def test_messages_beyond_the_rate_are_bad_ones(
    browser: Browser, run: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(run_socket, "KNOBS_PER_SECOND", 1)
    heard: list[dict[str, Any]] = []
    with browser.open(run) as socket:
        for n in range(60):
            socket.send_json(set_knob(n, 2.0))
        with pytest.raises(WebSocketDisconnect) as closed:
            list(iter(lambda: heard.append(said_until(socket, "error", "refused")), 0))
    assert closed.value.code == 1008
    refused = [answer["n"] for answer in heard if answer["type"] == "refused"]
    # Messages still queued when the socket closes are never sent.
    assert refused == sorted(refused) != [], "each with its number"


@pytest.mark.parametrize("second", [5, 4, 0])
def test_numbers_grow(browser: Browser, run: str, second: int):
    with browser.open(run) as socket:
        socket.send_json(set_knob(5, 2.0))
        assert said_until(socket, "refused", "error")["type"] == "refused"
        socket.send_json(set_knob(second, 2.0))
        error = said_until(socket, "refused", "error")
    assert (error["field"], error["allowed"]) == ("n", "greater than the previous number, 5")


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
NUMBERS = st.integers(-2, 3) | st.just(2**53 + 1) | ANYTHING
KNOBS = st.sampled_from([*LIVE_KNOBS, "depth", "owner"]) | ANYTHING
VALUES = st.sampled_from([0.5, 9, 1025, 1e-5, 100, None, [0.1, 0.2], [0.1], []]) | ANYTHING


def is_whole(value: Any) -> bool:
    return type(value) is int and 0 <= value <= 2**53


@settings(max_examples=100)
@given(st.fixed_dictionaries({}, optional={
    "n": NUMBERS, "knob": KNOBS, "value": VALUES, "drag": NUMBERS,
}))  # fmt: skip
@example({"n": 1, "knob": "learning_rate", "value": float("nan"), "drag": 0})
@example({"n": 1, "knob": "batch_size", "value": 10**400, "drag": 0})
@example({"n": True, "knob": "momentum", "value": 0.5, "drag": 0})
@example({"n": 1, "knob": "momentum", "value": 0.5, "drag": -1})
@example({"n": 1, "knob": "momentum", "value": [[0.5]], "drag": 1})
@example({"n": 0, "knob": "learning_rates", "drag": 0})
@example({"n": 1, "knob": "\ud800", "value": "\ud800", "drag": 1})
def test_whatever_is_said_of_a_knob_is_answered_once_and_leaves_a_run_that_can_be(
    browser: Browser, said: dict[str, Any]
):
    """Each value takes effect, is refused with the number of its message, or gets an error in
    response.
    """
    hub = current_hub()
    run = hub.start(browser.owner, SMALL, paused=True)
    try:
        with browser.open(run) as socket:
            socket.send_text(json.dumps({"type": "knob", **said}))
            answer = said_until(socket, "knob", "refused", "error")
            socket.send_json({"type": "nothing more"})
            assert said_until(socket, "knob", "refused", "error")["value"] == "nothing more"
        now = hub.info(run).config
        if answer["type"] == "knob":
            assert is_whole(said["n"])
            assert is_whole(said["drag"])
            assert now == SMALL.replace(**{said["knob"]: said["value"]})
        else:
            assert now == SMALL
            assert answer["allowed"] in answer["message"]
        if answer["type"] == "refused":
            assert answer["n"] == said["n"]
    finally:
        with hub.registry.lock:
            hub.registry.end(hub.registry.runs[run], "tested")
