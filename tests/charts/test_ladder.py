"""The ladder chart: one bar per network and run, whiskers over seeds, and runs that never reached
the target.
"""

import itertools

import pytest

from bnviz.charts import theme as themes
from bnviz.charts.ladder import Bar, GuessedBar, bars_of, build_ladder
from bnviz.charts.theme import PRESENTATION_TYPE
from bnviz.config import RunConfig
from bnviz.planned_runs.comparison import Comparison, ComparisonResult, Curve, MemberResult
from bnviz.words.texts import texts
from tests.charts.conftest import make_view
from tests.every_case import every_case

SMALL = RunConfig(depth=2, width=16)
NORMS = SMALL.norms
NAMES = {"low": "the low rate", "high": "ten times the rate"}
WORDS = texts("series")
VIEW = make_view(SMALL)


def result(*reached, seed=0):
    """Return the finished runs of a comparison. `reached` has one pair per run: the steps at which
    the networks without and with BN reached the target.
    """
    settings = {"low": SMALL, "high": SMALL.replace(learning_rate=1.0)}
    comparison = Comparison.of("rates", settings, last_step=240, target_accuracy=0.93).with_seed(
        seed
    )
    members = [
        MemberResult(
            value=value,
            curves={
                norm: Curve(steps=(0, 240), accuracies=(0.1, 0.9), reached=at)
                for norm, at in zip(NORMS, arrivals, strict=True)
            },
        )
        for value, arrivals in zip(settings, reached, strict=False)
    ]
    return ComparisonResult(comparison=comparison, members=tuple(members))


def ladder(*results, view=VIEW, **more):
    return build_ladder(results, view, NAMES, WORDS, **more)


def words_of(figure):
    inside = [text for bar in figure.data for text in bar.text if bar.textposition == "inside"]
    return {*inside, *(each.text for each in figure.layout.annotations)}


@pytest.mark.parametrize(("dark", "large"), [(False, 0), (True, PRESENTATION_TYPE[0])])
def test_each_network_of_each_run_has_a_bar_as_long_as_it_took(dark, large):
    view = make_view(SMALL, dark=dark, large_type=large)
    figure = ladder(result((110, 45), (30, 15)), view=view)
    styles = themes.theme(dark).networks(NORMS)
    assert [bar.x[0] for bar in figure.data] == [110, 45, 30, 15]
    places = [bar.y[0] for bar in figure.data]
    assert places == sorted(places, reverse=True), "from the top down"
    for bar, norm in zip(figure.data, itertools.cycle(NORMS), strict=False):
        assert bar.marker.line.color == styles[norm].line
        assert not bar.error_x.visible
    assert words_of(figure) == {"110", "45", "30", "15"}
    assert list(figure.layout.yaxis.ticktext) == list(NAMES.values())
    assert figure.layout.xaxis.title.text == "steps until 93\u00a0%"
    assert figure.layout.xaxis.range[1] > 110
    assert min(places) > figure.layout.yaxis.range[0]


def test_what_never_arrived_goes_on_to_the_edge_and_says_so():
    figure = ladder(result((110, 45), (None, 40)))
    never = figure.data[2]
    assert never.x[0] == figure.layout.xaxis.range[1]
    assert never.text[0] == "not within 240 steps"
    assert never.marker.line.width == 0


def test_over_seeds_a_bar_is_the_median_and_its_whisker_reaches_to_both_ends():
    seeds = [result((a, b), (c, d), seed=seed) for seed, (a, b, c, d) in enumerate(
        [(110, 45, 30, None), (150, 40, 30, None), (90, 60, 30, 20)])]  # fmt: skip
    figure = ladder(*seeds)
    first, second, third, fourth = figure.data
    assert (first.x[0], first.error_x.array[0], first.error_x.arrayminus[0]) == (110, 40, 20)
    assert first.error_x.visible
    assert second.x[0] == 45
    assert third.error_x.array[0] == third.error_x.arrayminus[0] == 0
    assert fourth.x[0] == figure.layout.xaxis.range[1], "most never arrived"
    assert words_of(figure) == {
        "110 (90 to 150)", "45 (40 to 60)", "30", "not within 240 steps: 2 of 3 seeds",
    }  # fmt: skip
    once = ladder(seeds[2], seeds[2], seeds[0])
    assert (once.data[3].x[0], "20; not in 1 of 3" in words_of(once)) == (20, True)


def test_the_axis_ends_at_the_last_step_before_the_runs_and_after_them():
    ends = [
        ladder(result(*reached)).layout.xaxis.range[1]
        for reached in [(), ((110, 45), (30, 15)), ((None, None), (None, None))]
    ]
    assert ends == [240, 240, 240]
    assert ladder(result((230, 45), (30, 15))).layout.xaxis.range[1] > 240, "room for the number"


@every_case(
    ("reached", "middle"),
    [((30,), 30), ((30, 50), 30), ((50, None, 30), 50), ((None, 30), 30), ((None, 30, None), None),
     ((None,), None)],
)  # fmt: skip
def test_the_median_counts_what_never_arrived_as_longest(reached, middle):
    assert Bar("low", "none", reached, 240).middle == middle


def test_runs_that_have_not_ended_have_their_place_and_no_bar():
    empty = ladder(result(), asked=("high", "none"))
    assert len(empty.data) == 0
    assert words_of(empty) == {"<b>?</b>"}
    assert list(empty.layout.yaxis.ticktext) == list(NAMES.values())
    half = ladder(result((110, 45), (30, 15)), result((90, 40), seed=1), asked=("high", "none"))
    bars = bars_of((result((1, 2), (3, 4)), result((1, 2), seed=1)))
    assert [len(bar.reached) for bar in bars] == [2, 2, 1, 1]
    assert "<b>?</b>" not in words_of(half)
    assert half.layout.height == empty.layout.height, "nothing moves when bars come"


@pytest.mark.parametrize(("steps", "end"), [(90, 90), (None, None)])
def test_a_guess_is_an_outline_over_the_bar_that_it_is_about(steps, end):
    guess = GuessedBar("high", "none", steps, "your guess")
    figure = ladder(result((60, 45), (30, 15)), guess=guess, asked=("high", "none"))
    (outline,) = figure.layout.shapes
    axis = figure.layout.xaxis.range[1]
    assert outline.x1 == (axis if end is None else end)
    assert outline.y0 < figure.data[2].y[0] < outline.y1
    assert axis > (end or 0)
    assert "your guess" in words_of(figure)
    assert "<b>?</b>" not in words_of(figure)
