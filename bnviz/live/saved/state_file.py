"""File with the saved state: entries of bytes, each with a kind and a key, in one SQLite table."""

from __future__ import annotations

import errno
import os
import sqlite3
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Literal

from bnviz.live.saved.secret import FILE as SECRET

FILE = "state.sqlite3"
# Version of the format of all entries. A file with a higher version is left alone.
FORMAT = 1
# Start of the names of damaged files that were moved away.
DAMAGED = "state-damaged-"
DAY = 86_400.0
# Seconds after which an entry that was not written again is dropped at a start. No pin lasts longer
# than a week.
MOST_AGE = {"run": 7 * DAY, "room": 7 * DAY, "talk": 30 * DAY}

# (kind, key).
Entry = tuple[str, str]
# Why a server does not save. Each is a key of the status page's texts.
Problem = Literal["in_use", "newer", "read_only", "full", "failed"]


# Primary result code of SQLite -> problem; all others are "failed".
PROBLEMS: dict[int, Problem] = {
    sqlite3.SQLITE_BUSY: "in_use", sqlite3.SQLITE_LOCKED: "in_use", sqlite3.SQLITE_FULL: "full",
    sqlite3.SQLITE_READONLY: "read_only", sqlite3.SQLITE_CANTOPEN: "read_only",
}  # fmt: skip


class StateError(Exception):
    """The state cannot be read or written."""

    def __init__(self, problem: Problem, detail: object) -> None:
        super().__init__(f"{problem}: {detail}")
        self.problem = problem


class StateFile:
    """Open file, which no other server can open. Only one thread at a time may use it.

    Attributes:
        set_aside: path to which a damaged file was moved, or None.
    """

    def __init__(self, folder: Path) -> None:
        """Open the file in a folder, or create it.

        Raises:
            StateError: another server uses the file, it has a newer format, or it cannot be
                written.
        """
        self.path, self.set_aside = folder / FILE, None
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # The file contains the secrets of browsers.
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
            try:
                self._connection = self._connect()
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError:
                self.set_aside = self._move_away()
                self._connection = self._connect()
        except (OSError, sqlite3.Error) as error:
            raise _read_error(error) from error

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, timeout=0, isolation_level=None, check_same_thread=False
        )
        try:
            # Set before WAL, so that SQLite needs no shared memory, which network disks lack.
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            if not self.path.stat().st_size:
                # Also set before WAL, so that a new file can shrink.
                connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            # Entries contain secrets of browsers.
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("BEGIN IMMEDIATE")
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version > FORMAT:
                raise StateError("newer", f"format {version}, this server knows {FORMAT}")
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            if found != "ok":
                raise sqlite3.DatabaseError(found)
            connection.execute(
                "CREATE TABLE IF NOT EXISTS entries (kind TEXT, key TEXT, saved_at REAL, "
                "content BLOB, PRIMARY KEY (kind, key)) WITHOUT ROWID"
            )
            connection.execute(f"PRAGMA user_version = {FORMAT}")
            now = time.time()
            connection.executemany(
                "DELETE FROM entries WHERE kind = ? AND saved_at < ?",
                [(kind, now - seconds) for kind, seconds in MOST_AGE.items()],
            )
            connection.execute("COMMIT")
            # Return the space of deleted entries to the disk. `execute` would free one page only.
            connection.executescript("PRAGMA incremental_vacuum")
        except BaseException:
            connection.close()
            raise
        return connection

    def _move_away(self) -> Path:
        aside = self.path.with_name(f"{DAMAGED}{time.time_ns()}.sqlite3")
        for file in self.path.parent.glob(f"{FILE}*"):  # also SQLite's files beside it
            os.replace(file, f"{aside}{file.name.removeprefix(FILE)}")
        os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        return aside

    def read(self) -> dict[Entry, bytes]:
        """Return all entries, the oldest first, or close the file and raise `StateError`."""
        wanted = "SELECT kind, key, content FROM entries ORDER BY saved_at"
        try:
            return {(kind, key): content for kind, key, content in self._connection.execute(wanted)}
        except sqlite3.Error as error:
            self.close()
            raise _read_error(error) from error

    def write(self, changes: Mapping[Entry, bytes | None]) -> None:
        """Set entries, or delete those that are None, all in one transaction.

        Raises:
            StateError: nothing was written.
        """
        now = time.time()
        kept = [(*entry, now, content) for entry, content in changes.items() if content is not None]
        gone = [entry for entry, content in changes.items() if content is None]
        try:
            with self._connection as file:  # commits, or rolls back after any error
                file.execute("BEGIN IMMEDIATE")
                file.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?)", kept)
                file.executemany("DELETE FROM entries WHERE kind = ? AND key = ?", gone)
        except sqlite3.Error as error:
            raise _read_error(error) from error

    def close(self) -> None:
        self._connection.close()


def remove_state(folder: Path) -> bool:
    """Delete the saved state in a folder with the secret, and return whether there was any.

    Raises:
        StateError: a server uses the state, or a file cannot be deleted.
    """
    path = folder / FILE
    if path.exists():
        try:
            with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection:
                connection.execute("PRAGMA locking_mode = EXCLUSIVE")
                connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.DatabaseError as error:
            # A damaged file is deleted too.
            if (refusal := _read_error(error)).problem == "in_use":
                raise refusal from error
    found = [*folder.glob(f"{FILE}*"), *folder.glob(f"{DAMAGED}*"), *folder.glob(f"{SECRET}*")]
    try:
        for file in found:
            file.unlink(missing_ok=True)
    except OSError as error:
        raise _read_error(error) from error
    return bool(found)


def _read_error(error: Exception) -> StateError:
    if isinstance(error, OSError):
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        return StateError("full" if full else "read_only", error)
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # primary result code
    return StateError(PROBLEMS.get(code, "failed"), error)
