"""Limits on the content of messages from teachers and phones: the last valid and the first invalid
value of each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from starlette.requests import Request

from bnviz.live.classroom.class_text import KEYS, MOST_LEVELS, MOST_VALUES, translated
from bnviz.live.classroom.messages import (
    read_body,
    read_hands,
    read_location,
    read_outcome,
    read_question,
    read_vote,
)
from bnviz.live.classroom.votes import RunOutcome, Vote
from bnviz.live.protocol.client_messages import BadMessage
from bnviz.words.phrase import Phrase, integer_between, one_of, phrase
from bnviz.words.texts import in_language, text

MOST = 2**53
RUN = "0f" * 16
VOTE = {"question": 7, "round": 2, "answer": 3}


def hands_of_two(given: dict[str, Any]) -> list[int]:
    return read_hands(given, 2)


def vote_on(answers: int) -> Callable[..., Any]:
    return lambda given: read_vote(given, answers)


@pytest.mark.anyio
async def test_a_body_whose_sender_leaves_is_refused_as_one_that_is_late():
    parts = iter([
        {"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"},
    ])  # fmt: skip

    async def receive() -> dict[str, Any]:
        return next(parts)

    request = Request({"type": "http", "headers": []}, receive)
    with pytest.raises(BadMessage) as refused:
        await read_body(request, most=100)
    assert (refused.value.field, refused.value.value) == ("body", "1 bytes")


def test_a_vote_is_for_its_question_its_round_and_its_answer():
    assert read_vote(VOTE, 4) == (7, 2, Vote(3, None, 0))
    assert read_vote({**VOTE, "page": 11, "n": 5}, 4) == (7, 2, Vote(3, 11, 5))
    assert read_vote({"question": "7", "round": "2", "answer": "3"}, 4) == (7, 2, Vote(3))


def test_what_is_asked_counted_and_told_is_read_as_it_was_sent():
    asked = {"text": " Which\none   breaks? ", "answers": ["A\u200dB", " b "]}
    assert read_question(asked) == ("Which one breaks?", ("A\u200dB", "b"))
    assert read_hands({"counts": [0, 1000, 3]}, 3) == [0, 1000, 3]
    told = {"answers": [2, 0, 2], "sentence": "Both broke."}
    assert read_outcome(told, 3) == RunOutcome([0, 2], "Both broke.")
    assert read_outcome({"sentence": "Nothing."}, 3) == RunOutcome(None, "Nothing.")
    assert read_outcome({"answers": [], "sentence": "None."}, 3).came_true == []
    place = {"address": "/base/lab?run=1", "run": RUN}
    assert read_location(place, "/base") == ("/lab?run=1", RUN)
    assert read_location({"address": "/map"}, "/base") == ("/map", None)
    assert read_location({"address": "/baseless"}, "/base") == ("/baseless", None)


def test_a_phrase_that_lacks_a_value_or_its_text_leaves_the_text_as_it_was_sent():
    for made_of in ("class.ask.accuracy", "class.ask.gone", "lessons/gone.predict"):
        shown_as_sent(made_of)


def shown_as_sent(made_of: str) -> None:
    asked = {
        "text": "With BN: what happens?", "answers": ["It rises", "Layer 12"],
        "text_phrase": {"key": made_of, "values": {}},
        "answer_phrases": [{"key": "class.answer.rises", "values": {"step": 3}},
                           {"key": "class.answer.layer", "values": {"number": 12_345}}],
    }  # fmt: skip
    question, answers = read_question(asked)
    with in_language("ja"):
        assert translated(question) == "With BN: what happens?"
        layer = text("class.answer.layer").format(number="12\u202f345")
        assert list(map(translated, answers)) == [text("class.answer.rises"), layer]


LIMITS: list[tuple[Callable[..., Any], dict[str, Any], dict[str, Any], str]] = [
    (vote_on(4), {**VOTE, "answer": 3}, {**VOTE, "answer": 4}, "answer"),
    (vote_on(2), {**VOTE, "answer": 1}, {**VOTE, "answer": 2}, "answer"),
    (vote_on(4), {**VOTE, "answer": 0}, {**VOTE, "answer": -1}, "answer"),
    (vote_on(4), {**VOTE, "round": 99}, {**VOTE, "round": 100}, "round"),
    (vote_on(4), {**VOTE, "question": MOST}, {**VOTE, "question": MOST + 1},
     "question"),
    (vote_on(4), {**VOTE, "question": "9" * 15},
     {**VOTE, "question": "9" * 17}, "question"),
    (vote_on(4), {**VOTE, "page": MOST, "n": 0},
     {**VOTE, "page": MOST + 1, "n": 0}, "page"),
    (vote_on(4), {**VOTE, "page": 0, "n": MOST},
     {**VOTE, "page": 0, "n": MOST + 1}, "n"),
    (vote_on(4), {**VOTE, "page": 0, "n": 0}, {**VOTE, "n": 0}, "page"),
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
    (hands_of_two, {"counts": [0, 1000]}, {"counts": [0, 1001]}, "counts"),
    (hands_of_two, {"counts": [0, 0]}, {"counts": [-1, 0]}, "counts"),
    (hands_of_two, {"counts": [1, 2]}, {"counts": [1, 2, 3]}, "counts"),
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


def refused(read: Callable[..., Any], given: dict[str, Any]) -> BadMessage | None:
    """Return the error with which `read` refuses a message, or None if it accepts the message."""
    try:
        read(given)
    except BadMessage as problem:
        return problem
    return None


def test_the_last_that_is_allowed_is_read_and_the_next_is_refused_by_name():
    wrong = []
    for read, last, beyond, field in LIMITS:
        found = refused(read, beyond)
        if refused(read, last) is not None or found is None or found.field != field:
            wrong.append((last, beyond, field, found))
    assert not wrong


def words(given: Any) -> dict[str, Any]:
    """Return a question whose text has the phrase `given`."""
    return {"text": "x", "answers": ["a", "b"], "text_phrase": given}


def within(levels: int) -> dict[str, Any]:
    """Return a phrase nested in `levels` other phrases."""
    inner = {"values": {"label": within(levels - 1)}} if levels else {}
    return {"key": "class.ask.accuracy", **inner}


PLAIN, SHORT = phrase("errors.plain_text", most=140), phrase("errors.plain_text", most=48)
NESTED = phrase("errors.class_phrase", levels=MOST_LEVELS)
VALUES = phrase("errors.class_values", most=MOST_VALUES)
TWO_TO_FOUR = phrase("errors.list_length", low=2, high=4)
REFUSED: list[tuple[Callable[..., Any], dict[str, Any], str, Any, Phrase]] = [
    (read_question, {"answers": ["a", "b"]}, "text", None, PLAIN),
    (read_question, {"text": 7, "answers": []}, "text", 7, PLAIN),
    (read_question, {"text": "a\x07b", "answers": []}, "text", "a\x07b", PLAIN),
    (read_question, {"text": "x"}, "answers", None, TWO_TO_FOUR),
    (read_question, {"text": "x", "answers": "ab"}, "answers", "ab", TWO_TO_FOUR),
    (read_question, {"text": "x", "answers": [""]}, "answers", [""], TWO_TO_FOUR),
    (read_question, {"text": "x", "answers": ["a", "b", 3]}, "answers", 3, SHORT),
    # Phones may show only the app's own texts and text that the teacher typed, so other phrases are
    # refused.
    (read_question, words("class.ask.breaks"), "text_phrase", "class.ask.breaks", NESTED),
    (read_question, words(within(4)), "text_phrase", within(0), NESTED),
    *((read_question, words({"key": key}), "text_phrase", key, one_of(KEYS)) for key in (
        None, "class.ask", "class.layer.refused", "norms.batch.help",
        "errors.room_full", "lessons/../class.ask.breaks", "lessons//break-it.predict",
        f"lessons/{chr(0x20000) * 100}.predict",
        "class.ask.breaks\n", "lessons/break-it.predict<b>", "class.ask.*",
    )),
    *((read_question, words({"key": "class.ask.accuracy", "values": {"label": value}}),
       "text_phrase", {"label": value}, VALUES)
      for value in ("<b>Tap here</b>", "with BN", "1 2", "", True, [], [{}] * 17)),
    (read_question, words({"key": "class.ask.accuracy", "values": {"a b": 1}}), "text_phrase",
     {"a b": 1}, VALUES),
    *((read_question, words({"key": "class.ask.accuracy", "values": values}), "text_phrase",
       values, VALUES) for values in ([1], [], 0, False)),
    (read_question, {**words(None), "answer_phrases": [{"key": "class.answer.both"}] * 3},
     "answer_phrases", [{"key": "class.answer.both"}] * 3,
     phrase("errors.list_length", low=2, high=2)),
    (read_question, {**words(None), "answer_phrases": [{"key": "class.answer.both"}, "x"]},
     "answer_phrases", "x", NESTED),
    (lambda given: read_outcome(given, 2),
     {"sentence": "x", "sentence_phrases": [{"key": "class.happened.chance"}] * 17},
     "sentence_phrases", [{"key": "class.happened.chance"}] * 17,
     phrase("errors.list_length", low=0, high=16)),
    (vote_on(3), {**VOTE, "answer": True}, "answer", True,
     integer_between(0, 2)),
    (vote_on(3), {**VOTE, "answer": "3"}, "answer", 3,
     integer_between(0, 2)),
    (vote_on(4), {**VOTE, "round": 1.0}, "round", 1.0,
     integer_between(0, 99)),
    (vote_on(4), {**VOTE, "page": 3}, "n", None,
     integer_between(0, MOST)),
    (hands_of_two, {"counts": [1]}, "counts", [1], phrase("errors.list_length", low=2, high=2)),
    (hands_of_two, {"counts": [1, "2"]}, "counts", "2", integer_between(0, 1000)),
    (lambda given: read_outcome(given, 2), {"sentence": "x", "answers": [0, "1"]}, "answers",
     "1", integer_between(0, 1)),
    (lambda given: read_outcome(given, 2), {"sentence": "x", "answers": {}}, "answers", {},
     phrase("errors.list_length", low=0, high=2)),
    (lambda given: read_location(given, "/x"), {"address": ""}, "address", "",
     phrase("errors.characters", most=2000)),
    (lambda given: read_location(given, "/x"), {"address": "/x//evil"}, "address",
     "/x//evil", phrase("errors.place")),
    (lambda given: read_location(given, "/x"), {"address": "/", "run": RUN + "\n"}, "run",
     RUN + "\n", phrase("errors.hex_digits", count=32)),
]  # fmt: skip


def test_a_refusal_names_the_first_wrong_field_its_value_and_what_is_allowed():
    wrong = []
    for read, given, field, value, allowed in REFUSED:
        found = refused(read, given)
        if found is None or (found.field, found.value, found.allowed) != (field, value, allowed):
            wrong.append((given, field, found))
    assert not wrong
