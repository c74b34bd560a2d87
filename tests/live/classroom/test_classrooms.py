"""Classes of phones that vote: ownership, valid votes, and which data are kept or deleted."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from bnviz.live.classroom import classrooms as room_module
from bnviz.live.classroom import classrooms as rooms_module
from bnviz.live.classroom.classrooms import (
    ALPHABET,
    CODE_LENGTH,
    Classroom,
    Classrooms,
    read_code,
)
from bnviz.live.classroom.phone_pages import ballot_main
from bnviz.live.classroom.votes import RunOutcome, Vote
from bnviz.live.errors import LimitReached, NoSuchClassroom, NotNow, NotYourClassroom
from bnviz.live.settings import Settings
from tests.live.classroom.phones import QUESTION, Phone, Teacher
from tests.live.conftest import OWNER, STRANGER

ANSWERS = ("Without BN", "With BN", "Both")
BALLOTS = [f"{number:064x}" for number in range(6)]


class Clock:
    """Stand-in for the module `time`, whose time a test can set."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module in (room_module, rooms_module):
        monkeypatch.setattr(module, "time", clock)
    return clock


@pytest.fixture
def room() -> Classroom:
    room = Classroom("K7QXPM", OWNER, 100)
    room.ask("Which one breaks?", ANSWERS)
    return room


def vote(room: Classroom, ballot: str, answer: int, **sent: int) -> None:
    assert room.question is not None
    room.vote(ballot, room.question.id, room.question.round, Vote(answer, **sent))


class Voting(RuleBasedStateMachine):
    """Check that the tally counts the last vote of each ballot, whatever the order of requests."""

    def __init__(self) -> None:
        super().__init__()
        self.room = Classroom("K7QXPM", OWNER, 100)
        self.room.ask("Which one breaks?", ANSWERS)
        self.last: dict[str, int] = {}
        self.sent: dict[tuple[str, int], int] = {}

    @rule(ballot=st.sampled_from(BALLOTS), answer=st.integers(0, 2))
    def vote(self, ballot: str, answer: int) -> None:
        assert self.room.question is not None
        if self.room.question.status == "open":
            vote(self.room, ballot, answer)
            self.last[ballot] = answer
            self._forget(ballot)
        else:
            with pytest.raises(NotNow):
                vote(self.room, ballot, answer)

    @rule(ballot=st.sampled_from(BALLOTS), answer=st.integers(0, 2), n=st.integers(1, 4))
    def vote_from_a_page_whose_votes_overtake_each_other(
        self, ballot: str, answer: int, n: int
    ) -> None:
        assert self.room.question is not None
        if self.room.question.status != "open":
            return
        vote(self.room, ballot, answer, phone_page=7, n=n)
        if n >= self.sent.get((ballot, 7), 0):
            self.sent[ballot, 7], self.last[ballot] = n, answer

    @rule(ballot=st.sampled_from(BALLOTS), question=st.integers(-3, 3), round_=st.integers(-1, 1))
    def vote_for_what_is_not_asked_now(self, ballot: str, question: int, round_: int) -> None:
        now = self.room.question
        assert now is not None
        if question or round_:
            with pytest.raises(NotNow):
                self.room.vote(ballot, now.id + question, now.round + round_, Vote(0))

    @rule()
    def close(self) -> None:
        self.room.asked().close()

    @rule()
    def reveal(self) -> None:
        self.room.asked().reveal()

    @rule()
    def again(self) -> None:
        assert self.room.question is not None
        if self.room.question.round == 2:
            with pytest.raises(NotNow):
                self.room.asked().ask_again()
            return
        before = self.room.question.tally
        self.room.asked().ask_again()
        assert self.room.question.first == before
        self.last, self.sent = {}, {}

    @rule()
    def ask(self) -> None:
        self.room.ask("What now?", ANSWERS)
        self.last, self.sent = {}, {}

    def _forget(self, ballot: str) -> None:
        self.sent.pop((ballot, 7), None)

    @invariant()
    def the_tally_is_the_last_vote_of_each_ballot(self) -> None:
        assert self.room.question is not None
        votes = list(self.last.values())
        assert self.room.question.tally == [votes.count(answer) for answer in range(3)]
        assert self.room.question.answered == len(votes)

    @invariant()
    def numbers_show_when_they_are_revealed_and_never_before(self) -> None:
        assert self.room.question is not None
        shown = self.room.question.status == "revealed"
        told = self.room.question.state()
        assert (told["tally"] is not None) is shown
        assert (told["first"] is not None) is (shown and self.room.question.round == 2)
        assert ('class="tally"' in ballot_main(self.room, None, "")) is shown


