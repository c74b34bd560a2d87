"""One row of the claims page: a statement, its numbers, its picture and its link to the lab."""

from __future__ import annotations

from typing import Any

from bnviz.claims.amounts import expected, margin, median_and_range
from bnviz.claims.judgement import StatementOutcome
from bnviz.claims.results import MeasuredValues, Row
from bnviz.claims.table import (
    outcome,
    outcome_word,
    quantity,
    seeds_met,
    source_parts,
)
from bnviz.ui.claims.measured import claim_address_in_lab
from bnviz.ui.claims.picture import picture
from bnviz.ui.html import Markup, joined, prose, tag
from bnviz.words.texts import texts

# Icons of statement outcomes in a 16 × 16 square: a tick, a cross, a half disc, a dashed empty
# ring.
RING = {"cx": 8, "cy": 8, "r": 6}
HALF = "M8 2A6 6 0 0 0 8 14Z"
SHAPES = {
    StatementOutcome.HOLDS: (tag("path", d="M2.5 8.5L6.5 12.5L13.5 4"),),
    StatementOutcome.FAILS: (tag("path", d="M3.5 3.5L12.5 12.5M12.5 3.5L3.5 12.5"),),
    StatementOutcome.UNDECIDED: (tag("circle", **RING), tag("path", d=HALF, class_="full")),
    StatementOutcome.NO_EVIDENCE: (tag("circle", **RING, stroke_dasharray="2.4 2.3"),),
}  # fmt: skip


def mark(outcome: StatementOutcome) -> Markup:
    """Icon of an outcome, hidden from screen readers because its word is next to it."""
    return tag(
        "svg", *SHAPES[outcome], class_="claims-mark", viewBox="0 0 16 16", aria_hidden="true"
    )


def badge(outcome: StatementOutcome, words: str) -> Markup:
    return tag("p", mark(outcome), tag("span", words), class_=f"claims-badge {outcome.slug}")


def _words() -> Any:
    return texts("claims")["row"]


def row_item(row: Row) -> Markup:
    words = _words()
    met = words["met_value"].format(met=seeds_met(row))
    return tag(
        "li",
        tag("a", row.place, href=f"#{row.place}", class_="claims-place",
            aria_label=words["link"].format(place=row.place)),
        tag("div", tag("h4", prose(row.text)), _said(row), class_="claims-said"),
        tag("div", picture(row),
            _facts(median=tag("strong", median_and_range(row)), expected=prose(expected(row))),
            class_="claims-spread"),
        tag("div", badge(row.outcome, outcome(row)),
            _facts(met=joined(met), margin=joined(margin(row))), _watch(row),
            class_="claims-found-out"),
        id=row.place, class_="claims-row", tabindex=-1, data_name=row.name,
        data_outcome=row.outcome.slug, data_source=row.kind.slug,
        data_experiment=row.claim, data_lead=row.lead or None,
    )  # fmt: skip


def _said(row: Row) -> Markup:
    """List of facts about a row: its measurement, setting and source."""
    return _facts(
        measured=prose(quantity(row)), setting=prose(row.setting), source=_source(row),
        changed=prose(row.changed) if row.changed else None,
        again=_again(row, row.again) if row.again else None,
    )  # fmt: skip


def _source(row: Row) -> Markup:
    """Source of a row, with a link to the statement that the row replaces, if any."""
    before, place, after = source_parts(row)
    link = tag("a", place, href=f"#{place}") if place else None
    return joined(prose(before), link, prose(after))


def _again(row: Row, again: MeasuredValues) -> Markup:
    value = _words()["again_value"].format(
        outcome=outcome_word(again.outcome), spread=median_and_range(row, again)
    )
    return tag("strong", value) if again.outcome is not row.outcome else joined(value)


def _facts(**facts: Markup | None) -> Markup:
    return tag(
        "dl",
        *(tag("div", tag("dt", _words()[name]), tag("dd", value))
          for name, value in facts.items() if value is not None),
        class_="claims-facts",
    )  # fmt: skip


def _watch(row: Row) -> Markup:
    """Link to the lab with the row's settings, or the reason why the lab cannot show the claim."""
    if row.watch is None:
        return tag(
            "p", tag("span", _words()["cannot_watch"]), f" {row.not_in_lab}",
            class_="claims-unwatched",
        )  # fmt: skip
    step = None
    if row.watch.step is not None:
        step = tag("small", _words()["watch_step"].format(step=f"{row.watch.step:,}"))
    return tag(
        "p",
        tag("a", _words()["watch"], class_="bnviz-pill bnviz-strong claims-watch", target="_self",
            href=claim_address_in_lab(row),
            aria_label=_words()["watch_help"].format(place=row.place)),
        step,
    )  # fmt: skip
