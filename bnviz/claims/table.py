"""Results as text for a terminal and as a table for the documentation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from bnviz.claims import CLAIMS
from bnviz.claims.amounts import amount, expected, margin, median_and_range
from bnviz.claims.judgement import StatementOutcome
from bnviz.claims.results import ClaimResults, Results, Row
from bnviz.claims.statement import StatementKind, Unit
from bnviz.records import json_number
from bnviz.words.joining import bracketed, clauses, in_list, labelled
from bnviz.words.texts import text, texts

DECLARED = (StatementKind.PAPER, StatementKind.CALCULATION, StatementKind.EARLIER)
LISTS = (StatementOutcome.HOLDS, StatementOutcome.FAILS, StatementOutcome.UNDECIDED)

# Largest bound of a statement that counts as an identity, true up to rounding.
ROUNDING = 1e-6
REVERSED = (
    (StatementOutcome.HOLDS, StatementOutcome.FAILS),
    (StatementOutcome.FAILS, StatementOutcome.HOLDS),
)


def seeds_met(row: Row) -> str:
    """Format the number of seeds whose value is as expected: 4 of 5."""
    return _phrase("met", met=row.met, count=len(row.seeds))


def outcome(row: Row) -> str:
    """Outcome of a row, with the comparator's accuracy if this is at chance level."""
    if row.outcome is not StatementOutcome.NO_EVIDENCE or row.compared is None:
        return outcome_word(row.outcome)
    return _phrase(
        "at_chance", outcome=outcome_word(row.outcome), comparator=row.comparator_name,
        value=amount(row.compared, Unit.PERCENT),
    )  # fmt: skip


def outcome_word(outcome: StatementOutcome) -> str:
    return text(f"claims.outcome.{outcome.slug}")


def heading(outcome: StatementOutcome) -> str:
    return text(f"claims.list.{outcome.slug}")


def quantity(row: Row) -> str:
    """Quantity of a row, with the comparator's accuracy if it was measured."""
    if row.compared is None:
        return row.quantity
    return _phrase(
        "accuracy",
        quantity=row.quantity,
        comparator=row.comparator_name,
        value=amount(row.compared, Unit.PERCENT),
    )


def remarks(row: Row) -> str:
    """Remarks on a row, each after a comma: found here, and a different outcome on fresh seeds."""
    fresh = row.again.outcome if row.again else row.outcome
    parts = [_phrase("found")] if row.found else []
    parts += [_phrase("fresh", outcome=outcome_word(fresh))] if fresh is not row.outcome else []
    return "".join(f", {part}" for part in parts)


def source(row: Row) -> str:
    """Source of a statement, and the statement that it replaces."""
    return "".join(source_parts(row))


def source_parts(row: Row) -> tuple[str, str, str]:
    """Source in three parts: text, place of the replaced statement (a link on pages), and text."""
    if not row.instead_of_place:
        return row.source, "", ""
    before, _, after = _phrase("instead", source=row.source, place="\0").partition("\0")
    return before, row.instead_of_place, after


def to_text(claim: ClaimResults) -> str:
    """Format an experiment and its rows for the terminal."""
    entry, words = CLAIMS[claim.name], texts("claims")["terminal"]
    parts = [f"{claim.name}  {entry.label} ({entry.source})"]
    for row in claim.rows:
        parts.append(
            words["row"].rstrip().format(
                place=row.place, outcome=outcome(row), text=row.text, setting=row.setting,
                quantity=quantity(row), spread=median_and_range(row), expected=expected(row),
                source=source(row), seeds=listed(row.seeds), met=seeds_met(row),
                margin=margin(row),
            )
        )  # fmt: skip
        parts += [words["changed"].format(changed=row.changed)] if row.changed else []
    return "\n".join(parts)


def in_full(row: Row) -> dict[str, Any]:
    """Convert a row to JSON values. A missing bound is None, NaN and infinity are texts."""
    low, high = row.expected.low, row.expected.high
    again = row.again and {
        "seeds": row.again.seeds,
        "values": list(map(json_number, row.again.values)),
        "outcome": row.again.outcome,
    }
    return {
        "place": row.place,
        "key": row.key,
        "text": row.text,
        "lead": row.lead,
        "setting": row.setting,
        "quantity": row.quantity,
        "unit": row.unit,
        "source": row.source,
        "kind": row.kind,
        "found": row.found,
        "instead_of": row.instead_of_place,
        "changed": row.changed,
        "low": None if math.isinf(low) else low,
        "high": None if math.isinf(high) else high,
        "expected": row.expected.words,
        "seeds": row.seeds,
        "values": list(map(json_number, row.values)),
        "median": json_number(row.median),
        "lowest": json_number(row.lowest),
        "highest": json_number(row.highest),
        "margin": json_number(row.margin),
        "met": row.met,
        "compared": None if row.compared is None else json_number(row.compared),
        "comparator": row.comparator_name,
        "outcome": row.outcome,
        "query": row.watch and row.watch.query,
        "no_query": row.not_in_lab,
        "step": row.watch and row.watch.step,
        "again": again,
    }


def counts(rows: Iterable[Row]) -> dict[StatementOutcome, int]:
    """Count the rows per outcome, without outcomes that do not occur."""
    every = [row.outcome for row in rows]
    return {outcome: every.count(outcome) for outcome in StatementOutcome if outcome in every}


