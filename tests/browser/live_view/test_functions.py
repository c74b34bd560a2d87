"""Functions of the live view's modules: numbers, slices, thinning, ranges."""

import numpy as np
import pytest

from bnviz.words.filling import capitalized
from bnviz.words.joining import PLURALS
from bnviz.words.numbers import write
from bnviz.words.texts import texts

STYLES = ["number", "number3", "percent0", "percent1", "count"]
NUMBERS = [
    0, 1, 0.104, 0.0049, 0.9987, 0.99999, 1e-5, 0.21, 3.14, 12.3, 420, 6e-8, 2.5e15,
    -0.3, 0.01, 0.0099, 0.00999, 0.99, 0.9901, 0.125, 0.375, 0.625, 1.25, 2.5, 100.5,
    1.45, 999.9, 9999.5, 12345, 14868284, 1e6, 0.001, 0.00095, 1e-4, 1e15,
    99.5, 0.995, 0.5, "NaN", "Infinity", "-Infinity",
]  # fmt: skip


def test_numbers_are_written_as_in_python(module):
    """Non-finite numbers are passed as strings, because JSON cannot represent them."""
    ask = "a[0].map((style) => a[1].map((x) => m.format(x, style)))"
    written = module("lib/format", ask, [STYLES, NUMBERS])
    wrong = [
        f"{number} as {style}: {found}"
        for style, line in zip(STYLES, written, strict=True)
        for number, found in zip(NUMBERS, line, strict=True)
        if found != write(float(number), style)
    ]
    assert not wrong, "\n".join(wrong)


def test_words_are_joined_and_numbers_counted_as_the_page_says(module):
    joins = {"sentences": "", "list": "、", "labelled": "{label}：{content}",
             "stated": "{label}：{state}。", "percent": "{number}%", "plural": "ru"}  # fmt: skip
    act = """(() => {
      globalThis.bnvizJoins = a[0];
      try {
        return [m.joinSentences(["a。", "", "b。"]), m.joinList([1, 2]), m.labelled("a", "b"),
                m.stated("a", "b"), m.withPercent("93"), a[1].map(m.pluralForm)];
      } finally {
        delete globalThis.bnvizJoins;
      }
    })()"""
    counts = [0, 1, 2, 5, 11, 12, 14, 20, 21, 23, 101, 111, 1.5]
    joined = module("lib/joining", act, [joins, counts])
    assert joined[:-1] == ["a。b。", "1、2", "a：b", "a：b。", "93%"]
    assert joined[-1] == [PLURALS["ru"](count) for count in counts]


def test_a_capital_begins_a_text_but_a_symbol_stays_what_it_is(module):
    given = ["with BN", "σ = 1", "γのあるもの", "με BN", "不带BN", "β", ""]
    found = module("lib/texts", "a.map(m.capitalize)", given)
    assert found == ["With BN", "σ = 1", "γのあるもの", "Με BN", "不带BN", "β", ""]
    assert found == list(map(capitalized, given))


def test_a_sentence_writes_whole_numbers_out_below_a_million(module):
    written = module("lib/format", "a.map((x) => m.format(x, 'plain'))", [14868284, 12345, 20, 0.5])
    assert written == ["1.5e7", "12\u202f345", "20", "0.5"]


def test_the_command_takes_the_run_to_where_it_is(module):
    store = {"live": {"step": 600}, "changes": [
        {"step": 150, "values": {"learning_rate": 1, "learning_rates": None}},
        {"step": 200, "values": {"learning_rates": [0.1, 3]}},
    ]}  # fmt: skip
    for given in ("", " --steps 7 --change 3:momentum=0.9 --every 1"):
        command = "python -m bnviz train --set depth=6" + given
        assert module("dialogs/export", "m.commandLine(a[0], a[1])", [command, store]) == (
            "python -m bnviz train --set depth=6 --change 150:learning_rate=1"
            " --change 150:learning_rates=none --change 200:learning_rates=0.1,3"
            " --steps 600 --every 30"
        )


def test_the_command_of_a_run_with_a_drag_reads_its_path_from_the_export(module):
    store = {"run": "ab", "live": {"step": 40}, "changes": [
        {"step": 5, "values": {"momentum": 0.9}},
        {"step": 9, "until": 14, "drag": 1, "from": {"learning_rate": 0.1},
         "values": {"learning_rate": 1}},
    ]}  # fmt: skip
    assert module("dialogs/export", "m.commandLine('python -m bnviz train', a)", store) == (
        "python -m bnviz train --changes bnviz-ab.json --steps 40 --every 2"
    )


