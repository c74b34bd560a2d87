"""Time series of hand-made frames: the value used for each step, and the order of eviction."""

import json
import math

import numpy as np
import orjson
import pytest

from bnviz.live.protocol.frames import typed, untyped
from bnviz.live.runs.parsed_frames import HistoryFrame
from bnviz.live.runs.time_series import SERIES_OVERHEAD, TimeSeriesCache, read_fields

PLENTY = 2**20
# Bytes of one point: a step and a value.
POINT = 4 + 8


def frame(seq, step, *, loss=None, rank=None, at=None):
    """Return a frame of the network without BN, with its loss and the ranks of two layers.

    Args:
        at: step at which the ranks were measured, by default the frame's own step.
    """
    network = {"measured_at": {} if at is None else {"rank": at}}
    if loss is not None:
        network["loss"] = loss
    arrays = {} if rank is None else {"none.rank.ratio": typed(np.array(rank, np.float64))}
    return HistoryFrame(
        seq, step, orjson.dumps({"step": step, "networks": {"none": network}, "arrays": arrays})
    )


def ask(cache, version, kept, *fields):
    """Return the whole response, and the points (step, value) of each field."""
    told = json.loads(cache.answer(version, kept, read_fields(fields)))
    axes = [untyped(spec).tolist() for spec in told["steps"]]
    points = {
        field: list(zip(axes[one["step"]], untyped(one["value"]).tolist(), strict=True))
        for field, one in told["fields"].items()
    }
    return told, points


def points(kept, *fields):
    return ask(TimeSeriesCache(PLENTY), 1, kept, *fields)[1]


RATIO = ("none.rank.ratio:0", "none.rank.ratio:1")


def test_of_two_values_of_one_step_the_one_in_the_later_frame_counts():
    kept = [
        frame(0, 0, rank=(1.0, 10.0)),
        frame(1, 5, rank=(2.0, 20.0), at=0),
        frame(2, 6, rank=(3.0, 30.0), at=6),
    ]
    found = points(kept, *RATIO)
    assert found["none.rank.ratio:0"] == [(0, 2.0), (6, 3.0)]
    assert found["none.rank.ratio:1"] == [(0, 20.0), (6, 30.0)]


def test_later_is_by_number_and_not_by_step():
    """A replayed frame fills a past step after later frames were sent."""
    kept = [
        frame(0, 0, rank=(1.0, 0.0)),
        frame(9, 4, rank=(4.0, 0.0), at=3),
        frame(5, 8, rank=(2.0, 0.0), at=3),
    ]
    assert points(kept, RATIO[0]) == {RATIO[0]: [(0, 1.0), (3, 4.0)]}
    assert points(kept[::-1], RATIO[0]) == {RATIO[0]: [(0, 1.0), (3, 4.0)]}


def test_a_later_value_is_no_larger_one_nor_a_first_one():
    kept = [frame(n, n, rank=(value, 0.0), at=7) for n, value in enumerate((5.0, 9.0, 1.0, 4.0))]
    assert points(kept, RATIO[0]) == {RATIO[0]: [(7, 4.0)]}


def test_the_last_of_hundreds_of_values_of_two_steps_is_found():
    """There are so many values that an unstable sort could reorder the values of equal steps."""
    kept = [frame(n, n, rank=(n / 8, 0.0), at=n * 7 % 2) for n in range(400)]
    assert points(kept, RATIO[0]) == {RATIO[0]: [(0, 398 / 8), (1, 399 / 8)]}


def test_a_value_counts_at_the_step_at_which_it_was_measured_and_steps_ascend():
    kept = [
        frame(0, 10, loss=1.0, rank=(1.0, 0.0), at=10),
        frame(1, 20, loss=2.0, rank=(2.0, 0.0), at=4),
        frame(2, 30, loss=3.0, rank=(3.0, 0.0)),
    ]
    found = points(kept, "none.loss", RATIO[0])
    assert found["none.loss"] == [(10, 1.0), (20, 2.0), (30, 3.0)]
    assert found[RATIO[0]] == [(4, 2.0), (10, 1.0), (30, 3.0)]


