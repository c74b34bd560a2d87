"""Paths and names in the READMEs, CONTRIBUTING and the page about servers are correct."""

import re
from collections import Counter
from dataclasses import fields
from pathlib import Path

import pytest

from bnviz.live.contract import CONTRACT_FILE
from bnviz.live.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
TRANSLATED = {"README.zh.md": "简体中文", "README.ja.md": "日本語"}
READMES = {"README.md": "English"} | TRANSLATED
DOCUMENTS = [*READMES, "CONTRIBUTING.md", "deploy/README.md"]
FOLDERS = "app|assets|benchmarks|bnviz|deploy|pages|tests"
PATH = re.compile(rf"(?<![\w/])(?:{FOLDERS})/[\w./-]+|\bapp\.py")
# A file name without its folder. The start of the paragraph or table names the folder.
BARE = re.compile(r"`(\w+\.(?:py|js))`")
# `file` `Name`: the named file must define `Name`.
DEFINED = re.compile(rf"`((?:{FOLDERS})/[\w./-]+\.(?:py|js))` `(\w+)`")
DEFINITION = (
    r"(?m)^\s*(?:export |async |def |class |function |const )*{name}\b *(?:[(:=]|extends|{{)"
)
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCED = re.compile(r"(?ms)^```.*?^```$")
INDENTED = re.compile(r"(?m)^ {4,}(\S.*)$")
# A command in a comment of a code block. Words in the document's language may precede the command.
COMMENTED = re.compile(r"#.*?(\.venv/bin/.*|$)")
VARIABLE = re.compile(r"BNVIZ_[A-Z_]*[A-Z]")
QUOTED = re.compile(r"`([^`]+)`")


def words(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


def headings(document: str) -> list[tuple[str, str]]:
    return re.findall(r"(?m)^(#+) (.+)$", FENCED.sub("", words(document)))


def anchors(document: str) -> list[str]:
    """Return the anchors that GitHub gives to headings."""
    return [
        re.sub(r"[^\w\s-]", "", title.lower()).replace(" ", "-") for _, title in headings(document)
    ]


def leads_somewhere(link: str, document: str) -> bool:
    file, _, anchor = link.partition("#")
    path = (ROOT / document).parent / file if file else ROOT / document
    return path.exists() and (not anchor or anchor in anchors(path.relative_to(ROOT).as_posix()))


def commands(document: str) -> Counter[str]:
    """Return all commands and all names formatted as code, without comments after commands."""
    text = FENCED.sub("", words(document))
    typed = [COMMENTED.sub(r"\1", line) for line in INDENTED.findall(text)]
    quoted = [" ".join(code.split()) for code in QUOTED.findall(text)]
    return Counter(code.strip() for code in typed + quoted if code.strip())


def pointed_at(document: str) -> Counter[str]:
    """Return the links to addresses, files and pictures, except links to the README in other
    languages.
    """
    links = re.findall(r"https?://[^\s)>`\"]*\w", words(document)) + LINK.findall(words(document))
    return Counter(link for link in links if not link.startswith("#") and link not in READMES)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_path_in_a_document_exists(document):
    named = {path.rstrip("./") for path in PATH.findall(words(document))}
    assert named
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_file_that_is_named_without_its_folder_is_somewhere(document):
    files = {
        path.name
        for folder in ("assets", "bnviz", "deploy")
        for path in (ROOT / folder).rglob("*.*")
    }
    named = {name for name in BARE.findall(words(document)) if name != CONTRACT_FILE}
    assert sorted(named - files - {"app.py"}) == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_link_in_a_document_leads_to_a_file_or_heading_that_exists(document):
    links = [link for link in LINK.findall(words(document)) if not link.startswith("http")]
    assert links
    assert [link for link in links if not leads_somewhere(link, document)] == []


@pytest.mark.parametrize("document", READMES)
def test_a_readme_begins_with_its_languages(document):
    line = " · ".join(
        language if name == document else f"[{language}]({name})"
        for name, language in READMES.items()
    )
    assert words(document).startswith(f"{line}\n\n# bnviz\n")


@pytest.mark.parametrize("document", TRANSLATED)
def test_a_translated_readme_has_the_commands_links_and_headings_of_the_english_one(document):
    assert len(commands("README.md")) > 50
    assert commands(document) == commands("README.md")
    assert pointed_at(document) == pointed_at("README.md")
    levels = [level for level, _ in headings("README.md")]
    assert len(levels) > 8
    assert [level for level, _ in headings(document)] == levels
    assert len(set(anchors(document))) == len(levels)


def test_every_name_in_a_document_is_defined_in_its_file():
    named = [pair for document in DOCUMENTS for pair in DEFINED.findall(words(document))]
    assert len(named) > 20
    missing = [
        f"{file}: {name}" for file, name in named
        if not re.search(DEFINITION.format(name=name), (ROOT / file).read_text(encoding="utf-8"))
    ]  # fmt: skip
    assert missing == []


def test_every_folder_is_in_the_table_of_contributing():
    told = words("CONTRIBUTING.md").partition("## The way of")[0]
    folders = {
        path.parent.relative_to(ROOT) for kind in ("bnviz/*/*.py", "assets/*/*.js")
        for path in ROOT.glob(kind)
    }  # fmt: skip
    assert len(folders) > 20
    assert [folder for folder in sorted(folders) if f"`{folder.as_posix()}`" not in told] == []


def test_every_target_of_make_in_a_document_exists():
    targets = set(re.findall(r"^(\w+):", words("Makefile"), re.MULTILINE))
    command = re.compile(r"(?:`|^    )make (\w+)", re.MULTILINE)
    named = {name for document in DOCUMENTS for name in command.findall(words(document))}
    assert {"run", "test", "verify"} <= named
    assert named <= targets


def test_every_variable_in_a_document_is_read_somewhere():
    folders = ("bnviz", "deploy", "tests")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.*")]
    code = "".join(
        path.read_text("utf-8") for path in files if path.suffix in (".py", ".sh", ".yaml")
    )
    read = {f"BNVIZ_{limit.name.upper()}" for limit in fields(Settings)} | {*VARIABLE.findall(code)}
    named = {name for document in DOCUMENTS for name in VARIABLE.findall(words(document))}
    assert len(named) > 30
    assert sorted(named - read) == []
