"""Heartbeat of a worker: a shared memory page with the current slice of work and its start time.

A write costs the worker a microsecond per slice and wakes no process. The hub can read the page
while the worker hangs, and after it has died.
"""

from __future__ import annotations

import mmap
import os
import struct
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

# Command-line argument with the file descriptor of a worker's page.
ARGUMENT = "--heartbeat="

RUN_BYTES = 64
# Layout of a slot: number of the slice, start time, seconds per step of the run, id of the run.
_SLOT = struct.Struct(f"<Qdd{RUN_BYTES}s")
# The first byte of the page is the number of the valid slot, or 0 between two slices. The worker
# writes a slot while the byte does not point to it, so that a complete slot remains if the worker
# is killed or stopped at any moment.
_SLOTS = (None, 64, 192)
_SIZE = 4096
# Maximum number of tries to read. A worker that writes during every try is not hanging.
_TRIES = 5


@dataclass(frozen=True)
class Slice:
    """Piece of a worker's time for one run, or for background work of the run.

    `count` is the number of the slice in this worker. `began` is in monotonic seconds.
    """

    run: str
    count: int
    began: float
    step_seconds: float


class Heartbeat:
    """Memory page that one worker writes and the hub reads. Descriptor -1 means a private page."""

    def __init__(self, descriptor: int = -1) -> None:
        self._page = mmap.mmap(descriptor, _SIZE)
        self._count = 0

    @classmethod
    def of(cls, arguments: list[str]) -> Heartbeat:
        given = [text for text in arguments if text.startswith(ARGUMENT)]
        return cls(int(given[-1].removeprefix(ARGUMENT)) if given else -1)

    def begin(self, run: str, step_seconds: float = 0.0) -> None:
        self._count += 1
        which = 1 + self._count % 2
        _SLOT.pack_into(
            self._page, _SLOTS[which] or 0, self._count, time.monotonic(), step_seconds,
            run.encode()[:RUN_BYTES],
        )  # fmt: skip
        self._page[0] = which

    def end(self) -> None:
        self._page[0] = 0

    @contextmanager
    def slice_of(self, run: str, step_seconds: float = 0.0) -> Iterator[None]:
        """Mark the block as a slice of a run."""
        self.begin(run, step_seconds)
        try:
            yield
        finally:
            self.end()

    def read(self) -> Slice | None:
        """Return the slice that the worker is in, or died in; None between two slices."""
        for _ in range(_TRIES):
            where = _SLOTS[self._page[0]]
            if where is None:
                return None
            written = self._page[where : where + _SLOT.size]
            if _SLOTS[self._page[0]] == where and (
                written == self._page[where : where + _SLOT.size]
            ):
                count, began, step_seconds, run = _SLOT.unpack(written)
                return Slice(run.rstrip(b"\0").decode(), count, began, step_seconds)
        return None


@contextmanager
def shared_page() -> Iterator[int]:
    """Yield the descriptor of a new page, to be mapped and passed to a worker, then close it."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("bnviz-heartbeat")
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    try:
        os.ftruncate(descriptor, _SIZE)
        yield descriptor
    finally:
        os.close(descriptor)
