"""Judgements as text, as plain values, and as the table of the documentation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from bnviz.claims import CLAIMS
from bnviz.claims.statement import Judgement

FOUND = "found here"
HOLDS, FAILS = "holds", "does not hold"

HEAD = """\
# The claims, measured

What the literature says of small networks, measured anew. This file is written by

    python -m bnviz claim all --seeds {count} --markdown bnviz/claims/README.md

with torch {torch}, seeds {seeds}, one thread a process; `python -m bnviz claim E6` measures one
experiment. {total} statements, {holding} hold; of the {before} that were declared before anything
was measured, {before_holding}.

An expectation is declared before anything is measured. Bounds (≥, ≤) must be met in every seed; in
a range, or near a number, the median over the seeds must lie. *Source* says who stated it: a paper;
a calculation; an earlier run with one seed or few, whose numbers were promised for signs and orders
of magnitude only; or *found here*, declared after it had been seen once: a setting under which a
statement holds that failed, or what is seen in its place (↳), or a condition for it. Where a source
gives no setting, the setting is ours too; each row names it in full. Where nothing else is said
networks are trained on the 8×8 digits (1,438 to learn from, 359 to test with), by plain gradient
descent, with Glorot's initial weights, in batches of 60; accuracy is test accuracy.
"""


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


def spread(judgement: Judgement) -> str:
    """Median and range over the seeds, and in how many there is no number."""
    middle, low, high = (
        number(value) for value in (judgement.median, judgement.lowest, judgement.highest)
    )
    text = middle if low == high else f"{middle} ({low} to {high})"
    missing = len(judgement.values) - len(judgement.known)
    return f"{text}; none in {missing}" if missing and judgement.known else text


def verdict(judgement: Judgement) -> str:
    """*holds* or *does not hold*, and in how many seeds where they differ."""
    met, count = judgement.seeds_met, len(judgement.seeds)
    word = HOLDS if judgement.holds else FAILS
    return word if met in (0, count) else f"{word} ({met} of {count} seeds)"


def to_text(judgements: Sequence[Judgement]) -> str:
    """One claim for a terminal."""
    name = judgements[0].claim
    lines = [f"{name}  {CLAIMS[name].label} ({CLAIMS[name].source})"]
    for position, judgement in enumerate(judgements, 1):
        statement = judgement.statement
        lines += [
            f"  {name}.{position}  {verdict(judgement)}: {statement.text}",
            f"      setting   {statement.setting}",
            f"      measured  {statement.quantity}: {spread(judgement)}",
            f"      expected  {statement.expected.words}   [{_source(judgement, judgements)}]",
        ]
    seeds = ", ".join(str(seed) for seed in judgements[0].seeds)
    return "\n".join([*lines, f"  seeds {seeds}"])


def to_json(judgement: Judgement) -> dict[str, Any]:
    """One judgement as plain values; what is not finite as a word."""
    statement = judgement.statement
    return {
        "claim": judgement.claim,
        "statement": statement.key,
        "text": statement.text,
        "setting": statement.setting,
        "quantity": statement.quantity,
        "expected": statement.expected.words,
        "source": statement.source,
        "instead_of": statement.instead_of,
        "seeds": list(judgement.seeds),
        "values": [_plain(value) for value in judgement.values],
        "median": _plain(judgement.median),
        "lowest": _plain(judgement.lowest),
        "highest": _plain(judgement.highest),
        "holds": judgement.holds,
    }


def to_markdown(judgements: Mapping[str, Sequence[Judgement]], torch_version: str) -> str:
    """The documentation's page of all claims.

    Args:
        judgements: by claim.
        torch_version: printed without what it says of the build.
    """
    every = [judgement for claim in judgements.values() for judgement in claim]
    before = [each for each in every if each.statement.source != FOUND]
    parts = [
        HEAD.format(
            count=len(every[0].seeds),
            seeds=", ".join(str(seed) for seed in every[0].seeds),
            torch=torch_version.partition("+")[0],
            total=len(every),
            holding=sum(judgement.holds for judgement in every),
            before=len(before),
            before_holding=sum(judgement.holds for judgement in before),
        )
    ]
    parts.append(_failures(every))
    return "\n".join(parts + [_section(name, judgements[name]) for name in judgements])


def _failures(every: Sequence[Judgement]) -> str:
    """What does not hold, in short, each with the statements that say where it does."""
    places = _places(every)
    lines = ["## What does not hold", ""]
    for judgement in every:
        if judgement.holds:
            continue
        place, statement = places[judgement.claim, judgement.statement.key], judgement.statement
        others = [
            places[each.claim, each.statement.key]
            for each in every
            if each.claim == judgement.claim and each.statement.instead_of == statement.key
        ]
        seen = f" See {', '.join(others)}." if others else ""
        lines.append(f"- {place} ({statement.setting}): {statement.text}{seen}")
    return "\n".join([*lines, ""])


def _places(every: Sequence[Judgement]) -> dict[tuple[str, str], str]:
    """Numbers such as E6.2, by claim and key."""
    counted: dict[str, int] = {}
    places = {}
    for judgement in every:
        counted[judgement.claim] = counted.get(judgement.claim, 0) + 1
        place = f"{judgement.claim}.{counted[judgement.claim]}"
        places[judgement.claim, judgement.statement.key] = place
    return places


def _section(name: str, judgements: Sequence[Judgement]) -> str:
    entry = CLAIMS[name]
    lines = [f"## {name} {entry.label}", "", f"{entry.help} ({entry.source})", ""]
    note = entry.resolve().note
    if note:
        lines += [note, ""]
    if entry.presets:
        shown = ", ".join(f"`/?preset={preset}`" for preset in entry.presets)
        lines += [f"To watch it in the app: {shown}.", ""]
    lines += [
        "| | Statement | Setting | Measured | Expected | Median (range) | | Source |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for position, judgement in enumerate(judgements, 1):
        statement = judgement.statement
        cells = (
            f"{name}.{position}",
            ("↳ " if statement.instead_of else "") + statement.text,
            statement.setting,
            statement.quantity,
            statement.expected.words,
            spread(judgement),
            verdict(judgement) if judgement.holds else f"**{verdict(judgement)}**",
            _source(judgement, judgements),
        )
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join([*lines, ""])


def _source(judgement: Judgement, judgements: Sequence[Judgement]) -> str:
    statement = judgement.statement
    if statement.instead_of is None:
        return statement.source
    keys = [each.statement.key for each in judgements]
    return f"{statement.source}, for {judgement.claim}.{keys.index(statement.instead_of) + 1}"


def _plain(value: float) -> float | str:
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
