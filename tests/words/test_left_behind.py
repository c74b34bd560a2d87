"""Check that translations are listed if they were not changed together with their English text."""

import subprocess

import pytest

from tests.words.left_behind import left_behind


@pytest.fixture
def folder(tmp_path):
    """Return a committed folder with English texts and two translations."""
    for code in ("en", "ja", "zh-Hans"):
        (tmp_path / code).mkdir()
        write(tmp_path, code, "one", "two")
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "words"]):
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *who, *command], cwd=tmp_path, check=True)
    return tmp_path


def write(folder, code, first, second):
    words = f'[part]\nfirst = "{code} {first}"\nsecond = "{code} {second}"\n'
    (folder / code / "lab.toml").write_text(words, "utf-8")


def test_only_what_changed_in_english_alone_is_listed(folder):
    assert list(left_behind("HEAD", folder)) == []
    write(folder, "en", "uno", "two")
    write(folder, "ja", "uno", "two")
    write(folder, "zh-Hans", "one", "dos")
    assert list(left_behind("HEAD", folder)) == ["zh-Hans/lab.toml: part.first"]
