"""A class: who teaches it, who votes in it, what is asked."""

from __future__ import annotations

import secrets
import time
from typing import Any, NamedTuple

from bnviz.live.errors import NotNow, Refused
from bnviz.live.hub.votes import Happened, Question, Vote
from bnviz.phrase import phrase

# A phone that was heard of within this time is counted; its page asks far more often.
HERE_SECONDS = 45.0
# A ballot silent for this long, and without an answer, gives its place to a new one if need be: it
# may come again, and who takes many places for nothing does not keep a class out of them.
LEFT_SECONDS = 120.0
# Numbers of questions begin anywhere below: a vote sent before a restart of the server, and tried
# again after it, is for no question of the room that was opened anew.
FIRST_QUESTION = 1_000_000

# Said in an address that a page was led to from a room: it watches, and has nothing drawn.
FOLLOWS = "follow"


class Place(NamedTuple):
    """Where a teacher's tab is.

    Attributes:
        address: path and query within the app.
        run: the one that the page shows, for an address that does not name it; None: none.
    """

    address: str
    run: str | None = None


class Room:
    """One class. Used on the event loop alone.

    Attributes:
        code: what is typed to come in.
        owner: the secret of the browser that asks.
        id: told apart from another room of the same code.
        place: where the teacher's tab is; None: not said yet.
        question: the last one, or None.
        taken_back: whether the last one was taken back before its votes were shown.
        votes: how many were counted, changed ones included.
        version: grows with everything that ballots are told.
        made: what was made of the present version, to be sent as it is; emptied with each change.
        heard_at: when the teacher's page was heard of last.
    """

    def __init__(self, code: str, owner: str, most_ballots: int) -> None:
        self.code, self.owner, self._most = code, owner, most_ballots
        self.id = secrets.token_hex(4)
        self.place: Place | None = None
        self.question: Question | None = None
        self.taken_back = False
        self.version = self.votes = 0
        self.made: dict[Any, Any] = {}
        self.heard_at = time.monotonic()
        self._ballots: dict[str, float] = {}
        self._next = 1 + secrets.randbelow(FIRST_QUESTION)

    # Ballots.

    @property
    def ballots(self) -> int:
        """How many have come in."""
        return len(self._ballots)

    def knows(self, ballot: str) -> bool:
        """Whether a ballot has come in."""
        return ballot in self._ballots

    def meet(self, ballot: str) -> None:
        """A ballot comes in, or is heard of again.

        Raises:
            Refused: there are too many.
        """
        now = time.monotonic()
        if ballot not in self._ballots and len(self._ballots) >= self._most:
            self._make_room(now)
        self._ballots[ballot] = now

    def _make_room(self, now: float) -> None:
        voted = self.question.votes if self.question is not None else {}
        for ballot, heard in list(self._ballots.items()):
            if now - heard > LEFT_SECONDS and ballot not in voted:
                del self._ballots[ballot]
        if len(self._ballots) >= self._most:
            raise Refused("ballots_per_room", phrase("errors.room_full", most=self._most))

    def phones(self) -> int:
        """How many ballots were heard of just now."""
        since = time.monotonic() - HERE_SECONDS
        return sum(heard >= since for heard in self._ballots.values())

    def vote(self, ballot: str, question: int, round_: int, vote: Vote) -> None:
        """Count an answer.

        Raises:
            NotNow: the question, or the round, is not open.
        """
        if self.question is None:
            raise NotNow(phrase("errors.vote_closed"))
        self.question.vote(ballot, question, round_, vote)
        self.votes += 1

    def answer_of(self, ballot: str | None) -> int | None:
        """What a ballot answers to the present question, if it does."""
        if self.question is None or ballot is None:
            return None
        return self.question.answer_of(ballot)

    # The teacher.

    def go(self, place: Place) -> None:
        """The teacher's tab is there now."""
        if place != self.place:
            self.place = place
            self._change()

    def ask(self, text: str, answers: tuple[str, ...]) -> None:
        """Open a question; the one before is over."""
        self.question, self.taken_back = Question(self._next, text, answers), False
        self._next += 1
        self._change()

    def drop(self) -> None:
        """The question, if there is one, is taken back, or over: ballots wait for the next."""
        if self.question is not None:
            self.taken_back = self.question.status != "revealed"
            self.question = None
            self._change()

    def close(self) -> None:
        """No more votes."""
        self._asked_question().close()
        self._change()

    def reopen(self) -> None:
        """Votes count again, in the same round."""
        self._asked_question().reopen()
        self._change()

    def reveal(self) -> None:
        """No more votes, and the tally shows."""
        self._asked_question().reveal()
        self._change()

    def again(self) -> None:
        """The same question once more."""
        self._asked_question().again()
        self._change()

    def count_hands(self, counts: tuple[int, ...]) -> None:
        """What was counted in the room replaces the ballots."""
        self._asked_question().count_hands(counts)
        self._change()

    def tell(self, happened: Happened) -> None:
        """What the run did."""
        self._asked_question().happened = happened
        self._change()

    def _asked_question(self) -> Question:
        """The present question.

        Raises:
            NotNow: nothing was asked.
        """
        if self.question is None:
            raise NotNow(phrase("errors.nothing_asked"))
        return self.question

    def _change(self) -> None:
        self.version += 1
        self.made.clear()

    def state(self) -> dict[str, Any]:
        """What the teacher's page is told."""
        question = None if self.question is None else self.question.state()
        return {"code": self.code, "phones": self.phones(), "question": question}
