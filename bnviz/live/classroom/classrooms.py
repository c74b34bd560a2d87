"""Classrooms of a server by code, each with its teacher, its ballots and its question."""

from __future__ import annotations

import secrets
import string
import time
import unicodedata
from collections.abc import Collection, Iterator
from typing import Any

from bnviz.live import log
from bnviz.live.classroom.ballot_cookie import BallotIssuer
from bnviz.live.classroom.messages import TeacherLocation
from bnviz.live.classroom.votes import ClassQuestion, Vote
from bnviz.live.errors import LimitReached, NoSuchClassroom, NotNow, NotYourClassroom
from bnviz.live.runs.turns import of_those_with_most
from bnviz.live.settings import Settings
from bnviz.recently_used import RecentlyUsed
from bnviz.words.phrase import phrase

# Characters of a code. No two look alike, and without vowels no code spells a word. There are 21^6
# codes, about 86 million. At 60 wrong codes per minute, one address needs on average ten days to
# find one of a hundred classes, and 16 months to find one particular class.
ALPHABET = "34679CDFGHJKMNPQRTWXY"
# Characters ignored in a typed code: dashes and invisible characters by Unicode category, the minus
# sign, and the long-vowel mark, which Japanese keyboards type instead of a dash.
DASHES_AND_INVISIBLE = ("Pd", "Cf")
MORE_DASHES = "−ー"
NEVER = " ".join(one for one in string.digits + string.ascii_uppercase if one not in ALPHABET)
CODE_LENGTH = 6
# Minimum number of seconds without a request from a teacher's page after which a full server may
# end that class. The page polls every few seconds.
TEACHER_SILENT_SECONDS = 600.0
# Maximum number of codes of ended classes that are remembered, so that a phone that returns with
# such a code is not counted as guessing.
MOST_ENDED_CODES = 1_000
# Seconds for which a phone counts as present after a request. Its page polls far more often.
PRESENT_SECONDS = 45.0
# In a full class, a new ballot replaces all ballots that have not been seen for this many seconds
# and have not voted in this round. If there are no such ballots, the address with the most ballots
# loses a ballot that has not voted, provided that this address has at least two more ballots than
# the new ballot's address.
ABSENT_SECONDS = 120.0
# Query parameter that marks a page as shown on a phone that follows the teacher. Such a page does
# not start a run.
FOLLOW_PARAMETER = "follow"


class Classroom:
    """One class, used only on the event loop.

    Attributes:
        owner: Secret of the teacher's browser.
        address: Network address that opened the class, or "" if unknown.
        addresses: Recent addresses of the teacher and the phones.
        id: Random id, which distinguishes classrooms that have used the same code.
        taken_back: Whether the last question was dropped before its tally was shown.
        version: Number that increases whenever the content for phones changes.
        rendered: Cached responses for phones, of the current version.
        seen_at: Monotonic time of the last request from the teacher's page.
        seen_ballots: Ballot -> (monotonic time last seen, address from which it joined).
    """

    def __init__(self, code: str, owner: str, most_ballots: int, address: str = "") -> None:
        self.code, self.owner, self._most_ballots = code, owner, most_ballots
        self.address = address
        self.addresses: RecentlyUsed[str, None] = RecentlyUsed(most_ballots)
        self.id = secrets.token_hex(4)
        self.location: TeacherLocation | None = None
        self.question: ClassQuestion | None = None
        self.taken_back = False
        self.version = self.votes = 0
        self.rendered: dict[Any, Any] = {}
        self.seen_at = time.monotonic()
        self.seen_ballots: dict[str, tuple[float, str]] = {}
        self.next_question = 1

    # Ballots.

    @property
    def ballots(self) -> int:
        return len(self.seen_ballots)

    def has_ballot(self, ballot: str) -> bool:
        return ballot in self.seen_ballots

    def admit(self, ballot: str, address: str = "") -> None:
        """Admit a new ballot, or update the time at which a known ballot was last seen.

        Raises:
            LimitReached: If the class is full.
        """
        now = time.monotonic()
        if ballot not in self.seen_ballots and len(self.seen_ballots) >= self._most_ballots:
            self._make_room(ballot, address, now)
        _, came_in = self.seen_ballots.get(ballot, (now, address))
        self.seen_ballots[ballot] = now, came_in

    def _make_room(self, new: str, address: str, now: float) -> None:
        """Drop ballots of a full class to make room for a new one, or raise `LimitReached`."""
        voted = self.question.votes if self.question is not None else {}
        silent = {ballot: seen for ballot, seen in self.seen_ballots.items() if ballot not in voted}
        gone = [each for each, (seen_at, _) in silent.items() if now - seen_at > ABSENT_SECONDS]
        if not gone:
            places = {**self.seen_ballots, new: (now, address)}
            greedy = of_those_with_most(self.seen_ballots, new, lambda ballot: places[ballot][1])
            gone = sorted(silent.keys() & greedy, key=silent.__getitem__)[:1]
        if not gone:
            most = self._most_ballots
            raise LimitReached("ballots_per_room", phrase("errors.room_full", most=most))
        for ballot in gone:
            del self.seen_ballots[ballot]

    def phones(self) -> int:
        """Number of ballots seen within `PRESENT_SECONDS`."""
        since = time.monotonic() - PRESENT_SECONDS
        return sum(seen_at >= since for seen_at, _ in self.seen_ballots.values())

    def vote(self, ballot: str, question: int, round_: int, vote: Vote) -> None:
        """Count a vote, or raise `NotNow` if the question or round is not open."""
        self.asked().vote(ballot, question, round_, vote)
        self.votes += 1

    @property
    def votes_open(self) -> bool:
        return self.question is not None and self.question.status == "open"

    def answer_of(self, ballot: str | None) -> int | None:
        """Return a ballot's answer to the current question, or None."""
        vote = None if self.question is None else self.question.votes.get(ballot or "")
        return None if vote is None else vote.answer

    # Methods for the teacher. Call `changed` after every change of the content for phones.

    def asked(self) -> ClassQuestion:
        """Return the current question, or raise `NotNow`."""
        if self.question is None:
            raise NotNow(phrase("errors.nothing_asked"))
        return self.question

    def ask(self, text: str, answers: tuple[str, ...]) -> None:
        self.question = ClassQuestion(self.next_question, text, answers)
        self.taken_back = False
        self.next_question += 1

    def drop(self) -> None:
        if self.question is not None:
            self.taken_back = self.question.status != "revealed"
            self.question = None

    def changed(self) -> None:
        """Increase the version and clear the cached responses for phones."""
        self.version += 1
        self.rendered.clear()

    def state(self) -> dict[str, Any]:
        """Return the JSON state for the teacher's page."""
        question = None if self.question is None else self.question.state()
        return {"code": self.code, "phones": self.phones(), "question": question}


