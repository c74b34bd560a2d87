"""Test the messages to translators. A translation is hidden once its English text has changed."""

import argparse
import shutil

import pytest

import bnviz.words.texts
from bnviz.commands.texts import add_texts
from bnviz.config import ConfigError
from bnviz.words.texts import FOLDER, prose, prose_language, texts
from bnviz.words.translations import SOURCES, broken_rules, older
from tests.every_case import every_case

# English files that the checking command itself needs.
NEEDED = ("command.toml", "errors.toml")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Set up English and a language that has no `language.toml` yet. Return their folder."""
    write(tmp_path / "en" / "language.toml", 'name = "English"')
    for name in NEEDED:
        shutil.copy(FOLDER / "en" / name, tmp_path / "en")
    write(tmp_path / "en" / f"{tmp_path.name}.toml", ENGLISH)
    write(tmp_path / "en" / "page.md", "# One")
    write(tmp_path / "ja" / f"{tmp_path.name}.toml", JAPANESE)
    write(tmp_path / "ja" / "page.md", "# 一")
    monkeypatch.setattr(bnviz.words.texts, "FOLDER", tmp_path)
    monkeypatch.setattr(bnviz.words.texts, "_texts", bnviz.words.texts._texts.__wrapped__)
    monkeypatch.setattr(bnviz.words.texts, "_sources", bnviz.words.texts._sources.__wrapped__)
    return tmp_path


ENGLISH = 'a = "At {step} of [[batch|it]]"\nc = "no"\n[b]\ncount = "{count} x"\ncount_one = "1 x"\n'
JAPANESE = 'a = "[[batch|それ]]の{step}"\nold = "古"\n[b]\ncount = "{count} 個"\n'


def write(path, content):
    path.parent.mkdir(exist_ok=True)
    path.write_text(content, "utf-8")


def command(*given):
    parser = argparse.ArgumentParser()
    add_texts(parser.add_subparsers())
    options = parser.parse_args(["texts", *given])
    return options.run(options)


def listed(capsys, folder):
    status = command("ja")
    lines = capsys.readouterr().out.replace(folder.name, "own").splitlines()
    needed = tuple(f"ja/{name}" for name in NEEDED)
    return status, {line for line in lines if not line.startswith(needed)}


def test_what_is_missing_unknown_and_not_taken_is_listed(folder, capsys):
    status, lines = listed(capsys, folder)
    assert status == 1
    assert lines == {
        "ja/own.toml: a: not taken", "ja/own.toml: c: missing", "ja/own.toml: b.count: not taken",
        "ja/own.toml: old: not in English", "ja/page.md: not taken",
        "ja/language.toml is missing; without it, no page is shown in this language",
    }  # fmt: skip


def test_a_text_whose_english_has_changed_is_listed_and_shown_in_english(folder, capsys):
    write(folder / "ja" / "language.toml", 'name = "日本語"')
    bnviz.words.texts._languages.cache_clear()
    name = folder.name
    assert command("ja", "--take", f"{name}.toml", "page.md") == 0
    taken = (folder / "ja" / SOURCES).read_bytes()
    assert command("ja", "--take", "page.md", f"{name}.toml") == 0
    assert (folder / "ja" / SOURCES).read_bytes() == taken, (
        "in the same order, whichever was taken last"
    )
    assert texts(name, "ja")["a"] == "[[batch|それ]]の{step}"
    assert (prose("page", "ja"), prose_language("page", "ja")) == ("# 一", "ja")
    assert older(folder, "ja") == 0
    write(folder / "en" / f"{name}.toml", ENGLISH.replace("At {step}", "Before {step}"))
    write(folder / "en" / "page.md", "# Two")
    assert texts(name, "ja")["a"] == "Before {step} of [[batch|it]]"
    assert texts(name, "ja")["b"]["count"] == "{count} 個"
    assert (prose("page", "ja"), prose_language("page", "ja")) == ("# Two", "en")
    older.cache_clear()
    assert older(folder, "ja") == 2, "pages say how many"
    capsys.readouterr()
    assert {"ja/own.toml: a: older", "ja/page.md: older"} <= listed(capsys, folder)[1]


@every_case(
    ("english", "own", "told"),
    [
        ("{a:percent} {if:worse}", "{if:worse} {a:percent}", []),
        ("{a:percent}", "{a}", ["placeholder {a:percent} is missing",
                                "placeholder {a} is not in English"]),
        (["One {run:x}.", "Two."], ["{run:x}, 二。"], []),
        (["One.", "Two."], "一", ["a list in one language only"]),
        ("[[rate]] at 93", "[[rate|率]] 39", ["number 93 is missing",
                                              "number 39 is not in English"]),
        ("Ten times, and two layers", "2層で10倍", []),
        ("Ten times", "12倍", ["number 12 is not in English"]),
        ("$x_1$ is `a 2`", "`a 2` $x_2$", ["formula $x_1$ is missing",
                                           "formula $x_2$ is not in English"]),
        ("[here](/lab)", "[ここ](/map)", ["link /lab is missing", "link /map is not in English"]),
    ],
)  # fmt: skip
def test_what_is_no_word_stays_as_it_is(english, own, told):
    assert list(broken_rules(english, own)) == told


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("given", [["../en"], ["en"], ["ja", "--take", "none.toml"]])
def test_an_unknown_language_or_file_is_an_error(given):
    with pytest.raises(ConfigError, match=given[-1].replace(".", r"\.")):
        command(*given)
