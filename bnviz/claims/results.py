"""Results of the claims as plain values, read by the table and the page.

The command `claim --save` writes `measured.json`, which can be read without torch. Instead of
texts, the file contains hashes of the declarations. Each hash covers the texts of its declaration.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import statistics
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from string import Formatter, ascii_lowercase
from typing import Any

from pydantic import Field

from bnviz.claims import CLAIMS
from bnviz.claims.judgement import StatementJudgement, StatementOutcome
from bnviz.claims.statement import Plain, Statement, StatementKind, WordNumbers
from bnviz.words.texts import ENGLISH, text, texts

FILE = Path(__file__).with_name("measured.json")

# Texts that are part of a declaration. All other texts are remarks.
DECLARED_WORDS = ("text", "setting", "quantity", "source", "comparator")
# Significant digits of calculated bounds in a declaration. Further digits depend on the processor.
DECLARED_DIGITS = 9


class MeasuredValues(Plain):
    """Measured values, one per seed, and their outcome."""

    seeds: tuple[int, ...]
    values: tuple[float, ...]
    outcome: StatementOutcome

    @property
    def known(self) -> tuple[float, ...]:
        """Values that are not NaN."""
        return tuple(value for value in self.values if not math.isnan(value))

    @property
    def median(self) -> float:
        """Median of the known values, or NaN if there are none."""
        return statistics.median(self.known) if self.known else math.nan

    @property
    def lowest(self) -> float:
        return min(self.known, default=math.nan)

    @property
    def highest(self) -> float:
        return max(self.known, default=math.nan)


class Row(MeasuredValues, Statement):
    """Statement and its measured values.

    Attributes:
        place: number of the statement (E6.2), or a letter if it was found here (E6.b).
        instead_of_place: place of the statement that this one replaces, or None.
        numbers: values for the placeholders in the statement's texts.
        compared: median accuracy of the comparator, if this accuracy may be at chance level.
        again: measurement on fresh seeds, or None.
    """

    place: str
    instead_of_place: str | None = None
    numbers: WordNumbers = Field(default_factory=dict)
    declared: str
    met: int
    compared: float | None = None
    again: MeasuredValues | None = None

    @property
    def claim(self) -> str:
        """Name of the experiment: E6."""
        return self.place.partition(".")[0]

    @property
    def name(self) -> str:
        """Name that does not change if statements are added before it, such as E6.relu-batch."""
        return f"{self.claim}.{self.key}"

    @property
    def margin(self) -> float:
        """Smallest margin over the seeds: negative outside the bounds, NaN if a value is absent."""
        if len(self.known) < len(self.values):
            return math.nan
        return min(map(self.expected.margin, self.known), default=math.nan)

    @property
    def text(self) -> str:
        """The sentence."""
        return self._words("text")

    @property
    def lead(self) -> str:
        """Self-contained sentence for a statement that readers should know first, or empty."""
        return self._words("lead")

    @property
    def setting(self) -> str:
        return self._words("setting")

    @property
    def quantity(self) -> str:
        return self._words("quantity")

    @property
    def comparator_name(self) -> str:
        """Name of the comparator in a sentence, or empty if it cannot be at chance level."""
        return self._words("comparator")

    @property
    def source(self) -> str:
        if self.kind is StatementKind.PAPER:
            return self._words("source")
        return text(f"claims.source.{self.kind.slug}")

    @property
    def changed(self) -> str:
        """First declaration and its result, or empty if the declaration was never changed."""
        return self._words("changed")

    @property
    def not_in_lab(self) -> str:
        """Reason why the lab cannot show the statement, or empty if it can."""
        return self._words("not_in_lab")

    def _words(self, name: str) -> str:
        """Return a text in the current language with its numbers, or an empty text."""
        words = texts(CLAIMS[self.claim].words).get(self.key, {})
        return str(words.get(name, "")).format(**self.numbers)


class ClaimResults(Plain):
    """Experiment and its statements, the declared statements first."""

    name: str
    numbers: WordNumbers = Field(default_factory=dict)
    rows: tuple[Row, ...]

    @property
    def groups(self) -> dict[str, tuple[Row, ...]]:
        """Declared rows and rows found here, without empty groups."""
        declared = tuple(row for row in self.rows if not row.found)
        groups = {"declared": declared, "found": self.rows[len(declared) :]}
        return {name: rows for name, rows in groups.items() if rows}

    @property
    def note(self) -> str:
        """Remark on the measurement, in the current language."""
        return str(texts(CLAIMS[self.name].words).get("note", "")).format(**self.numbers)


class Results(Plain):
    """Results of one measurement.

    Attributes:
        torch: version of torch, without the build.
        found_seeds: seeds of the statements found here.
        again_seeds: fresh seeds of the declared statements, or empty if none were measured.
    """

    torch: str
    seeds: tuple[int, ...]
    found_seeds: tuple[int, ...]
    again_seeds: tuple[int, ...] = ()
    claims: tuple[ClaimResults, ...]

    @property
    def rows(self) -> tuple[Row, ...]:
        return tuple(row for claim in self.claims for row in claim.rows)


Judged = Mapping[str, Sequence[StatementJudgement]]


def gather(judged: Judged, torch_version: str, seeds: range) -> Results:
    every = [each for claim in judged.values() for each in claim]
    found = {seed for each in every if each.statement.found for seed in each.seeds}
    return Results(
        torch=torch_version.partition("+")[0],
        seeds=tuple(seeds),
        found_seeds=tuple(sorted(found)),
        claims=tuple(_claim_results(name, judged[name]) for name in CLAIMS if name in judged),
    )


def with_again(results: Results, judged: Judged) -> Results:
    """Add the measurements on fresh seeds to the declared rows."""
    fresh = {
        f"{each.claim}.{each.statement.key}": MeasuredValues(
            seeds=each.seeds, values=each.values, outcome=each.outcome
        )
        for claim in judged.values()
        for each in claim
        if not each.statement.found
    }

    def beside(claim: ClaimResults) -> ClaimResults:
        rows = tuple(
            row.model_copy(update={"again": fresh.get(row.name, row.again)}) for row in claim.rows
        )
        return claim.model_copy(update={"rows": rows})

    seeds = tuple(sorted({seed for each in fresh.values() for seed in each.seeds}))
    claims = tuple(map(beside, results.claims))
    return results.model_copy(update={"claims": claims, "again_seeds": seeds})


def merged(earlier: Results, measured: Results) -> Results:
    """Update earlier results with new results of some claims. Seeds and torch versions are merged.

    A row keeps its measurement on fresh seeds if its declaration is unchanged.
    """

    def of_both(name: str) -> tuple[int, ...]:
        return tuple(sorted({*getattr(earlier, name), *getattr(measured, name)}))

    fresh = {(row.name, row.declared): row.again for row in earlier.rows}

    def with_fresh(claim: ClaimResults) -> ClaimResults:
        rows = tuple(
            row.model_copy(update={"again": fresh.get((row.name, row.declared))})
            for row in claim.rows
        )
        return claim.model_copy(update={"rows": rows})

    claims = {claim.name: claim for claim in earlier.claims}
    claims |= {claim.name: with_fresh(claim) for claim in measured.claims}
    return Results(
        torch=", ".join(dict.fromkeys((*earlier.torch.split(", "), measured.torch))),
        seeds=of_both("seeds"),
        found_seeds=of_both("found_seeds"),
        again_seeds=earlier.again_seeds,
        claims=tuple(claims[name] for name in CLAIMS if name in claims),
    )


def declaration(
    claim: str,
    statement: Statement,
    numbers: WordNumbers,
    seeds: Sequence[int],
    words: Mapping[str, Any] | None = None,
) -> str:
    """Hash a declaration: the statement, its English texts with their numbers, and the seeds.

    The remarks `lead`, `note`, `changed` and `not_in_lab` are not part of a declaration.
    """
    words = texts(CLAIMS[claim].words, ENGLISH)[statement.key] if words is None else words
    declared = {
        "statement": _rounded(statement.model_dump(include=set(Statement.model_fields))),
        "words": {name: words[name] for name in DECLARED_WORDS if name in words},
        "numbers": _rounded(numbers),
        "seeds": list(seeds),
    }
    written = json.dumps(declared, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(f"{claim} {written}".encode()).hexdigest()[:16]


def numbers_in(numbers: WordNumbers, words: Mapping[str, Any]) -> WordNumbers:
    """Return the numbers that these texts use. Raise KeyError if a placeholder has no number."""
    names = {
        name
        for each in words.values()
        if isinstance(each, str)
        for _, name, _, _ in Formatter().parse(each)
        if name is not None
    }
    return {name: numbers[name] for name in sorted(names)}


def write(results: Results, path: Path = FILE) -> None:
    """Write JSON with one row per line, so that a diff of two files is readable."""
    written = results.model_dump_json(exclude_defaults=True)
    lines = re.sub(r'(?=\{"(?:name|key)":)|(?<=\})(?=\])', "\n", written)
    path.write_text(f"{lines}\n", "utf-8")


def read(path: Path = FILE) -> Results:
    """Read the results. Raise FileNotFoundError or pydantic's ValidationError on failure."""
    return Results.model_validate_json(path.read_bytes())


