"""Two non-blocking pipes, one per direction, for messages between two processes."""

from __future__ import annotations

import os
import select
import signal
import sys
from typing import Any

from bnviz.live.protocol.wire import Header, Unpacker, pack

CHUNK = 2**18


def standard_pipes() -> Pipes:
    """Return pipes on stdin and stdout. Ignore Ctrl-C, and redirect printed text to stderr."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    outlet = os.dup(sys.stdout.fileno())
    # Printed text must not appear between the messages on stdout.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return Pipes(sys.stdin.fileno(), outlet)


class Pipes:
    """Message pipes, read from the descriptor `inlet` and written to `outlet` without blocking.

    `closed` is True once the other process has closed one of the pipes.
    """

    def __init__(self, inlet: int, outlet: int) -> None:
        self._inlet, self._outlet = inlet, outlet
        os.set_blocking(inlet, False)
        os.set_blocking(outlet, False)
        self._unpacker = Unpacker()
        self._unsent = bytearray()
        self.closed = False

    @property
    def ends(self) -> tuple[int, int]:
        """File descriptors of the pipe to read from and the pipe to write to."""
        return self._inlet, self._outlet

    def send(self, header: Header, payload: bytes = b"") -> None:
        self._unsent += pack(header, payload)
        self._flush()

    def receive(self, timeout: float, also: Pipes | None = None) -> list[tuple[Header, Any]]:
        """Return the messages received. Wait for a message if there is none.

        Args:
            timeout: maximum seconds to wait; infinity means no limit.
            also: other pipes. A message on these pipes also ends the wait, but is not read.
        """
        wait = None if timeout == float("inf") else timeout
        ends = [self] if also is None else [self, also]
        readable, writable, _ = select.select(
            [end._inlet for end in ends], [end._outlet for end in ends if end._unsent], [], wait
        )
        for end in ends:
            if end._outlet in writable:
                end._flush()
        return self._read() if self._inlet in readable else []

    def _read(self) -> list[tuple[Header, Any]]:
        try:
            data = os.read(self._inlet, CHUNK)
        except BlockingIOError:
            return []
        except OSError:
            data = b""
        if not data:
            self.closed = True
            return []
        return list(self._unpacker.feed(data))

    def _flush(self) -> None:
        try:
            while self._unsent:
                del self._unsent[: os.write(self._outlet, self._unsent[:CHUNK])]
        except BlockingIOError:
            pass
        except OSError:
            self.closed = True
