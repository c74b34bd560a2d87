"""Traces that are filled in Python have the values that the browser's modules draw."""

import math
import random
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from bnviz.actions import Scaling
from bnviz.change_log import ChangeLog
from bnviz.charts import CHARTS
from bnviz.charts import binding as kinds
from bnviz.charts.filling import Filling, Scene
from bnviz.charts.marks import change_marks
from bnviz.charts.placing import fitting_range, separated
from bnviz.charts.scale import from_zero, log_axis
from bnviz.config import RunConfig
from bnviz.experiment import run
from bnviz.live.protocol.frames import encode_body, plain_gestures
from bnviz.probes import PROBES
from bnviz.records import Change, Snapshot
from tests.charts.conftest import PAIR, PLANE, Frame, make_chart, snapshots
from tests.charts.real_module import apply, evaluate

CHEAPER = tuple(name for name in PROBES if name != "estimate")
TOO_FAST = [Change(2, {"learning_rate": 40.0}), Change(4, {"scale_weights": Scaling(3.0)})]
# Kinds of bindings that always draw all snapshots.
OVER_TIME = (kinds.Series, kinds.Band, kinds.Labels, kinds.Marks)
FAST_CHARTS = ("loss", "layers", "network", "hills", "rank", "ics", "jacobian", "growth")


def broken(config: RunConfig) -> list[Snapshot]:
    """Return snapshots of a run in which networks break and values become infinite."""
    taken = list(run(config, steps=8, probes=CHEAPER, changes=TOO_FAST, keep=(0, 4)))
    assert any(record.broke for record in taken[-1].networks.values())
    return taken


def differing(name: str, taken, *, shown: int = -1) -> list[str]:
    """Return the attributes of a chart's traces that the browser fills in another way."""
    chart = make_chart(name, taken[0].config)
    selected = {selector.name: selector.default for selector in chart.selectors}
    traces = chart.figure.to_plotly_json()["data"]
    filling = Filling(traces, Scene(taken, taken[shown], selected))
    filling.apply(chart.bindings)
    frames = [Frame(encode_body(one, changes=one.changes)) for one in taken]
    # In place of NaN, the browser keeps what an earlier frame showed. Here there is none.
    lines, now = apply(chart, frames, shown=shown), apply(chart, [frames[shown]])
    over_time = {one.trace for one in chart.bindings if isinstance(one, OVER_TIME)}
    # Here, the browser does not know the values before the first change.
    marks = {(one.trace, "text") for one in chart.bindings
             if isinstance(one, kinds.Marks) and one.of == "changes"}  # fmt: skip
    found = {(trace, name): value for trace, filled in filling.filled.items()
             for name, value in filled.items() if (trace, name) not in marks}  # fmt: skip
    assert found
    return [
        f"{name}, trace {trace}, {attribute}: {str(ours)[:200]}"
        for (trace, attribute), ours in found.items()
        if not same(ours, (lines if trace in over_time else now).data[trace][attribute])
    ]


def same(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, list | tuple):
        theirs = () if theirs is None else theirs
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(ours, int | float) and isinstance(theirs, int | float):
        # The browser divides some float32 numbers as such.
        return math.isclose(ours, theirs, rel_tol=1e-5, abs_tol=1e-12)
    return ours == theirs


@pytest.mark.parametrize("config", [PAIR, PLANE], ids=["pair", "plane"])
def test_every_chart_has_the_values_that_the_browser_draws(config):
    taken = snapshots(config, change=1.0 if config is PAIR else None)
    names = [name for name, entry in CHARTS.items()
             if entry.fits(config) and (config is PAIR or entry.plane_only)]  # fmt: skip
    assert not [one for name in names for one in differing(name, taken)]


def test_broken_networks_are_drawn_as_in_the_browser():
    config = RunConfig(depth=2, width=8, norms=("layer", "none"), activation="relu")
    taken = broken(config)
    assert not [one for name in FAST_CHARTS for one in differing(name, taken)]


@pytest.mark.verify
@pytest.mark.parametrize("config", [
    RunConfig(depth=2, width=8, norms=("layer", "none", "batch"), activation="relu"),
    RunConfig(depth=14, width=8), RunConfig(network="conv", width=8),
    RunConfig(network="recurrent", width=8, activation="sigmoid"),
])  # fmt: skip
def test_every_chart_of_every_kind_of_network_is_as_in_the_browser(config):
    taken = broken(config)
    measured = {probe for record in taken[-1].networks.values() for probe in record.probes}
    names = [name for name, entry in CHARTS.items()
             if entry.fits(config) and measured.issuperset(entry.needs)]  # fmt: skip
    assert not [one for name in names for at in (1, -1) for one in differing(name, taken, shown=at)]


def test_marks_have_the_words_of_the_browser():
    config = RunConfig(depth=2, width=8)
    changes = [
        Change(1, {"learning_rate": 0.3}), Change(2, {"learning_rate": 0.5}, 1),
        Change(3, {"learning_rate": 1.0}, 1), Change(4, {"learning_rates": (1.0, 0.02)}),
        Change(5, {"scale_weights": (10.0, None)}), Change(5, {"scale_weights": (0.5, 2)}),
        Change(6, {"batch_size": 8, "momentum": 0.9}), Change(7, {"learning_rate": 1.0}),
        Change(8, {"learning_rates": None}), Change(30, {"norm_statistics": "running"}),
        Change(31, {"rate_factors": (1.0, 0.5, 1.0)}), Change(32, {"momentum": 0.9}),
    ]  # fmt: skip
    binding = next(one for one in make_chart("loss", config).bindings
                   if isinstance(one, kinds.Marks) and one.of == "changes")  # fmt: skip
    snapshot = Snapshot(40, {}, config, tuple(changes))
    for near, words in ((1, "0.1 → 0.3"), (3, "0.1 → 1")):
        ours = change_marks(snapshot, binding, lambda a, b, near=near: b - a < near)
        log = ChangeLog(config.model_dump(), changes)
        asked = [plain_gestures(log), binding.to_json(), config.model_dump(), near]
        theirs = evaluate(
            "charts/marks", "m.changeMarks(a[0], a[1], a[2], (x, y) => y - x < a[3])", asked
        )
        assert [mark._asdict() for mark in ours] == theirs
        assert words in ours[0].label


def test_labels_are_moved_apart_as_in_the_browser():
    draw = random.Random(3)
    for count in (1, 2, 3, 6, 9):
        places = [draw.choice([10.0, 40.0, draw.uniform(0, 120)]) for _ in range(count)]
        ours = separated(places, 14.0, 1.0, 119.0)
        asked = [places, 14, 1, 119]
        theirs = evaluate("lib/separate_labels", "m.separateLabels(...a)", asked)
        assert np.allclose(ours, theirs)
        assert all(after - before > 13.999 for before, after in pairwise(sorted(ours)))


def test_axes_have_the_ranges_of_the_browser():
    axes = [from_zero(20, most=60), from_zero(1), log_axis(-3, 2, include=(-1, 0)),
            {"autorange": True}, {"autorangeoptions": {"include": [-2, 3]}}]  # fmt: skip
    for axis in axes:
        for low, high in ((0.0, 50.0), (0.2, 0.3), (5.0, 90.0), (-2.5, 1.0), (1.0, 1.0)):
            ours = fitting_range([low, high], axis)
            asked = [[low, high], {"range": [0, 1], "autorange": True}, axis]
            assert ours == pytest.approx(evaluate("charts/axis_ranges", "m.bestRange(...a)", asked))
