"""A class: who teaches it, who votes in it, what is asked.

The classes of a server, by the codes that phones type.
"""

from __future__ import annotations

import secrets
import string
import time
from collections import OrderedDict
from typing import Any, NamedTuple

from bnviz.live import log
from bnviz.live.classroom.ballot_cookie import BallotIssuer
from bnviz.live.classroom.votes import ClassQuestion, RunOutcome, Vote
from bnviz.live.errors import LimitReached, NoSuchClassroom, NotNow, NotYourClassroom
from bnviz.live.settings import Settings
from bnviz.words.phrase import phrase

# A phone that was heard of within this time is counted; its page asks far more often.
HERE_SECONDS = 45.0
# A ballot silent for this long, and without an answer, gives its place to a new one if need be: it
# may come again, and who takes many places for nothing does not keep a class out of them.
LEFT_SECONDS = 120.0
# Numbers of questions begin anywhere below: a vote sent before a restart of the server, and tried
# again after it, is for no question of the room that was opened anew.
FIRST_QUESTION = 1_000_000

# Said in an address that a page was led to from a room: it watches, and has nothing drawn.
FOLLOW_PARAMETER = "follow"


class TeacherLocation(NamedTuple):
    """Where a teacher's tab is.

    Attributes:
        address: path and query within the app.
        run: the one that the page shows, for an address that does not name it; None: none.
    """

    address: str
    run: str | None = None


class Classroom:
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
        self.place: TeacherLocation | None = None
        self.question: ClassQuestion | None = None
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
            LimitReached: there are too many.
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
            raise LimitReached("ballots_per_room", phrase("errors.room_full", most=self._most))

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

    def go(self, place: TeacherLocation) -> None:
        """The teacher's tab is there now."""
        if place != self.place:
            self.place = place
            self._change()

    def ask(self, text: str, answers: tuple[str, ...]) -> None:
        """Open a question; the one before is over."""
        self.question, self.taken_back = ClassQuestion(self._next, text, answers), False
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

    def tell(self, happened: RunOutcome) -> None:
        """What the run did."""
        self._asked_question().happened = happened
        self._change()

    def _asked_question(self) -> ClassQuestion:
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


# No two of these look alike, and without vowels no code is a word.
ALPHABET = "34679CDFGHJKMNPQRTWXY"
NEVER = " ".join(one for one in string.digits + string.ascii_uppercase if one not in ALPHABET)
CODE_LENGTH = 6
# A full server takes the place of a class whose teacher's page, which asks every few seconds, has
# been silent for so long.
SILENT_SECONDS = 600.0
# Codes of classes that are over: who comes back with one has not guessed it.
GONE_KEPT = 1_000


def read_code(text: str) -> str | None:
    """The code that somebody typed, in any case and in groups or not; None: it is none."""
    if len(text) > 4 * CODE_LENGTH:
        return None
    code = "".join(text.split()).replace("-", "").upper()
    return code if len(code) == CODE_LENGTH and set(code) <= set(ALPHABET) else None


class Rooms:
    """All classes. Used on the event loop alone; nothing in it waits.

    Attributes:
        server: a name of this start of the server: one with another name has lost everything.
        ballots: gives out the cookies that phones vote with.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.server = secrets.token_hex(4)
        self.ballots = BallotIssuer(settings)
        self._rooms: dict[str, Classroom] = {}
        self._of_owner: dict[str, Classroom] = {}
        self._gone: OrderedDict[str, None] = OrderedDict()
        self._opened = self._votes = 0

    def of_owner(self, owner: str) -> Classroom | None:
        """The room that a browser has."""
        return self._of_owner.get(owner)

    def open(self, owner: str, code: str | None = None) -> Classroom:
        """A browser's room: the one that it has, or a new one.

        Args:
            owner: the secret of the browser.
            code: one that it had before the server was started; it gets that if nobody has it.

        Raises:
            LimitReached: there are too many.
        """
        if (room := self._of_owner.get(owner)) is not None:
            return room
        if len(self._rooms) >= self._settings.max_rooms:
            self._make_room()
        if code is None or code in self._rooms:
            code = self._new_code()
        self._gone.pop(code, None)
        room = self._rooms[code] = Classroom(code, owner, self._settings.ballots_per_room)
        self._of_owner[owner] = room
        self._opened += 1
        log.event("room opened", rooms=len(self._rooms))
        return room

    def find(self, code: str) -> Classroom:
        """The room of a code.

        Raises:
            NoSuchRoom: there is none, or not any more.
        """
        room = self._rooms.get(code)
        if room is None:
            raise NoSuchClassroom(code, gone=code in self._gone)
        return room

    def own(self, owner: str | None, code: str) -> Classroom:
        """The room of a code, for the browser that opened it.

        Raises:
            NoSuchRoom: there is none, or not any more.
            NotYourRoom: it is somebody else's.
        """
        room = self.find(code)
        if owner is None or not secrets.compare_digest(room.owner, owner):
            raise NotYourClassroom
        room.heard_at = time.monotonic()
        return room

    def end(self, room: Classroom, why: str) -> None:
        """The class is over."""
        if self._rooms.pop(room.code, None) is None:
            return
        del self._of_owner[room.owner]
        self._votes += room.votes
        self._gone[room.code] = None
        if len(self._gone) > GONE_KEPT:
            self._gone.popitem(last=False)
        log.event("room ended", why=why, ballots=room.ballots)

    def look_after(self) -> None:
        """End the classes that were left."""
        since = time.monotonic() - self._settings.room_idle_seconds
        for room in [room for room in self._rooms.values() if room.heard_at < since]:
            self.end(room, "idle")

    def _make_room(self) -> None:
        quietest = min(self._rooms.values(), key=lambda room: room.heard_at)
        if time.monotonic() - quietest.heard_at < SILENT_SECONDS:
            raise LimitReached("max_rooms", phrase("errors.too_many_rooms", count=len(self._rooms)))
        self.end(quietest, "made room")

    def _new_code(self) -> str:
        while True:
            code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))
            if code not in self._rooms and code not in self._gone:
                return code

    def status(self) -> dict[str, Any]:
        """Plain values for `/status`. No codes: knowing one is the right to vote."""
        return {
            "rooms": len(self._rooms),
            "rooms_opened": self._opened,
            "votes": self._votes + sum(room.votes for room in self._rooms.values()),
            "ballots": sum(room.ballots for room in self._rooms.values()),
            "phones": sum(room.phones() for room in self._rooms.values()),
        }
