"""Rows of data for a browser and for a file: each number is from the right network of the cell."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from typing import Any

import pytest

from bnviz.config import RunConfig
from bnviz.records import Break
from bnviz.sweeps.cells import Cell, CellOutcome, kind_of
from bnviz.sweeps.plane import Axis, Plane
from bnviz.sweeps.refine import Point
from bnviz.sweeps.rows import ROW_FIELDS, from_saved, in_order, to_csv, to_row, to_saved
from bnviz.sweeps.survey import COLUMNS, Survey, median_accuracy
from tests.every_case import every_case
from tests.sweeps.by_hand import LEARNED, NOT_FINITE, STUCK, setting, whole_steps

# Outcomes for three seeds of one cell. They have no number in common.
FIRST = CellOutcome("recovered", Break.because(12, "layer 2", "saturated"), None, 0.61, 1.25)
SECOND = CellOutcome("diverged", Break.because(34, "output", "blown_up"), 56, math.nan, math.nan)
THIRD = CellOutcome("learning", None, None, 0.83, 0.5)
NAN_AT_FIRST = [SECOND, FIRST, THIRD]


def rows_of(outcomes: Sequence[CellOutcome], **changes: Any) -> dict[Point, dict[str, Any]]:
    """Return rows of a map's second network by point. Each cell has the given outcomes, in seed
    order.
    """
    asked = setting().replace(
        config=setting().config.replace(seed=5), seeds=len(outcomes), **changes
    )

    def became(cell: Cell) -> CellOutcome:
        return outcomes[cell.config.seed - 5] if cell.norm == "batch" else STUCK

    told = [dict(zip(COLUMNS, row, strict=True)) for row in whole_steps(asked, became).rows]
    return {(row["i"], row["j"]): row for row in told if row["network"] == 1}


def test_a_row_has_the_share_and_median_of_all_seeds_and_else_the_first_ones_values() -> None:
    row = rows_of([FIRST, SECOND, THIRD])[2, 1]
    assert row == {
        "network": 1, "i": 2, "j": 1, "x": 0.4, "y": 8, "kind": "learned",
        "test_accuracy": 0.61, "test_loss": 1.25, "break_step": 12, "break_layer": "layer 2",
        "break_reason": "saturated", "learned": pytest.approx(2 / 3), "steps": 200,
        "state": "recovered", "hill": None, "slow": 0,
    }  # fmt: skip
    row = rows_of(NAN_AT_FIRST)[0, 3]
    assert (row["x"], row["y"], row["kind"]) == (0.1, 32, "learned")
    assert (row["test_accuracy"], row["test_loss"], row["state"]) == (0.61, None, "diverged")
    assert (row["break_step"], row["break_layer"]) == (34, "output")


def test_of_one_seed_what_is_not_finite_is_no_number() -> None:
    row = rows_of([NOT_FINITE])[0, 0]
    assert (row["kind"], row["test_accuracy"], row["test_loss"]) == ("broken", None, None)
    assert (row["learned"], row["break_step"]) == (0, 5)
    half = CellOutcome("learning", None, None, 0.5, math.inf)
    row = rows_of([half])[0, 0]
    assert (row["kind"], row["test_accuracy"], row["test_loss"]) == ("learned", 0.5, None)
    assert (row["break_step"], row["break_layer"], row["break_reason"]) == (None, None, None)


def test_a_network_that_could_take_no_step_is_paused() -> None:
    idle = CellOutcome("paused", None, None, 0.1, 2.3)
    assert (rows_of([idle])[0, 0]["state"], rows_of([idle])[0, 0]["kind"]) == ("paused", "stuck")


def test_with_equal_data_a_row_has_the_steps_of_its_own_batch_size() -> None:
    rows = rows_of([LEARNED], equal="data", steps=30)
    assert [rows[1, j]["steps"] for j in range(4)] == [240, 120, 60, 30]
    assert {row["steps"] for row in rows_of([LEARNED], steps=30).values()} == {30}


def test_a_cell_is_what_most_of_its_seeds_became_and_of_as_many_the_first() -> None:
    assert kind_of([LEARNED, NOT_FINITE, NOT_FINITE]) == "broken"
    assert kind_of([NOT_FINITE, STUCK, LEARNED, STUCK]) == "stuck"
    assert kind_of([STUCK, LEARNED]) == "stuck"
    assert kind_of([LEARNED, STUCK]) == "learned"


def test_what_is_not_finite_counts_as_nothing_right_in_a_median() -> None:
    assert median_accuracy([THIRD]) == 0.83
    assert median_accuracy([FIRST, THIRD]) == pytest.approx(0.72)
    assert median_accuracy([SECOND, FIRST, THIRD, SECOND]) == pytest.approx(0.305)
    assert median_accuracy([SECOND]) == 0


@every_case(
    ("outcome", "kind"),
    [
        (CellOutcome("learning", None, None, 0.5, 1.0), "learned"),
        (CellOutcome("learning", None, None, 0.499, 1.0), "stuck"),
        (FIRST, "learned"), (SECOND, "broken"), (NOT_FINITE, "broken"), (STUCK, "stuck"),
    ],
)  # fmt: skip
def test_half_of_the_test_set_right_is_learned_whatever_broke(
    outcome: CellOutcome, kind: str
) -> None:
    assert outcome.kind == kind
    assert outcome.learned is (kind == "learned")


def test_the_cells_of_a_point_have_its_values_its_seeds_and_its_steps() -> None:
    config = RunConfig(norms=("batch",), depth=2, width=8, seed=7)
    columns, rows = Axis("learning_rate", (0.1, 0.4, 1.6)), Axis("batch_size", (4, 16))
    cells = Plane(config, columns, rows, 30, seeds=3, equal_data=True).cells((12, 8))
    assert [cell.config.seed for cell in cells] == [7, 8, 9]
    assert {cell.config.learning_rate for cell in cells} == {0.8}
    assert {cell.config.batch_size for cell in cells} == {16}
    assert {cell.steps for cell in cells} == {60}
    few = Plane(config, columns, Axis("batch_size", (512,)), 8, equal_data=True)
    assert few.cells((0, 0))[0].steps == 1
    (equal,) = Plane(config, columns, rows, 30).cells((0, 0))
    assert (equal.steps, equal.config.seed) == (30, 7)


CELL = Cell(RunConfig(norms=("batch",), learning_rate=0.3, batch_size=8, seed=4), 90)


def test_a_row_of_a_file_names_each_value_of_its_network() -> None:
    assert to_row(CELL, FIRST) == {
        "norm": "batch", "learning_rate": 0.3, "batch_size": 8, "seed": 4, "steps": 90,
        "state": "recovered", "break_step": 12, "break_layer": "layer 2",
        "break_reason": "saturated", "stopped": None, "paused": False, "test_accuracy": 0.61,
        "test_loss": 1.25, "device": "cpu",
    }  # fmt: skip
    diverged = to_row(CELL, SECOND)
    assert (diverged["stopped"], diverged["break_step"]) == (56, 34)
    assert (diverged["test_accuracy"], diverged["test_loss"]) == (None, None)
    (read,) = csv.DictReader(io.StringIO(to_csv([to_row(CELL, FIRST)])))
    assert tuple(read) == ROW_FIELDS
    assert (read["break_layer"], read["test_loss"], read["stopped"]) == ("layer 2", "1.25", "")


@every_case("outcome", [FIRST, SECOND, THIRD, STUCK])
def test_what_was_saved_is_read_back_as_it_was(outcome: CellOutcome) -> None:
    ((cell, read),) = from_saved(to_saved(CELL, outcome), "file").items()
    assert cell == CELL
    assert to_row(cell, read) == to_row(CELL, outcome)
    assert math.isnan(read.test_loss) is math.isnan(outcome.test_loss)


def test_rows_are_in_the_order_of_the_cells_and_those_not_run_are_left_out() -> None:
    other, third = (Cell(CELL.config, steps) for steps in (91, 92))
    rows = in_order([third, CELL, other], {CELL: FIRST, third: THIRD})
    assert [row["steps"] for row in rows] == [92, 90]


def test_a_first_guess_of_how_many_networks_there_will_be_counts_every_seed() -> None:
    one, three = (Survey(setting().replace(seeds=seeds).planes(), refined=True) for seeds in (1, 3))
    # The grid of whole steps has 16 cells per network. In each of the three gaps between rows, a
    # straight boundary between outcomes adds 28 cells.
    assert one.total() == 2 * (16 + 3 * 28)
    assert three.total() == 3 * one.total()
    plain = whole_steps(setting().replace(seeds=3), lambda cell: LEARNED)
    assert (plain.total(), len(plain.done)) == (96, 96)
