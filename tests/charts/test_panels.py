"""Charts of several panels: positions and contents in every layout."""

import itertools
import math

import numpy as np
import pytest

from bnviz.charts import CHARTS
from bnviz.charts.panels import SCRIPT_GAP, Block, pile, text_width
from bnviz.charts.theme import PRESENTATION_TYPE
from bnviz.config import RunConfig
from tests.charts.conftest import PAIR, frame_by_hand, make_chart
from tests.charts.real_module import apply
from tests.every_case import every_case

# Charts with a single panel, which is shown next to another chart or has rows of its own.
SINGLE = {"loss", "batch_loss", "accuracy", "network", "hill", "spectrum", "io_jacobian"}
PANELED = [name for name in CHARTS if name not in SINGLE]
FOUR = RunConfig(depth=3, width=8, norms=("batch", "renorm", "l1", "linf"))
STATE = {"state": "learning", "broke": None}


def places(chart, form: str) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Return the x and y domains of the panels in a layout."""
    layout = chart.figure.layout.to_plotly_json()
    patch = getattr(chart, form)["layout"]
    anchors = {key: axis["anchor"] for key, axis in layout.items()
               if key.startswith("xaxis")}  # fmt: skip
    return [(patch[f"{key}.domain"], patch[f"y{'axis' + anchor[1:]}.domain"])
            for key, anchor in anchors.items()]  # fmt: skip


# Four networks in large type leave the least space for panels, two networks in small type the most.
@every_case(("config", "large"), [(PAIR, 0), (FOUR, PRESENTATION_TYPE[0])])
@every_case("name", PANELED)
def test_panels_do_not_overlap_in_any_form(name, config, large):
    chart = make_chart(name, config, large_type=large)
    for form in ("wide", "medium", "compact"):
        # The charts `boundary` and `formula` have no medium layout.
        panels = places(chart, form) if getattr(chart, form) else []
        assert panels or name in ("boundary", "formula")
        for x, y in panels:
            assert 0 <= x[0] < x[1] <= 1, form
            assert 0 <= y[0] < y[1] <= 1, form
        for (ax, ay), (bx, by) in itertools.combinations(panels, 2):
            beside = ax[1] <= bx[0] or bx[1] <= ax[0]
            assert beside or ay[1] <= by[0] or by[1] <= ay[0], form


def test_a_figure_of_several_rows_is_never_squeezed():
    charts = [make_chart(name, FOUR, large_type=PRESENTATION_TYPE[0]) for name in PANELED]
    several = {chart.name: chart for chart in charts if len(places(chart, "compact")) > 1}
    assert {"drift", "weights", "shape"} <= several.keys()
    for name, chart in several.items():
        # Compact charts keep their full height, except `boundary`, which keeps its aspect ratio.
        assert name == "boundary" or chart.compact["least"] == chart.compact["height"], name


def test_piled_panels_have_the_pixels_that_they_ask_for():
    blocks = [Block(30, 100, 40), Block(20, 50, 40)]
    height, (upper, lower) = pile(blocks, 30, 40)
    inner = height - 70
    assert height == 280
    assert upper == pytest.approx((1 - 100 / inner, 1))
    assert lower == pytest.approx((0, 50 / inner))


def filled(name: str, config: RunConfig, arrays=None, **network):
    state = {norm: {**STATE, **network} for norm in config.norms}
    return apply(make_chart(name, config), [frame_by_hand(0, state, arrays or {})])


def test_the_shift_of_the_lowest_layer_is_not_drawn_but_listed():
    change = np.array([0.0, 0.5, 0.25, 1.0])
    figure = filled("ics", PAIR, {"none.ics.change": change})
    assert figure.data[0].y == (2, 3, 4)
    assert figure.data[0].x == (0.5, 0.25, 1.0)
    table = make_chart("ics", PAIR).table
    assert table.row_names == ["layer 1", "layer 2", "layer 3", "output"]
    assert {column.index for column in table.columns} == {":", None}


@every_case("value", [math.nan, math.inf, -math.inf, 0.0])
@every_case("name", CHARTS)
def test_no_value_leaves_its_axis(name, value, pair):
    frame = pair[-1]
    measured = {key: frame.array(key) for key in frame.arrays}
    arrays = {key: np.full_like(array, value) if array.dtype.kind == "f" else array
              for key, array in measured.items()}  # fmt: skip
    figure = apply(make_chart(name, PAIR), [*pair, frame_by_hand(9, frame.networks, arrays)])
    for trace in figure.data:
        for places in (trace.x, trace.y):
            drawn = [place for place in places or () if place is not None]
            assert np.isfinite(drawn).all()


def test_bars_of_cost_are_multiples_of_the_plain_network():
    config = RunConfig(depth=1, width=8, norms=("none", "batch"))
    state = {"none": {**STATE, "seconds_per_step": 0.002},
             "batch": {**STATE, "seconds_per_step": 0.003}}  # fmt: skip
    figure = apply(make_chart("cost", config), [frame_by_hand(1, state, {})])
    plain, batch = figure.data[:2]
    assert (plain.x, plain.text) == ((1.0,), ("1 ×",))
    assert (batch.x, batch.text) == ((1.5,), ("1.5 ×",))
    alone = make_chart("cost", config.replace(norms=("batch",)))
    figure = apply(alone, [frame_by_hand(1, {"batch": state["batch"]}, {})])
    assert (figure.data[0].x, figure.data[0].text) == ((3.0,), ("3 ms",))


def test_what_is_expected_of_chance_is_one_line_in_no_networks_colour():
    chart = make_chart("batch_noise", PAIR)
    colours = {trace.line.color for trace in chart.figure.data if trace.mode == "lines"}
    expected = [one for one in chart.bindings if "expected" in getattr(one, "field", "")]
    assert {one.field for one in expected} == {
        "batch.batch_noise.mean_expected", "batch.batch_noise.std_expected",
    }  # fmt: skip
    assert len({chart.figure.data[one.trace].line.color for one in expected}) == 1
    assert chart.figure.data[expected[0].trace].line.color in colours


def test_limits_of_one_rate_show_the_dots_of_every_network():
    chart = make_chart("sharpness", FOUR)
    dashes = [chart.figure.data[place].line.dash for place in range(4)]
    lengths = [[float(part.removesuffix("px")) for part in dash.split(",")] for dash in dashes]
    period = {sum(parts) for parts in lengths}
    starts = [parts[1] for parts in lengths]
    assert len(period) == 1
    assert all(after >= before + 3 for before, after in itertools.pairwise(starts))


def test_a_network_without_batch_statistics_is_named_in_words():
    chart = make_chart("mode_gap", RunConfig(depth=1, width=8, norms=("none", "batch", "layer")))
    assert "without BN, with layer norm: no such statistics" in chart.subtitle
    assert not any(column.field.startswith(("none", "layer")) for column in chart.table.columns)


def test_time_steps_share_their_weights_and_one_line():
    chart = make_chart("weights", RunConfig(network="recurrent", width=8))
    assert not chart.selectors
    assert chart.table.rows == "series"
    assert chart.time


def test_words_of_han_are_as_wide_as_they_are_drawn():
    assert text_width("层", 20) == text_width("層", 20) == 20
    digit = text_width("1", 20)
    assert text_width("第1层", 20) == pytest.approx(40 + digit + 2 * 20 * SCRIPT_GAP)
    assert text_width("第1、2", 20) == pytest.approx(40 + 2 * digit + 20 * SCRIPT_GAP)
    assert text_width("layer 1", 20) == pytest.approx(7 * digit)
