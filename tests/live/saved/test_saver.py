"""A server continues without saving, and says so once, whatever is wrong with its saved state."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from bnviz.live.saved import saver as saver_module
from bnviz.live.saved.saver import Saver
from bnviz.live.saved.state_file import FILE, FORMAT, StateFile
from tests.conftest import ROOT
from tests.live.conftest import until

MOST = 2**20
ENTRY, CONTENT = ("talk", "own-1"), b"a text"


@contextmanager
def opened(folder: Path | None, most_bytes: int = MOST) -> Iterator[tuple[Saver, dict]]:
    saver = Saver(folder, most_bytes)
    try:
        yield saver, saver.open()
    finally:
        saver.close()


def written(folder: Path, **changes: Any) -> None:
    with opened(folder) as (saver, _):
        saver.put({("talk", key): content for key, content in changes.items()})


def problems(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the problems in the log, each with the log line's facts."""
    return [
        record.facts["problem"]
        for record in caplog.records if record.getMessage() == "state is not saved"
    ]  # fmt: skip


@pytest.fixture(autouse=True)
def heard(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(logging.getLogger("bnviz.live"), "propagate", True)
    caplog.set_level(logging.INFO, "bnviz.live")
    return caplog


def test_what_was_put_is_there_after_a_restart(tmp_path):
    written(tmp_path / "new" / "folder", a=b"1", b=b"2")
    written(tmp_path / "new" / "folder", a=None, c=b"")
    with opened(tmp_path / "new" / "folder") as (saver, entries):
        assert entries == {("talk", "b"): b"2", ("talk", "c"): b""}
        assert saver.size == 1
        assert saver.status()["saving"] == "on"


def test_without_a_folder_nothing_is_saved(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with opened(None) as (saver, entries):
        saver.put({ENTRY: CONTENT})
        asyncio.run(saver.saved())
        assert (entries, saver.on, saver.status()["saving"]) == ({}, False, "off")
    assert not [*tmp_path.iterdir()]


def folder_is_a_file(folder: Path) -> None:
    folder.write_bytes(b"")


def file_is_a_folder(folder: Path) -> None:
    (folder / FILE).mkdir(parents=True)


def newer_format(folder: Path) -> None:
    written(folder, a=b"1")
    with closing(sqlite3.connect(folder / FILE)) as file:
        file.execute(f"PRAGMA user_version = {FORMAT + 1}")
        file.commit()


def other_table(folder: Path) -> None:
    folder.mkdir()
    with closing(sqlite3.connect(folder / FILE)) as file:
        file.execute("CREATE TABLE entries (something)")
        file.commit()


@pytest.mark.parametrize(("fault", "problem"), [
    (folder_is_a_file, "read_only"), (file_is_a_folder, "read_only"), (newer_format, "newer"),
    (other_table, "failed"),
])  # fmt: skip
def test_a_file_that_cannot_be_used_is_left_alone(
    tmp_path, heard, fault: Callable[[Path], None], problem: str
):
    fault(folder := tmp_path / "state")
    file = folder / FILE
    before = file.read_bytes() if file.is_file() else None
    with opened(folder) as (saver, entries):
        saver.put({ENTRY: CONTENT})
        asyncio.run(saver.saved())
        assert (entries, saver.on, saver.status()["saving"]) == ({}, False, problem)
    assert len(problems(heard)) == 1
    assert problem != "newer" or file.read_bytes() == before


def no_database(file: Path) -> None:
    file.write_bytes(b"no database " * 1_000)


def cut(file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2 + 100])


def overwritten(file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[:5_000] + b"\xff" * 9_000 + content[14_000:])


@pytest.mark.parametrize("damage", [no_database, cut, overwritten])
def test_a_damaged_file_is_set_aside(tmp_path, heard, damage: Callable[[Path], None]):
    written(tmp_path, **{f"key{number}": bytes(500) for number in range(100)})
    damage(tmp_path / FILE)
    damaged = (tmp_path / FILE).read_bytes()
    with opened(tmp_path) as (saver, entries):
        assert not entries
        assert saver.status()["saving"] == "on"
        assert saver.status()["saved_state_was_damaged"]
        saver.put({ENTRY: CONTENT})
    (aside,) = tmp_path.glob("*-damaged-*.sqlite3")
    assert aside.read_bytes() == damaged
    said = [record.getMessage() for record in heard.records]
    assert said.count("saved state was damaged") == 1
    with opened(tmp_path) as (saver, entries):
        assert entries == {ENTRY: CONTENT}
        assert not saver._file.set_aside


def test_a_damaged_file_that_cannot_be_moved_is_a_problem_not_an_error(tmp_path, monkeypatch):
    written(tmp_path, a=b"1")
    no_database(tmp_path / FILE)

    def refuse(*_paths: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.replace", refuse)
    with opened(tmp_path) as (saver, _):
        assert saver.status()["saving"] == "read_only"


def test_a_cut_log_of_transactions_loses_only_its_end(tmp_path):
    """A killed server leaves transactions in a file beside the state."""
    file = StateFile(tmp_path)
    for number in range(20):
        file.write({("talk", str(number)): bytes(3_000)})
    beside = tmp_path / f"{FILE}-wal"
    left = beside.read_bytes(), (tmp_path / FILE).read_bytes()
    file.close()
    beside.write_bytes(left[0][: len(left[0]) * 2 // 3])
    (tmp_path / FILE).write_bytes(left[1])
    with opened(tmp_path) as (saver, entries):
        assert saver.status()["saving"] == "on"
        assert [*entries] == [("talk", str(number)) for number in range(len(entries))]
        assert 5 < len(entries) < 20


def test_a_second_server_does_not_save(tmp_path, heard):
    with opened(tmp_path) as (first, _):
        first.put({ENTRY: CONTENT})
        asyncio.run(first.saved())
        with opened(tmp_path) as (second, entries):
            assert not entries
            second.put({ENTRY: b"other"})
            assert second.status()["saving"] == "in_use"
            assert first.status()["saving"] == "on"
    assert len(problems(heard)) == 1
    with opened(tmp_path) as (_, entries):
        assert entries == {ENTRY: CONTENT}


@pytest.mark.parametrize(("stops", "goes_on", "problem"), [
    ("PRAGMA max_page_count = 1", "PRAGMA max_page_count = 1000000", "full"),
    ("PRAGMA query_only = ON", "PRAGMA query_only = OFF", "read_only"),
])  # fmt: skip
def test_after_a_failed_write_the_app_continues_and_saves_later(
    tmp_path, heard, monkeypatch, stops: str, goes_on: str, problem: str
):
    monkeypatch.setattr(saver_module, "RETRY_SECONDS", 0.01)
    with opened(tmp_path) as (saver, _):
        saver._file._connection.execute(stops)
        saver.put({ENTRY: bytes(100_000), ("talk", "gone"): b"1"})
        asyncio.run(saver.saved())
        assert saver.status()["saving"] == problem
        saver.put({("talk", "gone"): None, ("talk", "later"): b"2"})
        asyncio.run(saver.saved())
        assert len(problems(heard)) == 1
        _between_writes(saver, goes_on)
        until(lambda: saver.status()["saving"] == "on")
        until(lambda: not saver._waiting)
    with opened(tmp_path) as (_, entries):
        assert entries == {ENTRY: bytes(100_000), ("talk", "later"): b"2"}


def _between_writes(saver: Saver, command: str) -> None:
    """Execute a command on the file's connection while the thread does not use it."""
    done = threading.Event()
    write = saver._file.write

    def after_the_command(changes: Any) -> None:
        if not done.is_set():
            saver._file._connection.execute(command)
            done.set()
        write(changes)

    saver._file.write = after_the_command
    until(done.is_set)


@pytest.mark.parametrize("error", [MemoryError(), UnicodeEncodeError("utf-8", "", 0, 1, "no")])
def test_an_unexpected_error_does_not_end_the_thread(tmp_path, monkeypatch, error: Exception):
    monkeypatch.setattr(saver_module, "RETRY_SECONDS", 0.01)
    with opened(tmp_path) as (saver, _):
        write, errors = saver._file.write, [error]

        def fail_once(changes: Any) -> None:
            if errors:
                raise errors.pop()
            write(changes)

        monkeypatch.setattr(saver._file, "write", fail_once)
        saver.put({ENTRY: CONTENT})
        until(lambda: not errors and saver.status()["saving"] == "on")
    with opened(tmp_path) as (_, entries):
        assert entries == {ENTRY: CONTENT}


class SlowCommits:
    """Saver whose transactions wait for `may_end`."""

    def __init__(self, saver: Saver, monkeypatch: pytest.MonkeyPatch) -> None:
        self.began, self.may_end = threading.Event(), threading.Event()
        write = saver._file.write

        def hold(changes: Any) -> None:
            self.began.set()
            assert self.may_end.wait(300)
            write(changes)

        monkeypatch.setattr(saver._file, "write", hold)


def test_a_change_is_confirmed_after_its_commit_and_many_share_one(tmp_path, monkeypatch):
    async def check(saver: Saver) -> None:
        commits = SlowCommits(saver, monkeypatch)
        saver.put({ENTRY: CONTENT})
        await asyncio.to_thread(commits.began.wait)
        # These wait for the transaction that goes on, for the next one, or for both.
        first = [asyncio.ensure_future(saver.saved()) for _ in range(3)]
        await asyncio.sleep(0)
        saver.put({("talk", "own-2"): b"2"})
        second = [asyncio.ensure_future(saver.saved()) for _ in range(3)]
        await asyncio.sleep(0)
        assert not any(each.done() for each in (*first, *second))
        commits.may_end.set()
        await asyncio.gather(*first, *second)
        await saver.saved()

    with opened(tmp_path) as (saver, _):
        asyncio.run(asyncio.wait_for(check(saver), 300))


def test_a_confirmation_during_the_last_transaction_comes_without_another_change(
    tmp_path, monkeypatch
):
    async def check(saver: Saver) -> None:
        commits = SlowCommits(saver, monkeypatch)
        saver.put({ENTRY: CONTENT})
        await asyncio.to_thread(commits.began.wait)
        confirmed = asyncio.ensure_future(saver.saved())
        await asyncio.sleep(0)
        commits.may_end.set()
        await confirmed

    with opened(tmp_path) as (saver, _):
        asyncio.run(asyncio.wait_for(check(saver), 300))


def test_a_transaction_that_fails_for_any_reason_ends(tmp_path):
    file = StateFile(tmp_path)
    with pytest.raises(UnicodeEncodeError):
        file.write({ENTRY: CONTENT, ("talk", "\ud800"): b"1"})
    file.write({("talk", "good"): b"2"})
    assert file.read() == {("talk", "good"): b"2"}
    file.close()


def test_a_problem_does_not_depend_on_the_name_of_the_folder(tmp_path, heard):
    (tmp_path / "full" / "busy").mkdir(parents=True)
    file_is_a_folder(tmp_path / "full" / "busy")
    with opened(tmp_path / "full" / "busy") as (saver, _):
        assert saver.status()["saving"] == "read_only"


def test_after_the_end_nothing_waits(tmp_path):
    with opened(tmp_path) as (saver, _):
        saver.put({ENTRY: CONTENT})
    saver.put({("talk", "own-2"): CONTENT})
    asyncio.run(asyncio.wait_for(saver.saved(), 300))
    assert not saver._waiting


def test_a_server_in_another_process_does_not_save_until_this_one_ends(tmp_path):
    other = (
        "import sys; from pathlib import Path; from bnviz.live.saved.saver import Saver\n"
        f"saver = Saver(Path(sys.argv[1]), {MOST}); saver.open(); print(saver.status()['saving'])"
    )

    def found() -> str:
        command = [sys.executable, "-c", other, str(tmp_path)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    with opened(tmp_path) as (saver, _):
        saver.put({ENTRY: CONTENT})
        assert found() == "in_use"
    assert found() == "on"
