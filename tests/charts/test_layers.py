import math
from itertools import groupby

import numpy as np
import pytest

from bnviz.charts import binding as kinds
from bnviz.charts.distributions import HEIGHT
from bnviz.charts.scale import REACH, decades, layer_ticks, on_axis
from bnviz.charts.theme import PRESENTATION_TYPE
from bnviz.config import RunConfig
from bnviz.words.numbers import NO_BREAK_SPACE
from tests.charts.conftest import PAIR, frame_by_hand, make_chart, record
from tests.charts.real_module import apply
from tests.every_case import every_case


def test_all_distributions_share_one_axis():
    layout = make_chart("layers", PAIR).figure.layout
    assert [layout[name].range for name in ("xaxis", "xaxis2")] == [(-REACH, REACH)] * 2
    assert layout.xaxis2.matches == "x"


def test_every_row_is_as_high_as_its_own_peak_allows(pair):
    chart = make_chart("layers", PAIR)
    figure = apply(chart, pair)
    ridges = [one for one in chart.bindings if isinstance(one, kinds.Ridges)]
    assert len(ridges) == 4  # current and initial
    for norm in PAIR.norms:
        own = [one for one in ridges if one.field.startswith(f"{norm}.")]
        for one in own:
            y = figure.data[one.trace].y
            parts = [list(part) for gap, part in groupby(y, lambda at: at is None) if not gap]
            assert [part[0] for part in parts] == pytest.approx(list(one.base))
            for part in parts:
                assert HEIGHT / 1.05 - 1e-9 <= max(part) - part[0] <= HEIGHT + 1e-9


def test_counts_beyond_the_axis_and_not_finite_are_printed():
    arrays = {f"none.histogram.{name}": np.array([0.0, share, 0.0]) for name, share in
              (("overflow", 0.12), ("underflow", 0.34), ("nonfinite", 0.56))}  # fmt: skip
    chart = make_chart("layers", PAIR)
    state = {"state": "learning", "broke": None}
    figure = apply(chart, [frame_by_hand(0, {"none": state, "batch": state}, arrays)])
    words = " ".join(text for trace in figure.data for text in trace.text or ())
    for share in ("12", "34", "56"):
        assert f"{share}{NO_BREAK_SPACE}% " in words


def test_a_network_that_is_no_longer_finite_turns_grey_and_says_so():
    frames = record(RunConfig(depth=3, width=12, activation="linear", learning_rate=100.0), 6)
    last = frames[-1].networks["none"]
    assert last["state"] == "diverged"
    chart = make_chart("layers", PAIR)
    figure = apply(chart, frames)
    greys = [one for one in chart.bindings
             if isinstance(one, kinds.State) and one.network == "none"]  # fmt: skip
    assert len(greys) == 4
    words = " ".join(text for trace in figure.data for text in trace.text or ())
    assert f"stopped at step {last['stopped']}" in words


def test_more_than_ten_layers_become_heat_strips():
    heat = make_chart("layers", RunConfig(depth=11, width=8))
    ridges = make_chart("layers", RunConfig(depth=10, width=8))
    assert {type(one) for one in heat.bindings} >= {kinds.Heat}
    assert kinds.Ridges not in {type(one) for one in heat.bindings}
    assert {type(one) for one in ridges.bindings} >= {kinds.Ridges}
    zmax = {trace.zmax for trace in heat.figure.data if trace.type == "heatmap"}
    assert len(zmax) == 1


def test_fifty_layers_have_legible_ticks():
    ticks = layer_ticks(50, first="layer 1", output="out", row=11, size=13)
    assert ticks["tickvals"] == [1, *range(5, 46, 5), 51]
    assert ticks["ticktext"][0] == "layer 1"
    assert ticks["ticktext"][-1] == "out"


@every_case("output", [None, "out"])
@every_case(
    ("count", "row", "size"),
    [(1, 100, 13), (12, 15, 13), (50, 4, 13), (64, 3, 13), (64, 4, 20), (784, 0.9, 13)],
)
def test_names_of_layers_never_touch(count, row, size, output):
    ticks = layer_ticks(count, first="time 1", output=output, row=row, size=size)
    places = np.array(ticks["tickvals"])
    assert len(places) == len(ticks["ticktext"]) >= 1
    assert places[0] == 1
    assert (np.diff(places) * row >= size).all()
    # A page may shrink a chart of many layers, so the first two labels must be further apart.
    assert count <= 12 or len(places) < 2 or (places[1] - 1) * row >= 1.5 * size


def test_hovering_names_every_row_and_the_output():
    rows = next(one for one in make_chart("layers", PAIR).bindings if isinstance(one, kinds.Rows))
    assert rows.names == ["layer 1", "layer 2", "layer 3", "output"]
    assert rows.centres == [1, 2, 3, 4]


def test_positions_beyond_the_axis_lie_on_its_ends():
    assert on_axis(math.inf) == REACH
    assert on_axis(-1e9) == -REACH
    assert on_axis(1.0) == math.asinh(1)


@every_case(("large", "depth", "said"), [(0, 6, True), (0, 20, False), (20, 6, True)])
def test_zones_are_called_by_name_where_rows_have_the_height(large, depth, said):
    chart = make_chart("layers", RunConfig(depth=depth, activation="tanh"), large_type=large)
    words = [note["text"] for note in chart.wide["layout"]["annotations"]]
    flat = words.count("flat") + words.count("flat: little gradient")
    assert (flat, words.count("steep")) == ((4, 2) if said else (0, 0))


def test_decades_are_named_as_powers_of_ten():
    ticks = decades(-3, 1, labelled=1)
    assert ticks["ticktext"] == ["10⁻³", "10⁻²", "10⁻¹", "1", "10"]
    assert ticks["tickvals"] == pytest.approx([1e-3, 1e-2, 0.1, 1, 10])


@every_case("activation", ["tanh", "relu"])
def test_a_picture_for_slides_names_its_zones_and_its_axis(activation):
    chart = make_chart("layers", RunConfig(activation=activation), large_type=PRESENTATION_TYPE[0])
    for form in (chart.wide, chart.medium, chart.compact):
        layout = form["layout"]
        notes = [note for note in layout["annotations"] if note["text"].startswith("flat")]
        assert {note["xref"] for note in notes} == {"x", "x2"}
        assert {note["yanchor"] for note in notes} == {"bottom"}, "over the rows"
        assert layout["xaxis.title.text"].startswith("input of")
