"""Saver: a thread that writes the changes of the saved state, many in one transaction."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
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
        set_aside: whether a damaged file was moved away at the start.
    """

    def __init__(self, folder: Path | None, most_bytes: int) -> None:
        self._folder, self._most_bytes = folder, most_bytes
        self.problem: Problem | None = None
        self.set_aside = False
        self._file: StateFile | None = None
        self._changed = threading.Condition()
        self._waiting: dict[Entry, bytes | None] = {}
        self._sizes: dict[Entry, int] = {}
        self.size = 0
        self._confirmations: list[asyncio.Future[None]] = []
        self._writing = self._closing = self._ended = False
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
            self.set_aside = True
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
        with self._changed:
            if self._ended:
                return
            self._waiting.update(changes)
            for entry, content in changes.items():
                self.size -= self._sizes.pop(entry, 0)
                if content is not None:
                    self._sizes[entry] = len(content)
                    self.size += len(content)
            self._changed.notify()

    def fits(self, entry: Entry, content: bytes) -> bool:
        """Return whether the saved state stays within its limit with this entry."""
        return self.size - self._sizes.get(entry, 0) + len(content) <= self._most_bytes

    async def saved(self) -> None:
        """Wait until all earlier changes are written, or until writing has failed."""
        with self._changed:
            idle = not (self._waiting or self._writing)
            if idle or self._ended or self.problem is not None:
                return
            confirmation = asyncio.get_running_loop().create_future()
            self._confirmations.append(confirmation)
        await confirmation

    def close(self) -> None:
        """Write the last changes and close the file."""
        if self._thread is not None:
            with self._changed:
                self._closing = True
                self._changed.notify()
            self._thread.join(CLOSE_SECONDS)

    def _run(self) -> None:
        assert self._file is not None
        failed = False
        while True:
            with self._changed:
                if failed:
                    self._changed.wait_for(lambda: self._closing, RETRY_SECONDS)
                else:
                    # A confirmation may wait for the transaction that has just ended.
                    self._changed.wait_for(
                        lambda: self._waiting or self._confirmations or self._closing
                    )
                if self._closing and (failed or not self._waiting):
                    break
                changes, self._waiting, self._writing = self._waiting, {}, True
                confirmations, self._confirmations = self._confirmations, []
            failed = bool(changes) and self._write(changes)
            with self._changed:
                self._writing = False
                if failed:
                    self._waiting = {**changes, **self._waiting}
                    confirmations += self._confirmations
                    self._confirmations = []
            _confirm(confirmations)
        with self._changed:
            self._ended = True
            _confirm(self._confirmations)
        self._file.close()

    def _write(self, changes: Mapping[Entry, bytes | None]) -> bool:
        """Write changes, and return whether that failed."""
        assert self._file is not None
        try:
            self._file.write(changes)
        except Exception as error:
            # Any error here would end the thread, and votes would wait for it forever.
            known = error if isinstance(error, StateError) else StateError("failed", error)
            if self.problem != known.problem:
                self._report(known)
            return True
        if self.problem is not None:
            log.event("state is saved again")
            self.problem = None
        return False

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
            "saved_state_was_damaged": self.set_aside or None,
        }


def _meaning(key: str) -> str:
    """Return the sentence of the status page, in English, for the log."""
    return str(texts("status", ENGLISH)["saving"][key])


def _confirm(confirmations: Iterable[asyncio.Future[None]]) -> None:
    for each in confirmations:
        with suppress(RuntimeError):  # the event loop of the caller has ended
            each.get_loop().call_soon_threadsafe(_set, each)


def _set(confirmation: asyncio.Future[None]) -> None:
    if not confirmation.done():
        confirmation.set_result(None)