def test_thinning_keeps_ends_and_extremes(module):
    rng = np.random.default_rng(0)
    values = rng.normal(size=5000).tolist()
    values[777], values[1234] = 99.0, -99.0
    kept = module("data/time_series", "m.thin([...a.keys()], a, 400)", values)
    assert len(kept["steps"]) <= 400
    assert kept["steps"] == sorted(set(kept["steps"]))
    assert {0, 777, 1234, 4999} <= set(kept["steps"])


def test_thinning_leaves_no_step_out_around_a_break(module):
    values = [float(value) for value in range(5000, 0, -1)]
    kept = module("data/time_series", "m.thin([...a.keys()], a, 400, [6, 2000])", values)
    steps = kept["steps"]
    assert steps == sorted(set(steps))
    assert set(range(57)) | set(range(1950, 2051)) <= set(steps)
    assert len(steps) <= 400 + 57 + 101
    assert kept["values"] == [values[step] for step in steps]


def test_slices_of_arrays_agree_with_numpy(module):
    array = np.arange(2 * 3 * 4).reshape(2, 3, 4)
    for index, expected in [
        ("1,:", array[1]), (":,2", array[:, 2]), ("$layer,$unit,1", array[1, 2, 1]),
        ("-1,0,:", array[-1, 0]), (":,:,3", array[:, :, 3]), ("1,1:,2", array[1, 1:, 2]),
        ("0,3:", array[0, 3:]),
    ]:  # fmt: skip
        taken = module(
            "data/frame",
            "(() => { const { data, shape } = m.slice({ data: a[0], shape: [2, 3, 4] },"
            " m.parseIndex(a[1], { layer: 1, unit: 2 })); return [[...data], shape]; })()",
            [array.ravel().tolist(), index],
        )
        assert taken == [np.ravel(expected).tolist(), list(np.shape(expected))]


def test_labels_are_pushed_apart_around_their_centre(module):
    assert module("lib/separate_labels", "m.separateLabels([10, 11, 100], 14)") == [3.5, 17.5, 100]


def test_axes_that_match_have_room_for_the_data_of_each(module):
    needed = """(() => {
      const layout = { yaxis: { autorange: true }, yaxis2: { autorange: true, matches: "y" } };
      const axis = (id) => ({ _id: id, range: a, autorange: false });
      const element = { _fullLayout: { yaxis: axis("y"), yaxis2: axis("y2") },
        _fullData: [{ yaxis: "y" }, { yaxis: "y2" }], data: [{ y: [-9, 4] }, { y: [-1, 1] }] };
      return new m.AxisRanges(element, layout).needed(new Map());
    })()"""
    grown = module("charts/axis_ranges", needed, [-2, 2])
    assert grown["yaxis.range"] == grown["yaxis2.range"]
    assert grown["yaxis.range"][0] <= -9
    assert grown["yaxis.range"][1] >= 4
    assert module("charts/axis_ranges", needed, [-10, 5]) == {}


def test_an_axis_reaches_as_far_as_it_is_asked_to_but_not_without_data(module):
    needed = """(() => {
      const options = { autorange: true, rangemode: "tozero" };
      const element = { data: [{ x: a[0] }], _fullData: [{ xaxis: "x" }],
        _fullLayout: { xaxis: { _id: "x", range: [0, 20], autorange: false } } };
      const ranges = new m.AxisRanges(element, { xaxis: options });
      return ranges.needed(new Map(), new Map([["xaxis", a[1]]]));
    })()"""
    assert module("charts/axis_ranges", needed, [[0, 10], 300])["xaxis.range"][1] >= 300
    assert module("charts/axis_ranges", needed, [[0, 10], 15]) == {}
    assert module("charts/axis_ranges", needed, [[], 300]) == {}


