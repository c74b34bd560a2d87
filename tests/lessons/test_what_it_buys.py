"""Rules of the lesson *In steps and in seconds*, tested on synthetic runs."""

import dataclasses
import math

import pytest

from bnviz.claims.e21_what_it_buys import CLAIM
from bnviz.lessons import what_it_buys
from bnviz.lessons.lesson import Verdict
from bnviz.lessons.observation import NotMeasured, Observation
from bnviz.planned_runs.comparison import ComparisonResult, Curve, MemberResult
from bnviz.words.texts import texts
from tests.every_case import every_case
from tests.lessons.made_by_hand import judged, made, printed, seen, seen_numbers
from tests.lessons.observing import lesson

NAME = "what-it-buys"


def bar(key):
    """Return a function that reads one bar of the ladder; `key` is, for example, "plain_low"."""
    name, _, value = key.partition("_")
    return lambda at: at.bar(value, what_it_buys.NETWORKS[name])


def never(key):
    return lambda at: bar(key)(at) is None


def times(over, under):
    """Return a function that divides the bar `over` by the bar `under`."""
    return lambda at: bar(over)(at) / bar(under)(at)


# For each number and condition in the verdict's sentences, a function that reads it from the ladder
# and the widget.
CHARTED = {
    **{key: bar(key) for key in ("plain_low", "plain_five", "batch_low", "batch_five",
                                 "batch_thirty", "batch_sigmoid")},
    **{f"{key}_never": never(key) for key in ("plain_low", "plain_five", "batch_low",
                                              "batch_five")},
    "by_rate": times("plain_low", "plain_five"),
    "by_batch": times("plain_low", "batch_low"),
    "whole": times("plain_low", "batch_five"),
    "price": lambda at: at.price(),
    "in_steps": times("batch_five", "plain_five"),
    "in_seconds": lambda at: at.price() * times("batch_five", "plain_five")(at),
}  # fmt: skip
HELD = {
    "plain_low": 110, "plain_five": 30, "plain_thirty": None, "plain_sigmoid": None,
    "batch_low": 45, "batch_five": 15, "batch_thirty": 40, "batch_sigmoid": 35,
}  # fmt: skip
# Seconds and epochs of each run, by network. Over all runs, an epoch takes 0.25 s without BN and
# 0.4 s with BN.
TIMES = {
    "plain": ((1.0, 0.5, 2.0, 0.5), (4.0, 2.0, 8.0, 2.0)),
    "batch": ((1.2, 0.6, 2.6, 2.0), (4.0, 2.0, 5.0, 5.0)),
}  # fmt: skip


def run(times=TIMES, members=4, **changed) -> Observation:
    """Make the results of all runs of the ladder, or of its first `members` runs."""
    found, config = {**HELD, **changed}, lesson(NAME).config()
    comparison = lesson(NAME).compares(config)
    results = []
    for place, value in enumerate([*comparison.settings][:members]):
        curves = {}
        for name, norm in what_it_buys.NETWORKS.items():
            seconds, epochs = times[name]
            curves[norm] = Curve(
                steps=(0, 240), accuracies=(0.1, 0.9), reached=found[f"{name}_{value}"],
                seconds=(0.0, seconds[place]), epochs=(0.0, epochs[place]),
            )  # fmt: skip
        results.append(MemberResult(value=value, curves=curves))
    result = ComparisonResult(comparison=comparison, members=tuple(results))
    return Observation(snapshots=(), config=config, compared=result)


def judge(**changed):
    return what_it_buys.judge(run(**changed))


