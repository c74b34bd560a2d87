"""Charts show the right texts, stay mounted, and handle unusual frames of a run."""

import dataclasses
import itertools

import numpy as np
import pytest
from playwright.sync_api import expect

from bnviz.records import Break, Change
from tests.browser.live_view.page_data import page_data
from tests.browser.live_view.recorded import MAIN, MORE, ONE, PAIR, bodies, broken, encoded


@pytest.fixture
def layers(open_tab, frames):
    """Return a tab with the chart of all layers and a history of 31 steps."""
    tab = open_tab(page_data(PAIR, ["layers"]), frames)
    tab.drawn(30)
    return tab


@pytest.mark.parametrize("kept", [1, 4])
def test_a_run_that_stands_still_shows_its_words_with_the_first_frame(open_tab, frames, kept):
    tab = open_tab(page_data(PAIR, MAIN), frames[:kept], begin={"paused": True})
    tab.drawn(kept - 1)
    written = tab.plot("layers", "[...gd.querySelectorAll('.scatterlayer text')]"
                                 ".map((node) => node.textContent)")  # fmt: skip
    wanted = tab.plot("layers", "gd.data.flatMap((trace) => trace.text ?? []).filter(Boolean)")
    assert len(wanted) >= 6
    assert written == wanted
    assert tab.plot("loss", "gd.data[2].x.length") == kept
    shown = tab.plot("loss", "gd.querySelectorAll('.point').length")
    assert shown == (4 if kept == 1 else 0)


def test_words_of_marks_keep_clear_of_each_other(open_tab, taken):
    changes = [Change(step=step, values={"learning_rate": rate})
               for step, rate in [(10, 1.0), (12, 0.3), (13, 0.1), (29, 3.0)]]  # fmt: skip
    broke = {
        norm: dataclasses.replace(record, state="blown_up", broke=Break(11, "layer 2", "why"))
        for norm, record in taken[30][0].networks.items()
    }
    shots = [*taken[:30], (dataclasses.replace(taken[30][0], networks=broke), [])]
    kept = [(shot.step, encoded(shot, changes=changes)) for shot, _ in shots]
    tab = open_tab(page_data(PAIR, ONE), kept, begin={"changes": changes})
    tab.drawn(30)
    boxes = tab.plot("loss", "[...gd.querySelectorAll('.scatterlayer text')].map((node) => {"
                     " const { left, right, top, bottom } = node.getBoundingClientRect();"
                     " return [left, right, top + 3, bottom - 3]; })")  # fmt: skip
    assert len(boxes) >= 2 + 2 + 4
    for one, other in itertools.combinations(boxes, 2):
        beside = one[1] <= other[0] or other[1] <= one[0]
        assert beside or one[3] <= other[2] or other[3] <= one[2], (one, other)


def test_marks_name_the_change_from_what_to_what(tab):
    tab.filled("loss")
    words = tab.plot("loss", "gd.data.flatMap((trace) => trace.text ?? [])")
    assert "rate 0.1 → 1" in map(str.strip, words)


def test_every_change_keeps_its_words_when_others_follow(open_tab, harness, taken):
    def told(shot, made):
        return encoded(taken[shot][0], changes=changes[:made])

    changes = [Change(step=step, values={"batch_size": size})
               for step, size in [(5, 32), (14, 16), (16, 8)]]  # fmt: skip
    tab = open_tab(page_data(PAIR, ONE), [(step, told(step, 0)) for step in range(10)])
    for shot, made in ((10, 1), (11, 1), (15, 2), (18, 3), (19, 3)):
        tab.drawn(harness.push(shot, told(shot, made)))
    written = tab.plot("loss", "[...gd.querySelectorAll('.scatterlayer text')]"
                               ".map((node) => node.textContent)")  # fmt: skip
    assert [word.strip() for word in written if "batch" in word] == [
        "batch 60 → 32", "batch 32 → 16", "batch 16 → 8",
    ]  # fmt: skip


def test_the_quick_way_of_drawing_gives_the_same_picture(open_tab, harness, frames):
    """Compare paths, texts and ticks after partial redraws with a full redraw of the same data."""
    names = ["loss", "layers", "percentiles"]
    tab = open_tab(page_data(PAIR, names), frames, viewport={"width": 1300, "height": 2_000})
    for name in names:
        tab.filled(name)
    for step in (31, 33, 60):  # the last step moves the step axis
        tab.drawn(harness.push(step, frames[step % 30][1]))
    read = (
        "[...gd.querySelectorAll('.scatterlayer path, .scatterlayer text, .xtick text, .ytick"
        " text')].map((node) => [node.getAttribute('d'), node.getAttribute('style'),"
        " node.getAttribute('transform'), node.textContent])"
    )
    for name in names:
        quick = tab.plot(name, read)
        assert len(quick) > 10
        tab.page.evaluate("(gd) => window.Plotly.redraw(gd).then(() => {})", tab.figure(name))
        assert tab.plot(name, read) == quick, name
    assert tab.plot("loss", "gd._fullLayout.xaxis.range[1]") > 60


def test_charts_out_of_sight_are_not_drawn_until_they_are_seen(open_tab, harness, frames):
    tab = open_tab(page_data(PAIR, MAIN), frames)
    tab.drawn(30)
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


