"""Parts of a lesson, and knob changes after which a run has no verdict."""

from dataclasses import replace

import pytest

from bnviz.actions import ACTIONS
from bnviz.charts import CHARTS
from bnviz.config import KNOBS, RunConfig
from bnviz.lessons import LESSONS, place_of
from bnviz.lessons.lesson import End, cases, compared, ends
from bnviz.lessons.observation import NotMeasured, Observation
from bnviz.probes import PROBES
from bnviz.records import Change, NetworkRecord, Snapshot
from bnviz.ui.lessons.widgets import LESSON_WIDGETS
from bnviz.ui.query_schema import BEATS
from tests.every_case import every_case
from tests.lessons.made_by_hand import made
from tests.lessons.observing import ONE_RUN, WITH_A_RUN, lesson


def shot(step, accuracy=0.5, norms=("none", "batch")):
    record = NetworkRecord(
        loss=1.0, test_loss=1.0, test_accuracy=accuracy, state="learning", broke=None, probes={}
    )
    return Snapshot(step, dict.fromkeys(norms, record))


def run(config, changes=(), last=300):
    shots = [shot(0, norms=config.norms), shot(last, norms=config.norms)]
    return Observation(snapshots=shots, config=config, changes=changes)


def test_the_order_of_the_pages():
    assert list(LESSONS)[:6] == [
        "read-the-charts", "break-it", "by-hand", "moving-targets", "slow-start",
        "through-the-batch",
    ]  # fmt: skip
    course = [name for name, entry in LESSONS.items() if not entry.extra]
    assert [place_of(name) for name in course] == [*range(len(course))]
    assert {place_of(name) for name in LESSONS.keys() - set(course)} == {None}


@every_case("name", WITH_A_RUN)
def test_what_a_lesson_names_exists(name):
    found = lesson(name)
    assert found.name == name
    assert all(CHARTS[chart].fits(found.config()) for chart in found.charts)
    for each in found.breaks:
        assert all(CHARTS[chart].fits(found.config_of_try(each.name)) for chart in each.charts)
    assert set(found.knobs) <= KNOBS.keys() | set(ACTIONS)
    assert set(found.free) <= KNOBS.keys()
    assert set(found.plan.probes) <= PROBES.keys()
    hands = [widget for place in found.widgets.values() for widget in place]
    assert {*hands} <= LESSON_WIDGETS.keys()
    assert found.widgets.keys() <= {"figure", "beside_why", "more", *BEATS}
    assert found.tried_first in ("", *hands)
    found.plan.check(found.config())
    assert found.plan.last_step in found.plan.shown, "a verdict reads the last step"
    assert len(found.answers) in (0, 3)
    for each in found.breaks:
        config, plan = found.config_of_try(each.name, seed=3), found.plan_of_try(each.name)
        plan.check(config)
        assert config.seed == 3
        assert config != found.config(3) or plan != found.plan
        assert plan.last_step in plan.shown


def seconds(plan):
    """Return the planned duration of a run in seconds."""
    at, total = 0, 0.0
    for until, rate in plan.rates:
        total += max(min(until, plan.last_step) - at, 0) / rate
        at = max(at, min(until, plan.last_step))
    return total


@every_case("name", WITH_A_RUN)
def test_what_a_break_shows_comes_soon(name):
    found = lesson(name)
    for each in found.breaks:
        assert seconds(found.plan_of_try(each.name)) <= 15, each.name


def test_of_nothing_measured_nothing_is_said():
    found = lesson("break-it")
    assert found.verdict(Observation(snapshots=[], config=found.config())) is None


def test_a_run_that_ended_early_says_so_and_how_each_network_ended():
    found = lesson("break-it")
    gone = replace(shot(17).networks["none"], stopped=9)
    shots = [Snapshot(17, {"none": gone, "batch": replace(gone, stopped=None, test_accuracy=0.4)})]
    observed = Observation(snapshots=shots, config=found.config(), changes=(), ended=True)
    verdict = found.verdict(observed)
    assert (verdict.outcome, verdict.missing, verdict.ended_at) == ("not_in_this_run", None, 17)
    assert (verdict.ends["none"].accuracy, verdict.ends["none"].stopped) == (None, 9)
    assert (verdict.ends["batch"].accuracy, verdict.ends["batch"].stopped) == (0.4, None)
    moved = replace(observed, changes=(Change(8, {"learning_rate": 10.0}),))
    assert found.verdict(moved).missing.knob == "learning_rate", "the moved knob is the reason"


@every_case("name", ONE_RUN)
def test_a_structural_knob_that_was_moved_is_named(name):
    found = lesson(name)
    config = found.config().replace(width=64)
    verdict = found.verdict(run(config, found.plan.changes, found.plan.last_step))
    assert verdict.outcome == "not_in_this_run"
    assert (verdict.missing.knob, verdict.missing.needed, verdict.missing.found) == (
        "width", found.config().width, 64,
    )  # fmt: skip
    assert verdict.answer is None
    assert verdict.ends.keys() == set(config.norms)


@every_case(
    ("changes", "missing"),
    [
        ((), "learning_rate"),  # the rate never rose
        ((Change(100, {"learning_rate": 1.0}),), "learning_rate"),  # the rate never fell back
        ((Change(50, {"batch_size": 8}),), "batch_size"),
    ],
)
def test_a_live_knob_that_was_moved_is_named(changes, missing):
    found = lesson("break-it")
    planned = found.plan.changes if missing == "batch_size" else ()
    every = tuple(sorted((*changes, *planned), key=lambda change: change.step))
    verdict = found.verdict(run(found.config(), every))
    assert (verdict.outcome, verdict.missing.knob) == ("not_in_this_run", missing)