def _rounded(value: Any) -> Any:
    """Format all numbers in nested values with `DECLARED_DIGITS` digits."""
    if isinstance(value, Mapping):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:.{DECLARED_DIGITS}g}"
    return value


def _claim_results(name: str, judged: Sequence[StatementJudgement]) -> ClaimResults:
    words = texts(CLAIMS[name].words, ENGLISH)
    numbers = CLAIMS[name].resolve().numbers
    places = _places(judged)
    rows = []
    for each in judged:
        statement = each.statement
        own = numbers_in(numbers, words[statement.key])
        rows.append(
            Row(
                **dict(statement),
                place=places[statement.key],
                instead_of_place=places.get(statement.instead_of or ""),
                numbers=own,
                declared=declaration(name, statement, own, each.seeds),
                seeds=each.seeds,
                values=each.values,
                met=each.seeds_met,
                compared=each.compared_median if statement.comparator else None,
                outcome=each.outcome,
            )
        )
    return ClaimResults(
        name=name,
        numbers=numbers_in(numbers, {"note": words.get("note", "")}),
        rows=tuple(sorted(rows, key=lambda row: row.found)),
    )


def _places(judged: Sequence[StatementJudgement]) -> dict[str, str]:
    """Return places by key: E6.1, E6.2, … if declared in advance, E6.a, E6.b, … if found here."""
    declared, found = count(1), iter(ascii_lowercase)
    return {
        each.statement.key: f"{each.claim}.{next(found if each.statement.found else declared)}"
        for each in judged
    }
