"""A question to a class, with its answers, votes, rounds and tally (votes per answer)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from bnviz.live.contract import MOST_ROUNDS
from bnviz.live.errors import NotNow
from bnviz.words.phrase import phrase

Status = Literal["open", "closed", "revealed"]


class Vote(NamedTuple):
    """Vote of one ballot.

    Attributes:
        answer: Index of the answer.
        phone_page: Number of the sending page, or None if the page does not number its votes.
        n: Number of votes that the page sent before.
    """

    answer: int
    phone_page: int | None = None
    n: int = 0


class RunOutcome(NamedTuple):
    """Outcome of a question.

    Attributes:
        came_true: Ascending indices of the answers that came true, or None if that is undecided.
        sentence: Description of the outcome, with its phrases if it has any.
    """

    came_true: list[int] | None
    sentence: str


@dataclass
class ClassQuestion:
    """Question with the votes of its current round.

    Attributes:
        id: Number of the question, unique in this classroom.
        votes: Ballot -> latest vote in this round.
        first: Tally of the first round, or None before the second round.
        hands: Tally of a show of hands, which replaces this round's votes.
        outcome: Outcome shown with the tally, or None if unknown.
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
        """Count a ballot's vote, or raise `NotNow` if voting is closed.

        A vote that arrives after a later vote of the same page is ignored.
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
        if self.hands is not None:
            return self.hands
        counts = Counter(vote.answer for vote in self.votes.values())
        return [counts[index] for index in range(len(self.answers))]

    @property
    def answered(self) -> int:
        return sum(self.tally)

    def close(self) -> None:
        if self.status == "open":
            self.status = "closed"

    def reopen(self) -> None:
        """Accept votes again in this round, and discard a show of hands.

        Raises:
            NotNow: If the tally was revealed, because it would influence further votes.
        """
        if self.status == "revealed":
            raise NotNow(phrase("errors.votes_shown"))
        self.status, self.hands = "open", None

    def reveal(self) -> None:
        self.status = "revealed"

    def ask_again(self) -> None:
        """Open the second round and keep the first tally, or raise `NotNow` in the second round."""
        if self.round >= MOST_ROUNDS:
            raise NotNow(phrase("errors.asked_twice"))
        self.first, self.votes, self.hands, self.outcome = self.tally, {}, None, None
        self.status, self.round = "open", self.round + 1

    def count_hands(self, tally: list[int]) -> None:
        """Replace this round's votes with a show of hands, and close the question."""
        self.hands = tally
        self.close()

    def state(self) -> dict[str, Any]:
        """Return the JSON state for the teacher's page."""
        shown, outcome = self.status == "revealed", self.outcome
        return {
            "id": self.id, "status": self.status, "round": self.round,
            "hands": self.hands is not None, "tally": self.tally if shown else None,
            "first": self.first if shown else None, "text": self.text,
            "answers": list(self.answers), "answered": self.answered,
            "happened": outcome and {"answers": outcome.came_true, "sentence": outcome.sentence},
        }  # fmt: skip
