"""Time series in the browser contain each value once, at the step at which it was measured."""

import json

import pytest

from bnviz.live.protocol.frames import compose
from bnviz.live.runs.parsed_frames import HistoryFrame
from bnviz.live.runs.time_series import MOST_FIELDS, TimeSeriesCache, read_fields
from tests.browser.live_view.page_data import page_data
from tests.live.engine import SMALL, Truth, Turn, played
from tests.live.runs.test_truth import entry, points_of

# Parts of a simulated run with rarely measured probes, late frames, and live changes between frames
# of the same step.
STRETCH = [
    Turn(1, 0.1), Turn(2, 0.1, late=True), Turn(3, 0.2), Turn(0, 0.02, rate=1.0), Turn(1, 0.1),
    Turn(0, 0.1, batch=4, how="full"), Turn(2, 0.3, late=True), Turn(2, 0.5, rate=0.1),
]  # fmt: skip
TURNS = [Turn(0, how="full"), *STRETCH * 5]
FETCHED, SEEN, FETCHED_AGAIN = 17, 25, 33
BEGIN = """(async () => {
  const { Frame } = await load("data/frame");
  let changed = () => {};
  const series = window.series = new m.FetchedSeries(a.address, () => changed());
  window.settle = async (keys) => {
    while (!series.settled(keys) || series.asking) await new Promise((done) => (changed = done));
  };
  let last = null;
  window.append = (messages) => {
    for (const text of messages) series.append((last = new Frame(JSON.parse(text), last)));
  };
  window.columns = (keys) => Object.fromEntries(keys.map((key) => {
    const { steps, values } = series.get(key);
    return [key, steps.map((step, i) => [step, values[i]])];
  }));
  await window.settle(a.keys);
  return true;
})()"""
AGAIN = """(async () => {
  window.append(a.seen);
  const first = window.columns(a.keys);
  await new Promise((done) => { window.series.refetch(0); queueMicrotask(done); });
  await window.settle(a.keys);
  window.append(a.later);
  window.append(a.later.slice(-1));
  return [first, window.columns(a.keys)];
})()"""


@pytest.fixture(scope="module")
def rarely():
    """Return frames that repeat many old measurements, and the true measurements."""
    truth = Truth()
    return [(shown.step, body) for shown, body, _ in played(TURNS, truth)], truth


def same(points, expected):
    return json.dumps([[step, float(value)] for step, value in points]) == json.dumps(
        [[step, float(value)] for step, value in expected]
    )


def test_every_point_in_the_browser_is_a_value_of_the_engine_at_its_step(in_page, harness, rarely):
    frames, truth = rarely
    keys = truth.fields()[:MOST_FIELDS]
    kept = [HistoryFrame(seq, step, body) for seq, (step, body) in enumerate(frames)]
    said = [compose("", one.seq, {}, one.body).decode() for one in kept]
    harness.begin({}, frames[:FETCHED])
    address = f"/series/{harness.run.id}"
    assert in_page("data/time_series", BEGIN, {"address": address, "keys": keys})
    for step, body in frames[FETCHED:FETCHED_AGAIN]:
        harness.push(step, body)
    told = {"keys": keys, "seen": said[FETCHED - 3 : SEEN], "later": said[SEEN:]}
    first, last = in_page("data/time_series", AGAIN, told)
    for columns, until in ((first, SEEN), (last, len(kept))):
        expected = points_of(TimeSeriesCache(2**24).answer(0, kept[:until], read_fields(keys)))
        for key, points in columns.items():
            name, index = entry(key)
            for step, value in points:
                assert truth.has(name, step, value, index), (key, step, value)
            assert same(points, expected[key]), key