def test_an_axis_with_a_planned_end_has_it_before_there_are_data_and_until_these_go_further(module):
    needed = """(() => {
      const options = { autorange: true, rangemode: "tozero" };
      const element = { data: [{ x: a[0] }], _fullData: [{ xaxis: "x" }],
        _fullLayout: { xaxis: { _id: "x", range: a[1], autorange: false } } };
      const step = new Map([["xaxis", a[2]]]);
      const ends = new Map([["xaxis", 300]]);
      return new m.AxisRanges(element, { xaxis: options }).needed(new Map(), step, ends);
    })()"""
    assert module("charts/axis_ranges", needed, [[], [0, 20], 0]) == {"xaxis.range": [0, 300]}
    assert module("charts/axis_ranges", needed, [[0], [0, 20], 0]) == {"xaxis.range": [0, 300]}
    assert module("charts/axis_ranges", needed, [[0, 290], [0, 300], 300]) == {}
    assert module("charts/axis_ranges", needed, [[0, 300], [0, 300], 310])["xaxis.range"][1] >= 310


def test_labels_at_the_edge_of_an_axis_stay_on_it_in_order(module):
    within = "m.separateLabels(a, 14, 1, 99)"
    assert module("lib/separate_labels", within, [80, 94, 108]) == [71, 85, 99]
    assert module("lib/separate_labels", within, [-20, -6, 50]) == [1, 15, 50]
    assert module("lib/separate_labels", within, [20, 50, 80]) == [20, 50, 80]


def test_a_range_stays_while_the_data_fit_and_grows_when_they_do_not(module):
    axis = {"range": [0, 100], "autorange": False}
    ask = "m.bestRange(a[0], a[1], { rangemode: 'tozero' })"
    assert module("charts/axis_ranges", ask, [[0, 90], axis]) is None
    low, high = module("charts/axis_ranges", ask, [[0, 101], axis])
    assert low == 0
    assert 101 < high < 130


@pytest.mark.parametrize(
    ("changes", "labels"),
    [
        # Pairs of step and new learning rate.
        ([(5, 1), (5, 10), (5, 100)], ["0.1 → 100", "", ""]),
        ([(5, 1), (7, 10)], ["0.1 → 10", ""]),
        ([(5, 1), (12, 10), (19, 3), (30, 10)], ["0.1 → 3", "", "", "3 → 10"]),
        ([(5, 1), (5, 0.1)], ["", ""]),
    ],
)
def test_changes_that_lie_close_together_have_one_label(module, changes, labels):
    asked = [{"step": step, "values": {"learning_rate": rate}} for step, rate in changes]
    binding = {"labels": {"learning_rate": "{old} → {new}"}}
    marks = module(
        "charts/marks",
        "m.changeMarks(...a, (x, y) => y - x < 10)",
        [asked, binding, {"learning_rate": 0.1}],
    )
    assert marks == [
        {"step": step, "label": label} for (step, _), label in zip(changes, labels, strict=True)
    ]


def test_a_knob_of_several_numbers_has_all_of_them_in_its_label(module):
    """Check labels in charts and in the log. Changes in quick succession that end at the old values
    have no label.
    """
    asked = [{"step": step, "values": {"rate_factors": value}} for step, value in
             ((5, [10, 1, 1]), (30, [0, 1, 1]), (31, [10, 1, 1]))]  # fmt: skip
    binding = {"labels": {"rate_factors": "{old} → {new}"}}
    ask = "m.changeMarks(...a, (x, y) => y - x < 10).map(({ label }) => label)"
    labels = module("charts/marks", ask, [asked, binding, {"rate_factors": [1, 1, 1]}])
    assert labels == ["1, 1, 1 → 10, 1, 1", "", ""]
    ask = "m.changeWords({ rate_factors: [0, 1, 0.5] }, {}, (key) => key)"
    assert module("lib/live_actions", ask, []) == "rate factors 0, 1, 0.5"


def test_a_norm_that_divides_zero_by_zero_is_not_marked_as_broken(module):
    binding = {"labels": {"break": "breaks", "constant": "0 ÷ 0", "recovered": "back",
                          "jumped": "jumped"}}  # fmt: skip
    for state, label in (("learning", "jumped"), ("blown_up", "breaks"), ("stuck", "breaks")):
        broke = {"step": 7, "key": "blown_up"}
        marks = module("charts/marks", "m.breakMarks(...a)", [broke, binding, state])
        assert marks == [{"step": 7, "label": label}]
    marks = module("charts/marks", "m.breakMarks(...a)", [{"step": 7}, binding, "recovered"])
    assert marks == [{"step": 7, "label": "back"}]
    for key, label in (("nonfinite", "breaks"), ("constant", "0 ÷ 0")):
        marks = module("charts/marks", "m.breakMarks(...a)", [{"step": 7, "key": key}, binding])
        assert marks == [{"step": 7, "label": label}]
    assert module("charts/marks", "m.breakMarks(null, ...a)", [binding]) == []


