"""The live view's own modules in Chromium, against a stand-in for the hub."""

import dataclasses
import itertools
import json

import numpy as np
import pytest
from playwright.sync_api import expect

from bnviz.charts.apply import apply
from bnviz.charts.binding import write
from bnviz.charts.frame import to_frame
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.live.frames import encode_body
from bnviz.records import Break
from bnviz.story import tell
from tests.browser.harness import ASSETS, Harness, page_data
from tests.charts.conftest import make_chart

PAIR = RunConfig(depth=3, width=12, seed=1)
PLANE = RunConfig(dataset="moons", depth=2, width=8)
MAIN = ("loss", "accuracy", "layers")
MORE = ("percentiles", "percentiles_layer", "drift", "saturation", "gradients", "io_jacobian")
VIEW = "[data-testid='live-view']"


@pytest.fixture(scope="session")
def harness():
    running = Harness()
    yield running
    running.stop()


def record(config, steps, change=None):
    """Snapshots and changes of a real run, all probes in each."""
    experiment, taken = Experiment(config), []
    for step in range(steps + 1):
        if step == change:
            experiment.update(learning_rate=1.0)
        taken.append((experiment.snapshot(probes="all"), list(experiment.changes)))
        if step < steps:
            experiment.step()
    return taken


def bodies(taken, config=PAIR):
    return [
        (snapshot.step, encode_body(snapshot, changes=changes, story=tell(snapshot, config)))
        for snapshot, changes in taken
    ]


@pytest.fixture(scope="session")
def taken():
    return record(PAIR, 30, change=12)


@pytest.fixture(scope="session")
def frames(taken):
    return bodies(taken)


class Tab:
    """A page with the live view on it."""

    def __init__(self, page, problems):
        self.page, self.problems = page, problems
        self.view = page.locator(VIEW)

    def wait(self, condition, argument=None):
        self.page.wait_for_function(
            "([condition, argument]) => { const root = document.querySelector(\"" + VIEW + "\");"
            " return root && new Function('view', 'argument', 'root', 'return ' + condition)"
            "(root.dataset, argument, root); }",
            arg=[condition, argument],
        )  # fmt: skip

    def drawn(self, seq):
        self.wait("Number(view.seq) === argument", seq)

    def plot(self, name, expression):
        """Evaluate an expression of `gd`, a chart's figure."""
        return self.page.evaluate(
            "([name, text]) => new Function('gd', 'return ' + text)("
            "document.querySelector(`[data-chart=${name}] .js-plotly-plot`))",
            [name, expression],
        )

    def filled(self, name):
        self.page.wait_for_function(
            "(name) => document.querySelector(`[data-chart=${name}] .js-plotly-plot`)?.data"
            "?.some((trace) => trace.mode !== 'text' && trace.x?.length > 2)",
            arg=name,
        )

    def call(self, module, expression, argument=None):
        """Evaluate an expression of a module `m` and an argument `a`."""
        return self.page.evaluate(
            "async ([path, text, a]) => new Function('m', 'a', 'return ' + text)"
            "(await import(`/assets/v1/live/${path}.js`), a)",
            [module, expression, argument],
        )

    def commands(self):
        return self.page.evaluate("window.commands.map(({ nonce, ...rest }) => rest)")


