"""`forget` deletes what a server has saved, and nothing else."""

from contextlib import closing

import pytest

from bnviz import __main__ as command_line
from bnviz.live.saved.secret import kept_secret
from bnviz.live.saved.state_file import FILE, StateFile


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("BNVIZ_STATE_DIR", str(tmp_path))
    return tmp_path


def test_it_deletes_state_secret_and_damaged_files_and_leaves_the_others(folder, capsys):
    (folder / FILE).write_bytes(b"no database " * 100)
    for _ in range(2):
        with closing(StateFile(folder)) as state:
            state.write({("run", "a"): b"content"})
    kept_secret(folder)
    (folder / "cache").mkdir()
    (folder / "notes.txt").touch()
    assert len({*folder.iterdir()}) > 4
    assert command_line.main(["forget"]) == 0
    assert {path.name for path in folder.iterdir()} == {"cache", "notes.txt"}
    assert command_line.main(["forget"]) == 0
    said = f"The saved state in {folder} was deleted.\nNothing was saved in {folder}.\n"
    assert capsys.readouterr().out == said


def test_it_deletes_nothing_while_a_server_uses_the_file(folder, capsys):
    with closing(StateFile(folder)) as state:
        state.write({("run", "a"): b"content"})
        kept_secret(folder)
        before = {path.name for path in folder.iterdir()}
        assert command_line.main(["forget"]) == 2
        assert {path.name for path in folder.iterdir()} == before
        assert "stop the server first" in capsys.readouterr().err
        assert state.read() == {("run", "a"): b"content"}


def test_a_file_that_cannot_be_deleted_is_an_error_in_one_sentence(folder, capsys):
    (folder / FILE).mkdir()
    assert command_line.main(["forget"]) == 2
    assert "must be a folder whose files this user may delete" in capsys.readouterr().err


def test_without_the_variable_it_is_the_folder_of_serve(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    for empty in (True, False):
        if empty:
            monkeypatch.setenv("BNVIZ_STATE_DIR", "")
        else:
            monkeypatch.delenv("BNVIZ_STATE_DIR")
        kept_secret(tmp_path / "bnviz")
        assert command_line.main(["forget"]) == 0
        assert not any((tmp_path / "bnviz").iterdir())
