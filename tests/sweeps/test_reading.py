"""Sentences and numbers about a map, read from its cells."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from bnviz.sweeps.cells import Cell, CellOutcome
from bnviz.sweeps.reading import best, largest, reading, sentences
from bnviz.sweeps.setting import MapSetting, Span
from bnviz.sweeps.survey import Survey
from tests.every_case import every_case
from tests.sweeps.by_hand import (
    BROKEN,
    LEARNED,
    NOT_FINITE,
    RATES,
    SIZES,
    STUCK,
    finished,
    reaching,
    setting,
    whole_steps,
)


def compared(
    reaches: Mapping[str, Sequence[int]], asked: MapSetting | None = None
) -> list[tuple[str, dict[str, Any]]]:
    """Return the sentences that compare the largest values at which networks learn."""
    survey = whole_steps(asked or setting(*reaches), reaching(reaches))
    return sentences(survey)["largest"]


def said(low: float, high: float, times: object = None, other: str = "batch",
         first: str = "none") -> dict[str, Any]:  # fmt: skip
    values = {"network": other, "network_first": first, "low": low, "high": high}
    return values if times is None else {**values, "times": times}


def span_of(low: float, high: float) -> dict[str, Any]:
    return {"key": "reading.range", "values": {"low": low, "high": high}}


def least(low: float) -> dict[str, Any]:
    return {"key": "reading.at_least", "values": {"low": low}}


def test_rows_that_stand_alike_are_one_sentence_and_the_other_way_round_comes_last() -> None:
    assert compared({"none": [2, 2, 1, 2], "batch": [1, 2, 3, 3]}) == [
        ("level_at", said(8, 8)),
        ("ahead_from", said(16, 32, span_of(2.0, 4.0))),
        ("behind_at", said(4, 4, 2.0)),
    ]
    assert compared({"none": [3, 3, 1, 3], "batch": [1, 2, 2, 1]}) == [
        ("ahead_at", said(16, 16, 2.0)),
        ("behind_up_to", said(4, 8, span_of(2.0, 4.0))),
        ("behind_at", said(32, 32, 4.0)),
    ]
    assert compared({"none": [1, 3, 3, 1], "batch": [2, 1, 1, 2]}) == [
        ("ahead_at", said(4, 4, 2.0)),
        ("ahead_at", said(32, 32, 2.0)),
        ("behind_between", said(8, 16, 4.0)),
    ]


def test_where_nothing_is_the_other_way_round_the_first_one_is_said_to_be_ahead() -> None:
    turned = said(4, 32, span_of(2.0, 4.0), other="none", first="batch")
    assert compared({"none": [3, 2, 3, 3], "batch": [1, 1, 1, 2]}) == [("ahead_everywhere", turned)]
    assert compared({"none": [3, 2, 1, 1], "batch": [1, 1, 1, 1]}) == [
        ("ahead_up_to", said(4, 8, span_of(2.0, 4.0), other="none", first="batch")),
        ("level_from", said(16, 32)),
    ]


def test_of_skips_nothing_is_said_to_reach_further() -> None:
    asked = setting(across=Span("skip", 0, 3, 4))
    survey = whole_steps(asked, lambda cell: LEARNED if cell.norm == "batch" else BROKEN)
    told = reading(survey)
    assert told["sentences"]["largest"] == []
    assert [row["batch"] for row in told["largest"]] == [3] * 4
    assert told["sentences"]["counts"]


def test_what_learns_up_to_the_last_value_is_at_least_so_many_times_as_far_ahead() -> None:
    # If one row of a group reaches the map's edge, the sentence says "at least" and gives the
    # smallest ratio of the group.
    assert compared({"none": [1, 2, 2, 1], "batch": [3, 4, 3, 3]}) == [
        ("ahead_everywhere", said(4, 32, least(2.0)))
    ]
    assert compared({"none": [4, 4, 4, 4], "batch": [2, 1, 1, 2]}) == [
        ("ahead_everywhere", said(4, 32, least(4.0), other="none", first="batch"))
    ]
    assert compared({"none": [1, 2, 2, 2], "batch": [3, 3, 3, 3]})[0][1]["times"] == span_of(2, 4)


def test_rows_on_which_one_or_none_learns_are_told_apart() -> None:
    assert compared({"none": [0, 0, 2, 4], "batch": [0, 1, 0, 4]}) == [
        ("neither_at", said(4, 4)),
        ("only_other_at", said(8, 8)),
        ("only_first_at", said(16, 16)),
        ("edge_at", said(32, 32)),
    ]
    nowhere = [0, 0, 0, 0]
    for reaches, key in (
        ({"none": nowhere, "batch": nowhere}, "neither"),
        ({"none": [1] * 4, "batch": nowhere}, "only_first"),
        ({"none": nowhere, "batch": [4] * 4}, "only_other"),
        ({"none": [4] * 4, "batch": [4] * 4}, "edge"),
        ({"none": [2] * 4, "batch": [2] * 4}, "level"),
    ):
        assert compared(reaches) == [(f"{key}_everywhere", said(4, 32))]


def test_each_further_network_is_compared_with_the_first() -> None:
    reaches = {"none": [1] * 4, "batch": [3] * 4, "layer": [1, 1, 0, 0]}
    assert compared(reaches) == [
        ("ahead_everywhere", said(4, 32, 4.0)),
        ("level_up_to", said(4, 8, other="layer")),
        ("only_first_from", said(16, 32, other="layer")),
    ]


@every_case(("ratio", "keys"), [(1.15, {"level"}), (1.25, {"ahead"}), (1.9, {"ahead"})])
def test_values_nearer_than_a_fifth_are_level(ratio: float, keys: set[str]) -> None:
    rates = Span("learning_rate", 0.1, 0.1 * ratio**2, 3)
    survey = whole_steps(
        setting().replace(across=rates),
        lambda cell: (
            LEARNED if cell.config.learning_rate <= rates.rungs[cell.norm == "batch"] else BROKEN
        ),
    )
    found = sentences(survey)["largest"]
    assert {key.removesuffix("_everywhere") for key, _ in found} == keys
    if "ahead" in keys:
        # The ratio has two digits, because the steps of a map are too coarse for more.
        assert found[0][1]["times"] == pytest.approx(ratio, abs=0.051)
        assert len(str(found[0][1]["times"])) <= 4


def test_nearly_level_at_the_end_of_the_map_is_where_the_map_ends() -> None:
    rates = Span("learning_rate", 0.1, 0.1 * 1.15**2, 3)
    survey = whole_steps(
        setting().replace(across=rates),
        lambda cell: (
            BROKEN if cell.norm == "none" and cell.config.learning_rate == rates.high else LEARNED
        ),
    )
    assert "edge_everywhere" in dict(sentences(survey)["largest"])


def test_settings_on_the_grid_are_counted_by_who_learns_there() -> None:
    reaches = {"none": [1, 4, 0, 0], "batch": [3, 3, 1, 0]}
    assert sentences(whole_steps(setting(), reaching(reaches)))["counts"] == [
        ("counts", {"cells": 16, "all": 4, "none": 8}),
        ("counts_only", {"network": "none", "cells": 1}),
        ("counts_only", {"network": "batch", "cells": 3}),
    ]
    alike = whole_steps(setting(), reaching(dict.fromkeys(("none", "batch"), [2] * 4)))
    assert "counts_only" not in dict(sentences(alike)["counts"])
    alone = whole_steps(setting("layer"), reaching({"layer": [1, 2, 3, 1]}))
    assert sentences(alone) == {
        "best": [], "largest": [], "counts": [("counts_one", {"cells": 16, "learned": 7})],
    }  # fmt: skip
    of_three = {"none": [2] * 4, "batch": [2] * 4, "layer": [1] * 4}
    counted = dict(sentences(whole_steps(setting(*of_three), reaching(of_three)))["counts"])
    assert counted["counts"] == {"cells": 16, "all": 4, "none": 8}


# Accuracies without and with BN by rate and batch size. In all other cells, both accuracies are
# 0.6.
AT = {
    # At batch size 4, the best accuracies differ by six points, but by ten if both networks use
    # rate 0.1.
    (0.1, 4): (0.88, 0.78), (0.4, 4): (0.7, 0.82), (0.2, 8): (0.9, 0.86), (0.1, 8): (0.9, 0.6),
    (0.2, 16): (0.93, 0.9), (0.8, 16): (0.6, 0.94), (0.4, 32): (0.9, 0.96),
}  # fmt: skip
Accuracies = Mapping[tuple[float, int], tuple[float, float]]


def by_accuracy(of: Accuracies, cell: Cell) -> CellOutcome:
    there = cell.config.learning_rate, cell.config.batch_size
    accuracy = of.get(there, (0.6, 0.6))[cell.norm == "batch"]
    return dataclasses.replace(LEARNED, test_accuracy=accuracy)


def test_each_network_is_shown_at_the_value_at_which_it_is_best() -> None:
    survey = whole_steps(setting(), lambda cell: by_accuracy(AT, cell))
    # If several rates have the same accuracy, the smallest of these rates is the best.
    assert best(survey) == [
        {"y": y, "none": {"accuracy": a, "x": at}, "batch": {"accuracy": b, "x": other_at},
         "ahead": ahead}
        for y, a, at, b, other_at, ahead in (
            (4, 0.88, 0.1, 0.82, 0.4, "none"), (8, 0.9, 0.1, 0.86, 0.2, "none"),
            (16, 0.93, 0.2, 0.94, 0.8, None), (32, 0.9, 0.4, 0.96, 0.4, "batch"),
        )
    ]  # fmt: skip
    assert sentences(survey)["best"] == [
        ("best_ahead_up_to", {**said(4, 8, other="none", first="batch"), "points": span_of(4, 6)}),
        ("best_level_at", {**said(16, 16), "points": 2}),
        ("best_ahead_at", {**said(32, 32), "points": 6}),
    ]


@every_case(("lead", "key"), [(0.024, "level"), (0.026, "ahead"), (-0.031, "ahead")])
def test_a_lead_of_a_few_test_images_is_none(lead: float, key: str) -> None:
    even = {(0.2, size): (0.7, 0.7 + lead) for size in SIZES}
    told = sentences(whole_steps(setting(), lambda cell: by_accuracy(even, cell)))["best"]
    assert [name for name, _ in told] == [f"best_{key}_everywhere"]


def test_where_one_learns_nowhere_no_accuracies_are_compared() -> None:
    of = {(rate, 4): (0.45, 0.9) for rate in RATES}
    survey = whole_steps(setting(), lambda cell: by_accuracy(of, cell))
    assert best(survey)[0] == {
        "y": 4, "none": None, "batch": {"accuracy": 0.9, "x": 0.1}, "ahead": "batch",
    }  # fmt: skip
    assert sentences(survey)["best"] == [("best_level_from", {**said(8, 32), "points": 2})]


def test_the_best_is_looked_for_among_the_values_that_every_network_was_tried_at() -> None:
    def became(cell: Cell) -> CellOutcome:
        # The accuracy is higher at rates between those of the coarse grid. They are measured only
        # where the map is refined along the limit at 0.3.
        rate = cell.config.learning_rate
        accuracy = 0.9 if rate not in RATES else (0.8 if rate < 0.3 else 0.1)
        return dataclasses.replace(LEARNED, test_accuracy=accuracy)

    assert {row["none"]["accuracy"] for row in best(finished(setting(), became))} == {0.8}


def test_an_accuracy_of_a_cell_of_several_seeds_is_their_median() -> None:
    by_seed = {0: 0.7, 1: 0.9, 2: 0.8}

    def became(cell: Cell) -> CellOutcome:
        at = (cell.config.learning_rate, cell.config.batch_size) == (0.2, 16)
        accuracy = by_seed[cell.config.seed] if at and cell.norm == "batch" else 0.6
        return dataclasses.replace(LEARNED, test_accuracy=accuracy)

    row = best(whole_steps(setting().replace(seeds=3), became))[2]
    assert row["batch"] == {"accuracy": 0.8, "x": 0.2}


def test_the_largest_value_is_that_of_the_furthest_cell_that_learned_in_its_row() -> None:
    # Some rows have a cell that learned beyond a broken cell, some have stuck cells, and some have
    # values that are not finite.
    kinds = {
        "none": {4: [LEARNED, BROKEN, LEARNED, BROKEN], 8: [LEARNED, STUCK, STUCK, STUCK],
                 16: [STUCK, NOT_FINITE, NOT_FINITE, NOT_FINITE], 32: [LEARNED] * 4},
        "batch": {4: [STUCK, LEARNED, STUCK, STUCK], 8: [BROKEN] * 4,
                  16: [LEARNED, LEARNED, LEARNED, NOT_FINITE], 32: [LEARNED, *[BROKEN] * 3]},
    }  # fmt: skip

    def became(cell: Cell) -> CellOutcome:
        config = cell.config
        return kinds[cell.norm][config.batch_size][
            setting().across.rungs.index(config.learning_rate)
        ]

    assert largest(whole_steps(setting(), became)) == [
        {"y": 4, "none": 0.4, "batch": 0.2}, {"y": 8, "none": 0.1, "batch": None},
        {"y": 16, "none": None, "batch": 0.4}, {"y": 32, "none": 0.8, "batch": 0.1},
    ]  # fmt: skip


def test_the_largest_value_is_known_to_an_eighth_of_a_step_of_its_own_row() -> None:
    def became(cell: Cell) -> CellOutcome:
        # Between the rows, the network without BN learns at higher rates than in the rows.
        between = cell.config.batch_size not in SIZES
        border = (0.7 if between else 0.3) if cell.norm == "none" else 0.15
        return LEARNED if cell.config.learning_rate < border else BROKEN

    survey = finished(setting(), became)
    eighth = 2 ** (1 / 8)
    for row in largest(survey):
        assert 0.3 / eighth < (row["none"] or 0) < 0.3
        assert 0.15 / eighth < (row["batch"] or 0) < 0.15
    assert reading(survey) == {
        "best": best(survey), "largest": largest(survey), "sentences": sentences(survey),
    }  # fmt: skip


def test_nothing_is_said_before_the_coarse_map_is_whole() -> None:
    survey = Survey(setting().planes())
    first = [cell for stack in survey.next_stacks() for cell in stack]
    survey.take([(cell, LEARNED) for cell in first])
    rest = [cell for stack in survey.next_stacks() for cell in stack]
    survey.take([(cell, LEARNED) for cell in rest[:-1]])
    assert not any(sentences(survey).values())
    assert best(survey) == []
    assert largest(survey)[0]["none"] is not None
    survey.take([(rest[-1], LEARNED)])
    assert all(sentences(survey).values())
    assert best(survey)


def test_a_cell_without_a_finite_answer_counts_as_one_that_gets_nothing_right() -> None:
    def became(cell: Cell) -> CellOutcome:
        there = (cell.config.learning_rate, cell.config.seed) == (0.1, 0)
        return dataclasses.replace(LEARNED, test_accuracy=math.nan) if there else LEARNED

    survey = whole_steps(setting().replace(seeds=2), became)
    assert survey.accuracies[0][0, 0] == 0.45
    assert survey.accuracies[0][8, 0] == 0.9
