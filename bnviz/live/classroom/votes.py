"""One question to a class: its answers, its votes, its rounds, its tally.

A vote is the index of an answer, a tally is the count of each answer.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from bnviz.live.classroom.class_text import phrases_of
from bnviz.live.contract import MOST_ROUNDS
from bnviz.live.errors import NotNow
from bnviz.words.phrase import phrase

Status = Literal["open", "closed", "revealed"]


class Vote(NamedTuple):
    """The answer of a ballot, and where it stands among the votes of its page.

    Attributes:
        answer: its index.
        phone_page: a number of the page that sent it; None: it does not count its votes.
        n: how many that page had sent before.
    """

    answer: int
    phone_page: int | None = None
    n: int = 0


class RunOutcome(NamedTuple):
    """What the run, or the map, did.

    Attributes:
        came_true: the indices of the answers that came true, ascending; None: that cannot be said.
        sentence: what happened, in words, which carry their phrases if they have any.
    """

    came_true: list[int] | None
    sentence: str


@dataclass
class ClassQuestion:
    """A question and what was answered.

    Attributes:
        id: its number; no other question of this server's classroom has it.
        text: plain; it carries its phrase if it has one. So do its answers.
        answers: two to four texts.
        status: votes count while it is open; the tally shows once it is revealed.
        round: 1, or 2 after discussion.
        votes: the last one of each ballot, in this round.
        first: the tally of the first round, once there is a second.
        hands: the tally of a show of hands, instead of this round's ballots.
        outcome: what came of it, which phones show with the tally; None: not known yet.
    """

    id: int
    text: str
    answers: tuple[str, ...]
    status: Status = "open"
    round: int = 1
    votes: dict[str, Vote] = field(default_factory=dict)
    first: list[int] | None = None
    hands: list[int] | None = None
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
        late = (
            before is not None
            and before.phone_page == vote.phone_page is not None
            and vote.n < before.n
        )
        if not late:
            self.votes[ballot] = vote

    @property
    def tally(self) -> list[int]:
        """How many gave each answer in this round."""
        if self.hands is not None:
            return self.hands
        counts = Counter(vote.answer for vote in self.votes.values())
        return [counts[index] for index in range(len(self.answers))]

    @property
    def answered(self) -> int:
        """How many have answered in this round."""
        return sum(self.tally)

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

    def count_hands(self, tally: list[int]) -> None:
        """Take a show of hands instead of this round's ballots, and close the question."""
        self.hands = tally
        self.close()

    def state(self) -> dict[str, Any]:
        """The question for the teacher's page, as JSON, with all that asks it once more."""
        shown, outcome = self.status == "revealed", self.outcome
        of_text = [each.plain() for each in phrases_of(self.text)]
        of_answers = [each.plain() for answer in self.answers for each in phrases_of(answer)]
        return {
            "id": self.id, "status": self.status, "round": self.round,
            "hands": self.hands is not None, "tally": self.tally if shown else None,
            "first": self.first if shown else None, "text": self.text,
            "answers": list(self.answers), "answered": self.answered,
            "happened": outcome and {"answers": outcome.came_true, "sentence": outcome.sentence},
            "text_phrase": of_text[0] if of_text else None, "answer_phrases": of_answers or None,
        }  # fmt: skip
