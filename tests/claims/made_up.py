"""Made-up claim without measurements, for tests of how measured values are processed."""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

import bnviz.words.texts
from bnviz.claims import ClaimEntry
from bnviz.claims.statement import Claim, Statement, StatementKind, at_least, at_most, in_lab

DECLARED = Statement(
    key="first",
    expected=at_most(1),
    kind=StatementKind.PAPER,
    watch=in_lab({"depth": 20}, "growth", 0),
)
FAILING = Statement(key="second", expected=at_least(8), kind=StatementKind.EARLIER, part="more")
FOUND = Statement(
    key="third", expected=at_least(8), kind=StatementKind.FOUND, instead_of="second", part="late",
    comparator="plain",
)  # fmt: skip
CLAIM = Claim(
    (FOUND, DECLARED, FAILING),
    lambda seed: {"first": seed / 10},
    parts={
        "more": lambda seed: {"second": seed % 20},
        "late": lambda seed: {"third": seed + 5, "plain": 0.1 if seed == 7 else 0.9},
    },
    other_numbers={"step": 1300, "notes": 1, "unused": 0},
)
ENTRY = ClaimEntry(
    words="claims/E0", where="tests.claims.made_up:CLAIM", cost=0.1, presets=("e6-gradients-grow",)
)
WORDS = {
    "label": "Made up",
    "help": "Nothing.",
    "source": "Nobody",
    "note": "A note, {notes}.",
    "first": {
        "text": "One | two.", "lead": "One of two.", "setting": "step {step:,}",
        "quantity": "quantity", "source": "Yang et al. 2019",
    },
    "second": {
        "text": "Two.", "setting": "setting", "quantity": "quantity",
        "changed": "Step 300 was declared first; 0.5 was found.", "not_in_lab": "No network.",
    },
    "third": {
        "text": "Three.", "setting": "elsewhere", "quantity": "quantity",
        "comparator": "the plain network", "not_in_lab": "No network.",
    },
}  # fmt: skip


@contextmanager
def words_of(claim: str, words: Mapping[str, object], folder: Path) -> Iterator[None]:
    """Replace the English texts of one claim while the block runs.

    Args:
        claim: its name, such as E0.
        words: tables of its TOML file.
        folder: empty folder for a copy of the texts.
    """
    shutil.copytree(bnviz.words.texts.FOLDER / "en", folder / "en")
    tables = [(key, value) for key, value in words.items() if isinstance(value, Mapping)]
    lines = [_line(key, value) for key, value in words.items() if isinstance(value, str)]
    for key, table in tables:
        lines += [f"[{key}]", *(_line(*pair) for pair in table.items())]
    (folder / "en" / "claims" / f"{claim}.toml").write_text("\n".join(lines), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bnviz.words.texts, "FOLDER", folder)
        yield


def _line(key: str, text: str) -> str:
    return f"{key} = {json.dumps(text, ensure_ascii=False)}"
