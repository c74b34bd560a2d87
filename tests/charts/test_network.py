"""Network drawing: histograms in nodes, link width proportional to the gradient, node details."""

import itertools
import math
import re

import numpy as np
import pytest

from bnviz.charts import CHARTS, nodes
from bnviz.charts import binding as kinds
from bnviz.charts.layer_plan import MOST_RIDGES
from bnviz.charts.network_plan import FACTOR, HALF, plan, reach
from bnviz.charts.network_rows import BOUNDS, THICK, THIN
from bnviz.charts.panels import text_width
from bnviz.charts.scale import on_axis
from bnviz.charts.theme import PRESENTATION_TYPE, type_sizes
from bnviz.config import RunConfig
from bnviz.networks.saturation_zones import FLAT_ZONES
from bnviz.words.numbers import write
from tests.charts.conftest import PAIR, frame_by_hand, make_chart, make_view, record
from tests.charts.real_module import apply
from tests.every_case import every_case

FORMS = ("wide", "medium", "compact")
DEEP = RunConfig(depth=MOST_RIDGES + 1, width=8)


def of_kind(chart, kind):
    return [one for one in chart.bindings if type(one) is kind]


def links_with(values) -> list[tuple[float, float]]:
    """Return the width of each link of the network without BN, at the start and at the end of the
    link.
    """
    state = {"state": "learning", "broke": None, "test_loss": 1.0}
    arrays = {"none.gradients.grad_pre_activation_rms": np.array(values)}
    chart = make_chart("network", PAIR)
    figure = apply(chart, [frame_by_hand(0, {"none": state, "batch": state}, arrays)])
    one = of_kind(chart, nodes.Links)[0]
    y = figure.data[one.trace].y
    return [(y[at + 1] - y[at], y[at + 2] - y[at + 3]) for at in range(0, len(y), 6)]


def test_a_link_is_as_thick_as_the_gradients_at_both_its_ends_by_decades():
    middle = math.sqrt(BOUNDS[0] * BOUNDS[1])
    ends = links_with([BOUNDS[0], middle, BOUNDS[1], 1e9])
    assert ends == [pytest.approx(pair) for pair in [
        (THIN, (THIN + THICK) / 2), ((THIN + THICK) / 2, THICK), (THICK, THICK),
    ]]  # fmt: skip


def test_a_link_without_a_gradient_is_a_hair_and_one_that_is_no_number_is_no_hair():
    (first, second, third) = links_with([0.0, 1e-30, math.inf, math.nan])
    assert first == pytest.approx((THIN, THIN))
    assert second == pytest.approx((THIN, THICK))
    assert third == pytest.approx((THICK, THICK))


@pytest.mark.parametrize("config", [PAIR, DEEP], ids=["nodes", "strips"])
def test_every_layer_has_a_link_to_the_next_and_the_last_one_to_the_output(config):
    chart = make_chart("network", config)
    for one in of_kind(chart, nodes.Links):
        assert len(one.starts) == len(one.ends) == config.layer_count
        assert all(start < end for start, end in zip(one.starts, one.ends, strict=True))
        low, high = reach(make_view(config))
        assert low < one.starts[0] < one.ends[-1] < high


def test_hills_stand_within_their_nodes_on_the_axis_of_all_charts(pair):
    chart = make_chart("network", PAIR)
    figure = apply(chart, pair)
    for one in of_kind(chart, kinds.Ridges):
        x, y = figure.data[one.trace].x, figure.data[one.trace].y
        rows = [list(row) for gap, row in itertools.groupby(x, lambda at: at is None) if not gap]
        for number, row in enumerate(rows, start=1):
            assert (min(row), max(row)) == pytest.approx((number - HALF, number + HALF))
        assert min(at for at in y if at is not None) >= 0
        assert max(at for at in y if at is not None) <= 1


@every_case("activation", ["tanh", "relu", "linear"])
def test_the_flat_zone_is_shaded_in_every_node(activation):
    chart = make_chart("network", PAIR.replace(activation=activation))
    shaded = [shape.path for shape in chart.figure.layout.shapes if shape.yref == "y"
              and shape.fillcolor]  # fmt: skip
    zones = FLAT_ZONES.get(activation, ())
    assert len(shaded) == bool(zones)
    for path in shaded:
        assert path.count("M") == len(zones) * PAIR.layer_count
        edge = zones[0][1]  # upper end of the lower flat zone, in the first node
        assert f"H{1 + HALF * on_axis(edge) / on_axis(math.inf):.4f}V" in path


def test_over_each_link_stands_by_how_much_the_gradient_changes(pair):
    chart = make_chart("network", PAIR)
    figure = apply(chart, pair)
    words = [text for trace in figure.data for text in trace.text or ()]
    for norm in PAIR.norms:
        for factor in pair[-1].array(f"{norm}.gradients.growth"):
            assert f"×{write(float(factor), 'number')}" in words
        loss = write(float(pair[-1].networks[norm]["test_loss"]), "number")
        assert f"loss<br>{loss}" in words


@every_case("large", [0, *PRESENTATION_TYPE.values()])
@every_case("form", FORMS)
def test_factors_never_touch_and_their_second_line_is_over_the_first(form, large):
    sizes = type_sizes(large_type=large)
    for depth in range(1, MOST_RIDGES + 1):
        view = make_view(RunConfig(depth=depth, width=8), large_type=large)
        made = plan(view, form)
        low, high = reach(view)
        pitch = made.inner / (high - low)
        two = made.beside[0][1] > made.rows[0][1]
        assert text_width(FACTOR, sizes.small) <= pitch * (2 if two else 1)
        names = made.ticks["ticktext"]
        assert max(text_width(word, sizes.base) for name in names
                   for word in name.split("<br>") if "−" not in name) <= pitch * 1.15  # fmt: skip


