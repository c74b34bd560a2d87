"""A run's messages to the hub: each carries the run's id and generation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# Called as send(header) or send(header, payload).
Send = Callable[..., None]


class HubLink:
    """Sends the messages of one run.

    Args:
        run: its id.
        generation: how often the hub has started it.
        command_number: see below.
        send: takes a message for the hub.

    Attributes:
        command_number: number of the hub's last command_number to play or pause.
    """

    def __init__(self, run: str, generation: int, command_number: int, send: Send) -> None:
        self.command_number = command_number
        self._head = {"run": run, "generation": generation}
        self._send = send
        self._unseen: tuple[int, int] | None = None

    def send(self, kind: str, payload: bytes = b"", **facts: Any) -> None:
        """Send a message; before it the span of unseen steps since the last message, if any."""
        if self._unseen is not None:
            (first, last), self._unseen = self._unseen, None
            self._send({"type": "unseen", **self._head, "first": first, "last": last})
        self._send({"type": kind, **self._head, **facts}, payload)

    def note_unseen(self, step: int) -> None:
        """Note that the run leaves a step of which nobody saw a frame.

        The hub hears of the whole span of such steps with the next message. A frame of a step
        within the span, where one was asked for, comes after it.
        """
        first = step if self._unseen is None else self._unseen[0]
        self._unseen = first, step
