"""Answers to questions about a map, computed from the map's own networks and cells."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.widgets.map_by_hand import ask, plan, row


def told_of_map(page, *found: tuple[dict[str, Any], Any], **more: Any) -> list[str | None]:
    return ask(page, "happened", data=plan(**more), found=[list(each) for each in found])


def test_what_came_of_a_question_about_a_map_has_its_own_networks_and_numbers(blank):
    across = {"climb": "across", "row": None}
    reached = [
        {"norm": "none", "value": 0.31, "end": False}, {"norm": "batch", "value": 10, "end": True},
    ]  # fmt: skip
    nowhere = [{"norm": "batch", "value": None, "end": False}]
    found = told_of_map(
        blank, (across, {"answers": [1], "words": ["highest", {"reached": reached}]}),
        ({"climb": "across", "row": 16}, {"answers": [1], "words": ["row", {"reached": reached}]}),
        (across, {"answers": [], "words": ["highest", {"reached": nowhere}]}),
        ({"climb": "up", "row": 0.1},
         {"answers": [0], "words": ["row", {"reached": [{**reached[0], "value": 64}]}]}),
        (across, {"answers": [0], "words": ["most", {"shares": [0.42, 0.31, 0.19, 0.08]}]}),
        (across, {"answers": None, "words": ["gone", {}]}), (across, None),
    )  # fmt: skip
    assert [sentence and sentence.replace("\u00a0", " ") for sentence in found] == [
        "Largest learning rate at which each network learned: without BN 0.31, with BN 10 or more.",
        "Largest learning rate at which each network learned, with batch size 16: without BN 0.31,"
        " with BN 10 or more.",
        "Largest learning rate at which each network learned: with BN none.",
        "Largest batch size at which each network learned, with learning rate 0.1: without BN 64.",
        "Shares of the map: both learn 42 %, only without BN 31 %, only with BN 19 %, neither 8 %.",
        "Another map has replaced the map in the question.", None,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("status", "rows", "said", "goes"),
    [
        ("running", 0, "The answer will be known when the map is complete.", "Run"),
        ("running", 3, "The answer will be known when the map is complete. The results of 17"
         " networks were already on screen. They are hidden while the class thinks.", "Run"),
        ("finished", 3, "This map is already drawn and was on screen. Its results are hidden while"
         " the class thinks.", "Show the map"),
        ("failed", 3, "This map is already drawn and was on screen. Its results are hidden while"
         " the class thinks.", "Show the map"),
    ],
)  # fmt: skip
def test_when_a_question_about_a_map_is_settled_is_said(blank, status, rows, said, goes):
    cells = [row(0, i, 0) for i in range(rows)]
    answer = {"status": status, "progress": {"done": 17}}
    found = ask(blank, "settles", data=plan(), rows=cells, answer=answer)
    assert found == [said, goes, "The answer will be known when the map is complete.", "", True]


def test_a_question_about_a_map_goes_on_when_it_is_wanted_and_is_of_the_map_it_was_put_to(blank):
    question = {"kind": "most", "networks": [None, "none", "batch", None], "network": None,
                "row": None}  # fmt: skip

    def at(key: str, **more: Any) -> dict[str, Any]:
        return {"key": key, "wanted": False, "over": True, "failed": True, **more}

    failed = {"answers": None, "words": ["failed", {}]}
    turns: list[tuple[str, dict[str, Any] | None, Any, bool, str | None]] = [
        ("follow", at("one"), True, False, "one"), ("follow", at("one"), False, False, "one"),
        ("decide", at("one"), None, False, "one"),
        # If a new map replaces the map on the page, the question is about the new map.
        ("follow", at("two"), True, False, "two"),
        ("follow", at("two", wanted=True), True, True, "two"),
        ("follow", at("two", wanted=True), False, True, "two"),
        ("decide", at("one"), None, True, "two"),
        ("decide", at("two", over=False), None, True, "two"),
        ("decide", at("two"), failed, True, "two"), ("happen", None, True, True, "two"),
        ("follow", at("three", wanted=True), False, True, "two"),
        ("decide", at("two"), None, True, "two"),
    ]  # fmt: skip
    found = ask(blank, "follows", question=question, turns=[turn[:2] for turn in turns])
    assert [tuple(each) for each in found] == [turn[2:] for turn in turns]
    # For a map that is already drawn, the question starts on request.
    begun = ask(blank, "follows", question=question, turns=[("start", None), ("follow", at("one"))])
    assert begun == [[None, False, None], [True, True, "one"]]
