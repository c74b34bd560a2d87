"""Every chart is filled as its bindings say: the browser against the same in Python."""

import itertools
import json

import numpy as np
import pytest

from bnviz.charts import CHARTS
from tests.browser.live_view.page_data import page_data
from tests.browser.live_view.recorded import PAIR, PLANE, bodies, record
from tests.charts.browser_twin.apply import apply
from tests.charts.browser_twin.frame import to_frame
from tests.charts.conftest import make_chart

TALL = {"width": 1300, "height": 14_000}


def simplified(x, y):
    """A path without the points that lie on the straight line between their neighbours."""
    points = list(zip(x, y, strict=True))
    kept = points[:1]
    for point, after in itertools.pairwise([*points[1:], (None, None)]):
        if None in (*kept[-1], *point, *after) or not on_line(kept[-1], point, after):
            kept.append(point)
    return kept


def on_line(before, point, after):
    (xa, ya), (x, y), (xb, yb) = before, point, after
    return abs((x - xa) * (yb - ya) - (xb - xa) * (y - ya)) < 1e-9


def assert_same(drawn, expected, where):
    drawn = [None if isinstance(v, float) and not np.isfinite(v) else v for v in drawn]
    assert len(drawn) == len(expected), where
    for one, other in zip(drawn, expected, strict=True):
        if isinstance(other, str) or other is None or one is None:
            assert one == other, where
        else:
            assert one == pytest.approx(other, rel=1e-6, abs=1e-9), where


def test_every_chart_is_filled_as_the_python_reference_fills_it(opening, taken):
    wrong = []
    for config, shots in ((PAIR, taken), (PLANE, record(PLANE, 3))):
        names = [name for name in CHARTS if (name == "boundary") is (config is PLANE)]
        past = [to_frame(snapshot, changes) for snapshot, changes in shots]
        with opening() as open_tab:
            tab = open_tab(page_data(config, names), bodies(shots, config), viewport=TALL)
            # Words at marks are put apart in pixels: figures are as high as they are made for.
            own = ".bnviz-window .bnviz-figure { max-height: var(--height) !important; }"
            style = tab.page.add_style_tag(content=own)
            tab.drawn(len(shots) - 1)
            for name in names:
                if name == "accuracy":  # it shares a place with the loss
                    tab.view.get_by_role("button", name="accuracy", exact=True).click()
                try:
                    assert_filled(tab, make_chart(name, config), past)
                except AssertionError as error:
                    wrong.append(f"{name}: {error}")
            style.evaluate("style => style.remove()")
    assert not wrong, "\n".join(wrong)


def assert_filled(tab, chart, past):
    """A chart in the browser has what its bindings give in Python."""
    name, expected = chart.name, apply(chart, past).to_plotly_json()["data"]
    overlays = {b.trace for b in chart.bindings if b.kind in ("cursor", "labels")}
    ridges = {b.trace for b in chart.bindings if b.kind == "ridges"}
    over_time = [b.trace for b in chart.bindings if b.kind == "series"]
    tab.page.wait_for_function(
        "([name, traces]) => { const gd = document.querySelector(`[data-chart=${name}]"
        " .js-plotly-plot`); return gd && traces.every(([i, n]) => gd.data[i].x.length === n); }",
        arg=[name, [[i, len(expected[i]["x"])] for i in over_time]],
    )
    for i, trace in enumerate(expected):
        drawn = json.loads(tab.plot(name, f"JSON.stringify(gd.data[{i}])"))
        if i in overlays:
            continue
        if i in ridges:
            path = simplified(drawn["x"], drawn["y"])
            reference = simplified(*(np.array(trace[k], dtype=object).tolist() for k in "xy"))
            for a, b in zip(path, reference, strict=True):
                assert_same(a, b, f"{name} {i}")
            continue
        for key in ("x", "y", "z"):
            if key in trace and isinstance(drawn.get(key), list):
                flat = [v for row in drawn[key] for v in (row if isinstance(row, list) else [row])]
                wanted = np.array(list(trace[key]), dtype=object).ravel().tolist()
                assert_same(flat, wanted, f"{name} {i} {key}")
