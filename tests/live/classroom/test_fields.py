"""What teachers' pages and phones send: the last that is allowed, and the first that is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bnviz.live.classroom.classrooms import TeacherLocation
from bnviz.live.classroom.fields import (
    read_counts,
    read_location,
    read_outcome,
    read_question,
    read_vote,
)
from bnviz.live.classroom.votes import RunOutcome, Vote
from bnviz.live.protocol.client_messages import BadMessage

MOST = 2**53
RUN = "0f" * 16
VOTE = {"question": 7, "round": 2, "answer": 3}


def test_a_vote_is_for_its_question_its_round_and_its_answer():
    assert read_vote(VOTE, 4) == (7, 2, Vote(3, None, 0))
    assert read_vote({**VOTE, "page": 11, "n": 5}, 4) == (7, 2, Vote(3, 11, 5))
    assert read_vote({"question": "7", "round": "2", "answer": "3"}, 4) == (7, 2, Vote(3))


def test_what_is_asked_counted_and_told_is_read_as_it_was_sent():
    asked = {"text": " Which\none   breaks? ", "answers": ["A\u200dB", " b "]}
    assert read_question(asked) == ("Which one breaks?", ("A\u200dB", "b"))
    assert read_counts({"counts": [0, 1000, 3]}, 3) == (0, 1000, 3)
    told = {"answers": [2, 0, 2], "sentence": "Both broke."}
    assert read_outcome(told, 3) == RunOutcome((0, 2), "Both broke.")
    assert read_outcome({"sentence": "Nothing."}, 3) == RunOutcome(None, "Nothing.")
    assert read_outcome({"answers": [], "sentence": "None."}, 3).answers == ()
    assert read_location({"address": "/base/lab?run=1", "run": RUN}, "/base") == TeacherLocation(
        "/lab?run=1", RUN
    )
    assert read_location({"address": "/map"}, "/base") == TeacherLocation("/map", None)
    assert read_location({"address": "/baseless"}, "/base").address == "/baseless"


LIMITS: list[tuple[Callable[..., Any], dict[str, Any], dict[str, Any], str]] = [
    (lambda given: read_vote(given, 4), {**VOTE, "answer": 3}, {**VOTE, "answer": 4}, "answer"),
    (lambda given: read_vote(given, 2), {**VOTE, "answer": 1}, {**VOTE, "answer": 2}, "answer"),
    (lambda given: read_vote(given, 4), {**VOTE, "answer": 0}, {**VOTE, "answer": -1}, "answer"),
    (lambda given: read_vote(given, 4), {**VOTE, "round": 99}, {**VOTE, "round": 100}, "round"),
    (lambda given: read_vote(given, 4), {**VOTE, "question": MOST}, {**VOTE, "question": MOST + 1},
     "question"),
    (lambda given: read_vote(given, 4), {**VOTE, "question": "9" * 15},
     {**VOTE, "question": "9" * 17}, "question"),
    (lambda given: read_vote(given, 4), {**VOTE, "page": MOST, "n": 0},
     {**VOTE, "page": MOST + 1, "n": 0}, "page"),
    (lambda given: read_vote(given, 4), {**VOTE, "page": 0, "n": MOST},
     {**VOTE, "page": 0, "n": MOST + 1}, "n"),
    (lambda given: read_vote(given, 4), {**VOTE, "page": 0, "n": 0}, {**VOTE, "n": 0}, "page"),
    (read_question, {"text": "x" * 140, "answers": ["a", "b"]},
     {"text": "x" * 141, "answers": ["a", "b"]}, "text"),
    (read_question, {"text": "x", "answers": ["a", "b" * 48]},
     {"text": "x", "answers": ["a", "b" * 49]}, "answers"),
    (read_question, {"text": "x", "answers": ["a", "b"]}, {"text": "x", "answers": ["a"]},
     "answers"),
    (read_question, {"text": "x", "answers": list("abcd")}, {"text": "x", "answers": list("abcde")},
     "answers"),
    (read_question, {"text": "x", "answers": ["a", "b"]}, {"text": " ", "answers": ["a", "b"]},
     "text"),
    (lambda given: read_counts(given, 2), {"counts": [0, 1000]}, {"counts": [0, 1001]}, "counts"),
    (lambda given: read_counts(given, 2), {"counts": [0, 0]}, {"counts": [-1, 0]}, "counts"),
    (lambda given: read_counts(given, 2), {"counts": [1, 2]}, {"counts": [1, 2, 3]}, "counts"),
    (lambda given: read_outcome(given, 3), {"answers": [2], "sentence": "x" * 200},
     {"answers": [2], "sentence": "x" * 201}, "sentence"),
    (lambda given: read_outcome(given, 3), {"answers": [2], "sentence": "x"},
     {"answers": [3], "sentence": "x"}, "answers"),
    (lambda given: read_outcome(given, 2), {"answers": [0, 1], "sentence": "x"},
     {"answers": [0, 1, 1], "sentence": "x"}, "answers"),
    (lambda given: read_location(given, ""), {"address": "/lab?" + "x" * 1995},
     {"address": "/lab?" + "x" * 1996}, "address"),
    (lambda given: read_location(given, ""), {"address": "/lab", "run": RUN},
     {"address": "/lab", "run": RUN[1:]}, "run"),
]  # fmt: skip


@pytest.mark.parametrize(("read", "last", "beyond", "field"), LIMITS)
def test_the_last_that_is_allowed_is_read_and_the_next_is_refused_by_name(
    read: Callable[..., Any], last: dict[str, Any], beyond: dict[str, Any], field: str
):
    read(last)
    with pytest.raises(BadMessage) as refused:
        read(beyond)
    assert refused.value.field == field
