"""The exceptions of live runs, maps and classes. (Knobs out of range: `ConfigError`.)"""

from __future__ import annotations

from bnviz.words.phrase import Phrase, english, phrase


class LiveError(Exception):
    """A request cannot be fulfilled. The exception's text is English, for the log and for scripts.

    Attributes:
        key: of the reason, where there is only one.
        phrase: the reason, for the visitor.
    """

    key = ""

    def __init__(self, why: Phrase | None = None) -> None:
        self.phrase = why or phrase(self.key)
        super().__init__(english(self.phrase))


class HubNotRunning(LiveError):
    """No hub is installed in this process."""

    key = "errors.hub_not_running"


class NoSuchRun(LiveError):
    key = "errors.no_such_run"


class NoSuchMap(LiveError):
    key = "errors.no_such_map"


class NotYours(LiveError):
    """Only the browser that started a run controls it."""

    key = "errors.not_yours"


class NotYourClassroom(LiveError):
    """Only the browser that opened a class controls it."""

    key = "errors.not_your_room"


class NoSuchClassroom(LiveError):
    """There is no class of that code.

    Attributes:
        gone: whether there was one, which has ended since the server started.
    """

    def __init__(self, code: str, *, gone: bool = False) -> None:
        self.gone = gone
        super().__init__(phrase("errors.room_gone" if gone else "errors.no_such_room", code=code))


class NotNow(LiveError):
    """The request came at a time at which it is not allowed: a vote after closing, say."""


class TooOften(LiveError):
    """A rate limit is reached.

    Attributes:
        seconds: to wait before trying again, at least 1.
    """

    def __init__(self, seconds: int, why: Phrase) -> None:
        self.seconds = seconds
        super().__init__(why)


class LimitReached(LiveError):
    """A limit is reached.

    Attributes:
        limit: the name of the setting.
    """

    def __init__(self, limit: str, why: Phrase) -> None:
        self.limit = limit
        super().__init__(why)
