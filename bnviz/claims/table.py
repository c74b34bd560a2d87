"""Results as text for a terminal, and as the documentation's table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from bnviz.claims import CLAIMS
from bnviz.claims.amounts import amount, expected, margin, median_and_range
from bnviz.claims.judgement import Outcome
from bnviz.claims.results import ClaimResults, Results, Row
from bnviz.claims.statement import Kind, Unit
from bnviz.records import json_number
from bnviz.words.joining import bracketed, clauses, in_list, labelled
from bnviz.words.texts import text, texts

DECLARED = (Kind.PAPER, Kind.CALCULATION, Kind.EARLIER)
LISTS = (Outcome.HOLDS, Outcome.FAILS, Outcome.UNDECIDED)

# A statement whose bound is no larger is an identity, met to rounding.
ROUNDING = 1e-6
REVERSED = ((Outcome.HOLDS, Outcome.FAILS), (Outcome.FAILS, Outcome.HOLDS))


def seeds_met(row: Row) -> str:
    """In how many seeds the value is as expected: 4 of 5."""
    return _phrase("met", met=row.met, count=len(row.seeds))


def outcome(row: Row) -> str:
    """The outcome, and what the row compared with where that makes it no evidence."""
    if row.outcome is not Outcome.NO_EVIDENCE or row.compared is None:
        return outcome_word(row.outcome)
    return _phrase(
        "at_chance", outcome=outcome_word(row.outcome), comparator=row.comparator_name,
        value=amount(row.compared, Unit.PERCENT),
    )  # fmt: skip


def outcome_word(outcome: Outcome) -> str:
    """An outcome in the language that is spoken."""
    return text(f"claims.outcome.{outcome.slug}")


def heading(outcome: Outcome) -> str:
    """The heading of the list of statements that have an outcome."""
    return text(f"claims.list.{outcome.slug}")


def quantity(row: Row) -> str:
    """What is measured, and the accuracy of what it is compared with, if that was measured."""
    if row.compared is None:
        return row.quantity
    return _phrase(
        "accuracy",
        quantity=row.quantity,
        comparator=row.comparator_name,
        value=amount(row.compared, Unit.PERCENT),
    )


def remarks(row: Row) -> str:
    """Whether a row was found here, and its outcome on fresh seeds where that is another one.

    Each remark begins with a comma; empty where there is none.
    """
    fresh = row.again.outcome if row.again else row.outcome
    parts = [_phrase("found")] if row.found else []
    parts += [_phrase("fresh", outcome=outcome_word(fresh))] if fresh is not row.outcome else []
    return "".join(f", {part}" for part in parts)


def source(row: Row) -> str:
    """Where the statement comes from, and for which other one it stands."""
    return "".join(source_parts(row))


def source_parts(row: Row) -> tuple[str, str, str]:
    """The source of a row in three parts, the second of which a page makes a link.

    Returns:
        Words; the place of the statement for which the row stands, or ""; words.
    """
    if not row.instead_of_place:
        return row.source, "", ""
    before, _, after = _phrase("instead", source=row.source, place="\0").partition("\0")
    return before, row.instead_of_place, after


def to_text(claim: ClaimResults) -> str:
    """One experiment with its rows, as the command prints it."""
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
    """A row with its words, bounds and statistics, as the command prints it in JSON.

    A missing bound is None. Any other value that is not finite is a word: "NaN", "Infinity".
    """
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


def counts(rows: Iterable[Row]) -> dict[Outcome, int]:
    """How many rows have each outcome, of those that any has."""
    every = [row.outcome for row in rows]
    return {outcome: every.count(outcome) for outcome in Outcome if outcome in every}


def declared(results: Results, kind: Kind | None = None) -> list[Row]:
    """The rows that were stated beforehand, of all sources or of one."""
    return [row for row in results.rows if not row.found and kind in (None, row.kind)]


def counts_by_source(results: Results) -> dict[Kind | None, list[int]]:
    """How many declared rows have each of the outcomes that any has, and how many there are.

    By source, in the order in which they are printed; None: of all.
    """
    outcomes, table = counts(declared(results)), {}
    for kind in (*DECLARED, None):
        rows = declared(results, kind)
        table[kind] = [*(counts(rows).get(each, 0) for each in outcomes), len(rows)]
    return table


def leading(results: Results, wanted: Outcome) -> list[Row]:
    """The rows of one outcome that a reader should know first: those with a lead."""
    return [row for row in results.rows if row.lead and row.outcome is wanted]


def to_markdown(results: Results) -> str:
    """bnviz/claims/README.md: all claims in one page."""
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
    """How many declared statements have each outcome, by source, and what fresh seeds changed."""
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
    """A sentence: how many of the statements that hold are identities, which test the engine."""
    held = [row for row in declared(results) if row.outcome is Outcome.HOLDS]
    exact = sum(abs(row.expected.high) <= ROUNDING for row in held)
    return _phrase("exact", exact=exact, count=len(held))


def again_words(results: Results) -> str:
    """A sentence: how many declared rows have another outcome on the fresh seeds, and which."""
    changes: dict[tuple[Outcome, Outcome], list[str]] = {}
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
    """Paragraphs in Markdown: what the words and the numbers of a row mean."""
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
        row.place, stated, row.setting, quantity(row), expected(row), median_and_range(row), seeds_met(row),
        margin(row), outcome(row) if row.outcome is Outcome.HOLDS else f"**{outcome(row)}**",
        source(row),
    )  # fmt: skip
    return _line([cell.replace("|", "\\|") for cell in cells])


def _line(cells: Sequence[str]) -> str:
    """A row of a table in Markdown."""
    return f"| {' | '.join(cells)} |"


def _head(cells: Sequence[str]) -> list[str]:
    """The first two lines of a table in Markdown."""
    return [_line(cells), "|---" * len(cells) + "|"]


def listed(seeds: Sequence[int]) -> str:
    """Seeds in a sentence: "0 to 4"; one by one where they are not consecutive."""
    if len(seeds) > 2 and list(seeds) == list(range(seeds[0], seeds[-1] + 1)):
        return _phrase("seeds", first=seeds[0], last=seeds[-1])
    return in_list(str(seed) for seed in seeds)


def _phrase(key: str, **values: object) -> str:
    """A phrase that the table and the page have in common, in the language that is spoken."""
    return text(f"claims.phrases.{key}").format(**values)
