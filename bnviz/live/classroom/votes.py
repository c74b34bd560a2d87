"""One question to a class: its votes, its rounds, its tally. What is voted on is of some kind.

A kind of vote is a subclass of `VoteKind` in a file of its own, named in `VOTE_KINDS`
(`bnviz.live.classroom.vote_kinds`). An answer is what one phone gives: a hashable value that can be
written as JSON. A tally is what all answers of a round come to. Both are as the kind has them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple, Self

from bnviz.live.classroom.class_text import phrases_of, translated
from bnviz.live.contract import MOST_ROUNDS
from bnviz.live.errors import NotNow
from bnviz.words.phrase import phrase

Status = Literal["open", "closed", "revealed"]
Answer = Any
Tally = Any


class VoteKind(ABC):
    """What one question lets a class vote on: how answers are read, counted, and shown on phones.

    An instance is immutable. HTML is complete: texts in it are escaped, and in the current language
    if they can be (`bnviz.live.classroom.class_text`).

    Attributes:
        name: of the kind, in messages. Of the words of phones (`ballot.toml`) a table of this name
            replaces some: `[<name>.open]` those of `[open]`, and so on.
    """

    name: ClassVar[str]

    @classmethod
    @abstractmethod
    def read(cls, body: Mapping[str, Any]) -> Self:
        """What a teacher's page asks, from the message that asks it.

        Raises:
            BadMessage: names what is wrong.
        """

    @abstractmethod
    def read_answer(self, body: Mapping[str, Any]) -> Answer:
        """The answer in a phone's message, sent by the page's script or as a form.

        Raises:
            BadMessage: names what is wrong.
        """

    @abstractmethod
    def read_hands(self, body: Mapping[str, Any]) -> Tally:
        """The tally of a show of hands, from the teacher's message.

        Raises:
            BadMessage: names what is wrong.
        """

    @abstractmethod
    def read_came_true(self, body: Mapping[str, Any]) -> Any:
        """What came true, from the teacher's message; None: that cannot be said.

        Raises:
            BadMessage: names what is wrong.
        """

    @abstractmethod
    def count(self, answers: Iterable[Answer]) -> Tally:
        """The tally of some answers."""

    @abstractmethod
    def total(self, tally: Tally) -> int:
        """How many answers a tally has."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """The question's fields of this kind for the teacher's page, as JSON.

        They are those that ask it. All kinds but the lettered one also give their name, as `vote`.
        """

    @abstractmethod
    def answer_name(self, answer: Answer) -> str:
        """How a sentence on a phone names an answer."""

    @abstractmethod
    def form_html(self, own: Answer | None, words: Mapping[str, Any]) -> str:
        """What stands in the form with which a phone votes.

        Either a `<button name="answer" value="…">` for each answer, with its name in sentences as
        `data-called`; or one `<input name="answer">` and a button that sends it. The script of the
        page knows these two, and no kind.

        Args:
            own: the phone's answer so far, or None.
            words: the table `open` of `assets/texts/<language>/ballot.toml`.
        """

    @abstractmethod
    def closed_html(self, own: Answer | None) -> str:
        """What a phone shows between the vote and its tally."""

    @abstractmethod
    def tally_html(
        self,
        tally: Tally,
        first: Tally | None,
        came_true: Any,
        own: Answer | None,
        words: Mapping[str, Any],
    ) -> str:
        """The tally as a phone shows it.

        Args:
            tally: of the last round.
            first: of the round before, if there was one.
            came_true: see `read_came_true`; None also where nothing was said yet.
            own: the phone's answer, or None.
            words: the table `revealed` of `assets/texts/<language>/ballot.toml`.
        """


class Vote(NamedTuple):
    """The answer of a ballot, and where it stands among the votes of its page.

    Attributes:
        answer: as its kind has it.
        page: a number of the page that sent it; None: it does not count its votes.
        n: how many that page had sent before.
    """

    answer: Answer
    page: int | None = None
    n: int = 0


class RunOutcome(NamedTuple):
    """What the run, or the map, did.

    Attributes:
        came_true: as the kind of vote has it; None: that cannot be said.
        sentence: what happened, in words, which carry their phrases if they have any.
    """

    came_true: Any
    sentence: str

    def state(self) -> dict[str, Any]:
        """For JSON."""
        return {"answers": self.came_true, "sentence": self.sentence}


@dataclass
class ClassQuestion:
    """A question and what was answered.

    Attributes:
        id: its number; no other question of this server's classroom has it.
        text: plain; it carries its phrase if it has one.
        kind: what is voted on.
        status: votes count while it is open; the tally shows once it is revealed.
        round: 1, or 2 after discussion.
        votes: the last one of each ballot, in this round.
        first: the tally of the first round, once there is a second.
        hands: the tally of a show of hands, instead of this round's ballots.
        outcome: what came of it; None: not known yet.
    """

    id: int
    text: str
    kind: VoteKind
    status: Status = "open"
    round: int = 1
    votes: dict[str, Vote] = field(default_factory=dict)
    first: Tally | None = None
    hands: Tally | None = None
    outcome: RunOutcome | None = None

    def vote(self, ballot: str, question: int, round_: int, vote: Vote) -> None:
        """Count a ballot's answer, instead of the one that it had.

        A vote that its page had sent before another that has come already changes nothing.

        Raises:
            NotNow: this question, or this round, is not open.
        """
        if (question, round_) != (self.id, self.round) or self.status != "open":
            raise NotNow(phrase("errors.vote_closed"))
        before = self.votes.get(ballot)
        late = before is not None and before.page == vote.page is not None and vote.n < before.n
        if not late:
            self.votes[ballot] = vote

    def answer_of(self, ballot: str) -> Answer | None:
        """The answer of a ballot in this round; None: it has given none."""
        found = self.votes.get(ballot)
        return None if found is None else found.answer

    @property
    def tally(self) -> Tally:
        """What the answers of this round come to."""
        if self.hands is not None:
            return self.hands
        return self.kind.count(vote.answer for vote in self.votes.values())

    @property
    def answered(self) -> int:
        """How many have answered in this round."""
        return len(self.votes) if self.hands is None else self.kind.total(self.hands)

    def close(self) -> None:
        """No more votes are taken. A question whose tally shows goes on showing it."""
        if self.status == "open":
            self.status = "closed"

    def reopen(self) -> None:
        """Votes count again, in the same round. A show of hands is forgotten.

        Raises:
            NotNow: the tally was shown: who votes now would have seen how the others did.
        """
        if self.status == "revealed":
            raise NotNow(phrase("errors.votes_shown"))
        self.status, self.hands = "open", None

    def reveal(self) -> None:
        """No more votes are taken, and the tally shows."""
        self.status = "revealed"

    def ask_again(self) -> None:
        """Open the second round; the tally of the first is kept, its votes and outcome are not.

        Raises:
            NotNow: this is the second round.
        """
        if self.round >= MOST_ROUNDS:
            raise NotNow(phrase("errors.asked_twice"))
        self.first, self.votes, self.hands, self.outcome = self.tally, {}, None, None
        self.status, self.round = "open", self.round + 1

    def count_hands(self, tally: Tally) -> None:
        """Take a show of hands instead of this round's ballots, and close the question."""
        self.hands = tally
        self.close()

    def phone_state(self) -> dict[str, Any]:
        """The question for phones, in the current language, as JSON.

        Nothing in it changes with a vote.
        """
        told = None
        if self.status == "revealed" and self.outcome is not None:
            told = {**self.outcome.state(), "sentence": translated(self.outcome.sentence)}
        return {**self._state(), "text": translated(self.text), "happened": told}

    def teacher_state(self) -> dict[str, Any]:
        """The question for the teacher's page, as JSON, with all that asks it once more."""
        happened = self.outcome.state() if self.outcome is not None else None
        state = {
            **self._state(), "text": self.text, **self.kind.state(), "answered": self.answered,
            "happened": happened,
        }  # fmt: skip
        if phrases := phrases_of(self.text):
            state["text_phrase"] = phrases[0].plain()
        return state

    def _state(self) -> dict[str, Any]:
        shown = self.status == "revealed"
        return {
            "id": self.id, "status": self.status, "round": self.round,
            "hands": self.hands is not None, "tally": self.tally if shown else None,
            "first": self.first if shown else None,
        }  # fmt: skip
