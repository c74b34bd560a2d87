"""Requests for a map, and the cells it needs next."""

from __future__ import annotations

import dataclasses
from base64 import b64encode

import numpy as np
import pytest

from bnviz.config import ConfigError, RunConfig
from bnviz.records import Break
from bnviz.sweeps.cells import Cell, CellOutcome
from bnviz.sweeps.plane import Plane
from bnviz.sweeps.refine import Point, base_points, propose_points
from bnviz.sweeps.setting import BASE, LADDERS, USUAL, MapSetting, Span
from bnviz.sweeps.survey import COLUMNS, Survey
from tests.every_case import every_case

LEARNED = CellOutcome("learning", None, None, 0.9, 0.3)
BROKEN = CellOutcome("stuck", Break.because(3, "layer 1", "saturated"), None, 0.1, 2.3)


def made_up(cell: Cell) -> CellOutcome:
    """Return a made-up outcome: learned below a maximum rate, which grows with the batch size and
    is higher with a norm.
    """
    border = (0.1 if cell.norm == "none" else 1.0) * cell.config.batch_size**0.4
    return LEARNED if cell.config.learning_rate < border else BROKEN


def finish(survey: Survey) -> list[Cell]:
    """Run a map to its end and return every requested cell in order."""
    asked: list[Cell] = []
    while stacks := survey.next_stacks():
        for stack in stacks:
            asked += stack
            survey.take([(cell, made_up(cell)) for cell in stack])
    return asked


def refined(plane: Plane) -> dict[Cell, CellOutcome]:
    """Request cells of one network's map until it is fully refined, and return the outcomes."""
    kinds: dict[Point, str] = {}
    done: dict[Cell, CellOutcome] = {}
    while points := propose_points(len(plane.columns.rungs), len(plane.rows.rungs), kinds)[0]:
        for point in points:
            (cell,) = plane.cells(point)
            done[cell] = made_up(cell)
            kinds[point] = done[cell].kind
    return done


def test_a_survey_finds_what_refining_finds_and_asks_for_each_cell_once() -> None:
    survey = Survey(USUAL.planes(), refined=True)
    asked = finish(survey)
    done = {cell: found for each in USUAL.planes() for cell, found in refined(each).items()}
    assert survey.done == done
    assert len(asked) == len(set(asked)) == len(done)
    assert survey.finished
    assert survey.phase() == "done"
    assert survey.total() == len(done)


def test_an_unrefined_survey_ends_with_its_whole_steps() -> None:
    survey = Survey(USUAL.planes())
    assert survey.total() == 2 * 16 * 7
    finish(survey)
    assert (survey.phase(), len(survey.done)) == ("done", survey.total())
    places = [tuple(row[:3]) for row in survey.rows]
    assert sorted(places) == sorted((n, i, j) for n in (0, 1) for i in range(16) for j in range(7))


def test_a_row_has_the_hill_of_its_network_and_says_whether_it_was_slow() -> None:
    hill = bytes(range(24))
    slow = CellOutcome("learning", None, None, 0.4, 1.0, hills=hill)
    survey = Survey(USUAL.planes())
    first, second, third = survey.next_stacks()[0][:3]
    survey.take([(first, slow), (second, dataclasses.replace(slow, hills=None)), (third, LEARNED)])
    told = [dict(zip(COLUMNS, row, strict=True)) for row in survey.rows]
    assert [(row["slow"], row["hill"]) for row in told] == [
        (1, b64encode(hill).decode()), (1, None), (0, None),
    ]  # fmt: skip


def test_the_first_picture_is_coarse_and_of_the_whole() -> None:
    survey = Survey(USUAL.planes())
    first = [cell for stack in survey.next_stacks() for cell in stack]
    for norm in ("none", "batch"):
        there = [cell.config for cell in first if cell.norm == norm]
        assert len(there) == 12
        assert {config.batch_size for config in there} == {4, 16, 128}
        assert {USUAL.across.low, USUAL.across.high} < {c.learning_rate for c in there}
    survey.take([(cell, made_up(cell)) for cell in first])
    assert survey.phase() == "base"
    assert sum(map(len, survey.next_stacks())) == 2 * 16 * 7 - len(first)


def test_the_estimate_is_near_from_the_beginning() -> None:
    survey = Survey(USUAL.planes(), refined=True)
    guessed = [survey.total()]
    while stacks := survey.next_stacks():
        for stack in stacks:
            survey.take([(cell, made_up(cell)) for cell in stack])
        guessed.append(survey.total())
    assert all(0.6 < each / len(survey.done) < 1.6 for each in guessed), guessed


def test_what_is_known_of_a_cell_is_not_said_anew() -> None:
    survey = Survey(USUAL.planes())
    stack = survey.next_stacks()[0]
    survey.take([(cell, LEARNED) for cell in stack])
    rows = list(survey.rows)
    survey.take([(cell, BROKEN) for cell in stack])
    assert {survey.done[cell] for cell in stack} == {LEARNED}
    assert survey.rows == rows


