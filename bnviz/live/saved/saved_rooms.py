"""Saved classes with their votes, so that each confirmed vote counts after a restart."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import orjson

from bnviz.live import log
from bnviz.live.classroom.class_text import ClassText, phrases_of, read_class_phrase
from bnviz.live.classroom.classrooms import Classroom, Classrooms
from bnviz.live.classroom.messages import TeacherLocation
from bnviz.live.classroom.votes import ClassQuestion, RunOutcome, Vote
from bnviz.live.saved.saver import Saver
from bnviz.live.saved.state_file import Entry

ROOM = "room"
# Fields of a class that are saved as they are.
PLAIN = (
    "code", "owner", "address", "id", "taken_back", "version", "votes", "next_question",
)  # fmt: skip


class SavedRooms:
    """Saves the classes of a server. Used on the event loop."""

    def __init__(self, classrooms: Classrooms, saver: Saver) -> None:
        self._classrooms, self._saver = classrooms, saver
        # Code -> what was last saved.
        self._saved: dict[str, tuple[Any, ...]] = {}

    def save(self) -> None:
        """Save what has changed since the last call."""
        if not self._saver.on:
            return
        changes: dict[Entry, bytes | None] = {}
        for classroom in self._classrooms:
            facts = (
                classroom.id, classroom.version, classroom.votes, classroom.ballots,
                classroom.location,
            )  # fmt: skip
            if self._saved.get(classroom.code) != facts:
                self._saved[classroom.code] = facts
                changes[ROOM, classroom.code] = plain_room(classroom)
        for gone in self._saved.keys() - {classroom.code for classroom in self._classrooms}:
            del self._saved[gone]
            changes[ROOM, gone] = None
        self._saver.put(changes)

    async def confirm(self) -> None:
        """Save what has changed, and wait until it is written."""
        self.save()
        await self._saver.saved()

    def restore(self, entries: Mapping[Entry, bytes], most_ballots: int) -> None:
        """Open the saved classes again."""
        for (kind, code), content in entries.items():
            if kind == ROOM:
                self._saved[code] = ()
                with log.guarded("saved class not restored"):
                    self._classrooms.reopen(read_room(content, most_ballots))


def plain_room(classroom: Classroom) -> bytes:
    """Return the JSON of a class. Times are seconds from now."""
    now, question = time.monotonic(), classroom.question
    plain = {
        **{name: getattr(classroom, name) for name in PLAIN},
        "addresses": [*classroom.addresses], "location": classroom.location,
        "seen_at": classroom.seen_at - now, "question": question and vars(question),
        "ballots": [
            [ballot, seen_at - now, address]
            for ballot, (seen_at, address) in classroom.seen_ballots.items()
        ],
    }  # fmt: skip
    return orjson.dumps(plain, default=_plain, option=orjson.OPT_PASSTHROUGH_SUBCLASS)


def _plain(value: Any) -> list[Any]:
    """Return the JSON values of a text with phrases or of a named tuple."""
    if isinstance(value, str):
        return [str(value), [each.plain() for each in phrases_of(value)]]
    return [*value]


def read_room(content: bytes, most_ballots: int) -> Classroom:
    """Return the class with the JSON of `plain_room`."""
    given, now = orjson.loads(content), time.monotonic()
    classroom = Classroom(given["code"], given["owner"], most_ballots)
    for name in PLAIN:
        setattr(classroom, name, given[name])
    classroom.seen_at = now + given["seen_at"]
    for address in given["addresses"]:
        classroom.addresses.put(address, None)
    classroom.location = given["location"] and TeacherLocation(*given["location"])
    classroom.seen_ballots = {
        ballot: (now + seen_at, address) for ballot, seen_at, address in given["ballots"]
    }
    classroom.question = given["question"] and _read_question(given["question"])
    return classroom


def _read_question(given: dict[str, Any]) -> ClassQuestion:
    outcome = given["outcome"]
    return ClassQuestion(**{
        **given, "text": _read_text(given["text"]),
        "answers": tuple(map(_read_text, given["answers"])),
        "votes": {ballot: Vote(*vote) for ballot, vote in given["votes"].items()},
        "outcome": outcome and RunOutcome(outcome[0], _read_text(outcome[1])),
    })  # fmt: skip


def _read_text(given: str | list[Any]) -> str:
    if isinstance(given, str):
        return given
    text, phrases = given
    return ClassText(text, *(read_class_phrase("text", each) for each in phrases))
