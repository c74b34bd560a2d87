"""The classes of a server, by the codes that phones type."""

from __future__ import annotations

import secrets
import string
import time
from collections import OrderedDict
from typing import Any

from bnviz.live import log
from bnviz.live.errors import NoSuchRoom, NotYourRoom, Refused
from bnviz.live.hub.room import Room
from bnviz.live.settings import Settings
from bnviz.phrase import phrase

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
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.server = secrets.token_hex(4)
        self._rooms: dict[str, Room] = {}
        self._of_owner: dict[str, Room] = {}
        self._gone: OrderedDict[str, None] = OrderedDict()
        self._opened = self._votes = 0

    def of_owner(self, owner: str) -> Room | None:
        """The room that a browser has."""
        return self._of_owner.get(owner)

    def open(self, owner: str, code: str | None = None) -> Room:
        """A browser's room: the one that it has, or a new one.

        Args:
            owner: the secret of the browser.
            code: one that it had before the server was started; it gets that if nobody has it.

        Raises:
            Refused: there are too many.
        """
        if (room := self._of_owner.get(owner)) is not None:
            return room
        if len(self._rooms) >= self._settings.max_rooms:
            self._make_room()
        if code is None or code in self._rooms:
            code = self._new_code()
        self._gone.pop(code, None)
        room = self._rooms[code] = Room(code, owner, self._settings.ballots_per_room)
        self._of_owner[owner] = room
        self._opened += 1
        log.event("room opened", rooms=len(self._rooms))
        return room

    def find(self, code: str) -> Room:
        """The room of a code.

        Raises:
            NoSuchRoom: there is none, or not any more.
        """
        room = self._rooms.get(code)
        if room is None:
            raise NoSuchRoom(code, gone=code in self._gone)
        return room

    def own(self, owner: str | None, code: str) -> Room:
        """The room of a code, for the browser that opened it.

        Raises:
            NoSuchRoom: there is none, or not any more.
            NotYourRoom: it is somebody else's.
        """
        room = self.find(code)
        if owner is None or not secrets.compare_digest(room.owner, owner):
            raise NotYourRoom
        room.heard_at = time.monotonic()
        return room

    def end(self, room: Room, why: str) -> None:
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
            raise Refused("max_rooms", phrase("errors.too_many_rooms", count=len(self._rooms)))
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
