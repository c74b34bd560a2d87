"""Results as text for a terminal, and as the documentation's table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bnviz.claims.amounts import amount, expected, margin, spread
from bnviz.claims.judgement import Outcome
from bnviz.claims.results import Experiment, Results, Row
from bnviz.claims.statement import Kind
from bnviz.claims.units import Unit
from bnviz.words.texts import text

DECLARED = (Kind.PAPER, Kind.CALCULATION, Kind.EARLIER)
SOURCES = {
    Kind.PAPER: "a paper", Kind.CALCULATION: "a calculation", Kind.EARLIER: "an earlier run",
}  # fmt: skip
LISTS = (Outcome.HOLDS, Outcome.FAILS, Outcome.UNDECIDED)

# What is met to this is met to rounding.
ROUNDING = 1e-6
REVERSED = ((Outcome.HOLDS, Outcome.FAILS), (Outcome.FAILS, Outcome.HOLDS))

HEAD = """\
# The claims, measured

What the literature says of small networks, measured anew; as a page with search, filters and links
into the lab: `/claims`. Written by

    python -m bnviz claim all --save bnviz/claims/measured.json --markdown bnviz/claims/README.md

with torch {torch}, one thread a process; `python -m bnviz claim E6` measures one experiment.

## What a reader can rely on
"""

HOW = "## How to read it\n\n"

COLUMNS = (
    "", "Statement", "Setting", "Measured", "Expected", "Median (range)", "Seeds", "Margin",
    "Outcome", "Source",
)  # fmt: skip


def seeds_met(row: Row) -> str:
    """In how many seeds the value is as expected: 4 of 5."""
    return _said("met", met=row.met, count=len(row.seeds))


def outcome(row: Row) -> str:
    """The outcome, and what the row compared with where that makes it no evidence."""
    if row.outcome is not Outcome.NO_EVIDENCE or row.compared is None:
        return outcome_word(row.outcome)
    return _said(
        "at_chance", outcome=outcome_word(row.outcome), comparator=row.comparator,
        value=amount(row.compared, Unit.PERCENT),
    )  # fmt: skip


def outcome_word(outcome: Outcome) -> str:
    """What an outcome is called."""
    return text(f"claims.outcome.{outcome.replace(' ', '-')}")


def heading(outcome: Outcome) -> str:
    """What stands over the statements of an outcome."""
    return text(f"claims.list.{outcome.replace(' ', '-')}")


def quantity(row: Row) -> str:
    """What is measured, and how well that does with which it is compared."""
    if row.compared is None:
        return row.quantity
    return _said(
        "accuracy",
        quantity=row.quantity,
        comparator=row.comparator,
        value=amount(row.compared, Unit.PERCENT),
    )


def remarks(row: Row) -> str:
    """What a reader must know beside a sentence that stands alone; each after a comma."""
    fresh = row.again.outcome if row.again else row.outcome
    parts = [_said("found")] if row.found else []
    parts += [_said("fresh", outcome=outcome_word(fresh))] if fresh is not row.outcome else []
    return "".join(f", {part}" for part in parts)


def source(row: Row) -> str:
    """Where the statement comes from, and for which other one it stands."""
    before, place, after = source_parts(row)
    return f"{before}{place}{after}"


def source_parts(row: Row) -> tuple[str, str, str]:
    """The same around the number of the statement for which it stands; "" where it is for none."""
    if not row.instead_of:
        return row.source, "", ""
    before, _, after = _said("instead", source=row.source, place="\0").partition("\0")
    return before, row.instead_of, after


def to_text(experiment: Experiment) -> str:
    """One claim for a terminal."""
    lines = [f"{experiment.name}  {experiment.label} ({experiment.source})"]
    for row in experiment.rows:
        lines += [
            f"  {row.place}  {outcome(row)}: {row.text}",
            f"      setting   {row.setting}",
            f"      measured  {quantity(row)}: {spread(row)}",
            f"      expected  {expected(row)}   [{source(row)}]",
            f"      seeds     {listed(row.seeds)}; as expected in {seeds_met(row)}, "
            f"margin {margin(row)}",
        ]
        lines += [f"      changed   {row.changed}"] if row.changed else []
    return "\n".join(lines)


def counts(rows: Iterable[Row]) -> dict[Outcome, int]:
    """How many rows have each outcome."""
    every = [row.outcome for row in rows]
    return {outcome: every.count(outcome) for outcome in Outcome}


def declared(results: Results, kind: Kind | None = None) -> list[Row]:
    """The rows of the headline, of all sources or one."""
    return [row for row in results.rows if not row.found and kind in (None, row.kind)]


def leading(results: Results, wanted: Outcome) -> list[Row]:
    """What a reader should know first, of one outcome."""
    return [row for row in results.rows if row.lead and row.outcome is wanted]


def to_markdown(results: Results) -> str:
    """The documentation's page of all claims."""
    parts = [HEAD.format(torch=results.torch), _lists(results), _headline(results)]
    parts += [HOW + how_to_read(results), *map(_section, results.experiments)]
    return "\n".join(parts)


