"""Histograms of each layer's input, next to the histograms at initialization."""

import math

import numpy as np
import pytest

from bnviz.charts import binding as kinds
from bnviz.charts.hill import ROOM
from bnviz.charts.scale import REACH
from bnviz.charts.theme import PRESENTATION_TYPE, type_sizes
from bnviz.config import RunConfig
from bnviz.networks.saturation_zones import FLAT_ZONES
from bnviz.probes.axis import UNIT_LIMIT
from bnviz.words.numbers import write
from tests.charts.conftest import PAIR, make_chart, record
from tests.charts.real_module import apply
from tests.every_case import every_case


def ridges_of(chart, probe):
    return [one for one in chart.bindings
            if isinstance(one, kinds.Ridges) and f".{probe}." in one.field]  # fmt: skip


def words_of(figure):
    return [text for trace in figure.data for text in trace.text or () if text]


def test_the_start_stands_behind_each_hill_on_the_same_rows(pair):
    chart = make_chart("hills", PAIR)
    then, now = (ridges_of(chart, probe) for probe in ("start_histogram", "histogram"))
    assert len(then) == len(now) == 2
    first, last = apply(chart, pair, shown=0), apply(chart, pair)
    for start, hill in zip(then, now, strict=True):
        assert start.trace < hill.trace
        assert (start.base, start.height) == (hill.base, hill.height)
        # At step 0, both histograms are equal. Later only the current histogram has changed.
        assert first.data[start.trace].y == first.data[hill.trace].y
        assert last.data[start.trace].x == first.data[start.trace].x
    assert any(last.data[one.trace].y != first.data[one.trace].y for one in now)


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_the_share_of_the_flat_zone_stands_in_every_row(activation):
    config = PAIR.replace(activation=activation)
    frames, chart = record(config, 1), make_chart("hills", config)
    figure = apply(chart, frames)
    words = [word.strip() for word in words_of(figure)]
    for norm in config.norms:
        for share in frames[-1].array(f"{norm}.saturation.saturated"):
            assert write(float(share), "percent0") in words
    said = [note["text"] for note in chart.figure.layout.to_plotly_json()["annotations"]]
    zones = len(FLAT_ZONES[activation])
    names = ("flat", "flat: little gradient", "flat: no gradient")
    assert sum(map(said.count, names)) == 2 * zones
    assert said.count("steep") == 2


def test_stacks_have_neither_names_nor_numbers_on_the_axis():
    layout = make_chart("stacks", PAIR).figure.layout
    assert layout.xaxis.showticklabels is False
    said = [note["text"] for note in layout.to_plotly_json()["annotations"]]
    assert not any("BN" in words for words in said)


def test_on_the_stage_the_words_over_the_shares_touch_none_and_what_lies_beyond_stands_apart():
    config = RunConfig()
    layout = (
        chart := make_chart("hill", config, large_type=PRESENTATION_TYPE[0], only="none")
    ).figure.layout
    (words,) = (trace for trace in chart.figure.data if trace.mode == "text")
    low, high = layout.yaxis.range
    # Height of a row and font size of its label, in pixels, in a window of the smallest height.
    row, type_size = (
        0.88 * ROOM[False] / (config.depth + 0.5),
        type_sizes(large_type=PRESENTATION_TYPE[0]).small,
    )
    shares = [(x, y) for x, y in zip(words.x, words.y, strict=True) if x > 0.99 * REACH]
    assert (high - max(y for _, y in shares)) * row >= 0.6 * type_size
    (zone,) = layout.annotations
    assert (zone.y, zone.yanchor) == (1, "bottom")
    assert layout.margin.t >= 1.2 * type_size
    assert low < min(y for _, y in shares)
    beyond = {x for x in words.x if 0.5 * REACH < x < 0.99 * REACH}
    assert max(beyond) <= 0.95 * REACH


@every_case("count", [1, 2, 3, 4])
def test_on_a_phone_two_columns_stand_side_by_side(count):
    norms = ("none", "batch", "layer", "rms")[:count]
    chart = make_chart("hills", RunConfig(depth=3, width=12, norms=norms))
    wide, compact = chart.wide["layout"], chart.compact["layout"]
    axes = [f"axis{number or ''}" for number in (0, *range(2, count + 1))]
    assert len({tuple(wide[f"y{axis}.domain"]) for axis in axes}) == 1
    assert len({tuple(wide[f"x{axis}.domain"]) for axis in axes}) == count
    assert len({tuple(compact[f"x{axis}.domain"]) for axis in axes}) == min(count, 2)
    assert len({tuple(compact[f"y{axis}.domain"]) for axis in axes}) == -(-count // 2)
    ranges = {tuple(chart.figure.layout[f"x{axis}"].range) for axis in axes}
    assert ranges == {(-REACH, REACH)}
    # On a phone, the lowest layer is labelled by its number alone.
    assert wide["yaxis.ticktext"][0] == "layer 1"
    assert compact["yaxis.ticktext"][0] == "1"


def test_a_network_that_has_stopped_is_grey_and_says_so():
    config = RunConfig(depth=3, width=12, activation="linear", learning_rate=100.0)
    chart, frames = make_chart("hills", config), record(config, 6)
    stopped = frames[-1].networks["none"]["stopped"]
    words = " ".join(words_of(apply(chart, frames)))
    assert f"stopped at step {stopped}" in words
    greys = [one for one in chart.bindings if isinstance(one, kinds.State)]
    assert {one.network for one in greys} == {"none", "batch"}


def test_small_ticks_stand_ever_closer_up_to_the_next_power_of_ten():
    minor = make_chart("hills", PAIR).figure.layout.xaxis.minor
    units = [at for at in minor.tickvals if math.asinh(1) < at < math.asinh(10)]
    gaps = np.diff([math.asinh(1), *sorted(units), math.asinh(10)])
    assert len(units) == 8
    assert (np.diff(gaps) < 0).all()


def test_deep_networks_have_strips_without_outlines():
    chart = make_chart("hills", RunConfig(depth=11, width=8))
    assert not ridges_of(chart, "start_histogram")
    assert sum(isinstance(one, kinds.Heat) for one in chart.bindings) == 2
    assert "darkest" in chart.subtitle


def test_one_units_hill_is_that_of_the_unit_chosen(pair):
    chart = make_chart("unit_hill", PAIR)
    figure = apply(chart, pair, selected={"layer": 1, "unit": 3})
    for norm in PAIR.norms:
        means = [one for one in chart.bindings if isinstance(one, kinds.Array)
                   and one.field == f"{norm}.unit_histogram.mean"]  # fmt: skip
        expected = pair[-1].array(f"{norm}.unit_histogram.mean")[1, 3]
        (drawn,) = figure.data[means[0].trace].x
        assert drawn == pytest.approx(math.asinh(expected))
        now = next(one for one in ridges_of(chart, "unit_histogram") if one.field.endswith("now")
                   and one.field.startswith(norm))  # fmt: skip
        counts, start = (pair[-1].array(f"{norm}.unit_histogram.{each}")[1, 3]
                         for each in ("now", "start"))  # fmt: skip
        heights = [y for y in figure.data[now.trace].y if y is not None]
        share = counts.max() / max(counts.max(), start.max())
        assert 0.86 * share / 1.05 - 1e-9 <= max(heights) <= 0.86 * share + 1e-9
    assert chart.figure.layout.xaxis.range == (-math.asinh(UNIT_LIMIT), math.asinh(UNIT_LIMIT))
