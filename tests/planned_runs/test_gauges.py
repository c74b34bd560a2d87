"""Ratios of measured quantities between two networks, from hand-made snapshots."""

import math

import numpy as np
import pytest

from bnviz.config import RunConfig
from bnviz.planned_runs.comparison import Comparison
from bnviz.planned_runs.gauges import GAUGES, Ratios
from bnviz.probes import PROBES
from bnviz.records import NetworkRecord, Snapshot
from bnviz.words.texts import texts
from tests.every_case import every_case

STEPS = (5, 9)
ALL = Ratios(gauges=tuple(GAUGES), steps=STEPS)
SMALL = RunConfig(depth=2, width=16, batch_size=16)


def record(change=(0.0, 1.0, 1.0), low=1.0, high=2.0, beta=1.0, **more):
    probes = {
        "ics": {"change": np.array(change)},
        "landscape": {
            "loss_low": np.array(low), "loss_high": np.array(high), "beta": np.array(beta)
        },
    }  # fmt: skip
    return NetworkRecord(
        loss=1.0, test_loss=1.0, test_accuracy=0.5, state="learning", broke=None, probes=probes,
        **more,
    )  # fmt: skip


def shots(*batch, plain=None):
    return {
        step: Snapshot(step, {"batch": one, "none": plain or record()})
        for step, one in zip(STEPS, batch, strict=True)
    }


def test_a_ratio_is_the_geometric_mean_over_layers_and_steps():
    """The first layer's gradient does not count, because no layer below can shift it."""
    first = record(change=(0.0, 4.0, 1.0), low=1.0, high=1.5, beta=3.0)
    second = record(change=(7.0, 2.0, 2.0), low=0.0, high=8.0, beta=12.0)
    plain = record(change=(0.0, 1.0, 0.5), low=2.0, high=4.0, beta=6.0)
    assert ALL.of(shots(first, second, plain=plain)) == {
        "gradient_shift": pytest.approx((4 * 2 * 2 * 4) ** 0.25),
        "loss_range": pytest.approx(math.sqrt(0.25 * 4)),
        "effective_beta": pytest.approx(math.sqrt(0.5 * 2)),
    }


@every_case("beta", [math.nan, math.inf, 0.0, -1.0])
def test_what_cannot_be_divided_is_not_told_and_the_others_are(beta):
    found = ALL.of(shots(record(), record(beta=beta)))
    assert found == {"gradient_shift": 1.0, "loss_range": 1.0, "effective_beta": None}


def test_only_what_was_measured_at_its_very_step_counts():
    late = record(measured_at={"landscape": 9, "ics": 5})
    found = ALL.of(shots(late, record()))
    assert found == {"gradient_shift": 1.0, "loss_range": None, "effective_beta": None}
    whole = shots(record(), record())
    assert set(ALL.of({5: whole[5]}).values()) == {None}
    del whole[9].networks["none"].probes["ics"]
    assert ALL.of(whole)["gradient_shift"] is None


def test_at_its_last_step_a_run_may_still_have_to_be_measured():
    done = {"measured_at": {"landscape": 9, "ics": 9}}
    there, late = record(**done), record(measured_at={"landscape": 9, "ics": 5})
    both = ((there, there, False), (late, there, True), (there, late, True))
    for batch, plain, waits in both:
        assert ALL.waits(shots(record(), batch, plain=plain)) is waits
    assert ALL.waits(shots(record(), record(measured_at={}), plain=there)), "nothing came yet"
    gone = record(measured_at={"ics": 5}, stopped=7)
    assert not ALL.waits(shots(record(), there, plain=gone)), "it is no longer measured"
    assert not ALL.waits({5: shots(there, there)[5]}), "it ended before"


def test_every_gauge_has_its_probe_and_its_name():
    assert set(ALL.probes) == {"ics", "landscape"} <= set(PROBES)
    assert texts("series")["gauges"].keys() == GAUGES.keys()
    assert Ratios(gauges=("loss_range", "effective_beta"), steps=STEPS).probes == ("landscape",)


def test_a_member_with_ratios_is_measured_where_they_are_read():
    plan = Comparison.over("depth", (2, 3), SMALL, last_step=12, ratios=ALL).plan
    assert (plan.shown, plan.probes, plan.brief) == ((0, 5, 9, 12), ("ics", "landscape"), False)


def test_a_comparison_tells_what_its_runs_have_measured():
    settings = {"a": SMALL, "b": SMALL.replace(depth=3)}
    given = [*shots(record(beta=2.0), record(beta=2.0)).values()]
    found = Comparison.of("two", settings, last_step=9, ratios=ALL).measured("a", given)
    assert found.ratios["effective_beta"] == pytest.approx(2.0)
    assert Comparison.of("two", settings, last_step=9).measured("a", given).ratios == {}
