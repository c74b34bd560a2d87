"""The saved state is bounded in age and in bytes."""

import os
import sqlite3
import time
from contextlib import closing

from bnviz.live.saved.saver import Saver
from bnviz.live.saved.state_file import DAY, FILE, MOST_AGE, StateFile
from bnviz.live.settings import Settings


def test_a_start_drops_entries_that_were_not_written_for_long(tmp_path):
    entries = {(kind, key): b"content" for kind in (*MOST_AGE, "server") for key in ("old", "new")}
    with closing(StateFile(tmp_path)) as state:
        state.write(entries)
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        for kind, seconds in MOST_AGE.items():
            for key, age in {"old": seconds + DAY, "new": seconds - DAY}.items():
                connection.execute(
                    "UPDATE entries SET saved_at = ? WHERE kind = ? AND key = ?",
                    (time.time() - age, kind, key),
                )
        connection.execute("UPDATE entries SET saved_at = 0 WHERE kind = 'server'")
        connection.commit()
    with closing(StateFile(tmp_path)) as state:
        assert state.read().keys() == {entry for entry in entries if entry[1] == "new"} | {
            ("server", "old")
        }


def test_no_pin_outlives_its_entry():
    allowed = next(
        limit.metadata for limit in Settings.__dataclass_fields__.values()
        if limit.name == "pin_seconds"
    )  # fmt: skip
    assert not allowed["good"](MOST_AGE["run"] + 1)


def test_the_file_returns_space_to_the_disk_at_a_start(tmp_path):
    with closing(StateFile(tmp_path)) as state:
        state.write({("checkpoint", str(i)): os.urandom(2**18) for i in range(20)})
    assert (tmp_path / FILE).stat().st_size > 20 * 2**18
    with closing(StateFile(tmp_path)) as state:
        state.write({("checkpoint", str(i)): None for i in range(20)})
    with closing(StateFile(tmp_path)):
        pass
    assert (tmp_path / FILE).stat().st_size < 2**18


def test_checkpoints_stay_within_the_limit_and_a_new_one_takes_the_place_of_the_old(tmp_path):
    saver = Saver(tmp_path, most_bytes=1_000)
    saver.open()
    saver.put({("checkpoint", "a"): bytes(900)})
    assert saver.fits(("checkpoint", "a"), bytes(1_000))
    assert not saver.fits(("checkpoint", "b"), bytes(101))
    saver.put({("checkpoint", "a"): None})
    assert saver.fits(("checkpoint", "b"), bytes(1_000))
    saver.close()
