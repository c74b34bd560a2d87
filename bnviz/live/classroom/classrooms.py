"""Classes: the teacher, the ballots and the question of each. Phones find one by its code."""

from __future__ import annotations

import hmac
import secrets
import string
import time
import unicodedata
from collections.abc import Collection
from typing import Any

from bnviz.live import log
from bnviz.live.classroom.ballot_cookie import BallotIssuer
from bnviz.live.classroom.messages import TeacherLocation
from bnviz.live.classroom.votes import ClassQuestion, Vote
from bnviz.live.errors import LimitReached, NoSuchClassroom, NotNow, NotYourClassroom
from bnviz.live.runs.turns import of_those_with_most
from bnviz.live.settings import Settings
from bnviz.live.web.cookies import Signer
from bnviz.recent import RecentlyUsed
from bnviz.words.phrase import phrase

# No two of these look alike, and without vowels no code is a word. There are 21^6, about 86 million
# codes: with 60 wrong ones per minute, one address finds one of a hundred classes in ten days, and
# one certain class in 15 months (both on average).
ALPHABET = "34679CDFGHJKMNPQRTWXY"
# Characters that are ignored in a typed code: two categories of Unicode, the minus sign, and the
# long-vowel mark that a Japanese keyboard has in place of a dash.
DASHES_AND_INVISIBLE = ("Pd", "Cf")
MORE_DASHES = "−ー"
NEVER = " ".join(one for one in string.digits + string.ascii_uppercase if one not in ALPHABET)
CODE_LENGTH = 6
# A full server ends the class whose teacher's page, which asks every few seconds, has been silent
# the longest, if that is so long.
SILENT_SECONDS = 600.0
# Codes of classes that have ended: who comes back with one has not guessed it.
MOST_ENDED_CODES = 1_000
# The purpose of the signature with which a teacher's browser gets its code again after a restart,
# and for how long codes are given out without it by a server whose secret ends with the process.
CLAIM = b"bnviz class 1:"
UNCLAIMED_SECONDS = 600.0
# A phone that was seen within this time is counted as present; its page asks far more often.
PRESENT_SECONDS = 45.0
# Where a class is full, a ballot that was not seen for so long, and has not voted in this round,
# gives its place to a new one. Then the address that has the most gives one of its places to an
# address that has two fewer, unless all of its ballots have voted.
ABSENT_SECONDS = 120.0
# The first question's number is drawn from 1 to this: a vote that was sent before a restart of the
# server, and comes after it, is for no question of the classroom that was opened anew.
FIRST_QUESTION = 1_000_000
# A parameter in the address of a page that a phone follows: it only watches, and starts nothing.
FOLLOW_PARAMETER = "follow"


