"""What a lesson is made of, and which moves of a knob take a verdict away."""

from dataclasses import replace

import pytest

from bnviz.charts import CHARTS
from bnviz.config import KNOBS, RunConfig
from bnviz.lessons import LESSONS, place_of
from bnviz.lessons.watched import NotMeasured, Watched
from bnviz.probes import PROBES
from bnviz.records import Change, NetworkRecord, Snapshot
from bnviz.texts import texts
from tests.lessons.watching import CLAIMING, WRITTEN, lesson


def shot(step, accuracy=0.5, norms=("none", "batch"), **measured):
    record = NetworkRecord(
        loss=1.0, test_loss=1.0, test_accuracy=accuracy, state="learning", broke=None, **measured
    )
    return Snapshot(step, dict.fromkeys(norms, record))


def run(config, changes=(), last=300):
    return Watched(snapshots=[shot(0, norms=config.norms, probes={}),
                              shot(last, norms=config.norms, probes={})],
                   config=config, changes=changes)  # fmt: skip


def test_the_order_of_the_pages():
    assert list(LESSONS)[:6] == [
        "read-the-charts", "break-it", "by-hand", "moving-targets", "slow-start",
        "through-the-batch",
    ]  # fmt: skip
    course = [name for name, entry in LESSONS.items() if not entry.extra]
    assert [place_of(name) for name in course] == [*range(len(course))]
    assert {place_of(name) for name in LESSONS.keys() - set(course)} == {None}


@pytest.mark.parametrize("name", WRITTEN)
def test_what_a_lesson_names_exists(name):
    found = lesson(name)
    assert found.name == name
    assert all(CHARTS[chart].fits(found.config()) for chart, _ in found.charts)
    assert set(found.knobs) | set(found.free) <= KNOBS.keys()
    assert set(found.plan.probes) <= PROBES.keys()
    assert found.guess_on in ("", *found.widgets)
    assert set(found.introduces) <= texts("glossary").keys()
    found.plan.check(found.config())
    assert found.plan.last_step in found.plan.shown, "a verdict reads the last step"
    assert len(found.answers) in (0, 3)
    for each in found.breaks:
        config, plan = found.break_config(each.name, seed=3), found.break_plan(each.name)
        plan.check(config)
        assert config.seed == 3
        assert config != found.config(3) or plan != found.plan
        assert plan.last_step in plan.shown


def seconds(plan):
    """How long a run takes by its schedule."""
    at, total = 0, 0.0
    for until, rate in plan.rates:
        total += max(min(until, plan.last_step) - at, 0) / rate
        at = max(at, min(until, plan.last_step))
    return total


@pytest.mark.parametrize("name", WRITTEN)
def test_what_a_break_shows_comes_soon(name):
    found = lesson(name)
    for each in found.breaks:
        assert seconds(found.break_plan(each.name)) <= 15, each.name


@pytest.mark.parametrize("name", [name for name, entry in LESSONS.items() if not entry.written])
def test_a_lesson_not_yet_written_has_a_setting_and_no_more(name):
    assert RunConfig.from_query(LESSONS[name].lab)
    with pytest.raises(LookupError, match="not yet written"):
        LESSONS[name].resolve()


def test_without_its_last_step_a_run_says_nothing():
    found = lesson("break-it")
    assert found.verdict(run(found.config(), found.plan.changes, last=299)) is None
    assert found.verdict(Watched(snapshots=[], config=found.config())) is None


def test_a_run_that_ended_early_says_so_and_how_each_network_ended():
    found = lesson("break-it")
    gone = replace(shot(17, probes={}).networks["none"], stopped=9)
    shots = [Snapshot(17, {"none": gone, "batch": replace(gone, stopped=None, test_accuracy=0.4)})]
    watched = Watched(snapshots=shots, config=found.config(), changes=(), ended=True)
    verdict = found.verdict(watched)
    assert (verdict.outcome, verdict.missing, verdict.ended_at) == ("not_in_this_run", None, 17)
    assert (verdict.ends["none"].accuracy, verdict.ends["none"].stopped) == (None, 9)
    assert (verdict.ends["batch"].accuracy, verdict.ends["batch"].stopped) == (0.4, None)
    moved = replace(watched, changes=(Change(8, {"learning_rate": 10.0}),))
    assert found.verdict(moved).missing.knob == "learning_rate", "what was moved is the reason"