def declared(results: Results, kind: StatementKind | None = None) -> list[Row]:
    """Rows declared before the measurement, from one source or from all sources."""
    return [row for row in results.rows if not row.found and kind in (None, row.kind)]


def counts_by_source(results: Results) -> dict[StatementKind | None, list[int]]:
    """Counts of declared rows by source (None for all): one per outcome, then their sum."""
    outcomes, table = counts(declared(results)), {}
    for kind in (*DECLARED, None):
        rows = declared(results, kind)
        table[kind] = [*(counts(rows).get(each, 0) for each in outcomes), len(rows)]
    return table


def leading(results: Results, wanted: StatementOutcome) -> list[Row]:
    """Rows of one outcome that have a lead text, which readers should know first."""
    return [row for row in results.rows if row.lead and row.outcome is wanted]


def to_markdown(results: Results) -> str:
    """Format all claims as bnviz/claims/README.md."""
    words = texts("claims")["table"]
    parts = [words["head"].format(torch=results.torch), _lists(results), _headline(results)]
    parts += [f"## {words['how']}\n\n{how_to_read(results)}"]
    return "\n".join([*parts, *map(_section, results.claims)])


def _lists(results: Results) -> str:
    lines = []
    for wanted in LISTS:
        if rows := leading(results, wanted):
            lines += [f"**{heading(wanted)}**", ""]
            lines += [
                f"- {row.lead} ({row.place}: {median_and_range(row)}{remarks(row)})" for row in rows
            ]
            lines.append("")
    return "\n".join(lines)


def _headline(results: Results) -> str:
    """Format the table of outcomes by source, and the changes on fresh seeds."""
    words = texts("claims")
    head = [words["table"]["by"], *map(outcome_word, counts(declared(results))), words["of"]]
    lines = _head(head)
    for kind, cells in counts_by_source(results).items():
        name = words["kind"][kind.slug] if kind else f"**{words['all']}**"
        lines.append(_line([name, *map(str, cells)]))
    lines += ["", exact_words(results)]
    if results.again_seeds:
        lines += ["", again_words(results)]
    return "\n".join([*lines, ""])


def exact_words(results: Results) -> str:
    """State how many of the statements that hold are identities, which test the engine."""
    held = [row for row in declared(results) if row.outcome is StatementOutcome.HOLDS]
    exact = sum(abs(row.expected.high) <= ROUNDING for row in held)
    return _phrase("exact", exact=exact, count=len(held))


def again_words(results: Results) -> str:
    """Format the declared rows whose outcome differs on the fresh seeds."""
    changes: dict[tuple[StatementOutcome, StatementOutcome], list[str]] = {}
    for row in results.rows:
        if row.again and row.again.outcome is not row.outcome:
            changes.setdefault((row.outcome, row.again.outcome), []).append(row.place)
    which = clauses(
        labelled(f"{outcome_word(one)} → {outcome_word(other)}", in_list(places))
        for (one, other), places in changes.items()
    )
    return _phrase(
        "again", seeds=listed(results.again_seeds), changed=sum(map(len, changes.values())),
        count=sum(row.again is not None for row in declared(results)),
        which=bracketed("", which) if which else "",
        reversed=_phrase("reversed_some" if set(REVERSED) & set(changes) else "reversed_none"),
    )  # fmt: skip


def how_to_read(results: Results) -> str:
    """Explain the terms and numbers of a row, in Markdown."""
    seeds = {"seeds": listed(results.seeds), "found_seeds": listed(results.found_seeds)}
    return _phrase("how", **seeds)


def _section(claim: ClaimResults) -> str:
    words, entry = texts("claims"), CLAIMS[claim.name]
    lines = [f"## {claim.name} {entry.label}", "", f"{entry.help} ({entry.source})", ""]
    lines += [claim.note, ""] if claim.note else []
    if entry.presets:
        presets = ", ".join(f"`/lab?preset={preset}`" for preset in entry.presets)
        lines += [words["table"]["presets"].format(presets=presets), ""]
    for group, rows in claim.groups.items():
        head, seeds = words["table"]["group"], listed(rows[0].seeds)
        lines += [head.format(group=words["group"][group], seeds=seeds), ""]
        lines += [*_head(words["table"]["columns"]), *map(_row, rows), ""]
    return "\n".join(lines)


def _row(row: Row) -> str:
    stated = ("↳ " if row.instead_of else "") + row.text
    if row.changed:
        changed = texts("claims")["table"]["changed"]
        stated = changed.format(text=stated, changed=row.changed)
    cells = (
        row.place, stated, row.setting, quantity(row), expected(row), median_and_range(row),
        seeds_met(row),
        margin(row),
        outcome(row) if row.outcome is StatementOutcome.HOLDS else f"**{outcome(row)}**",
        source(row),
    )  # fmt: skip
    return _line([cell.replace("|", "\\|") for cell in cells])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _head(cells: Sequence[str]) -> list[str]:
    return [_line(cells), "|---" * len(cells) + "|"]


def listed(seeds: Sequence[int]) -> str:
    """Format seeds as "0 to 4", or one by one if they are not consecutive."""
    if len(seeds) > 2 and list(seeds) == list(range(seeds[0], seeds[-1] + 1)):
        return _phrase("seeds", first=seeds[0], last=seeds[-1])
    return in_list(str(seed) for seed in seeds)


def _phrase(key: str, **values: object) -> str:
    """Phrase shared by the table and the page, in the current language."""
    return text(f"claims.phrases.{key}").format(**values)
