"""Messages of a run to the hub, each with the run's id and generation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# Function that sends a message to the hub, called as send(header) or send(header, payload).
Send = Callable[..., None]


class HubLink:
    """Sender of one run's messages.

    `generation` is the number of times that the hub has started the run. `command_number` is the
    number of the last command to play or pause.
    """

    def __init__(self, run: str, generation: int, command_number: int, send: Send) -> None:
        self.command_number = command_number
        self._head = {"run": run, "generation": generation}
        self._send = send
        self._unseen: tuple[int, int] | None = None

    def send(self, kind: str, payload: bytes = b"", **facts: Any) -> None:
        """Send a message. First report the steps that nobody saw since the previous message."""
        if self._unseen is not None:
            (first, last), self._unseen = self._unseen, None
            self._send({"type": "unseen", **self._head, "first": first, "last": last})
        self._send({"type": kind, **self._head, **facts}, payload)

    def note_unseen(self, step: int) -> None:
        """Record that the run continues from a step whose frame nobody saw.

        The next message first reports the range of all such steps. If a frame of a step in this
        range was requested, it is sent after the report.
        """
        first = step if self._unseen is None else self._unseen[0]
        self._unseen = first, step
