"""Traces filled in Python have the same values as those that the browser's modules fill."""

import math
from collections.abc import Mapping
from typing import Any

import pytest

from bnviz.actions import Scaling
from bnviz.charts import CHARTS
from bnviz.charts import binding as kinds
from bnviz.charts.filling import Filling, Scene
from bnviz.config import RunConfig
from bnviz.experiment import run
from bnviz.live.protocol.frames import encode_body
from bnviz.records import Change
from tests.charts.conftest import PAIR, PLANE, Frame, make_chart
from tests.charts.real_module import apply

CHANGES = [Change(2, {"learning_rate": 1.0}), Change(4, {"learning_rate": 40.0}),
           Change(5, {"scale_weights": Scaling(3.0)})]  # fmt: skip
THREE = RunConfig(depth=2, width=8, norms=("layer", "none", "batch"), activation="relu")
DEEP = RunConfig(depth=14, width=8)
BROKEN = 9


def snapshots_of(config, steps=BROKEN):
    """Return snapshots of a run that breaks, with every probe."""
    return list(run(config, steps=steps, probes="all", changes=CHANGES, keep=(0, 2, 5)))


def filled(name: str, snapshots, shown=-1) -> tuple[Any, dict[int, dict[str, Any]]]:
    chart = make_chart(name, snapshots[0].config)
    selected = {selector.name: selector.default for selector in chart.selectors}
    filling = Filling(
        chart.figure.to_plotly_json()["data"], Scene(snapshots, snapshots[shown], selected)
    )
    filling.apply(chart.bindings)
    return chart, filling.filled


def differing(chart, ours: Mapping[str, Any], theirs, trace: int) -> list[str]:
    """Return the attributes of a trace that differ from those of the browser."""
    marks = {one.trace for one in chart.bindings
             if isinstance(one, kinds.Marks) and one.of == "changes"}  # fmt: skip
    # The browser does not know the knobs of the run here, so it cannot write the old values.
    names = [name for name in ours if (trace, name) not in {(each, "text") for each in marks}]
    return [f"{trace}.{name}: {ours[name]!r:.300} {theirs[name]!r:.300}"
            for name in names if not same(ours[name], theirs[name])]  # fmt: skip


def same(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, list | tuple):
        theirs = [] if theirs is None else theirs
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(ours, int | float) and isinstance(theirs, int | float):
        return math.isclose(ours, theirs, rel_tol=1e-5, abs_tol=1e-12)
    return ours == theirs


@pytest.mark.parametrize(
    "config", [PAIR, PLANE, THREE, DEEP], ids=["pair", "plane", "three", "deep"]
)
def test_every_chart_has_the_values_that_the_browser_draws(config):
    snapshots = snapshots_of(config)
    frames = [Frame(encode_body(one, changes=one.changes)) for one in snapshots]
    wrong = {}
    for name in (name for name, entry in CHARTS.items() if entry.fits(config)):
        for shown in (-1, 1):
            chart, found = filled(name, snapshots, shown)
            theirs = apply(chart, frames, shown=shown)
            for trace, attributes in found.items():
                bad = differing(chart, attributes, theirs.data[trace], trace)
                if bad:
                    wrong[name, shown, trace] = bad
    assert not wrong
