"""One question to a class: its votes, its rounds, its tally."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from bnviz.live.errors import NotNow
from bnviz.words.phrase import phrase

Status = Literal["open", "closed", "revealed"]
# The second round is the one after discussion.
MOST_ROUNDS = 2


class Vote(NamedTuple):
    """What a ballot answers.

    Attributes:
        answer: which, from 0.
        page: a number of the page that sent it; None: it does not count its votes.
        n: how many that page had sent before.
    """

    answer: int
    page: int | None = None
    n: int = 0


class RunOutcome(NamedTuple):
    """What the run did.

    Attributes:
        answers: those that came true; None: that cannot be said.
        sentence: what happened, in words.
    """

    answers: tuple[int, ...] | None
    sentence: str

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        answers = None if self.answers is None else list(self.answers)
        return {"answers": answers, "sentence": self.sentence}


@dataclass
class ClassQuestion:
    """A question and what was answered.

    Attributes:
        id: its number; no other question of this server's room has it.
        text: plain.
        answers: two to four.
        status: votes count while it is open; the tally shows once it is revealed.
        round: 1, or 2 after discussion.
        votes: the last one of each ballot, in this round.
        first: the tally of the first round, once there is a second.
        hands: what was counted in the room, instead of this round's ballots.
    """

    id: int
    text: str
    answers: tuple[str, ...]
    status: Status = "open"
    round: int = 1
    votes: dict[str, Vote] = field(default_factory=dict)
    first: tuple[int, ...] | None = None
    hands: tuple[int, ...] | None = None
    happened: RunOutcome | None = None

    def vote(self, ballot: str, question: int, round_: int, vote: Vote) -> None:
        """Count a ballot's answer, instead of the one that it had.

        One that its page had sent before another that has come already is late: that other stands.

        Raises:
            NotNow: this question, or this round, is not open.
        """
        if (question, round_) != (self.id, self.round) or self.status != "open":
            raise NotNow(phrase("errors.vote_closed"))
        before = self.votes.get(ballot)
        late = before is not None and before.page == vote.page is not None and vote.n < before.n
        if not late:
            self.votes[ballot] = vote

    def answer_of(self, ballot: str) -> int | None:
        """What a ballot answers in this round, if it does."""
        found = self.votes.get(ballot)
        return None if found is None else found.answer

    @property
    def tally(self) -> tuple[int, ...]:
        """How many gave each answer in this round."""
        if self.hands is not None:
            return self.hands
        counts = [0] * len(self.answers)
        for vote in self.votes.values():
            counts[vote.answer] += 1
        return tuple(counts)

    @property
    def answered(self) -> int:
        """How many have answered in this round."""
        return len(self.votes) if self.hands is None else sum(self.hands)

    def close(self) -> None:
        """No more votes."""
        if self.status == "open":
            self.status = "closed"

    def reopen(self) -> None:
        """Votes count again, in the same round: what was counted in the room gives way to them.

        Raises:
            NotNow: who votes now would have seen how the others did.
        """
        if self.status == "revealed":
            raise NotNow(phrase("errors.votes_shown"))
        self.status, self.hands = "open", None

    def reveal(self) -> None:
        """No more votes, and the tally shows."""
        self.status = "revealed"

    def again(self) -> None:
        """Open it for the second round; the tally so far is kept.

        Raises:
            NotNow: this is the second round.
        """
        if self.round >= MOST_ROUNDS:
            raise NotNow(phrase("errors.asked_twice"))
        self.first, self.votes, self.hands, self.happened = self.tally, {}, None, None
        self.status, self.round = "open", self.round + 1

    def count_hands(self, counts: tuple[int, ...]) -> None:
        """Take what was counted in the room instead of ballots, which are closed with that."""
        self.hands = counts
        self.close()

    def told(self) -> dict[str, Any]:
        """What ballots are told: nothing that changes with a vote."""
        shown = self.status == "revealed"
        return {
            "id": self.id, "text": self.text, "answers": list(self.answers),
            "status": self.status, "round": self.round, "hands": self.hands is not None,
            "tally": list(self.tally) if shown else None,
            "first": list(self.first) if shown and self.first is not None else None,
            "happened": self.happened.plain() if shown and self.happened is not None else None,
        }  # fmt: skip

    def state(self) -> dict[str, Any]:
        """What the teacher's page is told."""
        happened = self.happened.plain() if self.happened is not None else None
        return {**self.told(), "answered": self.answered, "happened": happened}