def test_seed_and_free_knobs_take_no_condition_away():
    found = lesson("by-hand")
    config = found.config(seed=9).replace(norm_eps=0.1, batch_size=8)
    with pytest.raises(NotMeasured, match="unit_batch at step 100"):
        found.verdict(run(config, last=100))


def test_a_network_that_takes_no_steps_makes_the_run_say_nothing():
    """With one image per mini-batch the network takes no step, so its unit is not measured."""
    found = lesson("by-hand")
    paused = replace(shot(100, norms=("batch",)).networks["batch"], undefined_norm="too few")
    changes = (Change(10, {"batch_size": 1}),)
    observed = Observation(snapshots=[Snapshot(100, {"batch": paused})], config=found.config(),
                      changes=changes)  # fmt: skip
    verdict = found.verdict(observed)
    assert verdict.outcome == "not_in_this_run"
    assert (verdict.missing.knob, verdict.missing.needed, verdict.missing.found) == (
        "batch_size", 60, 1,
    )  # fmt: skip


def test_the_first_lesson_claims_nothing_and_so_has_no_verdict():
    found = lesson("read-the-charts")
    assert found.verdict(run(found.config(), last=60)) is None


@every_case(
    ("steps", "ended", "outcome"),
    [((100, 101, 200, 299), False, None), ((100, 101, 200, 299), True, "not_in_this_run"),
     ((100, 101, 200, 300), False, "did_not_hold"), ((100, 101, 200, 300), True, "did_not_hold"),
     ((100, 101, 200, 300, 340), False, "did_not_hold")],
)  # fmt: skip
def test_a_run_is_judged_from_its_last_step_on_or_where_it_goes_no_further(steps, ended, outcome):
    found = lesson("break-it")
    observed = Observation(snapshots=[shot(step) for step in steps], config=found.config(),
                      changes=found.plan.changes, ended=ended)  # fmt: skip
    verdict = found.verdict(observed)
    assert (verdict and verdict.outcome) == outcome


def test_what_was_changed_before_the_plan_was_done_counts_in_a_run_that_ended_early():
    found, missed = lesson("break-it"), (Change(50, {"batch_size": 8}),)
    for last, missing in ((50, None), (51, "batch_size")):
        verdict = found.verdict(replace(run(found.config(), missed, last), ended=True))
        assert (verdict.missing and verdict.missing.knob) == missing


def test_how_networks_ended_is_told_of_the_last_step_or_not_at_all():
    gone = replace(shot(9).networks["none"], stopped=7)
    shots = [shot(0, 0.9), Snapshot(9, {"none": gone, "batch": shot(9, 0.4).networks["batch"]})]
    observed = Observation(snapshots=shots, config=RunConfig())
    assert ends(observed) == {"none": End(accuracy=None, stopped=7),
                             "batch": End(accuracy=0.4, stopped=None)}  # fmt: skip
    assert ends(replace(observed, config=RunConfig(norms=("none", "layer")))) == {}
    assert ends(Observation(snapshots=[], config=RunConfig())) == {}


def test_of_some_cases_a_run_is_the_one_that_was_found_or_none():
    assert cases("a", "b", found="b") == {"a": False, "b": True}
    assert cases("a", "b", found=None) == {"a": False, "b": False}


def test_a_break_has_its_own_plan_or_that_of_the_lesson_without_its_changes():
    found = lesson("break-it")
    assert found.plan_of_try("late").last_step == 4_200
    relu = found.plan_of_try("relu")
    assert relu == replace(found.plan, changes=(), rates=found.break_rates)
    assert relu.rates != found.plan.rates
    usual = lesson("moving-targets")
    assert usual.plan_of_try("faster") == usual.plan, "at the pace of its run"


def test_a_break_begins_as_the_lesson_does_but_for_its_own_knobs_and_the_seed():
    found = lesson("slow-start")
    assert found.config_of_try("black-and-white", seed=4) == found.config(4).replace(
        input_scaling="binary"
    )
    assert found.config_of_try("large-weights").init_std == 1.0
    with pytest.raises(KeyError):
        found.try_named("no-such")


def test_a_break_has_charts_of_its_own_or_those_of_the_lesson():
    found = lesson("scale-and-shift")
    assert found.charts_of(None) == found.charts_of("moons")
    assert found.charts_of("normality") == (("shape", "full"), ("accuracy", "full"))


def test_words_may_name_the_knobs_the_last_step_chance_and_a_lessons_own_values():
    found = lesson("slow-start")
    said = found.named_values()
    assert (said["learning_rate"], said["depth"], said["last_step"]) == (1.0, 3, 300)
    assert (said["chance"], said["asked"]) == (0.1, 25)
    assert said["norms"] is None, "no number"


@every_case(
    ("accuracy", "case"), [(0.525, "ahead"), (0.515, "level"), (0.485, "level"), (0.475, "behind")]
)
def test_a_network_is_compared_with_another_one_by_how_both_ended(accuracy, case):
    told = {(300, "batch"): {"accuracy": accuracy}, (300, "none"): {"accuracy": 0.5},
            (100, "none"): {"accuracy": 0.9}}  # fmt: skip
    numbers = compared("batch", "none")(made("break-it", told))
    assert numbers == {each: each == case for each in ("ahead", "level", "behind")}