def test_every_number_of_the_runs_is_read_where_its_sentence_says():
    held, numbers, answer = judge()
    assert (held, answer) == (True, "rate")
    assert {name: numbers[name] for name in HELD} == HELD
    assert {name for name in HELD if numbers[f"{name}_never"]} == {"plain_thirty", "plain_sigmoid"}
    assert all(numbers[f"{name}_arrived"] is not numbers[f"{name}_never"] for name in HELD)
    assert numbers["price"] == pytest.approx(1.6), (
        "compared by epochs, because a network that stopped took fewer steps"
    )
    assert numbers["whole"] == pytest.approx(110 / 15)
    assert numbers["by_rate"] == pytest.approx(110 / 30)
    assert numbers["by_batch"] == pytest.approx(110 / 45)
    assert numbers["in_steps"] == pytest.approx(0.5)
    assert numbers["in_seconds"] == pytest.approx(0.8)
    assert judged(NAME, "held", numbers) == [
        ["5", "3.67", "2.44", "7.33"], ["30", "40", "35", "240"], ["1.60", "5", "0.50", "0.80"],
        ["21.24", "21.23", "93\u00a0%"],
    ]  # fmt: skip
    lead = texts(f"lessons/{NAME}")["verdict"]["lead"]
    assert printed(NAME, lead["none"], numbers)[0] == ["93\u00a0%", "110", "30", "5"]
    assert printed(NAME, lead["batch"], numbers)[0] == ["45", "15"]


def test_of_what_never_arrived_it_is_told_that_it_did_not():
    _, numbers, _ = judge(plain_low=None, batch_thirty=None, plain_sigmoid=230)
    assert (numbers["whole"], numbers["by_rate"], numbers["by_batch"]) == (None, None, None)
    assert judged(NAME, "did_not_hold", numbers) == [
        ["30", "240"], ["30", "240"], ["35"], ["230"], ["1.60"],
    ]  # fmt: skip
    lead = texts(f"lessons/{NAME}")["verdict"]["lead"]["none"]
    assert printed(NAME, lead, numbers)[0] == ["93\u00a0%", "240", "30", "5"]
    for never in ("plain_five", "batch_low", "batch_five"):
        _, numbers, _ = judge(**{never: None})
        leads = texts(f"lessons/{NAME}")["verdict"]["lead"][
            "none" if never.startswith("plain") else "batch"
        ]
        assert "240" in printed(NAME, leads, numbers)[0]
    nowhere = judge(plain_low=None, plain_five=None, batch_low=None, batch_five=None)[1]
    for name, limit in (("none", ["93\u00a0%"]), ("batch", [])):
        (said,) = printed(NAME, texts(f"lessons/{NAME}")["verdict"]["lead"][name], nowhere)
        assert said == limit


@every_case(
    ("changed", "held", "answer"),
    [
        ({"plain_five": 73}, True, "rate"), ({"plain_five": 74}, False, "batch"),
        ({"plain_five": None}, False, "breaks"), ({"batch_low": 110}, False, "rate"),
        ({"batch_low": 109}, True, "rate"), ({"batch_five": 45}, False, "rate"),
        ({"batch_five": 44}, True, "rate"), ({"batch_low": None}, False, "rate"),
        ({"batch_five": None}, False, "rate"), ({"batch_thirty": None}, False, "rate"),
        ({"batch_sigmoid": None}, False, "rate"), ({"plain_thirty": 230}, False, "rate"),
        ({"plain_sigmoid": 230}, False, "rate"), ({"plain_low": None}, True, "rate"),
        ({"plain_low": None, "plain_five": 160}, True, "rate"),
        ({"plain_low": None, "plain_five": 165}, False, None),
    ],
)  # fmt: skip
def test_each_condition_alone_decides(changed, held, answer):
    assert judge(**changed)[::2] == (held, answer)


def test_without_a_clock_no_time_is_told():
    still = {**TIMES, "plain": ((0.0,) * 4, TIMES["plain"][1])}
    _, numbers, _ = judge(times=still)
    assert (numbers["price"], numbers["in_seconds"]) == (None, None)
    assert len(judged(NAME, "held", numbers)) == 3


def test_it_is_judged_when_all_have_run_at_whatever_rate():
    found = lesson(NAME)
    for members in range(4):
        assert found.verdict(run(members=members)) is None
    assert found.verdict(dataclasses.replace(run(), compared=None)) is None
    verdict = found.verdict(run())
    assert isinstance(verdict, Verdict)
    assert (verdict.outcome, verdict.answer) == ("held", "rate")
    with pytest.raises(NotMeasured):
        what_it_buys.judge(run(members=3))