Voting.TestCase.settings = settings(max_examples=60, stateful_step_count=30)
test_the_tally = Voting.TestCase


def test_hands_replace_the_ballots_of_their_round_and_close_it(room: Classroom):
    vote(room, BALLOTS[0], 1)
    room.asked().count_hands([12, 3, 0])
    with pytest.raises(NotNow):
        vote(room, BALLOTS[1], 0)
    room.asked().reveal()
    assert room.state()["question"] | {} == {
        **room.state()["question"], "hands": True, "answered": 15, "tally": [12, 3, 0],
    }  # fmt: skip
    room.asked().ask_again()
    vote(room, BALLOTS[0], 2)
    room.asked().reveal()
    told = room.state()["question"]
    assert (told["tally"], told["first"]) == ([0, 0, 1], [12, 3, 0])


def test_what_happened_shows_on_ballots_with_the_tally(room: Classroom):
    room.asked().outcome = RunOutcome([0, 2], "Without BN broke.")
    assert room.state()["question"]["happened"]["answers"] == [0, 2]
    assert "broke." not in ballot_main(room, None, "")
    room.asked().close()
    assert "broke." not in ballot_main(room, None, "")
    room.asked().reveal()
    shown = ballot_main(room, None, "")
    assert ("Without BN broke." in shown, shown.count("This happened")) == (True, 2)
    room.asked().outcome = RunOutcome(None, "Nothing can be said.")
    assert room.state()["question"]["happened"]["answers"] is None
    assert "This happened" not in ballot_main(room, None, "")


def test_phones_are_sent_anew_what_the_teacher_has_changed_and_no_votes(
    teacher: Teacher, phone: Phone
):
    def tag() -> str:
        return phone.state().headers["etag"]

    for act in ("close", "reopen", "reveal", "again", "drop"):
        before = tag()
        assert teacher.do(act).status_code == 200
        assert tag() != before
    teacher.do("ask", **QUESTION)
    before = tag()
    other = Phone(teacher.code)
    other.open()
    assert other.vote(0).status_code == 200
    assert tag() == before
    teacher.browser.put(f"/x/room/{teacher.code}/place", json={"address": "/lab"})
    assert tag() != before


def test_nothing_can_be_done_with_a_question_that_was_not_asked(teacher: Teacher):
    teacher.do("drop")
    for act in ("close", "reopen", "reveal", "again", "hands", "happened"):
        refused = teacher.do(act)
        assert (refused.status_code, refused.json()["phrase"]["key"]) == (
            409, "errors.nothing_asked",
        )  # fmt: skip


def test_a_browser_has_one_room():
    rooms = Classrooms(Settings(workers=1))
    room = rooms.open(OWNER)
    assert rooms.open(OWNER) is room
    assert read_code(room.code.lower()) == room.code


def test_a_code_is_read_as_people_type_it():
    cases = [
        ("k7qxpm", "K7QXPM"), (" K7Q-XPM ", "K7QXPM"), ("K7Q XPM", "K7QXPM"),
        ("K7QXP", None), ("K7QXPMM", None), ("K7QXP0", None), ("ıııııı", None), ("", None),
        ("K" * 10_000, None), ("ＫＲＲＲＱＣ", "KRRRQC"), ("ｋ７ｑ－ｘｐｍ", "K7QXPM"),
        ("K7Q–XPM", "K7QXPM"), ("K7Q−XPM", "K7QXPM"), ("K7QーXPM", "K7QXPM"),
        ("K7Q\u200bXPM\u200e", "K7QXPM"), ("K7Q　XPM\u00a0", "K7QXPM"), ("K7Q_XPM", None),
    ]  # fmt: skip
    assert [(typed, read_code(typed)) for typed, _ in cases] == cases


