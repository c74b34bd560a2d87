"""Block of numbers in a report: allowed contents, and comparison with a repeated run."""

import json
import math

import pytest

from bnviz.config import ConfigError, RunConfig
from bnviz.lessons.report import (
    MOST_STEPS_AGAIN,
    Reading,
    ReportedResult,
    differences,
    plan_again,
    read_report,
)
from bnviz.live.contract import LONGEST_REPORT
from bnviz.planned_runs.execution import run_plan
from bnviz.planned_runs.plan import Plan
from bnviz.records import Change
from tests.every_case import every_case

NUMBERS = {"test_accuracy": 0.5, "test_loss": 1.25, "state": "learning"}
BLOCK = {
    "bnviz": "report", "version": 1, "link": "http://here/lab?depth=2", "who": " Ada ", "step": 9,
    "changes": [], "networks": {"none": NUMBERS}, "verdict": {"outcome": "held", "answer": "a"},
}  # fmt: skip


def read(**changed):
    return read_report(json.dumps({**BLOCK, **changed}))


def networks(**changed):
    return {"none": {**NUMBERS, **changed}}


def test_a_report_is_read():
    report = read(networks=networks(test_loss="Infinity", test_accuracy="NaN"))
    assert (report.who, report.link) == ("Ada", BLOCK["link"])
    reading = report.measured.networks["none"]
    assert math.isnan(reading.test_accuracy)
    assert reading.test_loss == math.inf
    assert (report.measured.outcome, report.measured.answer) == ("held", "a")
    assert read(verdict=None).measured.outcome is None


@every_case(
    ("changed", "field"),
    [
        ({"bnviz": "course"}, "bnviz"), ({"version": 2}, "version"), ({"version": True}, "version"),
        ({"more": 1}, "report"), ({"link": ""}, "link"), ({"link": "/lab?" + "x" * 2000}, "link"),
        ({"who": "a\nb"}, "who"), ({"who": 3}, "who"), ({"step": 0}, "step"),
        ({"step": 1.5}, "step"), ({"step": 10**9}, "step"), ({"networks": []}, "networks"),
        ({"networks": {str(n): NUMBERS for n in range(9)}}, "networks"),
        ({"networks": networks(test_accuracy=1.5)}, "networks.none.test_accuracy"),
        ({"networks": networks(test_loss="<b>")}, "networks.none.test_loss"),
        ({"networks": networks(state="fine")}, "networks.none.state"),
        ({"networks": networks(more=1)}, "networks.none"),
        ({"verdict": {"outcome": "yes"}}, "verdict.outcome"),
        ({"verdict": {"outcome": "held", "answer": "a" * 99}}, "verdict.answer"),
        ({"changes": {}}, "changes"), ({"changes": [3]}, "changes.0"),
        ({"changes": [{"step": -1, "values": {}}]}, "changes.0.step"),
        ({"changes": [{"step": 1, "values": {"depth": 3}}]}, "changes.0.values"),
        ({"changes": [{"step": n, "values": {}} for n in range(201)]}, "changes"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_report_is_told_by_its_field(changed, field):
    with pytest.raises(ConfigError) as found:
        read(**changed)
    assert found.value.field == field


@every_case("text", ["", "{", "[" * 9_999, "NaN", "[]", " " * (LONGEST_REPORT + 1)])
def test_what_is_no_report_is_refused(text):
    with pytest.raises(ConfigError, match="report"):
        read_report(text)


def test_changes_of_one_step_are_one_but_an_action_is_done_once():
    def change(step, **values):
        return {"step": step, "values": values, "drag": 1}

    report = read(changes=[
        change(5, learning_rate=1), change(2, learning_rates=[0.1, 1]), change(5, momentum=0.5),
    ])  # fmt: skip
    assert report.changes == (
        Change(step=2, values={"learning_rates": (0.1, 1)}),
        Change(step=5, values={"learning_rate": 1, "momentum": 0.5}),
    )
    twice = [change(5, scale_weights=[2, None]), change(5, scale_weights=[2, None])]
    with pytest.raises(ConfigError, match="once"):
        read(changes=twice)


def test_the_run_of_a_report_is_made_up_to_its_step_with_all_its_changes():
    plan = Plan(
        rates=((9, 10.0),), last_step=20, shown=(3, 9, 15), keep=(4,), probes=("cut",),
        changes=(Change(step=2, values={"momentum": 0.1}),),
    )  # fmt: skip
    late = [{"step": step, "values": {"momentum": step / 100}} for step in (4, 8, 9, 12)]
    again = plan_again(read(changes=late), plan)
    assert (again.last_step, again.shown, again.keep, again.probes) == (9, (3, 9), (4,), ("cut",))
    assert [change.step for change in again.changes] == [4, 8]
    assert plan_again(read(), None).shown == (9,)
    with pytest.raises(ConfigError, match="`step`"):
        plan_again(read(step=MOST_STEPS_AGAIN + 1), None)


def test_a_number_that_was_changed_is_found_and_told_by_how_much():
    """The engine makes the run twice. The report of one run passes through JSON."""
    config = RunConfig(depth=2, width=16, batch_size=16)
    plan = Plan(rates=((5, 10.0),), last_step=5)

    def measured(networks):
        return ReportedResult(step=5, networks=networks, outcome="held", answer="a")

    first, second = (list(run_plan(config, plan, probes=()))[-1].networks for _ in range(2))
    found = measured({norm: Reading.of(record) for norm, record in second.items()})
    told = {
        norm: {name: getattr(record, name) for name in NUMBERS} for norm, record in first.items()
    }
    reported = read(step=5, networks=told).measured
    assert differences(reported, found) == ()
    told["batch"]["test_accuracy"] -= 1e-6
    changed = read(step=5, networks=told, verdict={"outcome": "held", "answer": "b"}).measured
    accuracy, answer = differences(changed, found)
    assert (accuracy.network, accuracy.what) == ("batch", "test_accuracy")
    assert accuracy.by == pytest.approx(1e-6)
    assert (answer.what, answer.reported, answer.found) == ("answer", "b", "a")
    assert answer.by is None


def test_what_is_missing_differs_and_what_is_not_a_number_is_the_same():
    nothing = Reading(test_accuracy=math.nan, test_loss=math.nan, state="diverged")
    one = ReportedResult(step=3, networks={"none": nothing})
    again = ReportedResult(step=3, networks={"none": nothing}, outcome="held", answer="a")
    assert differences(one, again) == (), "its result was hidden, so it was not reported"
    more = ReportedResult(step=4, networks={"batch": nothing})
    found = differences(one, more)
    assert {(each.network, each.what) for each in found} >= {
        ("", "step"), ("none", "state"), ("batch", "state")
    }  # fmt: skip