def _lists(results: Results) -> str:
    lines = []
    for wanted in LISTS:
        rows = leading(results, wanted)
        if rows:
            lines += [f"**{heading(wanted)}**", ""]
            beside = [f"{row.place}: {spread(row)}{remarks(row)}" for row in rows]
            lines += [f"- {row.lead} ({said})" for row, said in zip(rows, beside, strict=True)]
            lines.append("")
    return "\n".join(lines)


def _headline(results: Results) -> str:
    """How many declared statements have each outcome, by source, and what fresh seeds changed."""
    outcomes = [each for each in Outcome if counts(declared(results))[each]]
    lines = [
        "| Stated by | " + " | ".join(each.value for each in outcomes) + " | of |",
        "|---" * (len(outcomes) + 2) + "|",
    ]
    for kind in (*DECLARED, None):
        rows = declared(results, kind)
        cells = [str(counts(rows)[each]) for each in outcomes]
        name = SOURCES[kind] if kind else "**all**"
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {len(rows)} |")
    lines += ["", exact_words(results)]
    if results.again_seeds:
        lines += ["", again_words(results)]
    return "\n".join([*lines, ""])


def exact_words(results: Results) -> str:
    """How many of the statements that hold are identities: those test the engine."""
    held = [row for row in declared(results) if row.outcome is Outcome.HOLDS]
    exact = sum(row.high is not None and abs(row.high) <= ROUNDING for row in held)
    return _said("exact", exact=exact, count=len(held))


def again_words(results: Results) -> str:
    """How many declared rows have another outcome on the fresh seeds, and which."""
    again = [row for row in declared(results) if row.again]
    changes: dict[tuple[Outcome, Outcome], list[str]] = {}
    for row in results.changed_again:
        if row.again:
            changes.setdefault((row.outcome, row.again.outcome), []).append(row.place)
    which = "; ".join(
        f"{outcome_word(one)} → {outcome_word(other)}: {', '.join(places)}"
        for (one, other), places in changes.items()
    )
    return _said(
        "again", seeds=listed(results.again_seeds), changed=len(results.changed_again),
        count=len(again), which=f" ({which})" if which else "",
        reversed=_said("reversed_some" if set(REVERSED) & set(changes) else "reversed_none"),
    )  # fmt: skip


def how_to_read(results: Results) -> str:
    """What the words and the numbers of a row mean."""
    seeds = {"seeds": listed(results.seeds), "found_seeds": listed(results.found_seeds)}
    return _said("how", **seeds)


def _section(experiment: Experiment) -> str:
    lines = [f"## {experiment.name} {experiment.label}", ""]
    lines += [f"{experiment.help} ({experiment.source})", ""]
    lines += [experiment.note, ""] if experiment.note else []
    if experiment.presets:
        shown = ", ".join(f"`/lab?preset={preset}`" for preset in experiment.presets)
        lines += [f"To watch it in the app: {shown}.", ""]
    for found, heading in ((False, "Stated beforehand"), (True, "Found here")):
        rows = [row for row in experiment.rows if row.found is found]
        if rows:
            lines += [f"**{heading}**, seeds {listed(rows[0].seeds)}", "", *_table(rows), ""]
    return "\n".join(lines)


def _table(rows: Sequence[Row]) -> list[str]:
    lines = ["| " + " | ".join(COLUMNS) + " |", "|---" * len(COLUMNS) + "|"]
    for row in rows:
        stated = ("↳ " if row.instead_of else "") + row.text
        cells = (
            row.place,
            f"{stated} *Changed: {row.changed}*" if row.changed else stated,
            row.setting,
            quantity(row),
            expected(row),
            spread(row),
            seeds_met(row),
            margin(row),
            outcome(row) if row.outcome is Outcome.HOLDS else f"**{outcome(row)}**",
            source(row),
        )
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return lines


def listed(seeds: Sequence[int]) -> str:
    """0 to 4; or, where they are not in a row, each."""
    if len(seeds) > 2 and list(seeds) == list(range(seeds[0], seeds[-1] + 1)):
        return _said("seeds", first=seeds[0], last=seeds[-1])
    return ", ".join(str(seed) for seed in seeds)


def _said(key: str, **values: object) -> str:
    """Words that the table and the page have in common, in the language that is spoken."""
    return text(f"claims.said.{key}").format(**values)
