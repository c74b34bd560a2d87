"""Curves that a reader draws: five points, the curve through them, and the matching answer."""

from itertools import pairwise

import pytest

from bnviz.lessons import break_it, moving_targets
from bnviz.lessons.drawing import (
    HIGHEST,
    POINTS,
    Drawing,
    climb,
    fall,
    read_points,
    write_points,
)
from bnviz.lessons.observation import NotMeasured
from bnviz.ui.lessons.words import lesson_words
from bnviz.words.texts import texts
from tests.every_case import every_case
from tests.lessons.made_by_hand import but, made
from tests.lessons.observing import WITH_A_RUN, lesson, observed
from tests.lessons.test_break_it import HELD as BROKE
from tests.lessons.test_moving_targets import HELD as FROZE
from tests.lessons.test_moving_targets import accuracies

DRAWN = [name for name in WITH_A_RUN if lesson(name).drawing]


def drawing(name):
    found = lesson(name).drawing
    assert found is not None
    return found


def test_these_lessons_have_their_reader_draw():
    assert DRAWN == ["break-it", "moving-targets", "through-the-batch", "two-modes"]


@every_case("points", [(0, 0, 0, 0, 0), (95, 10, 30, 60, 90), (100, 9, 0, 99, 100)])
def test_points_are_read_as_they_were_written(points):
    assert read_points(write_points(points)) == points


def test_an_address_has_the_values_from_left_to_right():
    assert write_points((95, 10, 30, 60, 90)) == "draw:95,10,30,60,90"


@every_case(
    "text",
    ["", "draw:", "95,10,30,60,90", "draw:95,10,30,60", "draw:95,10,30,60,90,1", "draw:,,,,",
     "draw:95,10,30,60,101", "draw:95,10,30,60,-1", "draw:95,10,30,60,1e1", "draw:95,10,30,60,1.0",
     "draw:95,10,30,60,090", "draw:95,10,30,60,+9", "draw:95,10,30,60,٩", "draw:95, 10,30,60,90",
     "draw:95,10,30,60,90\n", " draw:95,10,30,60,90", "DRAW:95,10,30,60,90", "draw:95;10;30;60;90",
     "draw:nan,10,30,60,90", "draw:" + "9" * 5000],
)  # fmt: skip
def test_what_is_not_five_whole_numbers_from_0_to_100_is_no_drawing(text):
    assert read_points(text) is None


@every_case(
    "given",
    [[], [1, 2, 3, 4], [1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 101], [1, 2, 3, 4, -1], [1, 2, 3, 4, 5.0],
     [1, 2, 3, 4, "<b>"], [1, 2, 3, 4, None], [1, 2, 3, 4, True], [1, 2, 3, 4, [5]]],
)  # fmt: skip
def test_what_a_browser_sends_is_taken_only_where_it_is_five_such_numbers(given):
    assert read_points(write_points(given)) is None


@every_case("name", DRAWN)
def test_a_drawing_stands_where_it_can_be_drawn_and_measured(name):
    found, given = lesson(name), drawing(name)
    assert len(given.steps) == POINTS
    assert all(before < after for before, after in pairwise(given.steps))
    assert given.steps[0] >= 0
    assert given.steps[-1] == given.last_step, "the gap is read at the end"
    widgets = found.widgets.get("figure", ())
    assert given.on in (*widgets, *found.charts)
    assert given.network in ("", *found.config().norms)
    assert all(0 <= step <= given.last_step for step in given.marks.values())


def line(**more):
    return Drawing(on="accuracy", steps=(0, 2, 4, 8, 9), last_step=9, answer=lambda _: None,
                   usual={}, measured=lambda _: {}, **more)  # fmt: skip


def test_between_points_a_curve_is_straight_and_at_them_it_is_what_was_drawn():
    assert line().curve((10, 20, 0, 40, 90)) == {
        0: 10, 1: 15, 2: 20, 3: 10, 4: 0, 5: 10, 6: 20, 7: 30, 8: 40, 9: 90,
    }  # fmt: skip


@every_case("name", DRAWN)
def test_a_typical_drawing_of_each_answer_is_that_answer(name):
    given = drawing(name)
    found = {answer: given.answer(*given.drawn(points)) for answer, points in given.usual.items()}
    assert found == {answer: answer for answer in lesson(name).answers}
    assert {answer: given.nearest(points) for answer, points in given.usual.items()} == found


