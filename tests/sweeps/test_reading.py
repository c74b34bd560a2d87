"""What a map says of itself is read off its cells."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from bnviz.sweeps.cells import Cell, Outcome
from bnviz.sweeps.reading import largest, sentences
from bnviz.sweeps.setting import USUAL
from bnviz.sweeps.survey import Survey
from tests.sweeps.test_survey import BROKEN, LEARNED

Border = Callable[[Cell], float]


def measured(border: Border, accuracy: Callable[[Cell], float] = lambda cell: 0.9) -> Survey:
    """The usual map of networks that learn up to some rate."""
    survey = Survey(USUAL)
    while stacks := survey.next_stacks():
        for cell in [cell for stack in stacks for cell in stack]:
            learns = cell.config.learning_rate < border(cell)
            good = dataclasses.replace(LEARNED, test_accuracy=accuracy(cell))
            survey.take([(cell, good if learns else BROKEN)])
    return survey


def other_way_round_below(size: int) -> Border:
    def border(cell: Cell) -> float:
        if cell.norm == "none":
            return 0.5
        return 0.1 if cell.config.batch_size < size else 4.0

    return border


def test_the_largest_rate_is_known_to_an_eighth_of_a_step() -> None:
    survey = measured(other_way_round_below(8))
    rows = {row["y"]: row for row in largest(survey)}
    assert rows.keys() == {4, 8, 16, 32, 64, 128, 256}
    for row in rows.values():
        assert 0.5 / 1.08 < (row["none"] or 0) < 0.5
    assert 0.1 / 1.08 < (rows[4]["batch"] or 0) <= 0.1
    assert 4 / 1.08 < (rows[8]["batch"] or 0) < 4


def test_where_it_is_the_other_way_round_is_said() -> None:
    said = dict(sentences(measured(other_way_round_below(8))))
    assert {"behind_at", "ahead_from", "counts", "counts_only"} <= said.keys()
    assert said["behind_at"]["low"] == 4
    assert said["ahead_from"]["low"] == 8
    assert 7 < said["ahead_from"]["times"] < 9
    assert said["ahead_from"]["network"] == "batch"
    assert list(said).index("behind_at") > list(said).index("ahead_from")


def test_where_nothing_is_the_other_way_round_the_first_is_ahead() -> None:
    said = dict(sentences(measured(lambda cell: 0.5 if cell.norm == "none" else 0.1)))
    assert said["ahead_everywhere"]["network"] == "none"
    assert said["ahead_everywhere"]["network_first"] == "batch"


def test_what_learns_up_to_the_end_of_the_map_may_learn_beyond_it() -> None:
    said = dict(sentences(measured(lambda cell: 0.5 if cell.norm == "none" else 99.0)))
    times = said["ahead_everywhere"]["times"]
    assert times["key"] == "reading.at_least"
    assert 110 <= times["values"]["low"] <= 130
    assert "edge_everywhere" in dict(sentences(measured(lambda cell: 99.0)))


def test_a_network_that_learns_nowhere_and_networks_that_are_level() -> None:
    said = dict(sentences(measured(lambda cell: 0.0 if cell.norm == "batch" else 1.0)))
    assert "only_first_everywhere" in said
    assert "level_everywhere" in dict(sentences(measured(lambda cell: 1.0)))
    assert "neither_everywhere" in dict(sentences(measured(lambda cell: 0.0)))


def test_the_cell_in_which_the_first_is_furthest_ahead() -> None:
    def accuracy(cell: Cell) -> float:
        there = cell.config.learning_rate == 0.1 and cell.config.batch_size == 4
        return 0.67 if there and cell.norm == "batch" else 0.9

    said = dict(sentences(measured(lambda cell: 1.0, accuracy)))["best_first"]
    assert (said["x"], said["y"], said["first"], said["other"]) == (0.1, 4, 0.9, 0.67)


def test_nothing_is_said_before_the_coarse_map_is_whole() -> None:
    survey = Survey(USUAL)
    for stack in survey.next_stacks():
        survey.take([(cell, Outcome("learning", None, None, False, 0.9, 0.3)) for cell in stack])
    assert sentences(survey) == []
    assert largest(survey)[0]["none"] is not None
