"""Results as text for a terminal, and as the documentation's table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from bnviz.claims.results import Experiment, Number, Results, Row, value_of
from bnviz.claims.statement import Kind, Outcome

DECLARED = (Kind.PAPER, Kind.CALCULATION, Kind.EARLIER)
SOURCES = {
    Kind.PAPER: "a paper", Kind.CALCULATION: "a calculation", Kind.EARLIER: "an earlier run",
}  # fmt: skip
LISTS = {
    Outcome.HOLDS: "Holds",
    Outcome.FAILS: "Does not hold on networks like these",
    Outcome.UNDECIDED: "Not decided",
}

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

HOW = """\
## How to read it

**Declared** statements come from a paper, from a calculation, or from an *earlier run*, which is a
measurement too, of one seed or few; they are judged on the seeds {seeds}. Where a setting, a window
or a bound was set or changed knowing a measurement, the row says so and keeps what had been found.
**Found here** means stated after it had been seen: a setting under which a statement holds that
failed, what is seen in its place, or a condition. These are judged on seeds that they were not
found on ({found_seeds}), stand apart, and count in no headline. ↳ stands for another row.

**Outcome.** The range of five seeds holds the median over all seeds fifteen times in sixteen; of
158 ranges about ten miss it. If the range lies within the bounds, the statement *holds*; if it lies
wholly to one side, it *does not hold*; if it straddles a bound, it is *not decided*. All accuracies
are of the same 359 test images, with a standard error of 0.009 at 0.97 and 0.026 at 0.6: a
difference below two of them, or below 0.02, is none, so what claims one that small is *not
decided*, while a tie may hold. A comparison with a network at chance is *no evidence* for either
side. *Margin* is how far inside of its bounds the worst seed lies, in the measured unit.