def test_more_series_than_may_be_asked_for_drop_the_oldest_and_not_the_answer(
    in_page, harness, rarely
):
    harness.begin({}, rarely[0])
    # Negative indices count from the end, so that each entry of an array has several names.
    keys = [f"{norm}.histogram.nonlinearity_input:0,{place}" for norm in ("none", "batch")
            for place in range(-64, 64)]  # fmt: skip
    keys += [f"{norm}.percentiles.unit:{layer},{unit},{part}" for norm in ("none", "batch")
             for layer in (0, -1) for unit in range(-8, 8) for part in range(3)]  # fmt: skip
    assert len(keys) == 448 > MOST_FIELDS
    oldest, others, newest = keys[:100], keys[100:300], keys[300:]
    begun = {"address": f"/series/{harness.run.id}", "keys": [*oldest, *others]}
    assert in_page("data/time_series", BEGIN, begun)
    ask = """(async () => {
      await window.settle(a);
      return Object.values(window.columns(a)).map((points) => points.length);
    })()"""
    requests = "performance.getEntriesByType('resource').map(({ name }) => name)"
    assert set(in_page("data/time_series", ask, newest)) == {len({step for step, _ in rarely[0]})}
    # A request for new series does not ask for known series again.
    last = [name for name in in_page("data/time_series", requests) if "/series/" in name][-1]
    assert last.count("field=") == len(newest)
    asked = harness.asked["series"]
    assert 0 not in in_page("data/time_series", ask, others[-50:])
    assert harness.asked["series"] == asked
    assert 0 not in in_page("data/time_series", ask, oldest)
    assert asked < harness.asked["series"] <= asked + 2


def test_a_series_that_was_drawn_of_late_is_not_dropped_for_a_new_one(module):
    # The cache holds 400 series. The first one is drawn again before another one is added.
    ask = """(() => {
      const series = new m.FetchedSeries(null, () => {});
      const drawn = series.get("s0");
      const unused = series.get("s1");
      for (let i = 2; i < 400; i += 1) series.get(`s${i}`);
      series.get("s0");
      series.get("one more");
      return [series.get("s0") === drawn, series.get("s1") === unused];
    })()"""
    assert module("data/time_series", ask) == [True, False]


def test_the_chart_of_sharpness_has_its_points_where_it_was_measured(open_tab, harness, rarely):
    frames, truth = rarely
    tab = open_tab(page_data(SMALL, ["sharpness"]), frames[:20])
    tab.drawn(19)
    for step, body in frames[20:]:
        tab.drawn(harness.push(step, body))
    expected = points_of(TimeSeriesCache(2**22).answer(0, [*harness.run.history], read_fields(
        ["none.stability_limit", "batch.stability_limit", "none.sharpness.lambda_max",
         "batch.sharpness.lambda_max"])))  # fmt: skip
    tab.page.wait_for_function(
        "([shown, all]) => { const gd = document.querySelector('[data-chart=sharpness]"
        " .js-plotly-plot'); return shown.every((n, i) => gd.data[i].x.length === n); }",
        arg=[[len(points) for points in expected.values()], True],
    )
    for trace, (field, points) in enumerate(expected.items()):
        drawn = tab.plot(
            "sharpness", f"gd.data[{trace}].x.map((x, i) => [x, gd.data[{trace}].y[i]])"
        )
        assert [step for step, _ in drawn] == [step for step, _ in points]
        for step, value in drawn:
            assert truth.has(field, step, value), (field, step, value)
    tab.page.locator("[data-chart=sharpness]").get_by_role("button", name="Data").click()
    table = tab.page.locator("[data-chart=sharpness] tbody")
    measured = {
        step for field, points in expected.items() if "lambda" in field for step, _ in points
    }
    assert {int(step) for step in table.locator("th").all_inner_texts()} <= measured
    rare, limits = expected["none.sharpness.lambda_max"], dict(expected["none.stability_limit"])
    assert len(rare) < len(limits)
    changed = [change["step"] for change in json.loads(frames[-1][1])["changes"]
               if change["values"].get("learning_rate") == 1.0]  # fmt: skip
    assert changed
    for step in changed:
        assert limits[step] == pytest.approx(2 / 1.0)
    assert tab.plot("sharpness", "gd.data[0].line.shape") == "hv"
