"""The command line uses the reader's language, except in output for programs."""

import argparse
import re

import pytest

import bnviz.words.texts
from bnviz import __main__ as command_line
from bnviz.commands.parser import Help, columns, in_lines
from bnviz.commands.progress_bar import ProgressBar
from bnviz.config import KNOBS
from bnviz.norms import NORMS
from bnviz.probes import PROBES
from bnviz.talks.talk import TALKS
from bnviz.words.texts import in_language
from tests.made_up_language import CODE, write_language

SPOKEN = ["--lang", CODE]
SMALL = ["train", "--set", "depth=1", "--set", "width=8", "--set", "dataset=moons", "--steps", "1"]
COMMANDS = ("train", "sweep", "claim", "record", "rates", "check", "texts", "serve", "forget")
# Names in help texts and in errors, which are not translated.
NAMES = {
    *COMMANDS, *TALKS, *NORMS, *PROBES, *KNOBS, "python", "bnviz", "help", "all", "none", "auto",
    "csv", "json", "processes", "ray", "localhost", CODE, "en", "scale_weights", "adam",
    "True", "False", "nonsense",
    *(name for knob in KNOBS.values() for name in knob.choices),
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Folder of texts in English and in the pseudo-language."""
    write_language(made := tmp_path_factory.mktemp("texts"))
    return made


@pytest.fixture(autouse=True)
def languages(folder, monkeypatch):
    monkeypatch.setattr(bnviz.words.texts, "FOLDER", folder)
    monkeypatch.setenv("COLUMNS", "200")
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)


def said(capsys, *arguments):
    """Run a command, and return its exit status, stdout and stderr."""
    try:
        status = command_line.main(arguments)
    except SystemExit as left:
        status = left.code
    out, errors = capsys.readouterr()
    # A server of other tests in this process may write its log meanwhile.
    lines = [line for line in errors.splitlines(keepends=True) if not line.startswith('{"time":')]
    return status, out, "".join(lines)


def english_words(text):
    """Return the English words of a text, without names used in code."""
    options = re.compile(r"--[a-z-]+|-h\b|`[^`]*`")
    words = re.findall(r"[A-Za-z_]{2,}", options.sub(" ", text))
    # A line may break within a hyphenated name.
    return set(words) - {part for name in NAMES for part in name.split("-")}


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_has_no_english_word_left_but_code(capsys, command):
    status, told, _ = said(capsys, *SPOKEN, *filter(None, [command]), "--help")
    assert status == 0
    assert "ûšåĝéåĝé⁝" in told or "ûšåĝéĝé: python -m bnviz" in told
    assert english_words(told) == set()


@pytest.mark.parametrize(
    "arguments",
    [
        ["record"], ["nonsense"], ["train", "--set"], ["texts", "en", "--take"],
        ["sweep", "--refine=1"],
        ["sweep", "--format", "nonsense"], ["sweep", "--s", "1"], ["train", "--nonsense"],
        ["train", "--change", "3"], ["train", "--steps", "-1"], ["claim", "nonsense"],
        ["train", "--change", "3:depth=1"], ["train", "--set", "depth=99"],
        ["sweep", "--learning-rates", "1:2"], ["sweep", "--backend", "nonsense"],
        ["record", "nonsense", "--out", "x"], ["serve", "--base-path", "a b"],
        ["texts", "nonsense"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_an_error_has_no_english_word_left_but_code_and_what_was_given(capsys, arguments):
    status, out, errors = said(capsys, *SPOKEN, *arguments)
    assert (status, out) == (2, "")
    assert english_words(errors) == set()
    assert re.search("[þŕåñķļ]", errors), "a message is printed"


def test_a_field_of_a_file_is_named_in_the_language_too(capsys, tmp_path):
    (file := tmp_path / "x.json").write_text('[{"step": -1, "values": {}}]')
    _, _, errors = said(capsys, *SPOKEN, "train", "--changes", str(file))
    assert english_words(errors) <= {"step"}
    (file := tmp_path / "talk.toml").write_text("title = 3")
    _, _, errors = said(capsys, *SPOKEN, "record", str(file), "--out", str(tmp_path / "x"))
    assert english_words(errors.replace(str(file), "")) <= {"station"}  # [[station]]


@pytest.mark.parametrize(
    ("arguments", "locale", "wanted"),
    [
        ([], {"LANG": f"{CODE}_XX.UTF-8"}, True),
        ([], {"LC_ALL": "C", "LANG": f"{CODE}_XX.UTF-8"}, False),
        ([], {"LANG": "xx_XX.UTF-8"}, False),
        (["--lang", "en-GB"], {"LANG": CODE}, False),
        ([f"--lang={CODE}"], {"LANG": "en_GB.UTF-8"}, True),
    ],
)
def test_the_option_goes_before_the_locale_and_the_locale_before_english(
    capsys, monkeypatch, arguments, locale, wanted
):
    for name, value in locale.items():
        monkeypatch.setenv(name, value)
    status, _, errors = said(capsys, *arguments, "train", "--set", "depth=99")
    assert status == 2
    assert ("must be a whole number between 1 and 50" not in errors) is wanted
    assert "`depth`" in errors


def test_a_language_that_there_is_not_is_refused_by_name(capsys, monkeypatch):
    told = "`--lang` must be one of en, qps, got 'xx'.\n"
    for given in (["--lang", "xx"], ["--lang=xx"]):
        assert said(capsys, *given, *SMALL) == (2, "", told)
    assert "got ''" in said(capsys, "--lang", "", *SMALL)[2]
    monkeypatch.setenv("LANG", CODE)
    refused = said(capsys, "--lang", "xx", *SMALL)[2]
    assert english_words(refused) == {"xx"}
    assert "expected one argument" in said(capsys, "--lang", "en", "--lang")[2]


@pytest.mark.parametrize("arguments", [SMALL, ["claim", "E2", "--quick", "--json"]], ids=["a", "b"])
def test_results_are_the_same_in_every_language(capsys, arguments):
    status, out, errors = said(capsys, *arguments)
    assert (status, errors) == (0, "")
    assert out
    assert said(capsys, *SPOKEN, *arguments) == (0, out, "")


def test_work_that_takes_long_is_counted_in_the_language(capsys):
    with in_language(CODE):
        for total in (4, None):
            ProgressBar("networks", total).end()
    assert english_words(capsys.readouterr().err) == set()


def test_argparse_has_its_own_words_back_afterwards(capsys):
    said(capsys, *SPOKEN, "--help")
    assert "show this help message and exit" in said(capsys, "--help")[1]


def test_lines_of_han_letters_fit_and_break_where_they_may():
    text = "训练网络，打印测得的数值（默认600）；`--steps`之后再给一次，一行一个JSON对象。" * 4
    for width in (20, 33, 60):
        lines = in_lines(text, width)
        assert "".join(lines) == text
        assert max(map(columns, lines)) <= width
        assert not any(line[0] in "，。；）" or line[-1] == "（" for line in lines)


def test_options_with_han_letters_stand_in_columns():
    parser = argparse.ArgumentParser(formatter_class=Help)
    for flag, metavar in (("--one", "N"), ("--two", "文件"), ("--some-longer", "数值列表")):
        parser.add_argument(flag, metavar=metavar, help="帮助")
    lines = parser.format_help().splitlines()
    starts = {columns(line.partition("帮助")[0]) for line in lines if "帮助" in line}
    assert len(starts) == 1
    assert not any("列表帮助" in line for line in lines)