def test_no_two_characters_of_codes_look_alike():
    for alike in ("0ODQ"[:3], "1IL", "2Z", "5S", "8B", "UV"):
        assert sum(character in ALPHABET for character in alike) <= 1
    assert len(ALPHABET) ** CODE_LENGTH > 50_000_000


def test_only_its_owner_has_a_room():
    rooms = Classrooms(Settings(workers=1))
    room = rooms.open(OWNER)
    assert rooms.own(OWNER, room.code) is room
    for other in (STRANGER, None, ""):
        with pytest.raises(NotYourClassroom):
            rooms.own(other, room.code)


def test_a_class_ends_when_its_teacher_is_silent_for_long(clock: Clock):
    rooms = Classrooms(Settings(workers=1, room_idle_seconds=60))
    left, stays = rooms.open(OWNER), rooms.open(STRANGER)
    clock.now += 59
    rooms.own(STRANGER, stays.code)
    left.admit(BALLOTS[0])  # phones alone do not keep a class open
    clock.now += 2
    rooms.maintain()
    with pytest.raises(NoSuchClassroom) as gone:
        rooms.find(left.code)
    assert gone.value.gone
    assert rooms.find(stays.code) is stays
    assert rooms.open(OWNER).code != left.code


def test_a_full_server_gives_the_place_of_a_class_that_was_left(clock: Clock):
    rooms = Classrooms(Settings(workers=1, max_rooms=2))
    first, second = rooms.open("a"), rooms.open("b")
    with pytest.raises(LimitReached):
        rooms.open("c")
    clock.now += rooms_module.TEACHER_SILENT_SECONDS + 1
    rooms.own("a", first.code)
    second.ask("Which?", ANSWERS)
    vote(second, BALLOTS[0], 1)
    third = rooms.open("c")
    assert [rooms.of_owner(owner) for owner in "abc"] == [first, None, third]
    third.admit(BALLOTS[0])
    first.admit(BALLOTS[1])
    clock.now += room_module.PRESENT_SECONDS + 1
    first.admit(BALLOTS[2])
    assert rooms.status() == {
        "rooms": 2, "rooms_opened": 3, "votes": 1, "ballots": 3, "phones": 1,
    }  # fmt: skip
    with pytest.raises(NoSuchClassroom):
        rooms.find(second.code)


def test_one_address_cannot_fill_a_class_for_others():
    room = Classroom("K7QXPM", OWNER, 3)
    room.ask("Which?", ANSWERS)
    for ballot in BALLOTS[:3]:
        room.admit(ballot, "192.0.2.1")
    vote(room, BALLOTS[0], 1)
    with pytest.raises(LimitReached):
        room.admit(BALLOTS[3], "192.0.2.1")
    room.admit(BALLOTS[3], "192.0.2.2")
    assert [room.has_ballot(ballot) for ballot in BALLOTS[:4]] == [True, False, True, True]
    with pytest.raises(LimitReached):
        room.admit(BALLOTS[1], "192.0.2.1")
    assert room.question.tally == [0, 1, 0]


def test_a_class_has_so_many_ballots_and_those_that_left_make_room(clock: Clock):
    room = Classroom("K7QXPM", OWNER, 2)
    room.ask("Which?", ANSWERS)
    for ballot in BALLOTS[:2]:
        room.admit(ballot)
    vote(room, BALLOTS[0], 1)
    with pytest.raises(LimitReached):
        room.admit(BALLOTS[2])
    assert room.phones() == 2
    clock.now += room_module.ABSENT_SECONDS + 1
    assert room.phones() == 0
    room.admit(BALLOTS[2])
    assert [room.has_ballot(ballot) for ballot in BALLOTS[:3]] == [True, False, True]
    assert room.question.tally == [0, 1, 0]