@every_case(
    ("name", "points", "nearest"),
    [
        # Recovering to 50 % after the first rise of the rate is closest to "stays", recovering to
        # 70 % to "proportional".
        ("break-it", (95, 40, 50, 40, 10), "stays"),
        ("break-it", (95, 60, 70, 20, 10), "proportional"),
        ("break-it", (95, 80, 90, 60, 70), "learns_again"),
        ("moving-targets", (80, 74, 82, 99, 82), "better"),
        ("moving-targets", (80, 86, 80, 80, 80), "same"),
        ("through-the-batch", (50, 40, 30, 20, 10), "settles"),
        ("through-the-batch", (10, 20, 14, 40, 50), "grows"),
        ("two-modes", (10, 70, 90, 95, 95, 10, 75, 90, 95, 95), "equal"),
    ],
)  # fmt: skip
def test_a_drawing_between_the_answers_is_nearest_to_one(name, points, nearest):
    assert lesson(name).answer_of(write_points(points)) is None
    assert drawing(name).nearest(points) == nearest


@every_case("name", DRAWN)
def test_a_curve_goes_exactly_through_its_points(name):
    """Rules compare values with limits, so a value drawn at a limit must be exact."""
    given = drawing(name)
    for low in range(HIGHEST + 1):
        points = (low, (7 * low) % 101, HIGHEST - low, (31 * low) % 101, (63 * low) % 101)
        curve = given.curve(points)
        assert [curve[step] for step in given.steps] == [*points]
        assert [*curve] == [*range(given.steps[0], given.last_step + 1)]


def test_a_distance_is_the_mean_of_what_lies_between_over_all_steps():
    # The drawn curve is a straight line from 0 to 90 with slope 10 per step.
    rising = (0, 20, 40, 80, 90)
    assert line().distance(rising, dict.fromkeys(range(10), 0)) == 45
    assert line().distance(rising, {step: 10 * step for step in range(10)}) == 0
    assert line().distance(rising, {step: 10 * step + (-1) ** step for step in range(10)}) == 1
    # Values measured outside the drawn range count only for interpolation.
    assert line().distance(rising, {-1: -10, 12: 120}) == pytest.approx(0)


def test_a_distance_does_not_hang_on_how_often_something_was_measured():
    """The distance to a curve with an early jump is the same whether the curve was measured at
    every step, mostly early, or seldom.
    """
    given, jumps = drawing("break-it"), (10, 90, 90, 90, 90)
    flat, often = (10,) * 5, given.curve(jumps)
    early = {step: value for step, value in often.items() if step <= 150 or step == 300}
    seldom = {step: often[step] for step in given.steps}
    far = given.distance(flat, often)
    assert given.distance(flat, early) == given.distance(flat, seldom) == pytest.approx(far)
    assert far == pytest.approx((40 / 2 + 160) * 80 / 200, abs=0.3)


@every_case("measured", [{}, {10: 5.0}, {1: 5.0, 9: 5.0}, {0: 5.0, 8: 5.0}])
def test_a_distance_from_what_does_not_reach_from_end_to_end_is_an_error(measured):
    with pytest.raises(ValueError, match="must cover the steps"):
        line().distance((0, 0, 0, 0, 0), measured)


def test_of_two_curves_the_points_of_one_follow_those_of_the_other():
    both = (10, 80, 90, 95, 95, 10, 50, 70, 90, 95)
    assert read_points(write_points(both), 2) == both
    assert read_points(write_points(both)) is None, "one is drawn there"
    assert read_points(write_points(both[:5]), 2) is None
    assert read_points(write_points(both), None) == both
    assert read_points(write_points((*both, *both[:5])), None) is None, "too many to be requested"
    assert read_points("draw:1,2,3,4", None) is None


def test_of_two_curves_the_distance_is_the_mean_of_both_and_a_number_of_both_may_be_compared():
    two = line(curves=("a", "b"), compared=lambda a, b: a[2] - b[2])
    points = (0, 20, 40, 80, 90, 50, 50, 50, 50, 50)
    up, flat = two.drawn(points)
    assert (up, flat) == (line().curve(points[:5]), dict.fromkeys(range(10), 50))
    assert two.drawn_number(up, flat) == -30
    assert two.distances(points, (up, dict.fromkeys(range(10), 52))) == 1
    assert line().drawn_number(up) == 90


