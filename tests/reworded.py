"""Renew the hashes of reworded statements after a second reader has signed the new wording.

`python -m tests.reworded` prints one JSON object per statement: its old and new English wording,
and a signature of both. `--signed FILE` reads a JSON object of names and signatures, and writes the
hashes of the new wordings to `measured.json`. No measured value changes. Statements with changed
bounds, numbers or seeds are refused, because they need a new measurement.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bnviz.claims import CLAIMS, results
from bnviz.claims.results import DECLARED_WORDS, Row, declaration, numbers_in
from bnviz.words.texts import ENGLISH, texts

ROOT = Path(__file__).resolve().parents[1]
Words = Mapping[str, Any]


@dataclass(frozen=True)
class Reworded:
    """A statement whose present declaration differs from the measured one.

    Attributes:
        row: the measured row.
        old: the wording at the time of the measurement, or None if no commit has the measured hash,
            which means that more than the wording has changed.
    """

    row: Row
    old: Words | None
    new: Words

    @property
    def signature(self) -> str:
        """A hash of both wordings."""
        written = json.dumps([self.row.name, self.old, self.new], sort_keys=True)
        return hashlib.sha256(written.encode()).hexdigest()[:16]

    @property
    def pair(self) -> dict[str, Any]:
        """JSON object that is printed for the second reader."""
        return {
            "name": self.row.name, "signature": self.signature, "old": self.old, "new": self.new,
        }  # fmt: skip


def declared_words(words: Words) -> Words:
    """Return the words that belong to the declaration, without remarks."""
    return {name: words[name] for name in DECLARED_WORDS if name in words}


def reworded(measured: results.Results) -> Iterator[Reworded]:
    """Yield every measured statement whose declaration has changed since the measurement."""
    for row in measured.rows:
        statement = _statement(row)
        if statement is None:
            continue
        new = texts(CLAIMS[row.claim].words, ENGLISH)[row.key]
        own = numbers_in(CLAIMS[row.claim].resolve().numbers, new)
        if declaration(row.claim, statement, own, row.seeds, new) != row.declared:
            yield Reworded(row, _words_measured(row, statement), declared_words(new))


def _statement(row: Row) -> Any:
    statements = CLAIMS[row.claim].resolve().statements
    return next((each for each in statements if each.key == row.key), None)


def _words_measured(row: Row, statement: Any) -> Words | None:
    """Return the words in the newest commit that gives the statement its recorded hash."""
    path = f"assets/texts/{ENGLISH}/{CLAIMS[row.claim].words}.toml"
    for commit in _git("log", "--format=%H", "--", path).split():
        words = tomllib.loads(_git("show", f"{commit}:{path}")).get(row.key)
        if words is None:
            continue
        if declaration(row.claim, statement, row.numbers, row.seeds, words) == row.declared:
            return declared_words(words)
    return None


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout


def renewed(measured: results.Results, signed: Mapping[str, str]) -> results.Results:
    """Return the results with new hashes for the signed statements.

    Raises:
        SystemExit: if a signature does not match the present words, or if more than the words has
            changed.
    """
    changed = {each.row.name: each for each in reworded(measured)}
    for name, signature in signed.items():
        each = changed.get(name)
        if each is None or each.signature != signature:
            raise SystemExit(f"{name}: no changed wording has the signature {signature}.")
        if each.old is None:
            raise SystemExit(f"{name}: more than the words has changed; measure it again.")
    claims = tuple(
        claim.model_copy(update={
            "numbers": numbers_in(
                CLAIMS[claim.name].resolve().numbers,
                {"note": texts(CLAIMS[claim.name].words, ENGLISH).get("note", "")},
            ),
            "rows": tuple(
                _renewed_row(row) if row.name in signed else row for row in claim.rows
            ),
        })
        for claim in measured.claims
    )  # fmt: skip
    return measured.model_copy(update={"claims": claims})


def _renewed_row(row: Row) -> Row:
    numbers = CLAIMS[row.claim].resolve().numbers
    own = numbers_in(numbers, texts(CLAIMS[row.claim].words, ENGLISH)[row.key])
    declared = declaration(row.claim, _statement(row), own, row.seeds)
    return row.model_copy(update={"numbers": own, "declared": declared})


def main(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.reworded", description=__doc__)
    parser.add_argument("--signed", type=Path, metavar="FILE", help="JSON: signatures by name")
    options = parser.parse_args(arguments)
    measured = results.read()
    if options.signed is None:
        for each in reworded(measured):
            print(json.dumps(each.pair, ensure_ascii=False))
        return 0
    results.write(renewed(measured, json.loads(options.signed.read_text("utf-8"))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
