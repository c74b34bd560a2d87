"""Results of a vote as a class sees them (bars, rounds and outcome), computed from handwritten
records.
"""

from __future__ import annotations

from typing import Any

import pytest

from bnviz.words.texts import texts
from tests.browser.widgets.map_by_hand import LABELS, ask

QUESTION = {
    "id": "breaks", "kind": "breaks", "text": "Which one breaks?", "network": None, "both": 2,
    "neither": 3, "answers": ["Without BN", "With BN", "Both", "Neither"],
    "networks": ["none", "batch", None, None],
}  # fmt: skip
VOTES = {"status": "open", "round": 1, "answered": 0, "hands": False, "tally": None, "first": None}
ROOM = {"code": "K7QXPM", "address": "http://host/b/K7QXPM", "typed": "host/b", "phones": 9}


def show(page, name: str, **given: Any) -> Any:
    words = dict(texts("class"))
    return ask(page, name, "class_parts", question=QUESTION, words=words, labels=LABELS, **given)


def answers(page, **state: Any) -> list[dict[str, Any]]:
    usual = {"guess": None, "may": False, "tally": None, "first": None, "happened": None}
    return show(page, "answers", state={**usual, **state})


def test_each_answer_has_the_bar_and_the_number_of_its_own_votes(blank):
    found = answers(blank, tally=[1, 8, 0, 4], guess=3, happened=[1])
    assert [row["bars"] for row in found] == [
        [["class-now", share]] for share in (0.125, 1, 0, 0.5)
    ]  # fmt: skip
    assert [row["numbers"] for row in found] == ["1", "8", "0", "4"]
    assert [row["letter"] for row in found] == list("ABCD")
    assert [row["answer"] for row in found] == QUESTION["answers"]
    assert [row["yours"] for row in found] == [None, None, None, "your guess"]
    assert [row["happened"] for row in found] == [None, "happened", None, None]
    assert [row["came"] for row in found] == ["", "class-came", "", ""]
    # An answer about one network has the network's colour. Other answers have text colours.
    assert [row["line"] for row in found] == ["orange", "blue", "var(--ink)", "var(--muted)"]


def test_after_a_second_round_the_outline_and_the_first_number_are_of_the_first_one(blank):
    found = answers(blank, tally=[1, 6, 3, 0], first=[8, 2, 0, 4])
    assert [row["bars"] for row in found] == [
        [["class-first", 1], ["class-now", 0.125]], [["class-first", 0.25], ["class-now", 0.75]],
        [["class-first", 0], ["class-now", 0.375]], [["class-first", 0.5], ["class-now", 0]],
    ]  # fmt: skip
    assert [row["numbers"] for row in found] == [
        f"first vote {first} → second vote {now}" for first, now in ((8, 1), (2, 6), (0, 3), (4, 0))
    ]


def test_an_answer_is_a_button_while_one_may_guess(blank):
    assert [row["pressed"] for row in answers(blank, may=True, guess=1)] == [
        "false", "true", "false", "false",
    ]  # fmt: skip
    shown = answers(blank, tally=[0, 0, 0, 0])
    assert [row["pressed"] for row in shown] == [None] * 4
    assert [row["bars"] for row in shown] == [[["class-now", 0]]] * 4
    assert answers(blank)[0]["numbers"] is None


def test_how_many_have_answered_of_how_many(blank):
    wrong = []
    for votes, phones, said in [
        ({"answered": 7}, 12, "7 of 12 have answered"),
        # A phone that voted and left still counts.
        ({"answered": 12}, 7, "12 of 12 have answered"),
        ({"answered": 0}, 3, "0 of 3 have answered"),
        ({"answered": 2}, 0, "2 of 2 have answered"),
        ({"answered": 0}, 0, "No phone has joined yet"),
        ({"answered": 23, "hands": True}, 5, "23 hands"),
    ]:  # fmt: skip
        found = show(blank, "answered", votes={**VOTES, **votes}, phones=phones)
        if found != said:
            wrong.append(f"{votes}, {phones} phones: {found}")
    assert not wrong, "\n".join(wrong)


def layer(page, *states: tuple[dict[str, Any], dict[str, Any]], **room: Any):
    given = [[{**VOTES, **votes}, more] for votes, more in states]
    return show(page, "layer", states=given, room=room)