def test_frames_without_a_value_have_no_point_and_nan_is_one():
    kept = [
        frame(0, 0), frame(1, 1, loss=math.nan), frame(2, 2, loss=0.0), frame(3, 3),
        frame(4, 4, rank=(6.0, 7.0)),
    ]  # fmt: skip
    kept[1] = HistoryFrame(1, 1, kept[1].body.replace(b"null", b'"NaN"'))
    found = points(kept, "none.loss", *RATIO, "batch.loss", "none.rank.ratio:2", "none.rank.ratio")
    assert [step for step, _ in found["none.loss"]] == [1, 2]
    assert math.isnan(found["none.loss"][0][1])
    assert found["none.loss"][1] == (2, 0.0)
    assert (found[RATIO[0]], found[RATIO[1]]) == ([(4, 6.0)], [(4, 7.0)])
    assert found["batch.loss"] == found["none.rank.ratio:2"] == []
    assert found["none.rank.ratio"] == [(4, 6.0)], "without an index the first entry"


def test_an_index_counts_from_either_end_and_no_further():
    kept = [frame(0, 0, rank=(6.0, 7.0))]
    found = points(kept, *(f"none.rank.ratio:{index}" for index in range(-3, 3)))
    assert list(found.values()) == [[], [(0, 6.0)], [(0, 7.0)], [(0, 6.0)], [(0, 7.0)], []]


def test_an_answer_names_its_newest_frame_all_steps_and_each_axis_once():
    kept = [
        frame(3, 0, loss=1.0, rank=(1.0, 2.0)),
        frame(8, 2, loss=2.0, rank=(3.0, 4.0), at=0),
        frame(5, 7, loss=3.0),
    ]
    told, found = ask(TimeSeriesCache(PLENTY), 1, kept, "none.loss", *RATIO)
    assert told["seq"] == 8
    assert untyped(told["step"]).tolist() == [0, 2, 7]
    assert [untyped(axis).tolist() for axis in told["steps"]] == [[0, 2, 7], [0]]
    assert [told["fields"][field]["step"] for field in ("none.loss", *RATIO)] == [0, 1, 1]
    assert found[RATIO[1]] == [(0, 4.0)]
    told, found = ask(TimeSeriesCache(PLENTY), 1, [], "none.loss")
    assert (told["seq"], found) == (-1, {"none.loss": []})


def test_frames_that_are_gone_take_their_points_along_and_uncover_older_ones():
    cache = TimeSeriesCache(PLENTY)
    kept = [frame(n, n, rank=(float(n), 0.0), at=min(n, 2)) for n in range(5)]
    assert ask(cache, 1, kept, RATIO[0])[1][RATIO[0]] == [(0, 0.0), (1, 1.0), (2, 4.0)]
    assert ask(cache, 2, kept[:4], RATIO[0])[1][RATIO[0]] == [(0, 0.0), (1, 1.0), (2, 3.0)]
    assert ask(cache, 3, kept[1:3], RATIO[0])[1][RATIO[0]] == [(1, 1.0), (2, 2.0)]
    late = [*kept[1:3], frame(7, 9, rank=(7.0, 0.0), at=1)]
    assert ask(cache, 4, late, RATIO[0])[1][RATIO[0]] == [(1, 7.0), (2, 2.0)]
    assert cache.parsed == 6, "each frame once"


def test_a_series_requested_later_has_the_whole_past():
    cache = TimeSeriesCache(PLENTY)
    kept = [frame(n, 2 * n, loss=float(n), rank=(10.0 * n, 0.0)) for n in range(3)]
    ask(cache, 1, kept, "none.loss")
    assert cache.parsed == 3
    kept.append(frame(3, 6, loss=3.0, rank=(30.0, 0.0)))
    found = ask(cache, 2, kept, RATIO[0], "none.loss")[1]
    assert found[RATIO[0]] == [(0, 0.0), (2, 10.0), (4, 20.0), (6, 30.0)]
    assert found["none.loss"] == [(0, 0.0), (2, 1.0), (4, 2.0), (6, 3.0)]
    assert cache.parsed == 7, "the past again for the new one, the new frame for both"


