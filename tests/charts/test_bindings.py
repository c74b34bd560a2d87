"""Each kind of binding, run by the browser's modules on hand-made values."""

import math

import numpy as np
import plotly.graph_objects as go

from bnviz.charts import binding as kinds
from bnviz.charts.chart import Chart, Selector, Table
from bnviz.records import Change
from bnviz.words.numbers import NO_BREAK_SPACE
from tests.charts.conftest import Frame, frame_by_hand
from tests.charts.real_module import apply

INF, NAN = math.inf, math.nan
NOTHING = "\u200b"  # placeholder text of a mark's end points, see marks.js


def chart_of(*bindings: kinds.Binding, selectors=(), **trace) -> Chart:
    figure = go.Figure(go.Heatmap(**trace) if "z" in trace else go.Scatter(**trace))
    return Chart(name="test", subtitle="test", figure=figure, bindings=list(bindings),
                 table=Table([]), height=100, selectors=selectors)  # fmt: skip


def frame(step=0, arrays=None, changes=(), **network) -> Frame:
    values = {"state": "learning", "broke": None, **network}
    return frame_by_hand(step, {"none": values}, arrays, changes)


def filled(one: kinds.Binding, *frames: Frame, selectors=(), selected=None, **trace):
    return apply(chart_of(one, selectors=selectors, **trace), frames, selected=selected).data[0]


def test_array_draws_values_beyond_the_axis_on_its_edge_and_writes_their_number():
    values = np.array([1e-12, 1e-3, 5e4, INF, 0.0])
    one = kinds.Array(trace=0, attr="x", field="none.p.v", clip=(1e-9, 1e2), edge_format="number",
                      edge_upright="middle", edges={"low": "triangle-left", "inside": "circle",
                             "high": "triangle-right"})  # fmt: skip
    trace = filled(one, frame(arrays={"none.p.v": values}))
    assert trace.x == (1e-9, 1e-3, 1e2, 1e2, 1e-9)
    assert trace.text == ("1e-12", "", "5e4", "∞", "0")
    right, left = "middle right", "middle left"
    assert trace.textposition == (right, right, left, left, right)
    assert trace.marker.symbol == (
        "triangle-left", "circle", "triangle-right", "triangle-right", "triangle-left",
    )  # fmt: skip


def test_values_are_divided_by_another_field():
    values = {"none.p.v": np.array([2.0, 3.0]), "none.p.whole": np.array(4.0)}
    one = kinds.Array(trace=0, attr="x", field="none.p.v", over="none.p.whole", scale=10)
    assert filled(one, frame(arrays=values)).x == (5, 7.5)
    assert filled(one, frame(arrays={"none.p.v": values["none.p.v"]}), x=[1]).x == (1,)
    words = kinds.Text(trace=0, field="none.p.v", over="none.p.whole", format="number", scale=2,
                       template="{value} ×")  # fmt: skip
    assert filled(words, frame(arrays=values)).text == ("1 ×", "1.5 ×")


def test_array_reads_a_matrix_row_by_row_and_picks_by_index():
    values = np.arange(6.0).reshape(2, 3)
    measured = frame(arrays={"none.p.v": values})
    whole = filled(kinds.Array(trace=0, attr="y", field="none.p.v"), measured)
    one = kinds.Array(trace=0, attr="y", field="none.p.v", index=":,1", scale=10)
    column = filled(one, measured)
    assert whole.y == (0, 1, 2, 3, 4, 5)
    assert column.y == (10, 40)


def test_a_field_the_frame_lacks_leaves_the_trace_alone():
    one = kinds.Array(trace=0, attr="x", field="none.p.v")
    assert filled(one, frame(), x=[7]).x == (7,)


def test_spans_join_low_and_high_of_each_row():
    values = np.array([[0.1, 1, 2], [1e-9, 1, 20]])
    one = kinds.Spans(trace=0, field="none.p.v", low=0, high=2, clip=(1e-6, 10))
    trace = filled(one, frame(arrays={"none.p.v": values}))
    assert trace.x == (0.1, 2, None, 1e-6, 10, None)


