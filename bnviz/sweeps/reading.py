"""Sentences about a map: best accuracy per row, and largest value at which a network learns.

The two kinds may favour different networks: one network may learn over a wider range, but reach a
lower accuracy. A sentence is a key of `map.reading` in `assets/texts/<language>/map.toml`, and the
values to fill in. Values whose names begin with `network` are names of norms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from bnviz.sweeps.cells import LEARNED
from bnviz.sweeps.refine import FINEST, base_points
from bnviz.sweeps.survey import Survey

Sentence = tuple[str, dict[str, Any]]
# Results of each norm at one value `y` of the vertical axis.
Row = dict[str, Any]

# Ratio up to which the largest values of two networks count as equal, because a map has a limited
# resolution.
LEVEL = 1.2
# Knob whose values have no order of difficulty, so that its largest value is not reported.
UNORDERED = "skip"
# Difference in test accuracy, in percentage points, above which a network is clearly ahead. A
# smaller difference corresponds to only a few test images.
CLEARLY = 2


def best(survey: Survey) -> list[Row]:
    """Return each network's best test accuracy, and its `x`, for each row of base points.

    The value of a norm is None if the network never learned. `ahead` is the network clearly ahead
    of all others, or None. The result is empty until all base points are known.
    """
    if not survey.base_done:
        return []
    found = []
    for rung, y in enumerate(survey.up.rungs):
        points = [(FINEST * column, FINEST * rung) for column in range(len(survey.across.rungs))]
        row: Row = {"y": y}
        for norm, known in zip(survey.norms, survey.accuracies, strict=True):
            accuracy = max(known[point] for point in points)
            x = survey.across.at(next(point[0] for point in points if known[point] == accuracy))
            row[norm] = {"accuracy": accuracy, "x": x} if accuracy >= LEARNED else None
        found.append(row | {"ahead": _ahead(row, survey.norms)})
    return found


def _ahead(row: Row, norms: Sequence[str]) -> str | None:
    """Return the network clearly ahead of all others, or None. The accuracy of a network that never
    learned counts as 0.
    """
    points = {norm: round(100 * row[norm]["accuracy"]) for norm in norms if row[norm]}
    most = max(points, key=lambda norm: points[norm], default=None)
    others = [points.get(norm, 0) for norm in norms if norm != most]
    return most if most and others and points[most] - max(others) > CLEARLY else None


def largest(survey: Survey) -> list[Row]:
    """Return for each row the largest `x` at which each network learned, or None if it never
    did.
    """
    found: list[Row] = [{"y": y} for y in survey.up.rungs]
    for norm, kinds in zip(survey.norms, survey.kinds, strict=True):
        last = {j: i for (i, j), kind in sorted(kinds.items()) if kind == "learned"}
        for rung, row in enumerate(found):
            i = last.get(FINEST * rung)
            row[norm] = None if i is None else survey.across.at(i)
    return found


def sentences(survey: Survey) -> dict[str, list[Sentence]]:
    """Return sentences on accuracies, largest values and cell counts; empty before `base_done`."""
    if not survey.base_done:
        return {"best": [], "largest": [], "counts": []}
    ordered = survey.across.knob != UNORDERED
    return {
        "best": list(_best_compared(survey)),
        "largest": list(_compared(survey)) if ordered else [],
        "counts": list(_counts(survey)),
    }  # fmt: skip


def _counts(survey: Survey) -> Iterator[Sentence]:
    """Yield sentences on the number of base cells in which networks learn."""
    norms = survey.norms
    points = base_points(len(survey.across.rungs), len(survey.up.rungs))
    learned = [
        tuple(
            norm
            for norm, kinds in zip(norms, survey.kinds, strict=True)
            if kinds[point] == "learned"
        )
        for point in points
    ]
    if len(norms) == 1:
        yield "counts_one", {"cells": len(points), "learned": learned.count(norms)}
        return
    yield "counts", {
        "cells": len(points), "all": learned.count(norms), "none": learned.count(()),
    }  # fmt: skip
    for norm in norms:
        if alone := learned.count((norm,)):
            yield "counts_only", {"network": norm, "cells": alone}


def _best_compared(survey: Survey) -> Iterator[Sentence]:
    """Yield sentences that compare each network's best accuracy with the first network's."""
    first, *others = survey.norms
    rows = best(survey)
    for other in others:
        leads = [_lead(row, first, other) for row in rows]
        for standing, where, members in _groups(rows, map(_best_standing, leads)):
            values = {"network": other, "network_first": first}
            if standing == "behind":
                values = {"network": first, "network_first": other}
            ends = {"low": members[0]["y"], "high": members[-1]["y"]}
            if standing == "level":
                yield f"best_level_{where}", {**values, **ends, "points": CLEARLY}
            elif standing is not None:
                points = sorted({abs(_lead(row, first, other) or 0) for row in members})
                yield f"best_ahead_{where}", {**values, **ends, "points": _range(points)}


def _lead(row: Row, first: str, other: str) -> int | None:
    """Return the lead of `other` in percentage points; None if either network never learned."""
    if row[first] is None or row[other] is None:
        return None
    a, b = (round(100 * row[norm]["accuracy"]) for norm in (first, other))
    return b - a


def _best_standing(lead: int | None) -> str | None:
    if lead is None:
        return None
    return "level" if abs(lead) <= CLEARLY else ("ahead" if lead > 0 else "behind")


def _groups(
    rows: Sequence[Row], standings: Iterable[str | None]
) -> Iterator[tuple[str | None, str, list[Row]]]:
    """Group neighbouring rows by standing; yield each group's standing, position and rows."""
    for standing, group in groupby(zip(standings, rows, strict=True), itemgetter(0)):
        members = [row for _, row in group]
        if len(members) == len(rows):
            where = "everywhere"
        elif len(members) == 1:
            where = "at"
        elif members[0] is rows[0]:
            where = "up_to"
        else:
            where = "from" if members[-1] is rows[-1] else "between"
        yield standing, where, members


