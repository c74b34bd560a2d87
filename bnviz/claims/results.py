"""What was measured of the claims, as plain values: the table and the page are made of it.

`measured.json`, beside this file, is written by the command and read without torch. It holds no
words, but a hash of what was declared, words included.
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
from bnviz.claims.judgement import Outcome, StatementJudgement
from bnviz.claims.statement import Kind, Numbers, Plain, Statement
from bnviz.words.texts import ENGLISH, text, texts

FILE = Path(__file__).with_name("measured.json")

# The words of a statement that were declared with it; others are remarks.
DECLARED_WORDS = ("text", "setting", "quantity", "source", "comparator")
# Another processor rounds otherwise: of bounds that were calculated, so many digits are declared.
DECLARED_DIGITS = 9


class Measured(Plain):
    """Measured values, one a seed, and what is found by them."""

    seeds: tuple[int, ...]
    values: tuple[float, ...]
    outcome: Outcome

    @property
    def known(self) -> tuple[float, ...]:
        """The values that are numbers."""
        return tuple(value for value in self.values if not math.isnan(value))

    @property
    def median(self) -> float:
        """Of the values that are numbers; NaN where none is."""
        return statistics.median(self.known) if self.known else math.nan

    @property
    def lowest(self) -> float:
        """Of the values that are numbers; NaN where none is."""
        return min(self.known, default=math.nan)

    @property
    def highest(self) -> float:
        """Of the values that are numbers; NaN where none is."""
        return max(self.known, default=math.nan)


class Row(Measured, Statement):
    """A statement and what was measured of it.

    Attributes:
        place: its number, E6.2; of what was found here, with a letter: E6.b.
        instead_of_place: place of the statement that it stands for, or None.
        numbers: what fills the braces of its words.
        declared: hash of what was declared: see `declaration`.
        met: seeds whose value is as expected.
        compared: median accuracy of what it compares with, where that may have learned nothing.
        again: the same on fresh seeds, at which nobody had looked; None: not measured.
    """

    place: str
    instead_of_place: str | None = None
    numbers: Numbers = Field(default_factory=dict)
    declared: str
    met: int
    compared: float | None = None
    again: Measured | None = None

    @property
    def claim(self) -> str:
        """Name of its experiment: E6."""
        return self.place.partition(".")[0]

    @property
    def name(self) -> str:
        """Its name, which stays when statements are added before it: E6.relu-batch."""
        return f"{self.claim}.{self.key}"

    @property
    def margin(self) -> float:
        """How far inside of its bounds the worst seed lies; negative outside.

        NaN where a seed has no number: that is worse than any.
        """
        if len(self.known) < len(self.values):
            return math.nan
        return min(map(self.expected.margin, self.known), default=math.nan)

    @property
    def text(self) -> str:
        """The sentence."""
        return self._words("text")

    @property
    def lead(self) -> str:
        """The sentence by itself, without its neighbours; empty: no reader need know it first."""
        return self._words("lead")

    @property
    def setting(self) -> str:
        """Under which conditions, in full."""
        return self._words("setting")

    @property
    def quantity(self) -> str:
        """What is measured."""
        return self._words("quantity")

    @property
    def comparator_name(self) -> str:
        """What it compares with, as a sentence calls it; empty where that cannot be at chance."""
        return self._words("comparator")

    @property
    def source(self) -> str:
        """The paper; or what else it comes from."""
        if self.kind is Kind.PAPER:
            return self._words("source")
        return text(f"claims.source.{self.kind.slug}")

    @property
    def changed(self) -> str:
        """What was declared first, and what had been found, where that was changed; else empty."""
        return self._words("changed")

    @property
    def not_in_lab(self) -> str:
        """Why the lab cannot show it; empty where it can."""
        return self._words("not_in_lab")

    def _words(self, name: str) -> str:
        """In the language that is spoken, with its numbers; empty where there are none."""
        words = texts(CLAIMS[self.claim].words).get(self.key, {})
        return str(words.get(name, "")).format(**self.numbers)


class ClaimResults(Plain):
    """An experiment and its statements, those that were declared first.

    Attributes:
        name: its key in `CLAIMS`.
        numbers: what fills the braces of its note.
    """

    name: str
    numbers: Numbers = Field(default_factory=dict)
    rows: tuple[Row, ...]

    @property
    def groups(self) -> dict[str, tuple[Row, ...]]:
        """The rows that were declared, and those found here; none that is empty."""
        declared = tuple(row for row in self.rows if not row.found)
        groups = {"declared": declared, "found": self.rows[len(declared) :]}
        return {name: rows for name, rows in groups.items() if rows}

    @property
    def note(self) -> str:
        """What a reader should know of how it is measured, in the language that is spoken."""
        return str(texts(CLAIMS[self.name].words).get("note", "")).format(**self.numbers)


class Results(Plain):
    """Everything that was measured in one go.

    Attributes:
        torch: its version, without what it says of the build.
        seeds: of the declared statements.
        found_seeds: of those found here.
        again_seeds: the fresh ones; none: not measured on any.
        claims: in the order of `CLAIMS`.
    """

    torch: str
    seeds: tuple[int, ...]
    found_seeds: tuple[int, ...]
    again_seeds: tuple[int, ...] = ()
    claims: tuple[ClaimResults, ...]

    @property
    def rows(self) -> tuple[Row, ...]:
        """Of all experiments."""
        return tuple(row for claim in self.claims for row in claim.rows)


Judged = Mapping[str, Sequence[StatementJudgement]]


def gather(judged: Judged, torch_version: str, seeds: range) -> Results:
    """Judgements by claim, as plain values."""
    every = [each for claim in judged.values() for each in claim]
    found = {seed for each in every if each.statement.found for seed in each.seeds}
    return Results(
        torch=torch_version.partition("+")[0],
        seeds=tuple(seeds),
        found_seeds=tuple(sorted(found)),
        claims=tuple(_claim_results(name, judged[name]) for name in CLAIMS if name in judged),
    )


def with_again(results: Results, judged: Judged) -> Results:
    """The same results with what fresh seeds gave beside the declared rows."""
    fresh = {
        f"{each.claim}.{each.statement.key}": Measured(
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
    """The measured claims, and those of the earlier results that were not measured now.

    Seeds and versions of torch are those of both. What fresh seeds gave stays beside a row whose
    declaration is the same.
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
    numbers: Numbers,
    seeds: Sequence[int],
    words: Mapping[str, Any] | None = None,
) -> str:
    """A hash of what was declared: the statement, its English words, their numbers, the seeds.

    Remarks are not declared: lead, note, what was changed, why the lab cannot show it.

    Args:
        claim: key of `CLAIMS`.
        statement: of that claim.
        numbers: those that its words name.
        seeds: on which it is judged.
        words: English words of the statement; None: the present ones.
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


def numbers_in(numbers: Numbers, words: Mapping[str, Any]) -> Numbers:
    """Those numbers that stand in these words.

    Raises:
        KeyError: the words have braces for which there is no number.
    """
    names = {
        name
        for each in words.values()
        if isinstance(each, str)
        for _, name, _, _ in Formatter().parse(each)
        if name is not None
    }
    return {name: numbers[name] for name in sorted(names)}


def write(results: Results, path: Path = FILE) -> None:
    """As JSON, a row a line: differences between two files can be read."""
    written = results.model_dump_json(exclude_defaults=True)
    lines = re.sub(r'(?=\{"(?:name|key)":)|(?<=\})(?=\])', "\n", written)
    path.write_text(f"{lines}\n", "utf-8")


def read(path: Path = FILE) -> Results:
    """What `write` wrote.

    Raises:
        FileNotFoundError: nothing was written there.
        pydantic.ValidationError: it is something else.
    """
    return Results.model_validate_json(path.read_bytes())


def _rounded(value: Any) -> Any:
    """Numbers in so many digits as are declared, however deep they lie."""
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
    """By key: E6.1, E6.2, … of what was declared; E6.a, E6.b, … of what was found here."""
    declared, found = count(1), iter(ascii_lowercase)
    return {
        each.statement.key: f"{each.claim}.{next(found if each.statement.found else declared)}"
        for each in judged
    }
