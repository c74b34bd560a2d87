"""Five surprising statements, each as a sentence and a strip with one dot per seed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bnviz.claims.amounts import expected, median_and_range, tick
from bnviz.claims.results import Results, Row
from bnviz.claims.statement import StatementKind, Unit
from bnviz.claims.table import outcome_word
from bnviz.ui.claims.measured import claim_address_in_lab
from bnviz.ui.claims.picture import PictureAxis, axis_of, bounds_of, in_words
from bnviz.ui.claims.row import mark
from bnviz.ui.html import Markup, joined, prose, tag
from bnviz.words.texts import texts

# Names of the statements, ordered by subject: the original purpose of BN, the usual explanation,
# its benefits, its other effects.
SURPRISES = ("E8.lowers-tanh", "E9.noisy", "E12.no-better", "E6.relu-batch", "E5.close")
# Value that means "no difference": 1 for a ratio, 0 for a difference.
LEVEL = {Unit.TIMES: 1.0, Unit.TIMES_A_LAYER: 1.0, Unit.POINTS: 0.0}
# Number of vertical positions of the seeds' dots, so that five equal values show as five dots.
LIFTS = 5


def surprises(results: Results) -> Markup | None:
    """Section of the surprising statements that were measured, or None if none was measured."""
    rows = {row.name: row for row in results.rows}
    items = [_item(rows[name]) for name in SURPRISES if name in rows]
    if not items:
        return None
    words = _words()
    legend = (
        tag("span", tag("i", class_=f"claims-key claims-{name}"), words[name])
        for name in ("seed", "fresh", "band")
    )
    return tag(
        "section",
        tag("header", tag("h2", words["title"]), tag("p", *legend, aria_hidden="true")),
        tag("ol", *items),
        class_="claims-surprises",
    )  # fmt: skip


def _words() -> Any:
    return texts("claims")["surprise"]


def _item(row: Row) -> Markup:
    words = _words()
    own = words[row.name]
    watch = None
    if row.watch is not None:
        watch = tag(
            "a", words["watch"], href=claim_address_in_lab(row), target="_self",
            aria_label=texts("claims")["row"]["watch_help"].format(place=row.place),
        )  # fmt: skip
    tested = tag(
        "p", tag("span", words["tested"]), " ", prose(row.text), " ",
        tag("strong", mark(row.outcome), outcome_word(row.outcome)),
    )  # fmt: skip
    where = tag("p", tag("a", row.place, href=f"#{row.place}"), f" {_source(row)} ", watch)
    return tag(
        "li",
        tag("div", tag("h3", prose(own["text"])), tested, where, class_="claims-told"),
        _strip(row, own),
    )  # fmt: skip


def _source(row: Row) -> str:
    """Paper that a row cites, or the kind of the row's source if the source is not a paper."""
    if row.kind == StatementKind.PAPER:
        return row.source
    return str(_words()["from"].format(source=texts("claims")["kind"][row.kind.slug]))


def _strip(row: Row, own: Mapping[str, str]) -> Markup:
    """Picture of a surprising statement: a band for the expected interval, one dot per seed."""
    words = _words()
    values, fresh = _finite(row.values), _finite(row.again.values if row.again else ())
    levels = [LEVEL[row.unit]] if "level" in own else []
    axis = axis_of([*values, *fresh, *bounds_of(row), *levels])
    found = words["found"].format(spread=median_and_range(row), expected=expected(row))
    in_full = words["picture"].format(axis=own["axis"], values=in_words(row))
    return tag(
        "figure",
        tag("figcaption", tag("span", prose(own["axis"])), tag("b", found)),
        tag(
            "div",
            _band(row, axis),
            *(_mark("tick", axis.share(value), tick(value, row.unit)) for value in bounds_of(row)),
            *(_mark("level", axis.share(value), own["level"]) for value in levels),
            *_dots(axis, values, "seed"),
            *_dots(axis, fresh, "fresh"),
            class_="claims-plot", role="img", aria_label=in_full,
        ),
        class_="claims-strip",
    )  # fmt: skip


def _finite(values: Sequence[float]) -> list[float]:
    return [value for value in values if math.isfinite(value)]


def _band(row: Row, axis: PictureAxis) -> Markup:
    left, right = axis.share(row.expected.low), axis.share(row.expected.high)
    place = f"left: {_percent(left)}; right: {_percent(1 - right)}"
    return tag("i", class_="claims-band", style=place)


def _mark(kind: str, share: float, label: str) -> Markup:
    """Mark with a label, at a bound or at the value that means "no difference"."""
    place = f"left: {_percent(share)}"
    return joined(
        tag("i", class_=f"claims-{kind}", style=place), tag("small", label, style=place)
    )  # fmt: skip


def _dots(axis: PictureAxis, values: Sequence[float], kind: str) -> Iterator[Markup]:
    for seed, value in enumerate(values):
        place = f"left: {_percent(axis.share(value))}; --lift: {seed % LIFTS}"
        yield tag("i", class_=f"claims-dot claims-{kind}", style=place)


def _percent(share: float) -> str:
    return f"{100 * share:.2f}%"
