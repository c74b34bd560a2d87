"""The heartbeat of a worker: a shared page of memory that tells its slice and when that began.

Writing costs the worker a microsecond a slice and wakes no process. The hub can read the page while
the worker hangs, and after it has died.
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

# The argument of a worker that has the file descriptor of its page.
ARGUMENT = "--heartbeat="

RUN_BYTES = 64
# The slice's number, when it began, seconds of a step of its run, the run's id.
_SLOT = struct.Struct(f"<Qdd{RUN_BYTES}s")
# The page's first byte is the number of the valid slot; 0: the worker is in no slice. A slot is
# written while the byte names the other one, so that a worker that is killed or stopped at any
# moment leaves a complete one.
_SLOTS = (None, 64, 192)
_SIZE = 4096
# A worker that overtakes a reader so many times in a row does not hang.
_TRIES = 5


@dataclass(frozen=True)
class Slice:
    """A worker's piece of work on one run.

    Attributes:
        run: the run's id; work in its background counts too.
        count: the number of the slice among those of this worker.
        began: monotonic seconds.
        step_seconds: how long a step of the run takes.
    """

    run: str
    count: int
    began: float
    step_seconds: float


class Heartbeat:
    """One worker's page, written by the worker and read by the hub.

    Args:
        descriptor: of the page's file; -1 for a page that is not shared.
    """

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
        """Make the work inside a slice of a run."""
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
    """The descriptor of a new page, to be mapped here and given to a worker; closed afterwards."""
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