def _compared(survey: Survey) -> Iterator[Sentence]:
    """Yield sentences that compare each network's largest value with the first network's."""
    first, *others = survey.norms
    rows, edge = largest(survey), survey.across.rungs[-1]
    for other in others:
        groups = list(_groups(rows, [_standing(row, first, other, edge) for row in rows]))
        turns = any(standing == "ahead" for standing, *_ in groups)
        # A sentence with "the other way round" must come after the sentence it refers to.
        for standing, where, members in sorted(
            groups, key=lambda group: turns and group[0] == "behind"
        ):
            values: dict[str, Any] = {"network": other, "network_first": first}
            values |= {"low": members[0]["y"], "high": members[-1]["y"]}
            if standing in ("ahead", "behind"):
                values["times"] = _times(members, first, other, edge)
            if standing == "behind" and not turns:
                standing = "ahead"
                values |= {"network": first, "network_first": other}
            yield f"{standing}_{where}", values


def _standing(row: Row, first: str, other: str, edge: float) -> str:
    """Return how the largest value of `other` compares with the largest value of `first`. The
    horizontal axis ends at `edge`.
    """
    a, b = row[first], row[other]
    if a is None or b is None:
        return "neither" if a is b else ("only_first" if b is None else "only_other")
    if max(a, b) == edge and max(a, b) <= LEVEL * min(a, b):
        return "edge"
    if b > LEVEL * a:
        return "ahead"
    return "behind" if a > LEVEL * b else "level"


def _ratio(row: Row, first: str, other: str) -> float:
    """Return the ratio (≥ 1) of two networks' largest values, to two digits, a map's precision."""
    a, b = row[first], row[other]
    return float(f"{max(a, b) / min(a, b):.2g}")


def _times(rows: Sequence[Row], first: str, other: str, edge: float) -> float | dict[str, Any]:
    """Return the ratios of some rows: a number, a range, or "at least" if a value is at `edge`."""
    ratios = sorted({_ratio(row, first, other) for row in rows})
    if any(edge in (row[first], row[other]) for row in rows):
        return {"key": "reading.at_least", "values": {"low": ratios[0]}}
    return _range(ratios)


def _range(numbers: Sequence[float]) -> float | dict[str, Any]:
    """Return a range from the first to the last number, or the number if all are equal."""
    low, high = numbers[0], numbers[-1]
    if low == high:
        return low
    return {"key": "reading.range", "values": {"low": low, "high": high}}


def reading(survey: Survey) -> dict[str, Any]:
    return {"best": best(survey), "largest": largest(survey), "sentences": sentences(survey)}