def test_what_can_be_done_next_follows_from_how_the_vote_stands(blank):
    tally = {"status": "revealed", "tally": [1, 2, 3, 4], "answered": 10}
    found = layer(
        blank, ({"answered": 4}, {}), ({"status": "closed"}, {}), (tally, {}),
        ({"round": 2}, {}), ({"round": 2, "status": "closed"}, {}),
        ({**tally, "round": 2, "first": [4, 3, 2, 1]}, {}), (tally, {"going": True}), **ROOM,
    )  # fmt: skip
    assert [state["status"] for state in found] == [
        "Voting is open.", "Voting is closed.", "The votes are shown.",
        "Voting is open again. The first vote is shown with the second.", "Voting is closed.",
        "The votes are shown. Outline and first number: before the discussion. Bar and second"
        " number: after it.", "The votes are shown.",
    ]  # fmt: skip
    always = ["back", "cancel"]
    assert [state["buttons"] for state in found] == [
        ["hands", "close", "reveal", "run", *always],
        ["hands", "reopen", "reveal", "vote_again", "run", *always], ["vote_again", "run", *always],
        ["hands", "close", "reveal", "run", *always], ["hands", "reopen", "reveal", "run", *always],
        ["run", *always], always,
    ]  # fmt: skip
    ways = ["close", "reveal", "run", "close", "reveal", "run", None]
    assert [state["main"] for state in found] == ways
    assert found[0]["code"] == "K7QXPM"
    assert found[0]["address"] == "Scan, or open host/b and type"
    assert [state["join"] for state in found] == [True, False, False, True, False, False, False]
    assert found[0]["count"] == "4 of 9 have answered"
    assert found[2]["numbers"] == ["1", "2", "3", "4"]
    assert found[5]["numbers"][0] == "first vote 4 → second vote 1"
    noted = "Click an answer to note your own guess."
    assert [state["note"] for state in found[:3]] == [noted, noted, ""]


def test_without_a_room_hands_and_a_second_round_are_left(blank):
    found = layer(
        blank, ({}, {}), ({"status": "revealed", "hands": True, "answered": 6,
                           "tally": [1, 2, 3, 0]}, {}),
    )  # fmt: skip
    assert found[0]["buttons"] == ["hands", "run", "back", "cancel"]
    assert found[1]["buttons"] == ["vote_again", "run", "back", "cancel"]
    assert [state["count"] for state in found] == ["", "6 hands"]
    assert [state["trouble"] for state in found] == ["Opening a room."] * 2


@pytest.mark.parametrize(
    ("room", "said"),
    [
        ({"reach": "hinted", "host": "192.0.2.9:8501"}, "Phones reach 192.0.2.9:8501 if"),
        ({"reach": "local"}, "This page is open at widgets.test, which phones cannot reach"),
        ({"trouble": "offline"}, "The server does not answer"),
        ({"trouble": "refused", "reach": "local"}, "The server opened no room"), ({}, ""),
    ],
)  # fmt: skip
def test_why_phones_cannot_vote_is_said(blank, room, said):
    (found,) = layer(blank, ({}, {}), **ROOM, **room)
    assert said in found["trouble"]
    assert bool(said) is bool(found["trouble"])


def test_the_panel_says_what_happened_or_what_is_waited_for_or_who_answered(blank):
    tally = {**VOTES, "status": "revealed", "tally": [1, 2, 3, 4], "answered": 10}
    came = {"answers": [1], "sentence": "With BN broke at step 156."}
    none = {"answers": [], "sentence": "Nothing broke."}
    unknown = {"answers": None, "sentence": "Another run."}
    going = {"going": True, "guess": 2}
    closed = {**VOTES, "status": "closed", "answered": 4}
    states = [
        [{**VOTES, "answered": 4}, {}, {**ROOM, "phones": 9}], [VOTES, {"guess": 1}, {}],
        [closed, going, ROOM], [closed, {"going": True}, ROOM], [tally, going, ROOM],
        [tally, {**going, "happened": came}, ROOM], [tally, {**going, "happened": none}, ROOM],
        [tally, {**going, "happened": unknown}, ROOM],
        [closed, {**going, "happened": came, "former": True}, ROOM], [VOTES, {"alone": True}, {}],
        [VOTES, {"alone": True, "guess": 0}, {}],
    ]  # fmt: skip
    found = show(blank, "panel", states=states)
    guess, known = "Your guess: {}.", "Known at step 90."
    assert [line for line, *_ in found] == [
        "4 of 9 have answered", guess.format("With BN"), f"{known} {guess.format('Both')}", known,
        f"{known} {guess.format('Both')}",
        "With BN broke at step 156.", "Nothing broke. None of these happened.", "Another run.",
        "Before: With BN broke at step 156.",
        "Click an answer to note your own guess.", guess.format("Without BN"),
    ]  # fmt: skip
    assert [buttons for _, buttons, _ in found] == [
        ["show"], ["show"], ["reveal"], ["reveal"], [], ["ask_again"], ["ask_again"],
        ["ask_again"], ["reveal", "ask_again"], [], [],
    ]  # fmt: skip
    assert [join for *_, join in found] == ["K7QXPM", *[None] * 10]


def test_hands_of_two_rounds_without_a_server_are_kept_apart(blank):
    assert show(blank, "rounds", counts=[[5, 2, 0, 1], [1, 6, 3, 4]]) == [
        [1, "revealed", 8, [5, 2, 0, 1], None], [2, "open", 0, None, [5, 2, 0, 1]],
        [2, "revealed", 14, [1, 6, 3, 4], [5, 2, 0, 1]],
    ]  # fmt: skip


def test_sentences_of_an_outcome_are_one_that_phones_can_be_sent(blank):
    long, first = "x" * 120, "X" + "x" * 119
    sentences = [["a broke.", "b held."], [long, "second"], [long, long], ["y" * 250]]
    found = show(blank, "joined", sentences=sentences)
    assert found == ["A broke. B held.", f"{first} Second", first, "Y" + "y" * 199]