def test_the_ladder_begins_at_the_rate_that_is_set_and_goes_up_from_there():
    found, said = lesson(NAME), lesson(NAME).named_values()
    for rate in (said["learning_rate"], 0.1):
        config = found.config(3).replace(learning_rate=rate)
        ladder = found.compares(config)
        assert set(ladder.settings) == set(what_it_buys.KEYS)
        low, five, thirty, sigmoid = ladder.settings.values()
        assert low.learning_rate == rate
        assert five.learning_rate == pytest.approx(said["five"] * rate, rel=1e-9)
        assert thirty.learning_rate == pytest.approx(said["thirty"] * rate, rel=1e-9)
        assert sigmoid == five.replace(activation="sigmoid")
        assert {each.seed for each in (low, five, thirty, sigmoid)} == {3}
        assert ladder.target_accuracy == said["enough"]
    assert found.plan == found.compares(found.config()).plan
    assert found.config() == found.compares(found.config()).first
    assert set(texts(f"lessons/{NAME}")["ladder"]) == set(what_it_buys.KEYS)


def test_each_answer_is_a_bar_of_the_ladder():
    bars, said = lesson(NAME).guessed_bars, lesson(NAME).named_values()
    assert set(bars) == set(lesson(NAME).answers)
    assert {bar[:2] for bar in bars.values()} == {("five", "none")}
    assert (bars["breaks"][2], bars["batch"][2], bars["rate"][2]) == (
        None, said["by_batch"], said["by_rate"],
    )  # fmt: skip


def raced(of, plain, batch, prices=(0.001, 0.001), more=()):
    """Make a run whose networks reach the target at the steps `plain` and `batch`. `prices` are
    seconds per step.
    """
    told = {}
    for norm, at, price in zip(("none", "batch"), (plain, batch), prices, strict=True):
        for step in (*lesson(NAME).plan_of_try(of).shown, *more):
            # The mean of neighbouring tests reaches 0.93 at the first accuracy of 0.94.
            accuracy = 0.94 if at is not None and step >= at else 0.92
            told[step, norm] = {"accuracy": accuracy, "training_seconds": step * price}
    return made(NAME, told, of)


def test_of_a_break_it_is_told_who_was_first_and_by_which_clock():
    slow = raced("relu", 150, 240)
    assert seen_numbers(NAME, "relu", slow) == [["150", "93\u00a0%"], ["240"], []]
    assert "more steps with BN" in seen(NAME, "relu", slow)[2]
    assert "fewer steps with BN" in seen(NAME, "relu", raced("relu", 150, 90))[2]
    never = seen(NAME, "relu", raced("relu", 150, None))
    assert len(never) == 3
    assert "does not reach" in never[1]
    best = raced("each-at-its-best", 30, 20, (0.001, 0.0012))
    assert seen_numbers(NAME, "each-at-its-best", best) == [
        ["30", "93\u00a0%", "0.030"], ["20", "0.024"], ["0.67", "0.80"],
    ]  # fmt: skip


def test_only_steps_that_every_machine_measures_count():
    tell = lesson(NAME).try_named("relu").tell
    assert tell(raced("relu", 143, 240, more=(143, 147)))["plain"] == 150


def test_what_the_words_say_of_the_setting_is_what_is_done():
    found, said = lesson(NAME), lesson(NAME).named_values()
    best = found.config_of_try("each-at-its-best").learning_rates
    assert best == (said["best_plain"], said["best_batch"])
    assert found.config_of_try("relu").learning_rate == said["learning_rate"]
    measured = CLAIM.numbers
    assert {name: measured[name] for name in what_it_buys.CHANGES} == what_it_buys.CHANGES
    assert (measured["rate"], measured["five"], measured["thirty"]) == (
        said["learning_rate"], said["five"], said["thirty"],
    )  # fmt: skip
    assert measured["percent"] == pytest.approx(100 * said["enough"])
    assert math.isclose(measured["large_decay"], 5 * measured["large_decay_less"])
    assert math.isclose(measured["decay"], 5 * measured["decay_less"])
