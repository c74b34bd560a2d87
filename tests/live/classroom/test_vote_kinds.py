"""A kind of vote is one class: here a number is guessed, of which no other file knows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

import pytest
from pydantic import BeforeValidator, Field

from bnviz.live.classroom.messages import ClassroomMessage, allowed, number_of_form
from bnviz.live.classroom.vote_kinds import VOTE_KINDS
from bnviz.live.classroom.votes import VoteKind
from bnviz.words.phrase import integer_between
from tests.live.classroom.hall import Phone, Teacher

MOST = 1000
Guess = Annotated[
    int, Field(ge=0, le=MOST), allowed(integer_between(0, MOST)), BeforeValidator(number_of_form)
]


class GuessMessage(ClassroomMessage):
    answer: Guess


class TruthMessage(ClassroomMessage):
    answers: Guess | None = None


@dataclass(frozen=True)
class NumberGuess(VoteKind):
    """Each phone guesses a whole number; a tally is all guesses, ascending."""

    name: ClassVar[str] = "guess"

    @classmethod
    def read(cls, body: Mapping[str, Any]) -> Self:
        return cls()

    def read_answer(self, body: Mapping[str, Any]) -> int:
        return GuessMessage.read(body).answer

    def read_hands(self, body: Mapping[str, Any]) -> list[int]:
        return sorted(body["guesses"])

    def read_came_true(self, body: Mapping[str, Any]) -> int | None:
        return TruthMessage.read(body).answers

    def count(self, answers: Iterable[int]) -> list[int]:
        return sorted(answers)

    def total(self, tally: list[int]) -> int:
        return len(tally)

    def state(self) -> dict[str, Any]:
        return {"vote": self.name}

    def answer_name(self, answer: int) -> str:
        return f"{answer:,}"

    def form_html(self, own: int | None, words: Mapping[str, Any]) -> str:
        value = "" if own is None else own
        field = f'<input name="answer" type="number" min="0" max="{MOST}" value="{value}">'
        return f"{field}<button>{words['choose']}</button>"

    def closed_html(self, own: int | None) -> str:
        return "<p>waiting</p>"

    def tally_html(
        self, tally: list[int], first: list[int] | None, came_true: int | None, own: int | None,
        words: Mapping[str, Any],
    ) -> str:  # fmt: skip
        return f'<p class="guesses">{tally} {first} {came_true} {own}</p>'


@pytest.fixture
def phones(monkeypatch: pytest.MonkeyPatch) -> tuple[Teacher, list[Phone]]:
    """A teacher who asks for a number, and two phones."""
    monkeypatch.setitem(VOTE_KINDS, NumberGuess.name, NumberGuess)
    teacher = Teacher()
    code = teacher.open()
    assert teacher.do("ask", text="At which step?", vote="guess").status_code == 200
    phones = [Phone(code), Phone(code)]
    for phone in phones:
        assert 'max="1000" value="">' in phone.open().text
    return teacher, phones


def guesses(phone: Phone) -> str:
    return re.findall(r'<p class="guesses">(.*?)</p>', phone.state().json()["main"])[0]


def test_it_is_asked_voted_on_shown_and_asked_again(phones: tuple[Teacher, list[Phone]]):
    teacher, (first, second) = phones
    asked = teacher.state()["question"]
    assert (asked["vote"], "answers" in asked) == ("guess", False)
    assert first.vote(1000).json()["said"].startswith("Your answer 1,000 is counted.")
    form = {"question": str(asked["id"]), "round": "1", "answer": "156"}
    assert second.tap(form).status_code == 303
    assert 'max="1000" value="156">' in second.open().text
    assert teacher.state()["question"]["answered"] == 2
    teacher.do("happened", answers=150, sentence="It broke at step 150.")
    teacher.do("reveal")
    assert teacher.state()["question"]["happened"]["answers"] == 150
    assert guesses(first) == "[156, 1000] None 150 1000"
    assert "What the class said: 2 answers" in first.open().text
    teacher.do("again")
    teacher.do("hands", guesses=[7, 3, 5])
    teacher.do("reveal")
    assert guesses(first) == "[3, 5, 7] [156, 1000] None None"


def test_what_it_does_not_allow_is_refused(phones: tuple[Teacher, list[Phone]]):
    _, (phone, _) = phones
    refused = phone.vote(MOST + 1)
    assert refused.status_code == 400
    assert (refused.json()["field"], refused.json()["value"]) == ("answer", MOST + 1)
