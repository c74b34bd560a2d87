"""Messages that a browser may send, and the errors for all others."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable
from typing import Any

from bnviz.live.protocol.client_messages import (
    MAX_SEQ,
    MOST_FRAMES_PER_SECOND,
    Ack,
    Act,
    BadMessage,
    FrameRate,
    Hidden,
    SetKnob,
    Want,
    read,
)
from bnviz.words.phrase import english
from tests.live.conftest import SOME

KNOB = {"type": "knob", "n": 3, "knob": "momentum", "value": 0.5, "drag": 0}
ACTION = {"type": "action", "n": 3, "action": "scale_weights", "value": [10, None]}


def refusal(message: Any, limit: int = 65_536) -> BadMessage:
    text = message if isinstance(message, str | bytes) else json.dumps(message)
    try:
        read(text, limit)
    except BadMessage as problem:
        return problem
    raise AssertionError(f"this is read: {message}")


def not_refused(cases: Iterable[tuple[Any, str, Any]], allowed: str = "") -> list[Any]:
    """Return the cases that are not refused with the expected field, value and allowed range."""
    wrong = []
    for message, field, value in cases:
        found = refusal(message)
        if (found.field, found.value) != (field, value) or allowed not in english(found.allowed):
            wrong.append((message, field, value, found.field, found.value, found.allowed))
    return wrong


def test_a_message_of_ours_is_read():
    messages = [
        ({"type": "ack", "seq": 0}, Ack(seq=0)),
        ({"type": "ack", "seq": MAX_SEQ, "more": 1}, Ack(seq=MAX_SEQ)),
        ({"type": "rate", "max_fps": 1}, FrameRate(max_fps=1.0)),
        ({"type": "hidden", "hidden": True}, Hidden(hidden=True)),
        ({"type": "want", "probes": [SOME, "histogram"]}, Want(probes=(SOME, "histogram"))),
        ({"type": "want", "probes": []}, Want(probes=())),
        (KNOB, SetKnob(n=3, knob="momentum", value=0.5, drag=0)),
        ({**KNOB, "value": None}, SetKnob(n=3, knob="momentum", value=None, drag=0)),
        ({**KNOB, "value": [1]}, SetKnob(n=3, knob="momentum", value=[1], drag=0)),
        (ACTION, Act(n=3, action="scale_weights", value=[10, None])),
        ({**ACTION, "value": "x"}, Act(n=3, action="scale_weights", value="x")),
    ]
    found = [read(json.dumps(message), 4096) for message, _ in messages]
    assert found == [meant for _, meant in messages]


def test_numbers_are_whole_and_bounded():
    numbers = (({"type": "ack"}, "seq"), (KNOB, "n"), (KNOB, "drag"), (ACTION, "n"))
    values = (None, True, -1, 1.0, "1", [], MAX_SEQ + 1, 2**70)
    cases = itertools.product(numbers, values)
    asked = [({**message, field: value}, field, value) for (message, field), value in cases]
    assert not not_refused(asked, str(MAX_SEQ))


def test_a_rate_is_a_number_within_its_range():
    rates = (None, True, 0, 0.09, MOST_FRAMES_PER_SECOND + 1, "30", [30])
    asked = [({"type": "rate", "max_fps": fps}, "max_fps", fps) for fps in rates]
    assert not not_refused(asked, "0.1 and 60")


def test_hidden_is_true_or_false():
    values = (None, 0, 1, "true", [])
    assert not not_refused(
        [({"type": "hidden", "hidden": each}, "hidden", each) for each in values]
    )


def test_a_want_of_anything_else_is_answered_with_what_is_allowed():
    wants = (
        (None, None), (SOME, SOME), (["moon"], "moon"), ([1], 1), ([[SOME]], [SOME]),
        ([SOME, SOME], SOME), ({SOME: 1}, {SOME: 1}), ([SOME] * 99, [SOME] * 99), ([None], None),
    )  # fmt: skip
    asked = [({"type": "want", "probes": probes}, "probes", named) for probes, named in wants]
    assert not not_refused(asked, SOME)


def test_a_knob_has_a_name_and_a_value():
    asked = [({**KNOB, "knob": knob}, "knob", knob) for knob in (None, 3, ["momentum"])]
    assert not not_refused(asked, "momentum")
    missing = {name: KNOB[name] for name in KNOB if name != "value"}
    assert not not_refused([(missing, "value", None)])


def test_an_action_is_one_of_those_that_there_are():
    actions = (None, 1, [], "", "momentum", "scale", "scale_weights ")
    asked = [({**ACTION, "action": action}, "action", action) for action in actions]
    assert not not_refused(asked, "scale_weights")


def test_of_several_faults_the_first_is_named():
    assert refusal({"type": "knob"}).field == "n"
    assert refusal({"type": "knob", "n": 1}).field == "drag"
    assert refusal({"type": "knob", "n": 1, "drag": 0}).field == "knob"


def test_what_is_no_message_is_refused():
    nan = '{"type": "rate", "max_fps": NaN}'
    assert not not_refused([
        (b"{}", "message", "bytes"), ("{", "message", "{"), (nan, "message", nan),
        ("[]", "message", []), ({}, "type", None), ({"type": ["ack"]}, "type", ["ack"]),
        ({"type": "turn"}, "type", "turn"),
    ])  # fmt: skip


def test_the_size_of_a_message_is_bounded_in_bytes():
    for text in ("x" * 101, "é" * 60):
        assert "100" in english(refusal(text, limit=100).allowed)
