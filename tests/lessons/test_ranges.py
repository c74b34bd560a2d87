"""The axes of a lesson's charts stay the same from the guess to the end of the run."""

from typing import Any

from bnviz.charts.chart import Chart
from bnviz.live.protocol.frames import encode_body
from bnviz.planned_runs.plan import Plan
from tests.charts.conftest import Frame, make_chart
from tests.charts.real_module import apply, evaluate
from tests.lessons.observing import WITH_A_RUN, lesson, observed, play

# Chart with times, which depend on the machine.
TIMED = "cost"
# JavaScript stand-in for a chart: `axis(trace, letter)` returns the axis of a drawn trace.
PLOT = """(() => {
  const traces = a.data.map((trace) => ({ xaxis: "x", yaxis: "y", ...trace }));
  const nameOf = (id) => id?.replace(/^[xy]/, "$&axis");
  const axis = (trace, letter) => ({ _name: nameOf(traces[trace][`${letter}axis`]) });
"""
ENDS = "return m.stepAxes(a.bindings, a.selected, { axis }); })()"
LEAST = "return [...m.shownFromStart(a.bindings, a.ranges, { axis })]; })()"
NEEDED = """
  const axes = Object.keys(a.layout).filter((name) => /^[xy]axis/.test(name)).map((name) => [name, {
    type: "linear", ...a.layout[name], _id: name.replace("axis", ""),
    range: a.before[`${name}.range`] ?? a.layout[name].range ?? [0, 1],
    autorange: !(`${name}.range` in a.before),
  }]);
  const element = { _fullLayout: Object.fromEntries(axes), _fullData: traces, data: traces };
  const given = [[], [], a.ends, a.least].map((entries) => new Map(entries));
  return new m.AxisRanges(element, a.layout).needed(...given);
})()"""


def frames_of(name: str) -> list[Frame]:
    """Return the frames of a lesson's own run, or of the first run of a comparison."""
    found = lesson(name)
    run = observed(name, 0) if found.compares is None else play(found.config(), found.plan)
    return [Frame(encode_body(each)) for each in run.snapshots]


def ranges_after(
    chart: Chart, frames: list[Frame], plan: Plan, ranges: Any, before: dict[str, Any]
) -> dict[str, Any]:
    """Return the axis ranges of a chart after frames have been drawn."""
    plain = chart.to_json()
    about = {
        "data": apply(chart, frames).to_plotly_json()["data"], "layout": plain["figure"]["layout"],
        "bindings": plain["bindings"], "ranges": ranges, "before": before,
        "selected": {each.name: each.default for each in chart.selectors},
    }  # fmt: skip
    ends = [(name, plan.last_step) for name in evaluate("charts/bindings", PLOT + ENDS, about)]
    least = evaluate("charts/bindings", PLOT + LEAST, about)
    about |= {"ends": ends, "least": least}
    return dict(evaluate("charts/axis_ranges", PLOT + NEEDED, about))


def test_no_axis_changes_between_the_guess_and_the_end_of_a_run():
    changed = {}
    for name in WITH_A_RUN:
        found, frames = lesson(name), frames_of(name)
        for each in (each for each, _ in found.charts_of(None) if each != TIMED):
            chart = make_chart(each, found.config())
            start = ranges_after(chart, frames[:1], found.plan, found.ranges, {})
            for count in range(2, len(frames) + 1):
                end = ranges_after(chart, frames[:count], found.plan, found.ranges, start)
                if end:
                    changed[name, each] = {axis: (start[axis], now) for axis, now in end.items()}
    assert not changed
