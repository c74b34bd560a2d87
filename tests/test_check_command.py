"""Output of `python -m bnviz check` for one entry."""

import shutil

import pytest

import bnviz.words.texts
from bnviz import __main__ as command_line
from bnviz.commands.check import KINDS, ROOT
from bnviz.registry import ImportPath
from bnviz.words.texts import FOLDER
from bnviz.words.translations import SOURCES


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Copy of the texts that a test may change, without a cache shared with other tests."""
    shutil.copytree(FOLDER, tmp_path, dirs_exist_ok=True)
    monkeypatch.setattr(bnviz.words.texts, "FOLDER", tmp_path)
    return tmp_path


def test_it_names_the_registries_the_tests_and_the_words_that_are_owed(folder, capfd):
    words = folder / "en" / "claims" / "E7.toml"
    words.write_text(words.read_text("utf-8").replace("\nhelp = ", "\nother = "), "utf-8")
    (folder / "ja" / "claims" / "E7.toml").unlink()
    assert command_line.main(["check", "E7"]) == 1
    said = capfd.readouterr().out
    assert said.startswith("E7: bnviz.claims:CLAIMS\n")
    assert "en/claims/E7.toml: help: missing" in said
    assert "python -m pytest tests/claims/test_registry.py" in said
    assert " passed" in said
    assert "ja/claims/E7.toml: label: missing" in said
    assert "zh-Hans/claims/E7.toml: other: missing" in said
    assert "python -m bnviz texts --take claims/E7.toml" in said


def test_a_name_in_no_registry_is_refused(capfd):
    assert command_line.main(["check", "nothing"]) == 2
    assert "bnviz.charts:CHARTS" in capfd.readouterr().err


def test_the_words_and_tests_of_every_kind_are_where_it_looks_for_them():
    for kind in KINDS:
        assert all((ROOT / "tests" / path.partition("::")[0]).exists() for path in kind.tests)
        for name in ImportPath(where=kind.where).resolve():
            assert (FOLDER / "en" / kind.words.format(name)).is_file()


def test_take_without_a_file_takes_what_is_new_and_leaves_what_is_older(folder, capfd):
    (folder / "en" / "data.toml").write_text('side = "changed"\nnew = "new"\n', "utf-8")
    for code in ("ja", "zh-Hans"):
        (folder / code / "data.toml").write_text('side = "方"\nnew = "新"\n', "utf-8")
    before = (folder / "ja" / SOURCES).read_text("utf-8")
    assert command_line.main(["texts", "--take"]) == 1
    assert capfd.readouterr().out.splitlines()[1:] == [
        "ja/data.toml: side: older", "zh-Hans/data.toml: side: older",
    ]  # fmt: skip
    assert command_line.main(["texts", "--take", "data.toml"]) == 0
    assert command_line.main(["texts"]) == 0
    assert before != (folder / "ja" / SOURCES).read_text("utf-8")
