"""What a map says, read off its cells: the largest value at which each network learns, row by row.

Sentences are keys of `map.reading` in `assets/texts/<language>/map.toml` and their values; values
whose names begin with `network` are names of norms.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import groupby
from typing import Any

from bnviz.sweeps.cells import LEARNED
from bnviz.sweeps.refine import FINEST, base_points
from bnviz.sweeps.survey import Survey

Sentence = tuple[str, dict[str, Any]]

# Largest values nearer to each other than this factor are level: a map's finest step is as wide.
LEVEL = 1.2
# Test accuracies further apart than this differ by more than a few images.
CLEARLY = 0.02


def largest(survey: Survey) -> list[dict[str, float | None]]:
    """For each rung of the axis up: its value `y`, and the largest value across at which each
    network learned there, by norm; None where it learned nowhere.
    """
    setting = survey.setting
    across = setting.across.axis
    furthest: list[dict[int, int]] = []
    for number in range(len(setting.config.norms)):
        own: dict[int, int] = {}
        for (i, j), kind in survey.kinds(number).items():
            if kind == "learned" and i > own.get(j, -1):
                own[j] = i
        furthest.append(own)
    found = []
    for rung, y in enumerate(setting.up.rungs):
        row: dict[str, float | None] = {"y": y}
        for norm, own in zip(setting.config.norms, furthest, strict=True):
            reached = own.get(FINEST * rung)
            row[norm] = None if reached is None else across.at(reached)
        found.append(row)
    return found


def sentences(survey: Survey) -> list[Sentence]:
    """What the map's cells say, once all whole steps of both ladders are known."""
    if not survey.base_done:
        return []
    return [*_counts(survey), *_compared(survey)]


def _counts(survey: Survey) -> Iterator[Sentence]:
    """In how many cells of whole steps which networks learn."""
    norms = survey.setting.config.norms
    points = base_points(len(survey.setting.across.rungs), len(survey.setting.up.rungs))
    learned = [
        tuple(norm for number, norm in enumerate(norms) if survey.kinds(number)[point] == "learned")
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


def _compared(survey: Survey) -> Iterator[Sentence]:
    """Each further network against the first: on which rows it learns at larger values."""
    first, *others = survey.setting.config.norms
    rows, edge = largest(survey), survey.setting.across.rungs[-1]
    for other in others:
        standing_of = partial(_standing, first=first, other=other, edge=edge)
        groups = [(standing, list(members)) for standing, members in groupby(rows, standing_of)]
        turns = any(standing == "ahead" for standing, _ in groups)
        # What "the other way round" is said of comes before it.
        for standing, members in sorted(groups, key=lambda group: turns and group[0] == "behind"):
            values: dict[str, Any] = {"network": other, "network_first": first}
            values |= {"low": members[0]["y"], "high": members[-1]["y"]}
            if standing in ("ahead", "behind"):
                values["times"] = _times(members, first, other, edge)
            where = _where(len(members), len(rows), first=members[0] is rows[0],
                           last=members[-1] is rows[-1])  # fmt: skip
            if standing == "behind" and not turns:
                standing = "ahead"
                values |= {"network": first, "network_first": other}
            yield f"{standing}_{where}", values
        yield from _at_the_same(survey, other)


def _standing(row: dict[str, float | None], first: str, other: str, edge: float) -> str:
    """How far a network learns on a row, compared with the first one, on a map that ends at
    `edge`.
    """
    a, b = row[first], row[other]
    if a is None or b is None:
        return "neither" if a is b else ("only_first" if b is None else "only_other")
    if max(a, b) == edge and max(a, b) <= LEVEL * min(a, b):
        return "edge"
    if b > LEVEL * a:
        return "ahead"
    return "behind" if a > LEVEL * b else "level"


def _ratio(row: dict[str, float | None], first: str, other: str) -> float:
    """How many times the larger is the smaller, to the two digits that a step of a map allows."""
    a, b = row[first], row[other]
    assert a is not None
    assert b is not None
    return float(f"{max(a, b) / min(a, b):.2g}")


def _times(
    rows: list[dict[str, float | None]], first: str, other: str, edge: float
) -> float | dict[str, Any]:
    """How many times, on some rows: a number, or a phrase of the map's own words.

    A network that learns up to the last value of the map may learn beyond it.
    """
    ratios = sorted(_ratio(row, first, other) for row in rows)
    low, high = ratios[0], ratios[-1]
    if any(edge in (row[first], row[other]) for row in rows):
        return {"key": "reading.at_least", "values": {"low": low}}
    if low == high:
        return low
    return {"key": "reading.range", "values": {"low": low, "high": high}}


def _where(count: int, of: int, *, first: bool, last: bool) -> str:
    if count == of:
        return "everywhere"
    if count == 1:
        return "at"
    return "up_to" if first else ("from" if last else "between")


def _at_the_same(survey: Survey, other: str) -> Iterator[Sentence]:
    """The cell in which both learn and the first network is furthest ahead, if it is at all."""
    setting, norms = survey.setting, survey.setting.config.norms
    firsts, others = survey.accuracies(0), survey.accuracies(norms.index(other))
    learned = [
        point for point in base_points(len(setting.across.rungs), len(setting.up.rungs))
        if min(firsts[point], others[point]) >= LEARNED
    ]  # fmt: skip
    best = max(learned, key=lambda point: firsts[point] - others[point], default=None)
    if best is not None and firsts[best] - others[best] > CLEARLY:
        yield "best_first", {
            "network": other, "network_first": norms[0],
            "x": setting.across.axis.at(best[0]), "y": setting.up.axis.at(best[1]),
            "first": firsts[best], "other": others[best],
        }  # fmt: skip


def reading(survey: Survey) -> dict[str, Any]:
    """Both, as a browser gets them."""
    return {"largest": largest(survey), "sentences": [list(each) for each in sentences(survey)]}