def test_values_that_are_not_finite_are_drawn_and_harm_nothing(open_tab, harness, taken):
    tab = open_tab(page_data(PAIR, [*MAIN, *MORE]), bodies(taken[:6]))
    tab.drawn(5)
    for name in ("loss", "layers"):
        tab.filled(name)
    for at, value in enumerate([np.nan, np.inf, -np.inf]):
        for step in (6 + 2 * at, 7 + 2 * at):
            snapshot = dataclasses.replace(taken[6][0], step=step)
            tab.drawn(harness.push(step, encoded(broken(snapshot, value))))
        assert tab.plot("loss", "gd.data[2].x.at(-1)") == step
        assert tab.plot("loss", "gd.data[2].y.slice(6)") == [None] * (2 * at + 2)
        assert tab.plot("loss", "gd.data[2].y[5]") is not None
        low, high = tab.plot("loss", "gd._fullLayout.yaxis2.range")
        assert np.isfinite([low, high]).all()
    expect(tab.view.locator("[data-chart=loss]")).to_contain_text("not finite after step 5")
    expect(tab.view.locator("[data-card='none'] h2")).to_contain_text("diverged")


def test_the_limit_of_stability_has_a_gap_while_there_is_none(open_tab, harness, taken):
    tab = open_tab(page_data(PAIR, ["sharpness"]), bodies(taken[:3]))
    tab.drawn(2)
    shot = taken[3][0]
    networks = {
        norm: dataclasses.replace(record, stability_limit=np.nan)
        for norm, record in shot.networks.items()
    }
    tab.drawn(harness.push(3, encoded(dataclasses.replace(shot, networks=networks))))
    tab.drawn(harness.push(4, encoded(taken[4][0])))
    known = tab.plot("sharpness", "gd.data[0].y.map((value) => value !== null)")
    assert known == [True, True, True, False, True]
    last = dataclasses.replace(taken[5][0], networks=networks)
    tab.drawn(harness.push(5, encoded(last)))
    chart = tab.view.locator("[data-chart=sharpness]")
    expect(chart).to_contain_text("2(1+β)/η")
    expect(chart).not_to_contain_text("not finite")
    expect(chart).not_to_contain_text("not on the axis")


def test_the_line_of_a_network_that_has_stopped_ends_where_it_did(tab, harness, taken):
    snapshot, _ = taken[10]
    stopped = {"none": {"stopped": 20, "state": "diverged"}, "batch": {}}
    networks = {
        norm: dataclasses.replace(record, **stopped[norm])
        for norm, record in snapshot.networks.items()
    }
    shot = dataclasses.replace(snapshot, step=31, networks=networks)
    tab.drawn(harness.push(31, encoded(shot)))
    ends = (
        "gd.data.filter(({ x, mode }) => x?.length > 5 && mode === 'lines')"
        ".map(({ x }) => Math.max(...x))"
    )
    assert sorted(set(tab.plot("loss", ends))) == [20, 31]


def test_an_old_measurement_says_how_old_it_is_and_of_which_network(layers, harness, taken):
    tab = layers
    snapshot, _ = taken[10]
    note = tab.view.locator("[data-chart=layers] .bnviz-note")
    old, fresh = {"measured_at": {"jacobian": 7}}, {"measured_at": {}}
    for step, plain, other, words in [
        (31, old, old, "· Jacobian measured at step 7"),
        (32, old, fresh, "· Jacobian without BN measured at step 7"),
        (33, {**old, "state": "diverged"}, fresh, ""),
    ]:
        networks = {
            norm: dataclasses.replace(record, **(plain if norm == "none" else other))
            for norm, record in snapshot.networks.items()
        }
        shot = dataclasses.replace(snapshot, step=step, networks=networks)
        tab.drawn(harness.push(step, encoded(shot)))
        expect(note).to_have_text(words)


def test_a_table_says_when_a_column_was_measured_that_is_older_than_the_rest(
    layers, harness, taken
):
    tab = layers
    snapshot, _ = taken[10]
    networks = {
        norm: dataclasses.replace(record, measured_at={**record.measured_at, "jacobian": 7})
        for norm, record in snapshot.networks.items()
    }
    shot = dataclasses.replace(snapshot, networks=networks)
    tab.drawn(harness.push(10, encoded(shot)))
    tab.page.locator("[data-chart=layers]").get_by_role("button", name="Data").click()
    heads = tab.page.locator("[data-chart=layers] thead th").all_inner_texts()
    old = [head for head in heads if "(step 7)" in head]
    assert old
    assert all("singular value" in head for head in old), old
    assert len(old) < len([head for head in heads if head])


def test_each_kept_step_has_a_whole_cell_and_the_first_one_is_on_top(open_tab, frames):
    """Only steps 0 and 2 are kept. Cells have equal widths, however close their steps are."""
    tab = open_tab(page_data(PAIR, ["cut"]), frames)
    tab.drawn(30)
    axes = "[gd._fullLayout.xaxis, gd._fullLayout.yaxis2].map(({ type, range }) => [type, range])"
    assert tab.plot("cut", axes) == [["category", [-0.5, 1.5]], ["category", [1.5, -0.5]]]
