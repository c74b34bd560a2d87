"""Exports of hand-made frames: each measurement is exported once, from the last frame that contains
it.
"""

import csv
import io
import json

import numpy as np
import orjson

from bnviz.config import RunConfig
from bnviz.live.protocol.frames import typed
from bnviz.live.runs.export import MOST_COLUMNS, csv_lines, json_parts
from bnviz.live.runs.parsed_frames import HistoryFrame
from bnviz.records import Change


def frame(seq, step, rank=None, at=None, *, loss=0.0, **arrays):
    """Return a frame of a network without BN, with the ranks of two layers from step `at`."""
    given = {"none.rank.ratio": rank} if rank is not None else {}
    network = {"state": "learning", "loss": loss, "measured_at": {} if at is None else {"rank": at}}
    values = {**given, **{name.replace("__", "."): value for name, value in arrays.items()}}
    body = {
        "step": step, "networks": {"none": network}, "replayed": True,
        "arrays": {name: typed(np.array(value, np.float64)) for name, value in values.items()},
    }  # fmt: skip
    return HistoryFrame(seq, step, orjson.dumps(body))


def table(*kept):
    """Return, for each step, the values in the tested columns of the CSV."""
    rows = list(csv.DictReader(io.StringIO("".join(csv_lines(kept)))))
    return {
        int(row["step"]): tuple(
            row.get(name) for name in ("none.loss", "none.rank.ratio:0", "none.rank.ratio:1")
        )
        for row in rows
    }


def holders(*kept):
    """Return each JSON frame's step, with the step and values of its rank measurement."""
    told = json.loads("".join(json_parts(RunConfig(), [], kept, "cpu")))
    return [
        (one["step"], one["networks"]["none"]["measured_at"].get("rank"),
         one["arrays"].get("none.rank.ratio"))
        for one in told["frames"]
    ]  # fmt: skip


def test_a_line_is_a_step_that_was_shown_or_measured_and_steps_ascend():
    found = table(frame(0, 0, (1, 2), loss=9.0), frame(1, 5, (3, 4), 3, loss=8.0), frame(2, 7))
    assert found == {
        0: ("9.0", "1.0", "2.0"), 3: ("", "3.0", "4.0"), 5: ("8.0", "", ""), 7: ("0.0", "", ""),
    }  # fmt: skip


def test_of_two_values_of_one_step_the_table_has_that_of_the_later_frame():
    late = frame(9, 2, (5, 6), 1, loss=1.0)
    for kept in (
        (frame(0, 0, (1, 2)), frame(1, 4, (3, 4), 1), late),
        (frame(0, 0, (1, 2)), late, frame(1, 4, (3, 4), 1)),
    ):
        assert table(*kept)[1] == ("", "5.0", "6.0")
        assert table(*kept)[2] == ("1.0", "", "")


def test_what_is_carried_along_stands_at_its_own_step_alone():
    found = table(frame(0, 0, (1, 2)), frame(1, 1, (1, 2), 0), frame(2, 2, (1, 2), 0))
    assert [row[1:] for row in found.values()] == [("1.0", "2.0"), ("", ""), ("", "")]


def test_columns_are_those_of_every_frame_and_large_arrays_are_left_out():
    most = {"none__histogram__counts": np.zeros(MOST_COLUMNS)}
    more = {"none__histogram__input": np.zeros(MOST_COLUMNS + 1)}
    header = next(iter(csv_lines([frame(0, 0), frame(1, 1, (1, 2), **most), frame(2, 2, **more)])))
    names = header.strip().split(",")
    assert names[:3] == ["step", "none.state", "none.loss"]
    assert [name for name in names if ".rank." in name] == [
        "none.rank.ratio:0", "none.rank.ratio:1",
    ]  # fmt: skip
    assert sum(name.startswith("none.histogram.counts:") for name in names) == MOST_COLUMNS
    assert not any("histogram.input" in name for name in names)


def test_a_measurement_is_shown_by_the_frame_of_its_step():
    kept = (frame(0, 0, (1, 2)), frame(1, 3, (1, 2), 0), frame(2, 6, (3, 4), 6))
    assert holders(*kept) == [(0, 0, [1, 2]), (3, None, None), (6, 6, [3, 4])]
    replayed = (frame(0, 0), frame(5, 2, (3, 4), 2), frame(1, 4, (3, 4), 2))
    assert holders(*replayed) == [(0, None, None), (2, 2, [3, 4]), (4, None, None)]


def test_where_no_frame_shows_its_step_the_first_that_carries_it_does():
    kept = (frame(0, 0), frame(1, 5, (3, 4), 2), frame(2, 6, (3, 4), 2))
    assert holders(*kept) == [(0, None, None), (5, 2, [3, 4]), (6, None, None)]
    earlier = (frame(0, 0), frame(7, 3, (3, 4), 2), frame(1, 5, (3, 4), 2))
    assert holders(*earlier) == [(0, None, None), (3, 2, [3, 4]), (5, None, None)]


def test_of_two_values_of_one_step_the_later_frames_is_shown():
    kept = (frame(0, 0, (1, 2)), frame(1, 5, (9, 9), 0), frame(2, 6, (9, 9), 0))
    assert holders(*kept) == [(0, None, None), (5, 0, [9, 9]), (6, None, None)]


def test_the_file_has_the_config_and_the_changes_and_not_how_a_frame_came():
    changes = [Change(3, {"momentum": 0.5}), Change(4, {"learning_rate": 0.2}, 7)]
    kept = frame(0, 0), frame(1, 2)
    told = json.loads("".join(json_parts(RunConfig(depth=3), changes, kept, "cuda")))
    assert list(told) == ["config", "resolved_device", "changes", "frames"]
    assert told["resolved_device"] == "cuda"
    assert told["config"]["depth"] == 3
    assert [(one["step"], one["values"]) for one in told["changes"]] == [
        (3, {"momentum": 0.5}), (4, {"learning_rate": 0.2}),
    ]  # fmt: skip
    assert [one["step"] for one in told["frames"]] == [0, 2]
    assert not any("replayed" in one for one in told["frames"])
