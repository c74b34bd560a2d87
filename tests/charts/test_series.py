"""Still pictures of a comparison: all of its runs share the same axes, and no run is hidden."""

import itertools

import pytest

from bnviz.charts import theme as themes
from bnviz.charts.series import build_curves, build_outcome, separate_labels, value_text
from bnviz.charts.theme import PRESENTATION_TYPE
from bnviz.config import RunConfig
from bnviz.planned_runs.comparison import Comparison, ComparisonResult, Curve, MemberResult
from tests.charts.conftest import make_view
from tests.every_case import every_case

SMALL = RunConfig(depth=2, width=16, init="normal", init_std=1.0)
STARTS = (0.001, 0.01, 0.03, 0.058, 0.1, 0.3, 1.0, 3.0)
VIEW = make_view(SMALL)


def result(
    values=STARTS, knob="init_std", target_accuracy=None, ends=(0.1, 0.95), reached=(None, None)
):
    series = Comparison.over(knob, values, SMALL, last_step=300, target_accuracy=target_accuracy)
    made = []
    for value in series.settings:
        curves = {
            norm: Curve(steps=(0, 150, 300), accuracies=(0.1, 0.5, end), reached=at)
            for norm, end, at in zip(("none", "batch"), ends, reached, strict=True)
        }
        made.append(MemberResult(value=value, curves=curves))
    return ComparisonResult(comparison=series, members=tuple(made))


@every_case("dark", [False, True])
@every_case("large", [0, PRESENTATION_TYPE[0]])
def test_every_member_of_every_network_is_drawn_and_named_in_its_colour(dark, large):
    view = make_view(SMALL, dark=dark, large_type=large)
    figure = build_curves(result(), view)
    styles = themes.theme(dark).networks(SMALL.norms)
    assert len(figure.data) == 2 * len(STARTS)
    for trace, norm in zip(figure.data, itertools.cycle(SMALL.norms), strict=False):
        assert (trace.line.color, trace.line.dash) == (styles[norm].line, styles[norm].dash)
        assert list(trace.y) == [10, 50, 10 if norm == "none" else 95]
    names = [(each.text, each.font.color) for each in figure.layout.annotations]
    assert names == [
        (value_text(value), styles[norm].text) for value in STARTS for norm in SMALL.norms
    ]
    assert figure.layout.xaxis.title.text == "step"
    assert figure.layout.yaxis.title.text == "test accuracy (%)"


def test_names_of_lines_that_end_together_stand_below_each_other():
    figure = build_curves(result(), VIEW)
    plot = figure.layout.height - figure.layout.margin.t - figure.layout.margin.b
    places = sorted(
        plot * each.y / figure.layout.yaxis.range[1] - each.ay for each in figure.layout.annotations
    )
    apart = [high - low for low, high in itertools.pairwise(places)]
    assert min(apart) >= themes.type_sizes(large_type=0).small
    assert places[0] >= -0.01
    assert places[-1] <= plot + 0.01


def test_a_line_that_ended_early_is_named_above_its_end():
    whole = result(values=(0.1, 1.0))
    early = {norm: Curve(steps=(0, 40), accuracies=(0.1, 0.9)) for norm in SMALL.norms}
    members = (MemberResult(value=0.1, curves=early), whole.members[1])
    figure = build_curves(ComparisonResult(comparison=whole.comparison, members=members), VIEW)
    first = figure.layout.annotations[0]
    assert (first.x, first.ax, first.xanchor) == (40, 0, "center")
    assert first.y == pytest.approx(90)
    assert first.ay < 0


def test_the_outcome_has_the_last_accuracies_over_the_values():
    figure = build_outcome(result(), VIEW, "spread", "steps")
    for trace, end in zip(figure.data, (10, 95), strict=True):
        assert list(trace.x) == list(STARTS)
        assert list(trace.y) == pytest.approx([end] * len(STARTS))
    axis = figure.layout.xaxis
    assert (axis.type, axis.title.text) == ("log", "spread")
    assert list(axis.tickvals) == list(STARTS)
    assert {"0.001", "1", "3"} <= {text for text in axis.ticktext if text}
    assert [each.text for each in figure.layout.annotations] == ["without BN", "with BN"]
    assert figure.layout.annotations[1].x == pytest.approx(0.4771, abs=1e-4), "log of the last"


def test_numbers_of_the_axis_that_would_touch_are_left_out():
    values = (0.01, 0.011, 0.012, 0.1, 1.0)
    axis = build_outcome(result(values), VIEW, "spread", "steps").layout.xaxis
    assert list(axis.tickvals) == list(values)
    assert [text for text in axis.ticktext if text] == [value_text(at) for at in (0.01, 0.1, 1.0)]


def test_of_a_race_the_outcome_has_the_step_of_arrival_and_a_gap_for_who_did_not_arrive():
    race = result(values=(0.1, 0.2, 0.3), target_accuracy=0.9, reached=(None, 150))
    figure = build_outcome(race, VIEW, "spread", "steps until 90 %")
    assert list(figure.data[0].y) == [None, None, None]
    assert list(figure.data[1].y) == [150, 150, 150]
    assert figure.layout.yaxis.title.text == "steps until 90 %"
    assert figure.layout.xaxis.type == "linear"


def test_words_have_an_axis_of_words():
    named = result(values=("tanh", "relu"), knob="activation")
    axis = build_outcome(named, VIEW, "activation", "").layout.xaxis
    assert (axis.type, list(axis.categoryarray)) == ("category", ["tanh", "relu"])


@every_case(
    ("places", "found"),
    [
        ([], []),
        ([50.0], [50.0]),
        ([10.0, 80.0], [10.0, 80.0]),
        ([50.0, 50.0], [45.0, 55.0]),
        ([55.0, 45.0, 50.0], [60.0, 40.0, 50.0]),
        ([0.0, 0.0, 0.0], [0.0, 10.0, 20.0]),
        ([100.0, 100.0, 5.0], [90.0, 100.0, 5.0]),
        ([0.0] * 21, [5.0 * place for place in range(21)]),
    ],
)
def test_names_are_moved_no_further_than_they_must(places, found):
    assert separate_labels(places, 10.0, 100.0) == pytest.approx(found)