def test_a_network_that_has_stopped_is_grey_and_says_so():
    frames = record(RunConfig(depth=3, width=12, activation="linear", learning_rate=100.0), 6)
    last = frames[-1].networks["none"]
    assert last["state"] == "diverged"
    chart = make_chart("network", PAIR)
    figure = apply(chart, frames)
    greys = [one for one in of_kind(chart, kinds.State) if one.network == "none"]
    assert len(greys) == 2
    for one in greys:
        assert figure.data[one.trace].line.color == one.when["diverged"]["line.color"]
    words = " ".join(text for trace in figure.data for text in trace.text or ())
    assert f"stopped at step {last['stopped']}" in words


def test_more_than_ten_layers_become_strips_over_a_stream_without_words():
    chart = make_chart("network", DEEP)
    assert len(of_kind(chart, kinds.Heat)) == len(DEEP.norms)
    assert not of_kind(chart, kinds.Ridges)
    assert not of_kind(chart, kinds.Text)
    layout, traces = chart.figure.layout, chart.figure.data
    for stream, strips in zip(of_kind(chart, nodes.Links), of_kind(chart, kinds.Heat), strict=True):
        assert stream.ends[:-1] == stream.starts[1:]
        under, over = (layout[traces[one.trace].yaxis.replace("y", "yaxis")]
                       for one in (stream, strips))  # fmt: skip
        assert under.domain[1] < over.domain[0]


@every_case("large", [0, PRESENTATION_TYPE[0]])
@pytest.mark.parametrize("config", [PAIR, PAIR.replace(depth=8)], ids=["few", "many"])
def test_under_every_layer_stands_its_number(config, large):
    axis = make_chart("network", config, large_type=large).figure.layout.xaxis
    words = zip(axis.tickvals, axis.ticktext, strict=True)
    named = {at: text.split("<br>")[-1] for at, text in words if at == round(at)}
    found = [int(re.search(r"\d+$", named[layer])[0]) for layer in range(1, config.depth + 1)]
    assert found == list(range(1, config.depth + 1))


@every_case("network", ["mlp", "conv", "recurrent"])
def test_a_node_opens_charts_in_which_its_layer_can_be_chosen(network):
    config = RunConfig(network=network, width=8)
    (doors,) = of_kind(make_chart("network", config), nodes.Doors)
    assert len(doors.spans) == len(doors.names) == config.layer_count
    for name in doors.opens:
        assert CHARTS[name].fits(config)
        (selector,) = [one for one in make_chart(name, config).selectors
                       if one.name == doors.selector]  # fmt: skip
        assert list(selector.options[: len(doors.names)]) == list(doors.names)


@pytest.mark.parametrize("config", [PAIR, DEEP], ids=["nodes", "strips"])
def test_the_node_that_broke_is_framed_on_its_networks_own_axis_beside_its_name(config):
    chart = make_chart("network", config)
    notes = chart.figure.layout.annotations
    for one in of_kind(chart, nodes.NodeCallout):
        assert len(one.spans) == len(one.rows) == config.layer_count
        assert make_view(config).label(one.network) in notes[one.heading].text
        assert one.y in {trace.yaxis for trace in chart.figure.data}


@pytest.mark.parametrize("large", [0, PRESENTATION_TYPE[0]])
def test_every_form_says_how_thick_the_thinnest_and_the_thickest_links_are(large):
    chart = make_chart("network", PAIR, large_type=large)
    for form in (chart.wide, chart.medium, chart.compact):
        key = form["layout"]["annotations"][-1]["text"]
        assert "10⁻⁹ or less" in key
        assert "1 or more" in key


def brackets(chart, form):
    """Return for each network the start and end of its brackets."""
    shapes = getattr(chart, form)["layout"]["shapes"]
    paths = [shape["path"] for shape in shapes
             if shape["xref"] == "x" and shape.get("ysizemode") == "pixel"]  # fmt: skip
    each = re.compile(r"M([\d.]+),2V\d+H([\d.]+)V2(?=M|$)")
    return [[(float(start), float(end)) for start, end in each.findall(path)] for path in paths]


@every_case("form", FORMS)
@every_case(
    ("depth", "skip", "blocks"),
    [(5, 2, [(1, 3), (3, 5)]), (6, 2, [(1, 3), (3, 5)]), (4, 1, [(1, 2), (2, 3), (3, 4)]),
     (50, 2, [(at, at + 2) for at in range(1, 49, 2)]), (3, 3, []), (6, 0, [])],
)  # fmt: skip
def test_brackets_stand_over_what_skips_lead_past(depth, skip, blocks, form):
    config = RunConfig(depth=depth, width=8, skip=skip)
    chart = make_chart("network", config)
    found = brackets(chart, form)
    assert len(found) == (len(config.norms) if blocks else 0)
    for of_network in found:
        assert [(round(start), round(end)) for start, end in of_network] == blocks
        ends = [at for pair in of_network for at in pair]
        assert ends == sorted(set(ends)), "two blocks do not share a leg"
    assert ("skip connections" in chart.subtitle) == bool(blocks)


def test_brackets_have_room_above_the_words():
    for depth in (5, 20):
        plain, skips = (
            plan(make_view(RunConfig(depth=depth, width=8, skip=skip)), "wide") for skip in (0, 2)
        )
        assert skips.leads >= plain.head > plain.leads == 0
        assert skips.head > skips.leads
        assert skips.height > plain.height