def test_words_of_marks_find_no_place_on_a_curve(module):
    curve = [[0, 0], [100, 50], None, [100, 5], [200, 5]]
    boxes = [
        [0, 50, 40, 60],
        [0, 50, 10, 20],
        [120, 150, 0, 10],
        [120, 150, 10, 20],
        [80, 120, 60, 90],
    ]
    found = module("charts/marks", "a[1].map((box) => m.runsThrough(a[0], box))", [curve, boxes])
    assert found == [False, True, True, False, False]


def test_terms_of_a_text_are_found_as_they_are_written_there_each_once(module):
    """The text is a chart's subtitle, which is cut off and therefore has no links to terms."""
    text = "step {step}; input of tanh in training mode (log scale beyond ±1); no training mode"
    found = module("lib/terms", "[...m.termsIn(a[0], a[1])]", [text, dict(texts("glossary"))])
    assert found == [
        ["tanh", "tanh"], ["training-mode", "training mode"],
        ["asinh-scale", "log scale beyond ±1"],
    ]  # fmt: skip


def test_a_drag_that_came_back_has_a_mark_without_words(module):
    drag = {"step": 0, "values": {"learning_rate": 1}, "from": {"learning_rate": 1}, "drag": 1}
    binding = {"labels": {"learning_rate": "{old} → {new}"}}
    for start in ({"learning_rate": 0.1}, {"learning_rate": 1}):
        marks = module("charts/marks", "m.changeMarks(...a)", [[drag], binding, start])
        assert marks == [{"step": 0, "label": ""}]


SCALED = [
    {"step": 5, "values": {"scale_weights": [10, None]}},
    {"step": 5, "values": {"scale_weights": [0.5, 3]}},
    {"step": 30, "values": {"learning_rate": 1}},
]


def test_weights_that_were_multiplied_are_named_in_their_mark_each_time(module):
    binding = {"labels": {
        "learning_rate": "{old} → {new}", "scale_weights": "all × {factor}",
        "scale_weights_layer": "layer {layer} × {factor}",
    }}  # fmt: skip
    near = "m.changeMarks(...a, (x, y) => y - x < 10)"
    marks = module("charts/marks", near, [SCALED, binding, {"learning_rate": 0.1}])
    assert [mark["label"] for mark in marks] == ["all × 10, layer 3 × 0.5", "", "0.1 → 1"]
    marks = module("charts/marks", near, [SCALED, {"labels": {}}, {}])
    assert [mark["step"] for mark in marks] == [5, 5, 30]
    assert not any(mark["label"] for mark in marks)


def test_the_command_repeats_weights_that_were_multiplied(module):
    store = {"run": "ab", "live": {"step": 40}, "changes": SCALED}
    assert module("dialogs/export", "m.commandLine('python -m bnviz train', a)", store) == (
        "python -m bnviz train --change 5:scale_weights=10 --change 5:scale_weights=0.5@3"
        " --change 30:learning_rate=1 --steps 40 --every 2"
    )


def test_a_low_picture_has_the_low_layout_of_its_form(module):
    """A picture below a given height uses the low layout. Its compact form may define its own low
    layout.
    """
    spec = {
        "height": 400, "wide": {"layout": {"a": "wide", "b": "wide"}},
        "compact": {"below": 300, "layout": {"a": "compact", "b": "compact"}},
        "low": {
            "below": 200, "layout": {"b": "low"},
            "compact": {"below": 250, "layout": {"b": "low and compact"}},
        },
    }  # fmt: skip
    places = [(800, 300), (800, 150), (200, 300), (200, 240)]
    ask = "a[1].map(([width, height]) => Object.values(m.layoutAt(a[0], width, height).layout))"
    assert module("charts/chart_panel", ask, [spec, places]) == [
        ["wide", "wide"], ["wide", "low"], ["compact", "compact"], ["compact", "low and compact"],
    ]  # fmt: skip