def test_an_answer_is_made_anew_as_soon_as_anything_has_changed():
    cache = TimeSeriesCache(PLENTY)
    kept = [frame(0, 0, loss=1.0)]
    first = cache.answer(1, kept, read_fields(["none.loss"]))
    assert cache.answer(1, kept, read_fields(["none.loss"])) is first
    assert ask(cache, 2, [frame(1, 0, loss=2.0)], "none.loss")[1] == {"none.loss": [(0, 2.0)]}


LOSSES = ("none.loss", "batch.loss", "layer.loss", "rms.loss")


def three_of(kept):
    """Return a full cache of three series. Versions increase, so that no response is reused."""
    cache = TimeSeriesCache(3 * (SERIES_OVERHEAD + POINT * len(kept)))
    for version, field in enumerate(LOSSES[:3]):
        ask(cache, version, kept, field)
    assert (len(cache), cache.parsed) == (3, 3 * len(kept))
    return cache


@pytest.mark.parametrize(
    ("asked", "fourth", "forgotten"),
    [
        ((), LOSSES[3], LOSSES[0]),
        ((LOSSES[0],), LOSSES[3], LOSSES[1]),
        ((LOSSES[1], LOSSES[0]), LOSSES[3], LOSSES[2]),
        ((LOSSES[1], LOSSES[0], LOSSES[2]), LOSSES[3], LOSSES[1]),
    ],
)
def test_the_series_that_was_requested_the_longest_ago_is_dropped_first(asked, fourth, forgotten):
    kept = [frame(n, n, loss=float(n)) for n in range(5)]
    cache = three_of(kept)
    for version, field in enumerate((*asked, fourth), start=10):
        ask(cache, version, kept, field)
    parsed = cache.parsed
    assert parsed == 4 * len(kept)
    for version, field in enumerate(set(LOSSES) - {forgotten}, start=20):
        ask(cache, version, kept, field)
    assert cache.parsed == parsed, "all the others are there"
    ask(cache, 30, kept, forgotten)
    assert cache.parsed == parsed + len(kept)


def test_an_answer_that_is_kept_counts_as_asked_for_too():
    kept = [frame(n, n, loss=float(n)) for n in range(5)]
    cache = three_of(kept)
    ask(cache, 5, kept, LOSSES[0])
    ask(cache, 5, kept, LOSSES[1])
    ask(cache, 5, kept, LOSSES[0])  # same response as before
    ask(cache, 5, kept, LOSSES[2])
    ask(cache, 5, kept, LOSSES[0])
    ask(cache, 6, kept, LOSSES[3])
    parsed = cache.parsed
    ask(cache, 7, kept, LOSSES[0])
    assert cache.parsed == parsed
    ask(cache, 8, kept, LOSSES[1])
    assert cache.parsed == parsed + len(kept)


def test_of_several_fields_asked_for_together_the_first_goes_first():
    kept = [frame(n, n, loss=float(n)) for n in range(5)]
    cache = TimeSeriesCache(3 * (SERIES_OVERHEAD + POINT * 5))
    ask(cache, 1, kept, *LOSSES[:3])
    ask(cache, 2, kept, LOSSES[3])
    assert (len(cache), cache.parsed) == (3, 10)
    ask(cache, 3, kept, *LOSSES[1:])
    assert cache.parsed == 10
    ask(cache, 4, kept, LOSSES[0])
    assert cache.parsed == 15


def test_bytes_are_those_of_the_points_and_one_more_than_fits_goes():
    kept = [frame(n, n, loss=float(n)) for n in range(5)]
    one = SERIES_OVERHEAD + POINT * 5
    cache = TimeSeriesCache(2 * one)
    ask(cache, 1, kept, *LOSSES[:2])
    assert (len(cache), cache.size) == (2, 2 * one)
    cache = TimeSeriesCache(2 * one - 1)
    ask(cache, 1, kept, *LOSSES[:2])
    assert (len(cache), cache.size) == (1, one)
    cache = TimeSeriesCache(one - 1)
    assert ask(cache, 1, kept, "none.loss")[1]["none.loss"][-1] == (4, 4.0)
    assert (len(cache), cache.size) == (0, 0)
    assert ask(cache, 2, kept[:3], "none.loss")[1]["none.loss"][-1] == (2, 2.0)
