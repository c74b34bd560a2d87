"""README and CONTRIBUTING say where things are; this follows them."""

import re
from pathlib import Path

import pytest

from bnviz.live.contract import CONTRACT_FILE

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = ["README.md", "CONTRIBUTING.md"]
FOLDERS = "app|assets|benchmarks|bnviz|pages|tests"
PATH = re.compile(rf"(?:{FOLDERS})/[\w./-]+|\bapp\.py")
# A file by its name alone, where its folder is said at the head of the paragraph or table.
BARE = re.compile(r"`(\w+\.(?:py|js))`")
# `file` `Name`: the file defines it.
DEFINED = re.compile(rf"`((?:{FOLDERS})/[\w./-]+\.(?:py|js))` `(\w+)`")
DEFINITION = (
    r"(?m)^\s*(?:export |async |def |class |function |const )*{name}\b *(?:[(:=]|extends|{{)"
)


def words(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_path_in_a_document_exists(document):
    named = {path.rstrip("./") for path in PATH.findall(words(document))}
    assert len(named) > 10
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_file_that_is_named_without_its_folder_is_somewhere(document):
    files = {path.name for folder in ("assets", "bnviz") for path in (ROOT / folder).rglob("*.*")}
    named = {name for name in BARE.findall(words(document)) if name != CONTRACT_FILE}
    assert sorted(named - files - {"app.py"}) == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_link_in_a_document_leads_somewhere(document):
    links = re.findall(r"\]\(([^)#]+)\)", words(document))
    assert links
    assert [
        link for link in links if not link.startswith("http") and not (ROOT / link).exists()
    ] == []


def test_every_name_in_a_document_is_defined_in_its_file():
    named = [pair for document in DOCUMENTS for pair in DEFINED.findall(words(document))]
    assert len(named) > 20
    missing = [
        f"{file}: {name}" for file, name in named
        if not re.search(DEFINITION.format(name=name), (ROOT / file).read_text(encoding="utf-8"))
    ]  # fmt: skip
    assert missing == []


def test_every_target_of_make_in_a_document_exists():
    targets = set(re.findall(r"^(\w+):", words("Makefile"), re.MULTILINE))
    command = re.compile(r"(?:`|^    )make (\w+)", re.MULTILINE)
    named = {name for document in DOCUMENTS for name in command.findall(words(document))}
    assert {"run", "test", "verify"} <= named
    assert named <= targets