def test_each_ridge_is_as_high_as_its_own_peak_now_or_at_the_start_allows():
    now = np.array([[0, 65535, 0], [100, 100, 300], [20, 40, 0]], dtype=np.uint16)
    start = np.array([[10, 20, 0], [0, 300, 0], [80, 0, 0]], dtype=np.uint16)
    arrays = {"none.p.now": now, "none.p.start": start}
    fields = tuple(arrays)
    one = kinds.Ridges(trace=0, field="none.p.now", base=[1, 2, 3], left=0, right=3, height=0.8,
                       peaks=fields)  # fmt: skip
    trace = filled(one, frame(arrays=arrays))
    rows = [np.array([float(y) for y in part]) for part in _paths(trace.y)]
    steps = [list(map(float, part)) for part in _paths(trace.x)]
    assert steps[0] == [0, 0, 1, 1, 2, 2, 3, 3, 0]
    assert {len(row) for row in rows} == {9}, "outlines have the same points, whatever they show"
    peaks = [(row - base).max() for row, base in zip(rows, one.base, strict=True)]
    # Peaks are rounded up to steps of 5 %, so that rows do not flicker.
    for peak, share in zip(peaks, (1, 1, 0.5), strict=True):
        assert 0.8 * share / 1.05 <= peak <= 0.8 * share + 1e-9


def test_a_row_without_values_is_a_line():
    one = kinds.Ridges(trace=0, field="none.p.v", base=[0], left=0, right=1, height=0.9,
                       peaks=("none.p.v", "none.p.missing"))  # fmt: skip
    trace = filled(one, frame(arrays={"none.p.v": np.array([[0, 0]])}))
    assert {y for y in trace.y if y is not None} == {0}


def test_heat_scales_the_matrix():
    one = kinds.Heat(trace=0, field="none.p.v", scale=1 / 255)
    trace = filled(one, frame(arrays={"none.p.v": np.array([[0, 255]])}), z=[[0.0]])
    assert list(trace.z[0]) == [0, 1]


def test_text_fills_its_place_and_leaves_the_others():
    one = kinds.Text(trace=0, field="none.p.v", format="percent0", at=1, template="{value} dead",
                     blank_zero=True)  # fmt: skip
    trace = filled(one, frame(arrays={"none.p.v": np.array([0, 0.104])}), text=["a", "b", "c", "d"])
    assert trace.text == ("a", "", f"10{NO_BREAK_SPACE}% dead", "d")


def test_series_break_at_values_that_are_not_finite():
    frames = [frame(step, loss=value) for step, value in enumerate((1.0, 0.0, NAN, INF, 2.0))]
    trace = filled(kinds.Series(trace=0, field="none.loss", clip=(0.1, 1.5)), *frames)
    assert trace.x == (0, 1, 2, 3, 4)
    assert trace.y == (1, 0.1, None, None, 1.5)


def test_series_have_each_value_once_at_the_step_at_which_it_was_measured():
    shown = [(0, 0, 1.0), (2, 0, 1.0), (4, 3, 2.0), (4, 4, 5.0), (6, 4, 5.0), (9, 8, NAN)]
    frames = [
        frame(step, arrays={"none.p.v": np.array(value)}, measured_at={"p": at}, loss=value)
        for step, at, value in shown
    ]
    rare = filled(kinds.Series(trace=0, field="none.p.v"), *frames)
    assert (rare.x, rare.y) == ((0, 3, 4, 8), (1, 2, 5, None))
    assert filled(kinds.Series(trace=0, field="none.loss"), *frames).x == (0, 2, 4, 6, 9)


def test_series_follow_the_selectors():
    values = np.arange(24.0).reshape(2, 4, 3)
    layer, unit = Selector("layer", "Layer", ["1", "2"], 1), Selector("unit", "Unit", ["1"] * 4, 0)
    one = kinds.Series(trace=0, field="none.p.v", index="$layer,$unit,1", transform="asinh")
    frames = [frame(3, arrays={"none.p.v": values})]
    assert filled(one, *frames, selectors=(layer, unit)).y == (math.asinh(13),)
    chosen = filled(one, *frames, selectors=(layer, unit), selected={"layer": 0, "unit": 3})
    assert chosen.y == (math.asinh(10),)


