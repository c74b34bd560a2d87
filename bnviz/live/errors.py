"""What the live path refuses, as one tree of exceptions. (Knobs out of range: `ConfigError`.)"""

from __future__ import annotations

from bnviz.phrase import Phrase, english, phrase


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


class Refused(LiveError):
    """A limit is reached.

    Attributes:
        limit: the setting that was reached.
    """

    def __init__(self, limit: str, why: Phrase | str) -> None:
        self.limit = limit
        super().__init__(why)
