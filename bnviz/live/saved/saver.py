"""Saver: a thread that writes the changes of the saved state, many in one transaction."""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from bnviz.live import log
from bnviz.live.saved.state_file import Entry, Problem, StateError, StateFile
from bnviz.words.texts import ENGLISH, texts

# Seconds between two attempts to write after a failure.
RETRY_SECONDS = 10.0
# Seconds for which a stopping server waits for the last transaction.
CLOSE_SECONDS = 5.0


class Saver:
    """Saved state of a server. Methods may be called from any thread and do not block.

    Without a folder, or if its file cannot be used, nothing is saved. If a transaction fails, the
    changes wait for the next attempt, and callers of `saved` do not wait.

    Attributes:
        problem: why nothing is saved now, or None.
        size: bytes of all entries.
    """

    def __init__(self, folder: Path | None, most_bytes: int) -> None:
        self._folder, self._most_bytes = folder, most_bytes
        self.problem: Problem | None = None
        self._file: StateFile | None = None
        self._lock = threading.Lock()
        self._waiting: dict[Entry, bytes | None] = {}
        self._sizes: dict[Entry, int] = {}
        self.size = 0
        # The thread does one transaction for each, if changes wait. None ends it.
        self._wanted: queue.SimpleQueue[Future[None] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    @property
    def on(self) -> bool:
        """Return whether there is a file to save to."""
        return self._file is not None

    def open(self) -> dict[Entry, bytes]:
        """Open the file, start the thread, and return all saved entries."""
        if self._folder is None:
            return {}
        try:
            file = StateFile(self._folder)
            entries = file.read()
        except StateError as error:
            self._report(error)
            return {}
        self._file = file
        if file.set_aside is not None:
            log.event(
                "saved state was damaged", level=logging.ERROR, meaning=_meaning("damaged"),
                moved_to=str(file.set_aside),
            )  # fmt: skip
        self._sizes = {entry: len(content) for entry, content in entries.items()}
        self.size = sum(self._sizes.values())
        self._thread = threading.Thread(target=self._run, name="saver", daemon=True)
        self._thread.start()
        return entries

    def put(self, changes: Mapping[Entry, bytes | None]) -> None:
        """Save entries, or delete those that are None, in one transaction."""
        if not self.on or not changes:
            return
        with self._lock:
            if not self._waiting:
                self._want()
            self._waiting.update(changes)
            for entry, content in changes.items():
                self.size -= self._sizes.pop(entry, 0)
                if content is not None:
                    self._sizes[entry] = len(content)
                    self.size += len(content)

    def fits(self, entry: Entry, content: bytes) -> bool:
        """Return whether the saved state stays within its limit with this entry."""
        return self.size - self._sizes.get(entry, 0) + len(content) <= self._most_bytes

    async def saved(self) -> None:
        """Wait until all earlier changes are written, or until writing has failed."""
        with self._lock:
            wanted = self._want() if self.on and self.problem is None else None
        if wanted is not None:
            await asyncio.wrap_future(wanted)

    def _want(self) -> Future[None]:
        """Return a future that is done after the next transaction."""
        wanted: Future[None] = Future()
        self._wanted.put(wanted)
        return wanted

    def close(self) -> None:
        """Write the last changes and close the file."""
        if self._thread is not None:
            self._wanted.put(None)
            self._thread.join(CLOSE_SECONDS)

    def _run(self) -> None:
        wanted: Future[None] | None = Future()
        while wanted is not None:
            try:
                wanted = self._wanted.get(timeout=RETRY_SECONDS)
            except queue.Empty:
                wanted = Future()
            self._write()
            if wanted is not None and wanted.set_running_or_notify_cancel():
                wanted.set_result(None)
        assert self._file is not None
        self._file.close()
        with self._lock:
            self._file = None
        while not self._wanted.empty():  # calls of `saved` since the last transaction
            if (late := self._wanted.get()) is not None and late.set_running_or_notify_cancel():
                late.set_result(None)

    def _write(self) -> None:
        """Write all changes that wait. If that fails, they wait for the next attempt."""
        assert self._file is not None
        with self._lock:
            changes, self._waiting = self._waiting, {}
        try:
            if changes:
                self._file.write(changes)
        except Exception as error:
            # Any error here would end the thread, and votes would wait for it forever.
            known = error if isinstance(error, StateError) else StateError("failed", error)
            if self.problem != known.problem:
                self._report(known)
            with self._lock:
                self._waiting = {**changes, **self._waiting}
        else:
            if changes and self.problem is not None:
                log.event("state is saved again")
                self.problem = None

    def _report(self, error: StateError) -> None:
        self.problem = error.problem
        log.event(
            "state is not saved", level=logging.ERROR, meaning=_meaning(error.problem),
            problem=str(error), folder=str(self._folder),
        )  # fmt: skip

    def status(self) -> dict[str, Any]:
        """Return JSON values for `/status`."""
        return {
            "saving": "off" if self._folder is None else self.problem or "on",
            "saved_bytes": self.size if self.on and self.problem is None else None,
            "saved_state_was_damaged": bool(self._file and self._file.set_aside) or None,
        }


def _meaning(key: str) -> str:
    """Return the sentence of the status page, in English, for the log."""
    return str(texts("status", ENGLISH)["saving"][key])