class Classroom:
    """One class. Used on the event loop alone.

    Attributes:
        code: what is typed to come in.
        owner: the secret of the browser that teaches.
        address: the network address from which it was opened; empty: unknown.
        addresses: the addresses of its teacher and its phones that were seen last.
        id: tells it from another classroom of the same code.
        location: which page the teacher's tab shows; None: it has not said so yet.
        question: the last one; None: none, or it was dropped.
        taken_back: whether the last question was dropped before its tally was shown.
        votes: how many were counted, changed ones included.
        version: grows with every change of what phones are sent.
        rendered: answers to phones made of the present version; emptied with each change of it.
        seen_at: when the teacher's page last asked, by the monotonic clock.
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
        # When each ballot was seen last, and the address from which it came in.
        self._ballots: dict[str, tuple[float, str]] = {}
        self._next_question = 1 + secrets.randbelow(FIRST_QUESTION)

    # Ballots.

    @property
    def ballots(self) -> int:
        """How many are in the class."""
        return len(self._ballots)

    def has_ballot(self, ballot: str) -> bool:
        """Whether a ballot is in the class."""
        return ballot in self._ballots

    def admit(self, ballot: str, address: str = "") -> None:
        """Take a ballot into the class, or note that it was seen again.

        Args:
            ballot: its name.
            address: where it is.

        Raises:
            LimitReached: the class is full.
        """
        now = time.monotonic()
        if ballot not in self._ballots and len(self._ballots) >= self._most_ballots:
            self._make_room(ballot, address, now)
        _, came_in = self._ballots.get(ballot, (now, address))
        self._ballots[ballot] = now, came_in

    def _make_room(self, new: str, address: str, now: float) -> None:
        """Drop ballots of a full class for a new one at an address."""
        voted = self.question.votes if self.question is not None else {}
        silent = {ballot: seen for ballot, seen in self._ballots.items() if ballot not in voted}
        gone = [each for each, (seen_at, _) in silent.items() if now - seen_at > ABSENT_SECONDS]
        if not gone:
            places = {**self._ballots, new: (now, address)}
            greedy = of_those_with_most(self._ballots, new, lambda ballot: places[ballot][1])
            gone = sorted(silent.keys() & greedy, key=silent.__getitem__)[:1]
        if not gone:
            most = self._most_ballots
            raise LimitReached("ballots_per_room", phrase("errors.room_full", most=most))
        for ballot in gone:
            del self._ballots[ballot]

    def phones(self) -> int:
        """How many ballots were seen within `PRESENT_SECONDS`."""
        since = time.monotonic() - PRESENT_SECONDS
        return sum(seen_at >= since for seen_at, _ in self._ballots.values())

    def vote(self, ballot: str, question: int, round_: int, vote: Vote) -> None:
        """Count a vote.

        Raises:
            NotNow: the question, or the round, is not open.
        """
        self.asked().vote(ballot, question, round_, vote)
        self.votes += 1

    @property
    def votes_open(self) -> bool:
        """Whether phones can vote now."""
        return self.question is not None and self.question.status == "open"

    def answer_of(self, ballot: str | None) -> int | None:
        """The answer of a ballot to the present question; None: it has given none."""
        vote = None if self.question is None else self.question.votes.get(ballot or "")
        return None if vote is None else vote.answer

    # The teacher. Whatever changes what phones are sent is followed by `changed`.

    def asked(self) -> ClassQuestion:
        """The present question.

        Raises:
            NotNow: there is none.
        """
        if self.question is None:
            raise NotNow(phrase("errors.nothing_asked"))
        return self.question

    def ask(self, text: str, answers: tuple[str, ...]) -> None:
        """Open a question; the one before is dropped."""
        self.question = ClassQuestion(self._next_question, text, answers)
        self.taken_back = False
        self._next_question += 1

    def drop(self) -> None:
        """End the question, if there is one: phones wait for the next."""
        if self.question is not None:
            self.taken_back = self.question.status != "revealed"
            self.question = None

    def changed(self) -> None:
        """Have what phones are sent made anew."""
        self.version += 1
        self.rendered.clear()

    def state(self) -> dict[str, Any]:
        """What the teacher's page is sent, as JSON."""
        question = None if self.question is None else self.question.state()
        return {"code": self.code, "phones": self.phones(), "question": question}


def read_code(text: str) -> str | None:
    """The code that somebody typed, in any case, width and grouping; None: it is not a code."""
    if len(text) > 4 * CODE_LENGTH:
        return None
    letters = "".join(text.split())
    code = "".join(
        letter for letter in unicodedata.normalize("NFKC", letters)
        if unicodedata.category(letter) not in DASHES_AND_INVISIBLE and letter not in MORE_DASHES
    ).upper()  # fmt: skip
    return code if len(code) == CODE_LENGTH and set(code) <= set(ALPHABET) else None