def read_code(text: str) -> str | None:
    """Normalize the case, width and grouping of a typed code, or return None if it is invalid."""
    if len(text) > 4 * CODE_LENGTH:
        return None
    letters = "".join(text.split())
    code = "".join(
        letter for letter in unicodedata.normalize("NFKC", letters)
        if unicodedata.category(letter) not in DASHES_AND_INVISIBLE and letter not in MORE_DASHES
    ).upper()  # fmt: skip
    return code if len(code) == CODE_LENGTH and set(code) <= set(ALPHABET) else None


class Classrooms:
    """All classrooms of a server. They are used only on the event loop, and no method blocks."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.ballots = BallotIssuer(settings)
        self._by_code: dict[str, Classroom] = {}
        self._ended_codes: RecentlyUsed[str, None] = RecentlyUsed(MOST_ENDED_CODES)
        self._opened = self._votes = 0

    def __iter__(self) -> Iterator[Classroom]:
        return iter(self._by_code.values())

    def reopen(self, classroom: Classroom) -> None:
        """Add a class that was open before a restart of the server."""
        self._by_code[classroom.code] = classroom

    def of_owner(self, owner: str) -> Classroom | None:
        return next((each for each in self._by_code.values() if each.owner == owner), None)

    def open(self, owner: str, address: str = "") -> Classroom:
        """Return the owner's classroom, or open one. Raise `LimitReached` if there are too many."""
        if (classroom := self.of_owner(owner)) is not None:
            return classroom
        self._make_room(address)
        classroom = Classroom(self._new_code(), owner, self._settings.ballots_per_room, address)
        self._by_code[classroom.code] = classroom
        self._opened += 1
        log.event("room opened", rooms=len(self._by_code))
        return classroom

    def find(self, code: str) -> Classroom:
        """Return the classroom of a code, or raise `NoSuchClassroom`."""
        classroom = self._by_code.get(code)
        if classroom is None:
            raise NoSuchClassroom(code, gone=code in self._ended_codes)
        return classroom

    def own(self, owner: str | None, code: str) -> Classroom:
        """Return the classroom of a code for its owner, and record the time of the request.

        Raises:
            NoSuchClassroom: If the code is unknown or the class has ended.
            NotYourClassroom: If another browser opened the class.
        """
        classroom = self.find(code)
        if owner is None or not secrets.compare_digest(classroom.owner, owner):
            raise NotYourClassroom
        classroom.seen_at = time.monotonic()
        return classroom

    def end(self, classroom: Classroom, why: str) -> None:
        if self._by_code.pop(classroom.code, None) is None:
            return
        self._votes += classroom.votes
        self._ended_codes.put(classroom.code, None)
        log.event("room ended", why=why, ballots=classroom.ballots)

    def maintain(self) -> None:
        """End classes whose teacher's page has been silent for `room_idle_seconds`."""
        since = time.monotonic() - self._settings.room_idle_seconds
        for classroom in [each for each in self._by_code.values() if each.seen_at < since]:
            self.end(classroom, "idle")

    def _make_room(self, address: str) -> None:
        """Make room for one more class, if necessary by ending a silent one.

        Raises:
            LimitReached: If the address or the server has too many classes.
        """
        settings = self._settings
        own = [each for each in self._by_code.values() if address and each.address == address]
        if len(own) >= settings.rooms_per_address:
            self._end_silent(own, "rooms_per_address", "errors.too_many_rooms_of_network")
        elif len(self._by_code) >= settings.max_rooms:
            self._end_silent(self._by_code.values(), "max_rooms", "errors.too_many_rooms")

    def _end_silent(self, rooms: Collection[Classroom], limit: str, refusal: str) -> None:
        """End the class whose teacher has been silent longest.

        Raises:
            LimitReached: If that teacher was silent for less than `TEACHER_SILENT_SECONDS`.
        """
        silent = min(rooms, key=lambda classroom: classroom.seen_at)
        if time.monotonic() - silent.seen_at < TEACHER_SILENT_SECONDS:
            raise LimitReached(limit, phrase(refusal, count=len(rooms)))
        self.end(silent, "displaced")

    def _new_code(self) -> str:
        while True:
            code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))
            if code not in self._by_code and code not in self._ended_codes:
                return code

    def status(self) -> dict[str, Any]:
        """Return JSON values for `/status`, without codes, because anyone with a code can vote."""
        classrooms = self._by_code.values()
        return {
            "rooms": len(classrooms),
            "rooms_opened": self._opened,
            "votes": self._votes + sum(each.votes for each in classrooms),
            "ballots": sum(each.ballots for each in classrooms),
            "phones": sum(each.phones() for each in classrooms),
        }
