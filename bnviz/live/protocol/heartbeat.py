"""In whose slice a worker is, and since when: a page of memory that it writes and the hub reads.

Writing costs the worker a microsecond a slice and wakes nobody; the hub can read the page while the
worker hangs, and after it died.
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

# The argument that tells a worker the file descriptor of its page.
ARGUMENT = "--heartbeat="

RUN_BYTES = 64
# How many slices began, when this one did, seconds of one step of its run, the run's id.
_SLOT = struct.Struct(f"<Qdd{RUN_BYTES}s")
# The page's first byte says which of two slots holds; 0: the worker is in no slice. A slot is
# written while the byte points at the other one, so that a worker killed or stopped at any moment
# leaves a whole one behind.
_SLOTS = (None, 64, 192)
_SIZE = 4096
# A reader that is overtaken this often reads of a worker that is anything but stuck.
_TRIES = 5


@dataclass(frozen=True)
class Slice:
    """What a worker is at.

    Attributes:
        run: the id of the run whose slice it is, its background jobs included.
        count: the number of the slice in this worker.
        began: monotonic seconds.
        step_seconds: how long one step of that run takes.
    """

    run: str
    count: int
    began: float
    step_seconds: float


class Heartbeat:
    """One worker's page, from either end.

    Args:
        descriptor: of the page's file; -1 for a page that nobody else sees.
    """

    def __init__(self, descriptor: int = -1) -> None:
        self._page = mmap.mmap(descriptor, _SIZE)
        self._count = 0

    @classmethod
    def of(cls, arguments: list[str]) -> Heartbeat:
        """The page that a worker's arguments name."""
        given = [text for text in arguments if text.startswith(ARGUMENT)]
        return cls(int(given[-1].removeprefix(ARGUMENT)) if given else -1)

    def begin(self, run: str, step_seconds: float = 0.0) -> None:
        """A slice of a run begins."""
        self._count += 1
        which = 1 + self._count % 2
        _SLOT.pack_into(
            self._page, _SLOTS[which] or 0, self._count, time.monotonic(), step_seconds,
            run.encode()[:RUN_BYTES],
        )  # fmt: skip
        self._page[0] = which

    def end(self) -> None:
        """The slice is over."""
        self._page[0] = 0

    @contextmanager
    def slice_of(self, run: str, step_seconds: float = 0.0) -> Iterator[None]:
        """Around work on a run."""
        self.begin(run, step_seconds)
        try:
            yield
        finally:
            self.end()

    def read(self) -> Slice | None:
        """The slice that the worker is in, or was in when it died; None between two."""
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
    """The descriptor of a new page, to map here and to hand to a worker; closed afterwards."""
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