def test_points_without_a_whole_number_between_them_share_a_cell() -> None:
    survey = Survey(USUAL.replace(up=Span("batch_size", 8, 10, 7)).planes(), refined=True)
    assert survey.up.rungs == (8, 9, 10)
    asked = finish(survey)
    assert len(asked) == len(set(asked)) < len(survey.rows)
    assert {cell.config.batch_size for cell in asked} == {8, 9, 10}


@every_case("count", [1, 2])
def test_one_row_and_one_cell(count: int) -> None:
    across = Span("learning_rate", 0.1, 0.1 if count == 1 else 10.0, count)
    survey = Survey(USUAL.replace(across=across, up=Span("batch_size", 8, 8, 1)).planes())
    finish(survey)
    assert survey.finished
    assert all(set(base_points(count, 1)) <= survey.kinds[number].keys() for number in (0, 1))


def test_seeds_and_equal_data() -> None:
    survey = Survey(USUAL.replace(seeds=3, equal="data", steps=80).planes())
    cells = [cell for stack in survey.next_stacks() for cell in stack]
    assert {cell.config.seed for cell in cells} == {0, 1, 2}
    assert {cell.config.batch_size * cell.steps for cell in cells} == {2560}
    finish(survey)
    row = dict(zip(COLUMNS, survey.rows[0], strict=True))
    assert row["learned"] in (0.0, 1.0)


@every_case(
    "query",
    [
        {},
        {"across": "init_std", "up": "depth", "norms": "none,batch,layer", "seed": "3"},
        {"across": "learning_rate,0.1,10,8", "width": "100", "init": "he", "steps": "50"},
        {"across": "skip", "up": "depth", "branch_start": "0", "activation": "relu"},
        {"across": "skip,1,3,3", "up": "learning_rate"},
        {"up": "batch_size,4,4,1", "equal": "data", "seeds": "2", "depth": "3"},
    ],
)
def test_a_setting_survives_its_link(query: dict[str, str]) -> None:
    setting = MapSetting.from_query(query)
    assert setting.to_query() == query
    assert MapSetting.from_query(setting.to_query()).key == setting.key


def test_what_an_axis_says_counts_and_makes_no_other_map() -> None:
    other = MapSetting(BASE.replace(learning_rate=0.7, batch_size=9), USUAL.across, USUAL.up)
    assert other.key == USUAL.key
    assert USUAL.replace(steps=100).key != USUAL.key


@every_case(
    ("query", "field"),
    [
        ({"across": "width"}, "across"),
        ({"across": "learning_rate,1,0.1,4"}, "learning_rate"),
        ({"across": "learning_rate,nan,1,4"}, "learning_rate"),
        ({"across": "learning_rate,0.1,1e9,4"}, "learning_rate"),
        ({"across": "learning_rate,0.1,1,1000"}, "count"),
        ({"across": "learning_rate,0.1,0.10000001,16"}, "learning_rate"),
        ({"up": "batch_size,4,6.5,3"}, "up"),
        ({"up": "learning_rate"}, "up"),
        ({"up": "skip,0,11,4"}, "skip"),
        ({"up": "skip", "norms": "none,dropout"}, "skip"),
        ({"up": "init_std,0,1,4"}, "init_std"),
        ({"steps": "1e3"}, "steps"),
        ({"steps": "0"}, "steps"),
        ({"seeds": "21"}, "seeds"),
        ({"equal": "epochs"}, "equal"),
        ({"norms": "none,nothing"}, "norms"),
        ({"surprise": "1"}, "surprise"),
        ({"across": "learning_rate,0.01,10,64", "up": "batch_size,4,259,64", "seeds": "3"},
         "networks"),
        ({"width": "400", "depth": "12", "steps": "2000"}, "networks × steps"),
        ({"width": "512", "depth": "20"}, "depth × width² × batch_size × networks"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_named(query: dict[str, str], field: str) -> None:
    with pytest.raises(ConfigError) as error:
        MapSetting.from_query(query)
    assert error.value.field == field


def test_zooming_ends_where_float32_does() -> None:
    span, zooms = LADDERS["learning_rate"], 0
    while not span.axis.ends:
        span, zooms = span.zoomed(*span.rungs[6:8]), zooms + 1
        assert len(set(map(np.float32, span.rungs))) == len(span.rungs) == 16
    assert zooms == 5
    with pytest.raises(ConfigError) as error:
        span.zoomed(*span.rungs[6:8])
    assert error.value.field == "learning_rate"
    assert LADDERS["depth"].zoomed(2, 8).axis.ends


def test_a_map_of_depth_and_skips_has_its_networks() -> None:
    asked = MapSetting.from_query({"across": "skip", "up": "depth,2,10,3", "steps": "1"})
    cells = finish(Survey(asked.planes()))
    assert {cell.config.skip for cell in cells} == {0, 1, 2, 3, 4}
    assert {cell.config.depth for cell in cells} >= {2, 6, 10}


def test_a_cell_is_the_labs_run_of_its_setting() -> None:
    setting = USUAL.at(0.316, 32)
    assert setting == RunConfig(width=64, batch_size=32, learning_rate=0.316, device="cpu")