@every_case(
    ("name", "points", "answer"),
    [
        # The points are drawn at steps 100, 140, 200, 230 and 300. The first, third and last points
        # are compared: at most 30 counts as broken, and at least 75 as recovered.
        ("break-it", (95, 10, 10, 10, 10), "stays"), ("break-it", (95, 95, 30, 95, 30), "stays"),
        ("break-it", (95, 95, 31, 10, 30), None), ("break-it", (95, 10, 10, 60, 90), None),
        ("break-it", (95, 95, 95, 10, 10), "proportional"),
        ("break-it", (90, 10, 75, 10, 30), "proportional"),
        ("break-it", (90, 90, 74, 10, 30), None), ("break-it", (90, 90, 90, 10, 31), None),
        ("break-it", (95, 10, 95, 10, 95), "learns_again"),
        ("break-it", (90, 90, 75, 10, 75), "learns_again"),
        ("break-it", (90, 90, 75, 10, 74), None), ("break-it", (30, 30, 30, 30, 30), None),
        # The points are drawn at steps 20, 40, 60, 80 and 100. The first and the last points are
        # compared; points between them may be up to five percentage points on the wrong side.
        ("moving-targets", (90, 92, 93, 93, 94), "better"),
        ("moving-targets", (80, 75, 82, 99, 82), "better"),
        ("moving-targets", (80, 74, 82, 99, 82), None),
        ("moving-targets", (90, 50, 70, 90, 95), None),
        ("moving-targets", (80, 10, 10, 10, 82), None),
        ("moving-targets", (80, 82, 78, 80, 81), "same"),
        ("moving-targets", (80, 85, 75, 80, 79), "same"),
        ("moving-targets", (80, 86, 80, 80, 80), None),
        ("moving-targets", (80, 80, 74, 80, 80), None),
        ("moving-targets", (60, 60, 60, 60, 60), "same"),
        # A curve that is low throughout counts as an immediate failure.
        ("moving-targets", (0, 0, 0, 0, 0), "worse"),
        ("moving-targets", (9, 9, 10, 9, 10), "worse"),
        ("moving-targets", (30, 20, 10, 30, 49), "worse"),
        ("moving-targets", (80, 85, 10, 85, 78), "worse"),
        ("moving-targets", (80, 86, 80, 80, 78), None),
        ("moving-targets", (100, 0, 0, 0, 0), "worse"),
        ("moving-targets", (90, 50, 70, 80, 85), "worse"),
        # The points are drawn at steps 100 to 500. The last segment decides between "settles" and
        # "grows".
        ("through-the-batch", (10, 20, 30, 40, 50), "grows"),
        ("through-the-batch", (20, 40, 60, 80, 100), "grows"),
        ("through-the-batch", (30, 55, 70, 80, 90), "grows"),
        ("through-the-batch", (30, 55, 70, 80, 88), "settles"),
        ("through-the-batch", (0, 0, 0, 0, 1), "grows"),
        ("through-the-batch", (0, 0, 0, 40, 100), "grows"),
        ("through-the-batch", (0, 10, 30, 30, 30), "settles"),
        ("through-the-batch", (0, 10, 30, 29, 29), "settles"),
        ("through-the-batch", (40, 50, 50, 50, 50), "settles"),
        ("through-the-batch", (10, 50, 90, 99, 100), "settles"),
        # A flat curve counts as settled at any height, even at 0 or 100.
        ("through-the-batch", (0, 0, 0, 0, 0), "settles"),
        ("through-the-batch", (100, 100, 100, 100, 100), "settles"),
        ("through-the-batch", (67, 100, 100, 100, 100), "settles"),
        ("through-the-batch", (66, 100, 100, 100, 100), "blows_up"),
        ("through-the-batch", (10, 50, 90, 100, 100), "blows_up"),
        # A falling curve matches no answer, but small fluctuations do not count as a fall.
        ("through-the-batch", (40, 50, 50, 50, 0), None),
        ("through-the-batch", (20, 60, 20, 60, 20), None),
        ("through-the-batch", (50, 40, 30, 20, 10), None),
        ("through-the-batch", (10, 20, 15, 40, 50), "grows"),
        ("through-the-batch", (10, 20, 14, 40, 50), None),
        # Two curves are drawn, each at steps 0, 20, 50, 100 and 200. Their difference at step 20
        # decides.
        ("two-modes", (10, 80, 90, 95, 95, 10, 50, 70, 90, 95), "third"),
        ("two-modes", (10, 80, 90, 95, 95, 10, 70, 85, 90, 95), "third"),
        ("two-modes", (10, 80, 90, 95, 95, 10, 71, 85, 90, 95), "little"),
        ("two-modes", (10, 80, 90, 95, 95, 16, 50, 70, 90, 95), "third"),
        ("two-modes", (10, 80, 90, 95, 95, 10, 75, 85, 90, 95), "little"),
        ("two-modes", (10, 80, 90, 95, 95, 10, 78, 80, 90, 95), "little"),
        ("two-modes", (10, 80, 90, 95, 95, 10, 79, 80, 90, 95), "equal"),
        ("two-modes", (10, 80, 90, 95, 95, 10, 74, 85, 90, 95), "little"),
        ("two-modes", (10, 80, 90, 95, 95, 10, 80, 90, 95, 95), "equal"),
        ("two-modes", (10, 80, 90, 95, 95, 12, 78, 88, 97, 95), "little"),
        ("two-modes", (10, 80, 90, 95, 95, 13, 80, 90, 95, 95), "equal"),
        ("two-modes", (10, 50, 70, 90, 95, 10, 80, 90, 95, 95), None),
    ],
)  # fmt: skip
def test_which_answer_a_drawn_curve_is(name, points, answer):
    assert drawing(name).answer(*drawing(name).drawn(points)) == answer
    assert lesson(name).answer_of(write_points(points)) == answer
    assert answer is None or answer in lesson(name).answers


