"""What the live path refuses, as one tree of exceptions. (Knobs out of range: `ConfigError`.)"""

from __future__ import annotations


class LiveError(Exception):
    """The hub cannot do what was asked; the message says why, in words for the visitor."""


class HubNotRunning(LiveError):
    """No hub is installed in this process."""

    def __init__(self) -> None:
        super().__init__("The server of live runs is not running.")


class NoSuchRun(LiveError):
    """The run never was, or is over."""

    def __init__(self) -> None:
        super().__init__("There is no such run, or it has expired.")


class NotYours(LiveError):
    """Only the browser that started a run controls it."""

    def __init__(self) -> None:
        super().__init__("Only the browser that started this run can control it.")


class Refused(LiveError):
    """A limit is reached.

    Attributes:
        limit: the setting that was reached.
    """

    def __init__(self, limit: str, message: str) -> None:
        self.limit = limit
        super().__init__(message)