Where a source gives no setting, the setting is ours; each row names it in full. Where nothing else
is said networks are trained on the 8×8 digits (1,438 to learn from, 359 to test with), by plain
gradient descent, with Glorot's initial weights, in batches of 60; accuracy is test accuracy.
"""

COLUMNS = (
    "", "Statement", "Setting", "Measured", "Expected", "Median (range)", "Seeds", "Margin",
    "Outcome", "Source",
)  # fmt: skip


def number(value: float) -> str:
    """A measured value as a person would write it."""
    if not math.isfinite(value):
        return "none" if math.isnan(value) else ("∞" if value > 0 else "−∞")
    if value == 0:
        return "0"
    if 0.001 <= abs(value) < 100_000:
        digits = max(0, 2 - math.floor(math.log10(abs(value))))
        text = f"{value:,.{min(digits, 4)}f}"
    else:
        mantissa, exponent = f"{value:.0e}".split("e")
        text = f"{mantissa}e{int(exponent)}"
    return text.replace("-", "−", 1) if text.startswith("-") else text


def spread(row: Row) -> str:
    """Median and range over the seeds, and in how many there is no number."""
    middle, low, high = (_number(value) for value in (row.median, row.lowest, row.highest))
    text = middle if low == high else f"{middle} ({low} to {high})"
    missing = sum(math.isnan(value_of(value)) for value in row.values)
    return f"{text}; none in {missing}" if 0 < missing < len(row.values) else text


def seeds_met(row: Row) -> str:
    """In how many seeds the value is as expected: 4 of 5."""
    return f"{row.met} of {len(row.seeds)}"


def outcome(row: Row) -> str:
    """The outcome, and what the row compared with where that makes it no evidence."""
    if row.outcome is not Outcome.NO_EVIDENCE or row.compared is None:
        return row.outcome.value
    return f"{row.outcome.value}: {row.comparator} is at chance ({_number(row.compared)})"


def quantity(row: Row) -> str:
    """What is measured, and how well that does with which it is compared."""
    if row.compared is None:
        return row.quantity
    return f"{row.quantity}; {row.comparator} has an accuracy of {_number(row.compared)}"


def remarks(row: Row) -> str:
    """What a reader must know beside a sentence that stands alone; each after a comma."""
    fresh = row.again.outcome if row.again else row.outcome
    parts = ["found here"] if row.found else []
    parts += [f"{fresh.value} on fresh seeds"] if fresh is not row.outcome else []
    return "".join(f", {part}" for part in parts)


def source(row: Row) -> str:
    """Where the statement comes from, and for which other one it stands."""
    return f"{row.source}, for {row.instead_of}" if row.instead_of else row.source


def to_text(experiment: Experiment) -> str:
    """One claim for a terminal."""
    lines = [f"{experiment.name}  {experiment.label} ({experiment.source})"]
    for row in experiment.rows:
        lines += [
            f"  {row.place}  {outcome(row)}: {row.text}",
            f"      setting   {row.setting}",
            f"      measured  {quantity(row)}: {spread(row)}",
            f"      expected  {row.expected}   [{source(row)}]",
            f"      seeds     {listed(row.seeds)}; as expected in {seeds_met(row)}, "
            f"margin {_number(row.margin)}",
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
    seeds = {"seeds": listed(results.seeds), "found_seeds": listed(results.found_seeds)}
    parts += [HOW.format(**seeds), *map(_section, results.experiments)]
    return "\n".join(parts)


def _lists(results: Results) -> str:
    lines = []
    for wanted, heading in LISTS.items():
        rows = leading(results, wanted)
        if rows:
            lines += [f"**{heading}**", ""]
            beside = [f"{row.place}: {spread(row)}{remarks(row)}" for row in rows]
            lines += [f"- {row.lead} ({said})" for row, said in zip(rows, beside, strict=True)]
            lines.append("")
    return "\n".join(lines)


def _headline(results: Results) -> str:
    """How many declared statements have each outcome, by source, and what fresh seeds changed."""
    outcomes = [each for each in Outcome if counts(declared(results))[each]]
    lines = [
        "| Declared by | " + " | ".join(each.value for each in outcomes) + " | of |",
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
    return (
        f"{exact} of the {len(held)} that hold are identities, met to rounding: they say that the "
        "engine computes what it should."
    )


def again_words(results: Results) -> str:
    """How many declared rows have another outcome on the fresh seeds, and which."""
    again = [row for row in declared(results) if row.again]
    changes: dict[str, list[str]] = {}
    for row in results.changed_again:
        if row.again:
            change = f"{row.outcome.value} → {row.again.outcome.value}"
            changes.setdefault(change, []).append(row.place)
    which = "; ".join(f"{change}: {', '.join(places)}" for change, places in changes.items())
    turned = {f"{one.value} → {other.value}" for one, other in REVERSED} & set(changes)
    return (
        f"On the seeds {listed(results.again_seeds)}, which nobody had looked at, "
        f"{len(results.changed_again)} of {len(again)} declared statements have another outcome"
        f"{f' ({which})' if which else ''}; {'some are' if turned else 'none is'} reversed."
    )


def _section(experiment: Experiment) -> str:
    lines = [f"## {experiment.name} {experiment.label}", ""]
    lines += [f"{experiment.help} ({experiment.source})", ""]
    lines += [experiment.note, ""] if experiment.note else []
    if experiment.presets:
        shown = ", ".join(f"`/?preset={preset}`" for preset in experiment.presets)
        lines += [f"To watch it in the app: {shown}.", ""]
    for found, heading in ((False, "Declared"), (True, "Found here")):
        rows = [row for row in experiment.rows if row.found is found]
        if rows:
            lines += [f"**{heading}**, seeds {listed(rows[0].seeds)}", "", *_table(rows), ""]
    return "\n".join(lines)


def _table(rows: Sequence[Row]) -> list[str]:
    lines = ["| " + " | ".join(COLUMNS) + " |", "|---" * len(COLUMNS) + "|"]
    for row in rows:
        text = ("↳ " if row.instead_of else "") + row.text
        cells = (
            row.place,
            f"{text} *Changed: {row.changed}*" if row.changed else text,
            row.setting,
            quantity(row),
            row.expected,
            spread(row),
            seeds_met(row),
            _number(row.margin),
            outcome(row) if row.outcome is Outcome.HOLDS else f"**{outcome(row)}**",
            source(row),
        )
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return lines


def listed(seeds: Sequence[int]) -> str:
    """0 to 4; or, where they are not in a row, each."""
    if len(seeds) > 2 and list(seeds) == list(range(seeds[0], seeds[-1] + 1)):
        return f"{seeds[0]} to {seeds[-1]}"
    return ", ".join(str(seed) for seed in seeds)


def _number(value: Number) -> str:
    return number(value_of(value))