def test_how_far_a_curve_climbs_and_falls_on_its_way():
    curve = {3: 20, 1: 50, 2: 10, 4: 80, 5: 15}
    assert (climb(curve), fall(curve)) == (70, 65), "in the order of its steps"
    assert climb({1: 9, 2: 5, 3: 5}) == fall({1: 5, 2: 9}) == climb({1: 4}) == 0


@every_case("name", DRAWN)
def test_words_that_a_drawing_has_of_its_own_are_those_of_all_its_answers(name):
    said = texts(f"lessons/{name}")
    own = said["drawing"].get("answers", {})
    assert tuple(own) in ((), lesson(name).answers)
    words = lesson_words(name, lesson(name))
    for answer in lesson(name).answers:
        told = words.filled((own or said["answers"])[answer])
        assert words.answer(answer, drawn=True) == told


def test_a_drawn_b_is_told_of_b_alone():
    """Text about the loss would reveal the result of the run."""
    found = lesson("through-the-batch")
    for answer in found.answers:
        assert "loss" not in lesson_words(found.name, found).answer(answer, drawn=True).lower()


def test_a_guess_that_was_chosen_is_its_own_answer_and_one_that_is_none_is_none():
    assert lesson("break-it").answer_of("stays") == "stays"
    assert lesson("slow-start").answer_of("flat") == "flat"
    assert lesson("break-it").answer_of("flat") is None
    assert lesson("slow-start").answer_of("draw:95,10,30,60,90") is None, "nothing is drawn there"


@every_case(
    ("between", "end", "answer"),
    [(0.8, 0.8, "learns_again"), (0.8, 0.2, "proportional"), (0.2, 0.2, "stays"), (0.2, 0.8, None)],
)  # fmt: skip
def test_a_drawing_of_what_was_measured_is_the_answer_that_the_run_gives(between, end, answer):
    told = but(but(BROKE, 200, "none", accuracy=between), 300, "none", accuracy=end)
    run = made("break-it", told)
    measured = drawing("break-it").measured(run)
    assert drawing("break-it").answer(measured) == break_it.judge(run)[2] == answer
    assert (min(measured), max(measured)) == (100, 300)
    assert measured[300] == pytest.approx(100 * end)


@every_case(
    ("later", "answer"),
    [(0.825, "better"), (0.821, "same"), (0.805, "same"), (0.801, "worse")],
)
def test_what_the_frozen_half_gave_is_drawn_as_it_is_judged(later, answer):
    between = {"cut.accuracy": {(2, at, 1): 0.81 for at in (2, 3, 4)}}
    told = {**FROZE, (100, "none"): {**FROZE[100, "none"], **between}}
    run = made("moving-targets", accuracies(told, "none", 0.813, later))
    measured = drawing("moving-targets").measured(run)
    assert drawing("moving-targets").answer(measured) == moving_targets.judge(run)[2] == answer
    assert [*measured] == [20, 40, 60, 80, 100]
    assert (measured[20], measured[100]) == pytest.approx((81.3, 100 * later))


def test_what_was_not_measured_is_no_curve():
    with pytest.raises(NotMeasured, match="the weights of steps 20 and 20"):
        drawing("moving-targets").measured(made("moving-targets", but({}, 100, "none"), "raised"))


@pytest.mark.parametrize("name", DRAWN)
def test_who_draws_what_the_lessons_run_does_has_drawn_its_answer(name):
    """Draw the measured curve, with its points rounded to integers."""
    run, given = observed(name, 0), drawing(name)
    measured = given.measured_curves(run)
    points = tuple(round(curve[step]) for curve in measured for step in given.steps)
    verdict = lesson(name).verdict(run)
    assert lesson(name).answer_of(write_points(points)) == verdict.answer is not None
    there = [{step: curve[step] for step in given.steps} for curve in measured]
    assert given.distances(points, there) <= 0.5
    other = tuple(HIGHEST - value for value in points)
    assert given.distances(points, measured) < given.distances(other, measured)
    assert given.drawn_number(*given.drawn(points)) == pytest.approx(
        given.drawn_number(*measured), abs=1
    )
