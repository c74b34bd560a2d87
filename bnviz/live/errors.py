"""What the live path refuses, as one tree of exceptions. (Knobs out of range: `ConfigError`.)"""

from __future__ import annotations

from bnviz.words.phrase import Phrase, english, phrase


class LiveError(Exception):
    """The hub cannot do what was asked. Its text is English, for the log and for scripts.

    Attributes:
        phrase: why, for the visitor.
    """

    def __init__(self, why: Phrase | str) -> None:
        self.phrase = why
        super().__init__(english(why))


class HubNotRunning(LiveError):
    """No hub is installed in this process."""

    def __init__(self) -> None:
        super().__init__(phrase("errors.hub_not_running"))


class NoSuchRun(LiveError):
    """The run never was, or is over."""

    def __init__(self) -> None:
        super().__init__(phrase("errors.no_such_run"))


class NoSuchMap(LiveError):
    """The map was not asked for, or is not kept any more."""

    def __init__(self) -> None:
        super().__init__(phrase("errors.no_such_map"))


class NotYours(LiveError):
    """Only the browser that started a run controls it."""

    def __init__(self) -> None:
        super().__init__(phrase("errors.not_yours"))


class NoSuchClassroom(LiveError):
    """There is no class of that code.

    Attributes:
        gone: whether there was one that has ended since the server started.
    """

    def __init__(self, code: str, *, gone: bool = False) -> None:
        self.gone = gone
        super().__init__(phrase("errors.room_gone" if gone else "errors.no_such_room", code=code))


class NotYourClassroom(LiveError):
    """Only the browser that opened a room may ask there."""

    def __init__(self) -> None:
        super().__init__(phrase("errors.not_your_room"))


class NotNow(LiveError):
    """It was asked for at a moment at which it cannot be: a vote after closing, say."""


class TooOften(LiveError):
    """A limit in time is reached.

    Attributes:
        seconds: after which to try again, at least 1.
    """

    def __init__(self, seconds: int, why: Phrase) -> None:
        self.seconds = seconds
        super().__init__(why)


class LimitReached(LiveError):
    """A limit is reached.

    Attributes:
        limit: the setting that was reached.
    """

    def __init__(self, limit: str, why: Phrase | str) -> None:
        self.limit = limit
        super().__init__(why)
