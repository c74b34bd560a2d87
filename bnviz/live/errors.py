"""Exceptions of live runs, maps and classes. Invalid knob values raise `ConfigError`."""

from __future__ import annotations

from bnviz.words.phrase import Phrase, english, phrase


class LiveError(Exception):
    """Request that cannot be fulfilled. The exception's text is English, for the log and scripts.

    `key` is the text key of the reason, in subclasses that have only one reason. `phrase` is the
    reason shown to visitors.
    """

    key = ""

    def __init__(self, why: Phrase | None = None) -> None:
        self.phrase = why or phrase(self.key)
        super().__init__(english(self.phrase))


class HubNotRunning(LiveError):
    key = "errors.hub_not_running"


class NoSuchRun(LiveError):
    key = "errors.no_such_run"


class NoSuchMap(LiveError):
    key = "errors.no_such_map"


class NotYours(LiveError):
    """Attempt to control a run that another browser started."""

    key = "errors.not_yours"


class NotYourClassroom(LiveError):
    """Attempt to control a class that another browser opened."""

    key = "errors.not_your_room"


class NoSuchClassroom(LiveError):
    """Unknown class code. `gone` is True if a class had this code since the server started."""

    def __init__(self, code: str, *, gone: bool = False) -> None:
        self.gone = gone
        super().__init__(phrase("errors.room_gone" if gone else "errors.no_such_room", code=code))


class NotNow(LiveError):
    """Request that is not allowed at this time, such as a vote after closing."""


class TooOften(LiveError):
    """Rate limit reached. `seconds` is the time to wait before the next try, at least 1."""

    def __init__(self, seconds: int, why: Phrase) -> None:
        self.seconds = seconds
        super().__init__(why)


class LimitReached(LiveError):
    """Limit of the server reached. `limit` is the name of the setting."""

    def __init__(self, limit: str, why: Phrase) -> None:
        self.limit = limit
        super().__init__(why)