class Classrooms:
    """All classes of a server. Used on the event loop alone; nothing in it waits.

    Attributes:
        server: a name of this start of the server: pages that know another have lost their votes.
        ballots: gives out the cookies that phones vote with.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.server = secrets.token_hex(4)
        self.ballots = BallotIssuer(settings)
        self._by_code: dict[str, Classroom] = {}
        # The codes of classes that have ended, with their owners.
        self._ended_codes: RecentlyUsed[str, str] = RecentlyUsed(MOST_ENDED_CODES)
        self._claims = Signer(settings.secret, CLAIM)
        self._started_at = time.monotonic()
        self._opened = self._votes = 0

    def of_owner(self, owner: str) -> Classroom | None:
        """The classroom that a browser teaches in; None: it has none."""
        return next((each for each in self._by_code.values() if each.owner == owner), None)

    def claim(self, classroom: Classroom) -> str:
        """Sign a class's code for its owner, who gets it again with that after a restart."""
        return self._claims.signature(f"{classroom.code} {classroom.owner}")

    def _may_reopen(self, code: str, owner: str, claim: str) -> bool:
        """Whether a browser gets the code that it asks for, and with it the phones of a class.

        Without a fixed secret no claim survives a restart. For some time after it, the first
        browser that asks for an unknown code therefore gets it.
        """
        if code in self._by_code:
            return False
        if code in self._ended_codes:
            return self._ended_codes.get(code) == owner
        if self._settings.secret:
            right = self._claims.signature(f"{code} {owner}")
            return hmac.compare_digest(claim.encode(), right.encode())
        return time.monotonic() - self._started_at < UNCLAIMED_SECONDS

    def open(
        self, owner: str, code: str | None = None, address: str = "", claim: str = ""
    ) -> Classroom:
        """A browser's classroom: the one that it has, or a new one.

        Args:
            owner: the secret of the browser.
            code: what it had before a restart of the server: it gets that if nobody else had it.
            address: where the browser is.
            claim: what `claim` returned for that code.

        Raises:
            LimitReached: there are too many.
        """
        if (classroom := self.of_owner(owner)) is not None:
            return classroom
        self._make_room(address)
        if code is None or not self._may_reopen(code, owner, claim):
            code = self._new_code()
        self._ended_codes.pop(code, None)
        classroom = Classroom(code, owner, self._settings.ballots_per_room, address)
        self._by_code[code] = classroom
        self._opened += 1
        log.event("room opened", rooms=len(self._by_code))
        return classroom

    def find(self, code: str) -> Classroom:
        """The classroom of a code.

        Raises:
            NoSuchClassroom: there is none, or it has ended.
        """
        classroom = self._by_code.get(code)
        if classroom is None:
            raise NoSuchClassroom(code, gone=code in self._ended_codes)
        return classroom

    def own(self, owner: str | None, code: str) -> Classroom:
        """The classroom of a code, for the browser that opened it, which is seen by this.

        Raises:
            NoSuchClassroom: there is none, or it has ended.
            NotYourClassroom: another browser has opened it.
        """
        classroom = self.find(code)
        if owner is None or not secrets.compare_digest(classroom.owner, owner):
            raise NotYourClassroom
        classroom.seen_at = time.monotonic()
        return classroom

    def end(self, classroom: Classroom, why: str) -> None:
        """The class is over; its code is remembered for a while."""
        if self._by_code.pop(classroom.code, None) is None:
            return
        self._votes += classroom.votes
        self._ended_codes.put(classroom.code, classroom.owner)
        log.event("room ended", why=why, ballots=classroom.ballots)

    def look_after(self) -> None:
        """End the classes whose teacher's page was not seen for the settings' idle time."""
        since = time.monotonic() - self._settings.room_idle_seconds
        for classroom in [each for each in self._by_code.values() if each.seen_at < since]:
            self.end(classroom, "idle")

    def _make_room(self, address: str) -> None:
        """Make sure that an address may have one more class; a silent one may end for it.

        Raises:
            LimitReached: the address, or the server, has too many.
        """
        settings = self._settings
        own = [each for each in self._by_code.values() if address and each.address == address]
        if len(own) >= settings.rooms_per_address:
            self._end_silent(own, "rooms_per_address", "errors.too_many_rooms_of_network")
        elif len(self._by_code) >= settings.max_rooms:
            self._end_silent(self._by_code.values(), "max_rooms", "errors.too_many_rooms")

    def _end_silent(self, rooms: Collection[Classroom], limit: str, refusal: str) -> None:
        """End that one of some classes whose teacher was silent the longest.

        Raises:
            LimitReached: that is not long enough.
        """
        silent = min(rooms, key=lambda classroom: classroom.seen_at)
        if time.monotonic() - silent.seen_at < SILENT_SECONDS:
            raise LimitReached(limit, phrase(refusal, count=len(rooms)))
        self.end(silent, "made room")

    def _new_code(self) -> str:
        while True:
            code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))
            if code not in self._by_code and code not in self._ended_codes:
                return code

    def status(self) -> dict[str, Any]:
        """Plain values for `/status`. No codes: knowing one is the right to vote."""
        classrooms = self._by_code.values()
        return {
            "rooms": len(classrooms),
            "rooms_opened": self._opened,
            "votes": self._votes + sum(each.votes for each in classrooms),
            "ballots": sum(each.ballots for each in classrooms),
            "phones": sum(each.phones() for each in classrooms),
        }