@pytest.fixture
def open_tab(chromium, harness):
    """`open_tab(data, frames)` begins a run and opens the page; console errors fail the test."""
    contexts, problems = [], []

    def begin(data, frames, *, begin=None, **options):
        harness.begin(data, frames, **(begin or {}))
        context = chromium.new_context(**{"viewport": {"width": 1300, "height": 1000}, **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("console", lambda m: m.type == "error" and problems.append(m.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(harness.url)
        return Tab(page, problems)

    yield begin
    for context in contexts:
        context.close()
    assert not problems, "\n".join(problems)


@pytest.fixture
def tab(open_tab, frames):
    """The main charts with a kept past of 31 steps."""
    opened = open_tab(page_data(PAIR, MAIN, MORE), frames)
    opened.drawn(30)
    return opened


# Pure functions.


@pytest.mark.parametrize("style", ["number", "percent0", "percent1", "count"])
def test_numbers_are_written_as_in_python(tab, style):
    values = [0, 1, 0.104, 0.0049, 0.9987, 0.99999, 1e-5, 0.21, 3.14, 12.3, 420, 6e-8, 2.5e15, -0.3]
    written = tab.call("format", "a[0].map((x) => m.format(x, a[1]))", [values, style])
    assert written == [write(float(value), style) for value in values]


def test_numbers_that_are_not_finite_are_written_out(tab):
    assert tab.call("format", "['NaN', 'Infinity', '-Infinity'].map((x) => m.format(x))") == [
        write(float(value), "number") for value in ("nan", "inf", "-inf")
    ]


def test_thinning_keeps_ends_and_extremes(tab):
    rng = np.random.default_rng(0)
    values = rng.normal(size=5000).tolist()
    values[777], values[1234] = 99.0, -99.0
    kept = tab.call("series", "m.thin([...a.keys()], a, 400)", values)
    assert len(kept["steps"]) <= 400
    assert kept["steps"] == sorted(set(kept["steps"]))
    assert {0, 777, 1234, 4999} <= set(kept["steps"])


def test_slices_of_arrays_agree_with_numpy(tab):
    array = np.arange(2 * 3 * 4).reshape(2, 3, 4)
    for index, expected in [
        ("1,:", array[1]), (":,2", array[:, 2]), ("$layer,$unit,1", array[1, 2, 1]),
        ("-1,0,:", array[-1, 0]), (":,:,3", array[:, :, 3]),
    ]:  # fmt: skip
        taken = tab.call(
            "typed",
            "(() => { const { data, shape } = m.take({ data: a[0], shape: [2, 3, 4] },"
            " m.parseIndex(a[1], { layer: 1, unit: 2 })); return [[...data], shape]; })()",
            [array.ravel().tolist(), index],
        )
        assert taken == [np.ravel(expected).tolist(), list(np.shape(expected))]


def test_labels_are_pushed_apart_around_their_centre(tab):
    assert tab.call("bindings_time", "m.pushApart([10, 11, 100], 14)") == [3.5, 17.5, 100]


def test_a_range_stays_while_the_data_fit_and_grows_when_they_do_not(tab):
    axis = {"range": [0, 100], "autorange": False}
    ask = "m.bestRange(a[0], a[1], { rangemode: 'tozero' })"
    assert tab.call("ranges", ask, [[0, 90], axis]) is None
    low, high = tab.call("ranges", ask, [[0, 101], axis])
    assert low == 0
    assert 101 < high < 130


def test_sentences_are_filled_in_and_markup_stays_text(tab, harness, taken):
    snapshot, _ = taken[3]
    story = {"none": {"headline": ["broke_stuck", {"step": 3}], "detail": [
        ["first_layer", {"layer": "<img src=x onerror=alert(1)>", "reason": "{step} <b>"}],
        ["saturated_many", {"layers": "2–3", "share": 0.95}]]}}  # fmt: skip
    tab.drawn(harness.push(31, encode_body(snapshot, story=story)))
    card = tab.view.locator("[data-card='none']")
    expect(card.locator("h2")).to_have_text("Without BN: broke at step 3, now stuck.")
    expect(card).to_contain_text("<img src=x onerror=alert(1)>, {step} <b>.")
    expect(card).to_contain_text("over 95 %")
    assert card.locator("img").count() == 0


# Charts.


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


@pytest.mark.parametrize("name", [*MAIN, *MORE, "boundary"])
def test_every_chart_is_filled_as_the_python_reference_fills_it(open_tab, taken, frames, name):
    config, shots, kept = PAIR, taken, frames
    if name == "boundary":
        config, shots = PLANE, record(PLANE, 3)
        kept = bodies(shots, PLANE)
    tab = open_tab(page_data(config, [name]), kept)
    tab.drawn(len(kept) - 1)
    chart = make_chart(name, config)
    past = [to_frame(snapshot, changes) for snapshot, changes in shots]
    expected = apply(chart, past).to_plotly_json()["data"]
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


def test_marks_name_the_change_from_what_to_what(tab):
    tab.filled("loss")
    words = tab.plot("loss", "gd.data.flatMap((trace) => trace.text ?? [])")
    assert "rate 0.1 → 1" in words


def test_the_quick_way_of_drawing_gives_the_same_picture(tab, harness, frames):
    """Paths after a redraw that left the axes alone, against a whole redraw of the same data."""
    tab.filled("layers")
    for _ in range(2):
        tab.drawn(harness.push(31 + _, frames[5 + 9 * _][1]))
    read = "[...gd.querySelectorAll('.scatterlayer path, .scatterlayer text')].map((node) =>" \
           " [node.getAttribute('d'), node.getAttribute('style'), node.textContent])"  # fmt: skip
    quick = tab.plot("layers", read)
    tab.page.evaluate(
        "() => { const gd = document.querySelector('[data-chart=layers] .js-plotly-plot');"
        " return window.Plotly.redraw(gd).then(() => {}); }"
    )
    assert tab.plot("layers", read) == quick


def test_charts_out_of_sight_are_not_drawn_until_they_are_seen(tab, harness, frames):
    tab.page.set_viewport_size({"width": 1300, "height": 420})
    tab.page.evaluate("document.querySelector('.bnviz-charts').style.paddingTop = '3000px'")
    tab.page.wait_for_function("document.querySelector('[data-chart=layers]')"
                               ".getBoundingClientRect().top > 3000")  # fmt: skip
    tab.drawn(harness.push(31, frames[1][1]))
    tab.drawn(harness.push(32, frames[2][1]))
    before = tab.plot("layers", "JSON.stringify(gd.data.map((trace) => trace.x))")
    tab.drawn(harness.push(33, frames[20][1]))
    assert tab.plot("layers", "JSON.stringify(gd.data.map((trace) => trace.x))") == before
    tab.page.locator("[data-chart=layers]").scroll_into_view_if_needed()
    tab.page.wait_for_function(
        "(before) => JSON.stringify(document.querySelector('[data-chart=layers] .js-plotly-plot')"
        ".data.map((trace) => trace.x)) !== before",
        arg=before,
    )


def broken(snapshot, value):
    """A snapshot in which everything of the plain network is one value."""
    network = snapshot.networks["none"]
    probes = {
        probe: {name: np.full_like(array, value if array.dtype.kind == "f" else 0)
                for name, array in values.items()}
        for probe, values in network.probes.items()
    }  # fmt: skip
    gone = dataclasses.replace(
        network, loss=value, test_loss=value, probes=probes, state="diverged",
        broke=Break(snapshot.step, "layer 2", "non-finite"),
    )  # fmt: skip
    return dataclasses.replace(snapshot, networks={**snapshot.networks, "none": gone})


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_drawn_and_harm_nothing(open_tab, harness, taken, value):
    tab = open_tab(page_data(PAIR, [*MAIN, *MORE]), bodies(taken[:6]))
    tab.drawn(5)
    for name in ("loss", "layers"):
        tab.filled(name)
    for step in (6, 7):
        snapshot = dataclasses.replace(taken[6][0], step=step)
        tab.drawn(harness.push(step, encode_body(broken(snapshot, value))))
    assert tab.plot("loss", "gd.data[2].y.at(-1)") is None
    assert tab.plot("loss", "gd.data[2].y.at(-3)") is not None
    low, high = tab.plot("loss", "gd._fullLayout.yaxis.range")
    assert np.isfinite([low, high]).all()
    expect(tab.view.locator("[data-chart=loss]")).to_contain_text("not finite after step 5")
    expect(tab.view.locator("[data-card='none'] h2")).to_contain_text("diverged")


# The socket.


def test_every_frame_is_acknowledged_even_if_it_was_overtaken(tab, harness, frames):
    first = len(harness.frames)
    for step in range(31, 51):
        harness.push(step, frames[step % 30][1])
    tab.drawn(first + 19)
    harness.wait(lambda: {m["seq"] for m in harness.kinds("ack")} >= set(range(first, first + 20)))


def test_a_lost_connection_is_said_and_taken_up_again_with_all_that_was_missed(
    tab, harness, frames
):
    tab.filled("loss")
    asked = harness.asked("series")
    harness.cut()
    tab.wait("view.status === 'disconnected'")
    expect(tab.view.locator("[data-notice=disconnected]")).to_be_visible()
    harness.wait(lambda: harness.opened == 2)
    expect(tab.view.locator("[data-notice=disconnected]")).to_be_hidden()
    seq = harness.push(31, frames[4][1])
    tab.drawn(seq)
    harness.wait(lambda: harness.asked("series") > asked)
    tab.page.wait_for_function(
        "document.querySelector('[data-chart=loss] .js-plotly-plot').data[2].x.length === 32"
    )


def test_a_run_that_is_over_is_not_asked_for_again(tab, harness):
    harness.say(type="notice", key="expired", values={})
    harness.cut(4404)
    expect(tab.view.locator("[data-notice=expired]")).to_be_visible()
    tab.wait("view.status === 'disconnected'")
    assert tab.view.locator("[data-notice=disconnected]").count() == 0
    assert harness.opened == 1


def test_a_server_of_another_version_asks_for_a_reload(tab, harness):
    harness.say_raw(b'{"v": 2, "type": "frame", "strange": true}')
    notice = tab.view.locator("[data-notice=reload]")
    expect(notice).to_contain_text("Reload the page")
    tab.wait("view.status === 'disconnected'")
    assert harness.opened == 1


def test_a_run_that_starts_over_begins_with_empty_curves(tab, harness, frames):
    tab.filled("loss")
    harness.begin(harness.data, frames[:1])
    harness.say(type="hello", run="a" * 32, status="running", pace="watch", history=[[0, 0]],
                changes=[], breaks={}, viewers=1, queue=None)  # fmt: skip
    harness.push(1, frames[1][1])
    tab.wait("view.step === '1' && view.changes === '0'")
    tab.page.wait_for_function(
        "document.querySelector('[data-chart=loss] .js-plotly-plot').data[2].x.join() === '0,1'"
    )


@pytest.mark.parametrize(
    ("options", "rate"),
    [({"reduced_motion": "reduce"}, 1), ({"viewport": {"width": 390, "height": 800}}, 2)],
)
def test_calm_and_small_screens_ask_for_fewer_frames(open_tab, harness, frames, options, rate):
    tab = open_tab(page_data(PAIR, MAIN), frames, **options)
    tab.drawn(30)
    harness.wait(lambda: {"type": "rate", "max_fps": rate} in harness.heard)


# Time.


def test_the_pointer_shows_a_step_everywhere_a_click_pins_it_and_esc_comes_back(tab):
    tab.filled("loss")
    box = tab.page.locator("[data-chart=loss] .nsewdrag").first.bounding_box()
    tab.page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + box["height"] / 2)
    tab.wait("view.time === 'hover' && Number(view.step) < 25")
    step = tab.view.get_attribute("data-step")
    expect(tab.view.locator("[data-chart=layers]")).to_contain_text(f"step {step}")
    expect(tab.view.locator("[data-chart=loss] .bnviz-cursor")).to_be_visible()
    tab.page.mouse.down()
    tab.page.mouse.up()
    tab.page.mouse.move(2, 2)
    tab.wait("view.time === 'pinned' && view.step === argument", step)
    tab.page.keyboard.press("Escape")
    tab.wait("view.time === 'live' && view.step === '30'")


def test_a_pinned_step_stays_while_the_run_goes_on(tab, harness, frames):
    tab.view.get_by_role("slider", name="Timeline").focus()
    tab.page.keyboard.press("ArrowLeft")
    tab.wait("view.step === '29'")
    harness.push(31, frames[4][1])
    expect(tab.view.locator(".bnviz-now")).to_have_text("29 of 31")
    assert tab.view.get_attribute("data-step") == "29"
    tab.page.keyboard.press("End")
    tab.wait("view.step === '31'")


def test_frames_of_the_past_are_fetched_once(tab, harness):
    line = tab.view.get_by_role("slider", name="Timeline")
    line.focus()
    for key, step in [("ArrowLeft", 29), ("ArrowLeft", 28), ("ArrowRight", 29), ("ArrowLeft", 28)]:
        line.press(key)
        tab.wait("view.step === argument", str(step))
    assert harness.asked("history") == 2


def test_an_old_measurement_says_how_old_it_is(tab, harness, taken):
    snapshot, _ = taken[10]
    networks = {
        norm: dataclasses.replace(record, measured_at={"jacobian": 7})
        for norm, record in snapshot.networks.items()
    }
    tab.drawn(harness.push(31, encode_body(dataclasses.replace(snapshot, networks=networks))))
    expect(tab.view.locator("[data-chart=layers]")).to_contain_text("Jacobian measured at step 7")


# Mounting.


def test_every_module_is_asked_for_at_once():
    listed = (ASSETS / "live_view.js").read_text().split("MODULES = [")[1].split("]")[0]
    names = {part.strip(' \n"') for part in listed.split(",")} - {""}
    assert names | {"plotly"} == {path.stem for path in (ASSETS / "live").glob("*.js")}


def test_another_rerun_keeps_the_charts_and_other_charts_replace_them(tab):
    tab.filled("loss")
    tab.page.evaluate("window.old = document.querySelector('[data-chart=loss] .js-plotly-plot')")
    tab.page.evaluate("window.cleanup(); window.mountAgain({ learning_rate: 1 })")
    assert tab.page.evaluate("window.old.isConnected")
    assert tab.page.locator(VIEW).count() == 1
    tab.page.evaluate("window.mountAgain({ charts_id: 'two' })")
    tab.filled("loss")
    assert not tab.page.evaluate("window.old.isConnected")


def test_a_view_whose_place_has_left_the_page_ends(tab, harness):
    tab.page.evaluate("document.getElementById('place').remove(); window.cleanup()")
    harness.wait(lambda: not harness._sockets)


# Controls.


def test_buttons_and_keys_ask_the_script(tab):
    tab.page.get_by_role("button", name="Pause").click()
    tab.page.keyboard.press("s")
    tab.page.get_by_role("radio", name="fast").check()
    tab.page.get_by_role("button", name="New seed").click()
    assert tab.commands() == [
        {"name": "pause"}, {"name": "step"}, {"name": "pace", "pace": "fast"}, {"name": "new_seed"},
    ]  # fmt: skip


def test_a_viewer_gets_no_controls_but_a_copy(open_tab, frames):
    tab = open_tab({**page_data(PAIR, MAIN), "can_control": False}, frames)
    tab.drawn(30)
    expect(tab.page.get_by_text("belongs to someone else")).to_be_visible()
    assert tab.page.get_by_role("button", name="Pause").count() == 0
    tab.page.keyboard.press("Space")
    tab.page.get_by_role("button", name="Make my own copy").click()
    assert tab.commands() == [{"name": "copy"}]


def test_a_prediction_is_asked_for_and_judged(open_tab, harness, frames, taken):
    data = {**page_data(PAIR, MAIN), "paused_question": True}
    tab = open_tab(data, frames[:1], begin={"status": "paused"})
    tab.drawn(0)
    tab.view.locator("[data-guess=none]").click()
    assert tab.commands() == [{"name": "play"}]
    snapshot = broken(taken[6][0], np.nan)
    tab.drawn(harness.push(6, encode_body(snapshot)))
    expect(tab.view.locator(".bnviz-question")).to_contain_text("Your prediction held")
    expect(tab.view.locator(".bnviz-question")).to_contain_text("broke first, at step 6")


def test_only_changes_of_state_are_announced(tab, harness, frames, taken):
    spoken = tab.view.locator("[aria-live=polite]")
    tab.drawn(harness.push(31, frames[5][1]))
    expect(spoken).to_have_text("")
    tab.drawn(harness.push(32, encode_body(broken(taken[6][0], np.nan))))
    expect(spoken).to_contain_text("Without BN: broke at step 6, diverged.")


def test_present_mode_swaps_charts_with_the_number_keys(open_tab, frames):
    tab = open_tab({**page_data(PAIR, MAIN, MORE), "present": True}, frames)
    tab.drawn(30)
    shown = tab.view.locator("[data-chart]:visible")
    assert shown.count() == 2
    tab.page.keyboard.press("6")
    expect(tab.view.locator("[data-chart=drift]")).to_be_visible()
    assert shown.count() == 2
    sizes = tab.page.evaluate(
        "[...document.querySelectorAll('.bnviz :is(p, h2, h3, button, small, span, output)')]"
        ".filter((e) => e.offsetParent && e.textContent.trim() && !e.closest('.bnviz-hidden'))"
        ".map((e) => parseFloat(getComputedStyle(e).fontSize))"
    )
    assert min(sizes) >= 16


def test_a_chart_fills_the_window_and_comes_back_without_being_drawn_anew(tab):
    tab.filled("layers")
    tab.page.evaluate("window.old = document.querySelector('[data-chart=layers] .main-svg')")
    panel = tab.page.locator("[data-chart=layers]")
    panel.get_by_role("button", name="Make “Layer by layer” large").click()
    tab.page.wait_for_function(
        "document.querySelector('[data-chart=layers] .js-plotly-plot')._fullLayout.width > 1200"
    )
    tab.page.keyboard.press("Escape")
    expect(panel).not_to_have_attribute("popover", "manual")
    assert tab.page.evaluate("window.old.isConnected")


def test_the_exported_file_needs_no_network(tab, chromium, tmp_path):
    tab.filled("loss")
    tab.page.get_by_role("button", name="Export").click()
    with tab.page.expect_download() as download:
        tab.page.get_by_role("button", name="Charts as one HTML file").click()
    path = tmp_path / "charts.html"
    download.value.save_as(path)
    context = chromium.new_context(offline=True)
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    page.wait_for_function("document.querySelectorAll('.js-plotly-plot .main-svg').length >= 2")
    assert page.locator("h2", has_text="Without BN").count() == 1
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    context.close()


def test_share_links_carry_what_was_chosen(tab):
    tab.page.get_by_role("button", name="Share").click()
    box = tab.page.get_by_role("dialog")
    box.get_by_text("with large type").click()
    box.get_by_text("paused, asking").click()
    box.get_by_text("Take controls away").click()
    box.get_by_text("batch size").click()
    watch, copy = (field.input_value() for field in box.locator("input[readonly]").all())
    assert "run=" in watch
    assert "paused" not in watch
    assert copy.endswith("?depth=3&present=1&paused=1&hide=batch_size")


def test_nothing_is_wider_than_a_phone(open_tab, frames):
    tab = open_tab(page_data(PAIR, MAIN, MORE), frames, viewport={"width": 390, "height": 800})
    tab.drawn(30)
    assert tab.page.evaluate("document.documentElement.scrollWidth") == 390
    assert tab.view.locator("[data-chart]:visible").count() == 1