def test_labels_stand_at_the_last_finite_point_and_say_what_came_after():
    label = kinds.Label(field="none.loss", text="plain", clip=(0.1, 10))
    one = kinds.Labels(trace=0, of=[label], lost="{text}: gone after step {step}")
    alive = filled(one, frame(0, loss=1.0), frame(5, loss=2.0))
    lost = filled(one, frame(0, loss=1.0), frame(5, loss=2.0), frame(6, loss=NAN))
    beyond = filled(one, frame(0, loss=1.0), frame(5, loss=3e9))
    assert (alive.x, alive.y, alive.text) == ((5,), (2,), ("plain",))
    assert (lost.x, lost.y, lost.text) == ((5,), (2,), ("plain: gone after step 5",))
    assert (beyond.y, beyond.text) == ((10,), ("plain (3e9)",))


def marks(**more) -> kinds.Marks:
    labels = {"learning_rate": "rate {old} → {new}", "learning_rates": "{network} {old} → {new}",
              "break": "breaks"}  # fmt: skip
    new = {"learning_rate": "rate {new}"}
    return kinds.Marks(**{"trace": 0, "of": "changes", "labels": labels, "labels_new": new, **more})


def test_marks_name_the_change_and_what_it_was_before():
    changes = [Change(150, {"learning_rate": 1.0}), Change(180, {"learning_rate": 0.3}),
               Change(190, {"batch_size": 8})]  # fmt: skip
    trace = filled(marks(), frame(200, changes=changes))
    assert trace.x == (150, 150, None, 180, 180, None, 190, 190, None)
    assert trace.text[1::3] == ("rate 1", "rate 1 → 0.3", NOTHING)


def test_marks_name_only_the_networks_whose_rate_changed():
    changes = [Change(3, {"learning_rates": (0.1, 0.1)}), Change(9, {"learning_rates": (1.0, 0.1)})]
    one = marks(networks={"none": "plain", "batch": "BN"})
    assert filled(one, frame(10, changes=changes)).text[4] == "plain 0.1 → 1"


def test_marks_of_a_network_stand_at_its_break():
    broke = {"step": 156, "layer": "layer 5"}
    trace = filled(marks(of="none", top=0.9), frame(200, broke=broke))
    assert (trace.x, trace.y, trace.text) == (
        (156, 156, None), (0, 0.9, None), (NOTHING, "breaks", NOTHING),
    )  # fmt: skip
    assert filled(marks(of="none"), frame(200)).x == ()


def test_state_greys_a_diverged_network_and_says_when_it_broke():
    state = kinds.State(
        trace=0, network="none", when={"diverged": {"line.color": "grey"}},
        otherwise={"line.color": "red"},
    )  # fmt: skip
    words = kinds.StateText(trace=0, network="none", at=0, when={"diverged": "at {broke_step}"})
    alive, dead = frame(), frame(state="diverged", broke={"step": 7})
    assert [filled(state, one).line.color for one in (alive, dead)] == ["red", "grey"]
    assert [filled(words, one, text=["x"]).text[0] for one in (alive, dead)] == ["", "at 7"]


def test_a_stopped_network_names_the_step_at_which_it_stopped():
    words = kinds.StateText(trace=0, network="none", at=0, when={"diverged": "at {stopped_step}"})
    dead = {"state": "diverged", "broke": {"step": 7}}
    frames = frame(**dead, stopped=9), frame(**dead, stopped=0), frame(**dead)
    assert [filled(words, one, text=["x"]).text[0] for one in frames] == ["at 9", "at 0", "at 7"]


def test_what_is_not_a_number_stays_where_it_was_last_and_the_rest_stays_on_the_axis():
    one = kinds.Array(trace=0, attr="x", field="none.p.v", clip=(0, None))
    frames = [frame(step, arrays={"none.p.v": np.array(values)})
              for step, values in enumerate([[1.5, 2, 3, -4], [NAN, INF, -INF, 5]])]  # fmt: skip
    assert filled(one, *frames[:1]).x == (1.5, 2, 3, 0)
    assert filled(one, *frames).x == (1.5, 2, 0, 5)


def test_text_leaves_out_small_shares_and_has_a_sign_for_what_is_not_finite():
    one = kinds.Text(trace=0, field="none.p.v", format="percent0", least=0.005, nonfinite="–",
                     template="{value} x")  # fmt: skip
    trace = filled(one, frame(arrays={"none.p.v": np.array([0.004, 0.005, NAN, -INF])}))
    assert trace.text == ("", f"0.5{NO_BREAK_SPACE}% x", "–", "–")


def _paths(values):
    paths, path = [], []
    for value in values:
        if value is None:
            paths.append(path)
            path = []
        else:
            path.append(value)
    return paths
