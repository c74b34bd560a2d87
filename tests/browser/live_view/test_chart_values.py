"""Every chart in Chromium shows the values that the modules compute from the frames."""

import json

from bnviz.charts import CHARTS
from bnviz.live.runs.parsed_frames import HistoryFrame
from tests.browser.live_view.page_data import page_data
from tests.browser.live_view.recorded import PAIR, bodies, record
from tests.charts.conftest import PLANE, Frame, make_chart
from tests.charts.real_module import apply

TALL = {"width": 1300, "height": 14_000}
# Attributes to compare for elements drawn over the figure. Their positions are in pixels, and only
# the x positions of marks are known in advance.
COMPARED = {"cursor": (), "labels": (), "marks": ("x",)}


def test_every_chart_is_drawn_as_the_modules_fill_it(opening, taken):
    wrong = []
    for config, shots in ((PAIR, taken), (PLANE, record(PLANE, 3))):
        names = [name for name in CHARTS if (name == "boundary") is (config is PLANE)]
        sent = bodies(shots, config)
        frames = [HistoryFrame(seq, *frame) for seq, frame in enumerate(sent)]
        with opening() as open_tab:
            tab = open_tab(page_data(config, names), sent, viewport=TALL)
            tab.drawn(len(sent) - 1)
            for name in names:
                if name == "accuracy":  # accuracy shares a card with the loss
                    tab.view.get_by_role("button", name="accuracy", exact=True).click()
                chart = make_chart(name, config)
                filled = json.loads(apply(chart, frames).to_json())["data"]
                wrong += differences(tab, chart, filled, lacking(chart, Frame(frames[-1].body)))
    assert not wrong, "\n".join(wrong)


def lacking(chart, frame):
    """Return the traces for which a frame has no new values. The page may not have drawn their
    older values.
    """
    return {
        one.trace for one in chart.bindings
        if one.kind in ("array", "text") and "." in one.field.partition(".")[2]
        and frame.array(one.field) is None
    }  # fmt: skip


def differences(tab, chart, filled, lacking):
    """Return the names of the attributes that differ between the chart drawn by the page and the
    chart filled by the modules.
    """
    lines = [one.trace for one in chart.bindings if one.kind == "series"]
    tab.page.wait_for_function(
        "([name, lines]) => { const gd = document.querySelector(`[data-chart=${name}]"
        " .js-plotly-plot`); return gd && lines.every(([i, n]) => gd.data[i].x.length === n); }",
        arg=[chart.name, [[i, len(filled[i]["x"])] for i in lines]],
    )
    drawn = json.loads(tab.plot(chart.name, "JSON.stringify(gd.data)"))
    kinds = {one.trace: one.kind for one in chart.bindings if hasattr(one, "trace")}
    return [
        f"{chart.name}: {attribute} of trace {i}"
        for i, (trace, expected) in enumerate(zip(drawn, filled, strict=True))
        if i not in lacking
        for attribute in COMPARED.get(kinds.get(i), ("x", "y", "z", "text"))
        if trace.get(attribute) != expected.get(attribute)
    ]
