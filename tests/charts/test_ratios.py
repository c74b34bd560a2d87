"""Still picture of measured quantities as ratios between two networks."""

from math import log10

from bnviz.charts.panels import text_width
from bnviz.charts.ratios import build_ratios
from bnviz.charts.theme import PRESENTATION_TYPE, theme, type_sizes
from bnviz.config import RunConfig
from bnviz.planned_runs.comparison import Comparison, ComparisonResult, Curve, MemberResult
from bnviz.planned_runs.gauges import Ratios
from bnviz.words.numbers import write
from tests.charts.conftest import make_view
from tests.every_case import every_case

SMALL = RunConfig(depth=2, width=16)
GAUGES = ("gradient_shift", "loss_range", "effective_beta")
NAMES = {"gradient_shift": "shift", "loss_range": "range of the loss", "effective_beta": "β"}
FOUND = {"one": (0.26, 0.63, 0.32), "two": (4.6, None, 2.8)}


def result(found=FOUND):
    settings = {name: SMALL.replace(depth=depth) for depth, name in enumerate(found, 1)}
    series = Comparison.of(
        "gauges", settings, last_step=20, ratios=Ratios(gauges=GAUGES, steps=(10, 20))
    )
    curves = {norm: Curve(steps=(20,), accuracies=(0.5,)) for norm in SMALL.norms}
    made = (
        MemberResult(value=each, curves=curves,
                     ratios=dict(zip(GAUGES, found[each], strict=True)))
        for each in series.settings
    )  # fmt: skip
    return ComparisonResult(comparison=series, members=tuple(made))


@every_case("dark", [False, True])
@every_case("large", [0, PRESENTATION_TYPE[0]])
def test_each_ratio_is_a_line_from_one_to_its_point_with_its_number(dark, large):
    view = make_view(SMALL, dark=dark, large_type=large)
    figure = build_ratios(result(), view, NAMES, "with ÷ without")
    stems, points = figure.data
    values = [0.26, 0.63, 0.32, 4.6, 2.8]
    assert list(points.x) == values
    assert list(stems.x) == [part for value in values for part in (1, value, None)]
    # From the top: a heading, three rows, a heading, and three rows of which the second is empty.
    assert list(points.y) == [-1, -2, -3, -5, -7]
    assert list(points.customdata) == ["shift", "range of the loss", "β", "shift", "β"]
    colours = {stems.line.color, points.marker.color}
    assert colours == {theme(dark).ink}, "not the colour of a network"
    heads = [each for each in figure.layout.annotations if each.text.startswith("<b>")]
    assert [(each.text, each.y) for each in heads] == [("<b>one</b>", 0), ("<b>two</b>", -4)]
    numbers = [each for each in figure.layout.annotations if each not in heads]
    assert [(each.text, each.x, each.xanchor) for each in numbers] == [
        (write(value, "number"), log10(value), "left" if value > 1 else "right") for value in values
    ]
    assert list(figure.layout.yaxis.ticktext) == list(NAMES.values()) * 2
    assert figure.layout.xaxis.title.text == "with ÷ without"


@every_case("value", [0.003, 0.26, 1.0, 40.0])
def test_every_point_has_its_place_and_room_for_its_number(value):
    figure = build_ratios(
        result({"one": (value, 1.0, 1.0), "two": (1.0, 1.0, 1.0)}), make_view(SMALL), NAMES, "x"
    )
    low, high = figure.layout.xaxis.range
    # On a phone.
    pixels = (320 - figure.layout.margin.l - figure.layout.margin.r) / (high - low)
    room = text_width(write(value, "number"), type_sizes(large_type=0).small) + 12
    assert low <= log10(value) <= high
    assert (high - log10(value) if value >= 1 else log10(value) - low) * pixels >= room
    assert low < 0 < high, "with the line at one"


def test_what_has_run_so_far_is_drawn():
    whole = result()
    half = ComparisonResult(comparison=whole.comparison, members=whole.members[:1])
    figure = build_ratios(half, make_view(SMALL), NAMES, "x")
    assert list(figure.data[1].y) == [-1, -2, -3]
    assert figure.layout.height < build_ratios(whole, make_view(SMALL), NAMES, "x").layout.height
