"""The socket of a run: its messages, and its responses to bad messages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from bnviz.live import current_hub
from tests.live.conftest import SOME, probes_of, until

ORIGIN = {"origin": "http://testserver"}


def test_a_socket_starts_with_hello_and_the_newest_frame(client: TestClient, run: str):
    with client.websocket_connect(f"/x/live/{run}", headers=ORIGIN) as socket:
        hello, frame = socket.receive_json(), socket.receive_json()
    assert hello["type"] == "hello"
    assert hello["status"] == "paused"
    assert hello["history"][-1] == [frame["seq"], frame["step"]]
    assert (hello["pace"], hello["queue"], hello["v"]) == ("fast", None, 1)


def test_a_socket_may_want_and_who_asks_for_nonsense_is_told(client: TestClient, run: str):
    with client.websocket_connect(f"/x/live/{run}", headers=ORIGIN) as socket:
        socket.send_json({"type": "want", "probes": ["moon"]})
        socket.send_json({"type": "want", "probes": [SOME]})
        said: list[dict[str, Any]] = []
        while not any(m["type"] == "frame" and SOME in probes_of(m) for m in said):
            said.append(socket.receive_json())
            if said[-1]["type"] == "frame":
                socket.send_json({"type": "ack", "seq": said[-1]["seq"]})
    (error,) = [message for message in said if message["type"] == "error"]
    assert (error["field"], error["value"]) == ("probes", "moon")


def test_a_page_that_says_it_is_hidden_is_believed(client: TestClient, run: str):
    held = current_hub().registry.runs[run]
    with client.websocket_connect(f"/x/live/{run}", headers=ORIGIN) as socket:
        # Wait, because the viewer joins only after the socket has been accepted.
        until(lambda: held.frames_wanted)
        for hidden in (True, False):
            socket.send_json({"type": "hidden", "hidden": hidden})
            until(lambda hidden=hidden: held.frames_wanted is not hidden)


@pytest.mark.parametrize("headers", [{}, {"origin": "http://other"}, {"origin": "null"}])
def test_a_wrong_origin_is_refused_before_accepting(client: TestClient, run: str, headers):
    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect(f"/x/live/{run}", headers=headers),
    ):
        pass


HOSTILE = st.one_of(
    st.text(max_size=60),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["type", "seq", "max_fps", "hidden", "x"]), inner)
        ),
        max_leaves=6,
    ).map(json.dumps),
    st.sampled_from(["ack", "rate", "hidden", "want", "frame", "start"]).flatmap(
        lambda kind: st.dictionaries(
            st.sampled_from(["seq", "max_fps", "hidden", "probes"]),
            st.none()
            | st.booleans()
            | st.integers()
            | st.floats()
            | st.text(max_size=5)
            | st.lists(st.sampled_from(["weights", "drift", "moon"]) | st.none(), max_size=3),
        ).map(lambda rest: json.dumps({"type": kind, **rest}))
    ),
)


def is_good(text: str) -> bool:
    try:
        given = json.loads(text, parse_constant=int)
    except (ValueError, RecursionError):
        return False
    if not isinstance(given, dict):
        return False
    kind, seq, fps = given.get("type"), given.get("seq"), given.get("max_fps")
    if kind == "ack":
        return type(seq) is int and 0 <= seq <= 2**53
    if kind == "rate":
        return type(fps) in (int, float) and 0.1 <= fps <= 60
    if kind == "want":
        probes = given.get("probes")
        known = isinstance(probes, list) and all(name in ("weights", "drift") for name in probes)
        return known and len(set(probes)) == len(probes)
    return kind == "hidden" and isinstance(given.get("hidden"), bool)


@settings(max_examples=100)
@given(HOSTILE)
@example("x" * 5_000)
@example('{"type":"ack","seq":true}')
@example('{"type":"rate","max_fps":NaN}')
@example("[" * 3_000)
@example("[" * 900 + "]" * 900)
@example("\ud800")
def test_every_bad_message_is_answered_and_nothing_else_happens(
    client: TestClient, run: str, text: str
):
    before = steps_kept(client, run)
    with client.websocket_connect(f"/x/live/{run}", headers=ORIGIN) as socket:
        socket.receive_json(), socket.receive_json()
        socket.send_text(text)
        socket.send_json({"type": "end of test"})
        answers = [socket.receive_json()]
        while answers[-1].get("value") != "end of test":
            if answers[-1]["type"] == "frame":
                # Two unacknowledged frames would hold back all other messages.
                socket.send_json({"type": "ack", "seq": answers[-1]["seq"]})
            answers.append(socket.receive_json())
    errors = [answer for answer in answers[:-1] if answer["type"] == "error"]
    for error in errors:
        assert set(error) == {"v", "type", "field", "value", "allowed", "message", "phrase"}
        assert error["field"] in error["message"]
        assert error["allowed"] in error["message"]
    assert len(errors) == (0 if is_good(text) else 1)
    assert steps_kept(client, run) == before


def steps_kept(client: TestClient, run: str) -> list[int]:
    """Return the steps of the kept frames. A paused run may still add measurements to them."""
    return [step for _, step in client.get(f"/x/history/{run}").json()["kept"]]


def test_bytes_are_answered_by_an_error_and_twenty_bad_messages_close_the_socket(
    client: TestClient, run: str
):
    with client.websocket_connect(f"/x/live/{run}", headers=ORIGIN) as socket:
        socket.receive_json(), socket.receive_json()
        socket.send_bytes(b"\x00\xff")
        said = next(m for m in iter(socket.receive_json, None) if m["type"] == "error")
        assert said["field"] == "message"
        for _ in range(19):
            socket.send_text("{}")
        with pytest.raises(WebSocketDisconnect) as closed:
            list(iter(socket.receive_json, None))
    assert closed.value.code == 1008
