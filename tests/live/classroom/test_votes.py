"""Rounds of a vote and phones of a class: what is kept, and for how long."""

from __future__ import annotations

import pytest

from bnviz.live.classroom import classrooms as room_module
from bnviz.live.classroom.classrooms import Classroom
from bnviz.live.classroom.phone_pages import ballot_main
from bnviz.live.classroom.votes import RunOutcome
from bnviz.live.errors import NotNow
from tests.live.classroom.test_classrooms import ANSWERS, BALLOTS, Clock, vote
from tests.live.conftest import OWNER


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(room_module, "time", clock)
    return clock


@pytest.fixture
def room() -> Classroom:
    room = Classroom("K7QXPM", OWNER, 100)
    room.ask("Which one breaks?", ANSWERS)
    return room


def test_a_second_round_has_nothing_of_the_first_but_its_tally(room: Classroom):
    for ballot, answer in zip(BALLOTS, (0, 0, 0, 1, 2), strict=False):
        vote(room, ballot, answer)
    room.asked().outcome = RunOutcome([0], "Without BN broke.")
    room.asked().reveal()
    room.asked().ask_again()
    assert room.state()["question"] == {
        "id": room.question.id, "text": "Which one breaks?", "answers": list(ANSWERS),
        "status": "open", "round": 2, "hands": False, "answered": 0, "tally": None, "first": None,
        "happened": None,
    }  # fmt: skip
    assert room.answer_of(BALLOTS[0]) is None
    vote(room, BALLOTS[0], 2)
    vote(room, BALLOTS[5], 1)
    room.asked().close()
    told = room.state()["question"]
    assert (told["status"], told["tally"], told["first"]) == ("closed", None, None)
    assert "tally" not in ballot_main(room, None, "")
    room.asked().reveal()
    told = room.state()["question"]
    assert (told["tally"], told["first"], told["answered"]) == ([0, 1, 1], [3, 1, 1], 2)
    assert (told["happened"], told["round"]) == (None, 2)
    room.asked().outcome = RunOutcome([1], "With BN broke.")
    assert room.state()["question"]["happened"]["answers"] == [1]
    assert "With BN broke." in ballot_main(room, None, "")
    # Closing affects only an open vote. A revealed vote stays revealed.
    room.asked().close()
    assert room.question.status == "revealed"


def test_a_vote_that_was_closed_can_be_opened_again_until_it_is_shown(room: Classroom):
    vote(room, BALLOTS[0], 2)
    room.asked().count_hands([1, 2, 3])
    assert room.question.status == "closed"
    room.asked().reopen()
    vote(room, BALLOTS[1], 0)
    told = room.state()["question"]
    assert (told["status"], told["round"], told["answered"]) == ("open", 1, 2)
    room.asked().reveal()
    before = room.state()
    with pytest.raises(NotNow) as refused:
        room.asked().reopen()
    assert refused.value.phrase.key == "errors.votes_shown"
    assert room.state() == before


def test_a_third_round_is_refused_and_changes_nothing(room: Classroom):
    room.asked().ask_again()
    room.asked().count_hands([1, 2, 3])
    before = room.state()
    with pytest.raises(NotNow) as refused:
        room.asked().ask_again()
    assert refused.value.phrase.key == "errors.asked_twice"
    assert room.state() == before


def test_who_voted_in_the_first_round_alone_gives_their_place_to_a_new_phone(clock: Clock):
    room = Classroom("K7QXPM", OWNER, 1)
    room.ask("Which?", ANSWERS)
    room.admit(BALLOTS[0])
    vote(room, BALLOTS[0], 1)
    room.asked().ask_again()
    clock.now += room_module.ABSENT_SECONDS + 1
    room.admit(BALLOTS[1])
    assert not room.has_ballot(BALLOTS[0])


def test_a_phone_is_counted_for_as_long_as_it_was_heard_of_just_now(clock: Clock):
    room = Classroom("K7QXPM", OWNER, 9)
    room.admit(BALLOTS[0])
    clock.now += 30
    room.admit(BALLOTS[1])
    clock.now += 15
    assert (room.phones(), room.ballots, room.state()["phones"]) == (2, 2, 2)
    clock.now += 1
    assert (room.phones(), room.ballots) == (1, 2)
    room.admit(BALLOTS[0])
    assert (room.phones(), room.ballots) == (2, 2)
    # Pages poll every few seconds, so a phone whose page missed a few polls still counts as
    # present.
    assert room_module.PRESENT_SECONDS == 45
    assert room_module.ABSENT_SECONDS == 120


def test_a_vote_of_another_page_counts_whatever_its_number(room: Classroom):
    vote(room, BALLOTS[0], 0, phone_page=1, n=9)
    vote(room, BALLOTS[0], 1, phone_page=2, n=3)
    assert room.answer_of(BALLOTS[0]) == 1
    vote(room, BALLOTS[0], 2, phone_page=2, n=2)
    assert room.answer_of(BALLOTS[0]) == 1
    vote(room, BALLOTS[0], 2, phone_page=2, n=3)
    assert room.answer_of(BALLOTS[0]) == 2
    assert (room.votes, room.question.answered) == (4, 1)


def test_every_question_of_a_room_has_the_next_number(room: Classroom):
    numbers = [room.question.id]
    for _ in range(2):
        room.ask("And now?", ANSWERS)
        numbers.append(room.question.id)
    assert numbers == [1, 2, 3]
    assert (room.question.status, room.question.round, room.question.first) == ("open", 1, None)