@pytest.mark.parametrize("name", CLAIMING)
def test_a_structural_knob_that_was_moved_is_named(name):
    found = lesson(name)
    config = found.config().replace(width=64)
    verdict = found.verdict(run(config, found.plan.changes, found.plan.last_step))
    assert verdict.outcome == "not_in_this_run"
    assert (verdict.missing.knob, verdict.missing.needed, verdict.missing.found) == (
        "width", 100, 64,
    )  # fmt: skip
    assert verdict.answer is None
    assert verdict.ends.keys() == set(config.norms)


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ((), "learning_rate"),  # the rate never went up
        ((Change(100, {"learning_rate": 1.0}),), "learning_rate"),  # and never back
        ((Change(50, {"batch_size": 8}),), "batch_size"),
    ],
)
def test_a_live_knob_that_was_moved_is_named(changes, missing):
    found = lesson("break-it")
    planned = found.plan.changes if missing == "batch_size" else ()
    every = tuple(sorted((*changes, *planned), key=lambda change: change.step))
    verdict = found.verdict(run(found.config(), every))
    assert (verdict.outcome, verdict.missing.knob) == ("not_in_this_run", missing)


def test_a_knob_moved_and_put_back_before_a_step_was_taken_or_after_the_end_does_not_matter():
    found = lesson("break-it")
    changes = [
        Change(20, {"learning_rate": 5.0}), Change(20, {"learning_rate": 0.1}),
        *found.plan.changes, Change(300, {"learning_rate": 7.0}),
    ]  # fmt: skip
    moved = run(found.config(), changes).knobs_moved(found.config(), found.plan.changes, 300)
    assert moved == {}


def test_seed_and_free_knobs_take_no_condition_away():
    found = lesson("by-hand")
    config = found.config(seed=9).replace(norm_eps=0.1, batch_size=8)
    with pytest.raises(NotMeasured, match="unit_batch at step 100"):
        found.verdict(run(config, last=100))


def test_a_network_that_takes_no_steps_makes_the_run_say_nothing():
    """One image a batch: the knob may be moved, but its unit is not measured there."""
    found = lesson("by-hand")
    paused = replace(shot(100, norms=("batch",), probes={}).networks["batch"], paused="too few")
    changes = (Change(10, {"batch_size": 1}),)
    watched = Watched(snapshots=[Snapshot(100, {"batch": paused})], config=found.config(),
                      changes=changes)  # fmt: skip
    verdict = found.verdict(watched)
    assert verdict.outcome == "not_in_this_run"
    assert (verdict.missing.knob, verdict.missing.needed, verdict.missing.found) == (
        "batch_size", 60, 1,
    )  # fmt: skip


def test_a_probe_measured_at_another_step_does_not_count():
    stale = shot(25, probes={"saturation": {"saturated": [0.5]}}, measured_at={"saturation": 20})
    watched = Watched(snapshots=[stale], config=RunConfig())
    with pytest.raises(NotMeasured, match="saturation at step 25"):
        watched.value(25, "none", "saturation", "saturated")
    fresh = replace(stale.networks["none"], measured_at={"saturation": 25})
    watched = Watched(snapshots=[Snapshot(25, {"none": fresh})], config=RunConfig())
    assert watched.value(25, "none", "saturation", "saturated").tolist() == [0.5]
    again = replace(fresh, probes={"saturation": {"saturated": [0.7]}})
    shots = [Snapshot(25, {"none": fresh}), Snapshot(25, {"none": again})]
    twice = Watched(snapshots=shots, config=RunConfig())
    assert twice.value(25, "none", "saturation", "saturated").tolist() == [0.7], "the later one"
    with pytest.raises(NotMeasured, match="step 26"):
        watched.at(26, "none")
    with pytest.raises(NotMeasured, match="batch"):
        watched.at(25, "batch")


def test_a_network_whose_outputs_are_not_finite_names_nothing_correctly():
    watched = Watched(snapshots=[shot(7, float("nan"), probes={})], config=RunConfig())
    assert watched.accuracy(7, "none") == 0
    assert watched.accuracies("batch", 0, 9) == {7: 0.0}
