"""What a browser may send, and what it is told where it may not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bnviz.live.protocol.client_messages import (
    FASTEST,
    MAX_SEQ,
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
    with pytest.raises(BadMessage) as problem:
        read(text, limit)
    return problem.value


@pytest.mark.parametrize(
    ("message", "found"),
    [
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
    ],
)
def test_a_message_of_ours_is_read(message, found):
    assert read(json.dumps(message), 4096) == found


@pytest.mark.parametrize("value", [None, True, -1, 1.0, "1", [], MAX_SEQ + 1, 2**70])
@pytest.mark.parametrize(
    ("message", "field"),
    [({"type": "ack"}, "seq"), (KNOB, "n"), (KNOB, "drag"), (ACTION, "n")],
)
def test_numbers_are_whole_and_bounded(message, field, value):
    found = refusal({**message, field: value})
    assert (found.field, found.value) == (field, value)
    assert str(MAX_SEQ) in english(found.allowed)


@pytest.mark.parametrize("fps", [None, True, 0, 0.09, FASTEST + 1, "30", [30]])
def test_a_rate_is_a_number_within_its_range(fps):
    found = refusal({"type": "rate", "max_fps": fps})
    assert (found.field, found.value) == ("max_fps", fps)
    assert "0.1 and 60" in english(found.allowed)


@pytest.mark.parametrize("hidden", [None, 0, 1, "true", []])
def test_hidden_is_true_or_false(hidden):
    found = refusal({"type": "hidden", "hidden": hidden})
    assert (found.field, found.value) == ("hidden", hidden)


@pytest.mark.parametrize(
    ("probes", "named"),
    [
        (None, None), (SOME, SOME), (["moon"], "moon"), ([1], 1), ([[SOME]], [SOME]),
        ([SOME, SOME], SOME), ({SOME: 1}, {SOME: 1}), ([SOME] * 99, [SOME] * 99), ([None], None),
    ],
)  # fmt: skip
def test_a_want_of_anything_else_is_answered_with_what_is_allowed(probes, named):
    found = refusal({"type": "want", "probes": probes})
    assert (found.field, found.value) == ("probes", named)
    assert SOME in english(found.allowed)


@pytest.mark.parametrize("knob", [None, 3, ["momentum"]])
def test_a_knob_has_a_name_and_a_value(knob):
    found = refusal({**KNOB, "knob": knob})
    assert (found.field, found.value) == ("knob", knob)
    assert "momentum" in english(found.allowed)
    missing = refusal({name: KNOB[name] for name in KNOB if name != "value"})
    assert (missing.field, missing.value) == ("value", None)


@pytest.mark.parametrize("action", [None, 1, [], "", "momentum", "scale", "scale_weights "])
def test_an_action_is_one_of_those_that_there_are(action):
    found = refusal({**ACTION, "action": action})
    assert (found.field, found.value) == ("action", action)
    assert "scale_weights" in english(found.allowed)


def test_of_several_faults_the_first_is_named():
    assert refusal({"type": "knob"}).field == "n"
    assert refusal({"type": "knob", "n": 1}).field == "drag"
    assert refusal({"type": "knob", "n": 1, "drag": 0}).field == "knob"


@pytest.mark.parametrize(
    ("message", "field", "value"),
    [
        (b"{}", "message", "bytes"),
        ("{", "message", "{"),
        ('{"type": "rate", "max_fps": NaN}', "message", '{"type": "rate", "max_fps": NaN}'),
        ("[]", "message", []),
        ({}, "type", None),
        ({"type": ["ack"]}, "type", ["ack"]),
        ({"type": "turn"}, "type", "turn"),
    ],
)
def test_what_is_no_message_is_refused(message, field, value):
    found = refusal(message)
    assert (found.field, found.value) == (field, value)


@pytest.mark.parametrize("text", ["x" * 101, "é" * 60])
def test_the_size_of_a_message_is_bounded_in_bytes(text):
    assert "100" in english(refusal(text, limit=100).allowed)
