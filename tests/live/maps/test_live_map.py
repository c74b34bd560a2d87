"""Progress and speed of a map."""

from __future__ import annotations

from typing import Any

import pytest

from bnviz.config import RunConfig
from bnviz.live.maps.live_map import LiveMap, MapProgress, MapStack
from bnviz.sweeps.cells import Cell, CellOutcome
from bnviz.sweeps.setting import MapSetting, Span

SETTING = MapSetting(
    RunConfig(depth=2, width=8), Span("learning_rate", 0.1, 30.0, 4), Span("batch_size", 8, 9, 2),
    steps=20,
)  # fmt: skip
LEARNED = CellOutcome("learning", None, None, 0.9, 0.3)


def progress_of(networks: int, total: int, **more: Any) -> MapProgress:
    return MapProgress(rows=networks, networks=networks, total=total, phase="base", **more)


@pytest.fixture
def live_map() -> LiveMap:
    return LiveMap(SETTING, 1000.0)


def counted(live_map: LiveMap, *moments: tuple[float, int], total: int = 100) -> dict[str, Any]:
    """Count a map's networks at several moments, each a pair (time in seconds, number of
    networks), and return the final progress.
    """
    for now, networks in moments:
        live_map.progress = progress_of(networks, total)
        live_map.count(now)
    return live_map.progress_facts()


def test_how_fast_a_map_is_and_how_long_it_takes_is_that_of_the_last_seconds(live_map: LiveMap):
    told = counted(live_map, (1000, 0), (1002, 6), (1004, 20))
    assert told == {"done": 20, "total": 100, "seconds_left": 16, "rate": 5, "phase": "base"}
    # The rate is measured from the last count that is at least ten seconds old.
    told = counted(live_map, (1013, 24), (1014, 25))
    assert told["rate"] == pytest.approx(5 / 10)
    assert told["seconds_left"] == pytest.approx(75 / 0.5)


def test_a_pause_does_not_count(live_map: LiveMap):
    counted(live_map, (1000, 0), (1001, 10))
    live_map.restart_count(1500)
    assert live_map.progress_facts()["rate"] is None
    assert counted(live_map, (1502, 18))["rate"] == 4


def test_before_anything_is_measured_nothing_is_said_of_time(live_map: LiveMap):
    told = counted(live_map, (1000, 0))
    assert (told["rate"], told["seconds_left"]) == (None, None)
    assert counted(live_map, (1001, 0))["seconds_left"] is None
    assert LiveMap(SETTING, 0.0).progress.total == LiveMap(SETTING, 0.0).survey.total() == 16


def test_there_are_never_fewer_networks_than_are_done(live_map: LiveMap):
    told = counted(live_map, (1000, 90), (1001, 120))
    assert (told["done"], told["total"], told["seconds_left"]) == (120, 120, 0)


@pytest.mark.parametrize(
    ("left", "over"),
    [({}, True), ({"ready": True}, False), ({"found": True}, False), ({"surveying": True}, False),
     ({"under_way": True}, False)],
)  # fmt: skip
def test_a_map_is_over_when_nothing_of_it_is_left(
    live_map: LiveMap, left: dict[str, bool], over: bool
):
    live_map.progress = MapProgress(phase="done")
    stack = MapStack([Cell(SETTING.at(0.1, 8), 20)])
    live_map.surveying = "surveying" in left
    if "ready" in left:
        live_map.ready.append(stack)
    if "found" in left:
        live_map.outcomes.append((stack.cells[0], LEARNED))
    if "under_way" in left:
        live_map.under_way[1] = stack
    assert live_map.over is over
    live_map.problem = "It ended."
    assert live_map.over


def test_who_asked_lately_wants_a_map(live_map: LiveMap):
    live_map.wanted_by = {"a": 990.0, "b": 995.0, "c": 1000.0}
    live_map.forget_owners(995.0)
    assert [*live_map.wanted_by] == ["b", "c"]


def test_a_browser_is_told_the_points_that_it_has_not(live_map: LiveMap):
    while stacks := live_map.survey.next_stacks():
        live_map.survey.take([(cell, LEARNED) for stack in stacks for cell in stack])
    live_map.progress = progress_of(len(live_map.survey.rows) - 2, 99, reading={"largest": [1]})
    end = live_map.progress.rows
    status = {"status": "running", "place": 3}
    asked = live_map.update(status, None, 5)
    assert (asked.begin, asked.end) == (5, end)
    told = asked.plain()
    assert told["points"] == live_map.survey.rows[5:end]
    assert (told["n"], told["status"], told["place"]) == (end, "running", 3)
    assert (told["reading"], told["problem"]) == ({"largest": [1]}, None)
    assert told["key"] == SETTING.key
    beyond = live_map.update(status, None, 10**6)
    assert beyond.plain()["points"] == []
    # Responses with equal content have the same cache key, and responses with different content
    # have different keys.
    keys = {live_map.update(status, None, 5).cache_key, asked.cache_key}
    live_map.version += 1
    assert len(keys | {live_map.update(status, None, 5).cache_key, beyond.cache_key}) == 3
