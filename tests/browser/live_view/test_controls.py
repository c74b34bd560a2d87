"""Controls around the charts: cards, buttons, keys, modes and panels."""

import dataclasses
import re

import numpy as np
from playwright.sync_api import expect

from bnviz.live.runs.housekeeping import maintain
from bnviz.records import Break
from bnviz.words.story import tell_story
from tests.browser.live_view.page_data import page_data
from tests.browser.live_view.recorded import MAIN, MORE, ONE, PAIR, bodies, broken, encoded


def test_sentences_are_filled_in_and_markup_stays_text(tab, harness, taken):
    snapshot, _ = taken[3]
    headline = ["broke_stuck", {"step": 3}]
    story = tell_story(snapshot, PAIR) | {"none": {"headline": headline, "detail": [
        ["first_layer", {"layer": "<img src=x onerror=alert(1)>", "reason": "{step} <b>"}],
        ["saturated_many", {"layers": "2–3", "share": 0.95}]]}}  # fmt: skip
    tab.drawn(harness.push(31, encoded(snapshot, story=story)))
    card = tab.view.locator("[data-card='none']")
    expect(card.locator("h2")).to_have_text("Without BN: broke at step 3, now stuck.")
    expect(card).to_contain_text("<img src=x onerror=alert(1)>, {step} <b>.")
    expect(card).to_contain_text("over 95 %")
    assert card.locator("img").count() == 0


def test_buttons_and_keys_ask_the_script(tab):
    tab.page.get_by_role("button", name="Pause").click()
    tab.page.keyboard.press("s")
    tab.page.get_by_role("radio", name="fast").check()
    tab.page.locator("[data-control=new_seed]").evaluate("button => button.click()")
    assert tab.commands() == [
        {"name": "pause"}, {"name": "step"}, {"name": "pace", "pace": "fast"}, {"name": "new_seed"},
    ]  # fmt: skip


def test_a_run_is_kept_for_a_day_and_let_go_by_the_same_button(tab, harness):
    page = tab.page
    keep = page.locator("[data-control=pin]")
    expect(keep).to_have_text("Keep for a day")
    keep.evaluate("button => button.click()")  # the button may be in the menu
    harness.script("pin")
    expect(keep).to_have_text(re.compile(r"Kept until \S+ \d\d:\d\d"))
    expect(keep).to_have_attribute("aria-pressed", "true")
    keep.evaluate("button => button.click()")
    harness.script("unpin")
    expect(keep).to_have_text("Keep for a day")
    assert tab.commands() == [{"name": "pin"}, {"name": "unpin"}]


def test_a_command_brings_along_those_that_the_script_has_not_confirmed(tab):
    """Streamlit passes only the newest of two values that are set during one script run."""
    sent = "window.commands.at(-1).commands.map(({ name }) => name)"
    tab.page.keyboard.press("s")
    tab.page.get_by_role("button", name="Pause").click()
    assert tab.page.evaluate(sent) == ["step", "pause"]
    tab.page.evaluate(
        "(({ view }) => mountAgain({ commands_done: { [view]: 1, x: 9 } }))(commands.at(-1))"
    )
    tab.page.locator("[data-control=new_seed]").evaluate("button => button.click()")
    assert tab.page.evaluate(sent) == ["pause", "new_seed"]


def test_what_has_the_focus_keeps_it_when_the_page_says_something_new(open_tab, frames):
    tab = open_tab(page_data(PAIR, MAIN, MORE), frames)
    tab.drawn(30)
    lost = """() => {
      const all = [...document.querySelectorAll("#place button, #place input, #place a")];
      const can = all.filter((one) => { one.focus(); return document.activeElement === one; });
      return [can.length, can.filter((one) => {
        one.focus();
        mountAgain({ commands_done: {}, notices: [] });
        return document.activeElement !== one;
      }).map((one) => one.outerHTML.slice(0, 120))];
    }"""
    tried, lost = tab.page.evaluate(lost)
    assert tried > 20
    assert lost == []


def test_a_viewer_gets_no_controls_but_a_copy(open_tab, frames):
    tab = open_tab({**page_data(PAIR, ONE), "can_control": False}, frames)
    tab.drawn(30)
    expect(tab.page.get_by_text("belongs to someone else")).to_be_visible()
    assert tab.page.get_by_role("button", name="Pause").count() == 0
    tab.page.keyboard.press("Space")
    tab.page.get_by_role("button", name="Make my own copy").click()
    assert tab.commands() == [{"name": "copy"}]


def test_a_page_that_opens_with_a_question_notes_a_guess_and_says_what_happened(
    open_tab, harness, frames, taken
):
    data = {**page_data(PAIR, ONE), "paused_question": True}
    tab = open_tab(data, frames[:1], begin={"paused": True})
    tab.drawn(0)
    panel = tab.view.locator(".class-panel")
    expect(panel.get_by_role("heading")).to_have_text("Which breaks first?")
    panel.get_by_role("button", name="A Without BN").click()
    assert tab.commands() == [{"name": "play"}]
    snapshot = broken(taken[6][0], np.nan)
    tab.drawn(harness.push(6, encoded(snapshot)))
    came = panel.locator(".class-came")
    expect(came).to_contain_text("Without BN")
    expect(came).to_contain_text("you")
    expect(came).to_contain_text("happened")
    expect(panel).to_contain_text("Without BN broke first, at step 6.")


def test_only_changes_of_state_are_announced(tab, harness, frames, taken):
    spoken = tab.view.locator("[aria-live=polite]")
    tab.drawn(harness.push(31, frames[5][1]))
    expect(spoken).to_have_text("")
    tab.drawn(harness.push(32, encoded(broken(taken[6][0], np.nan))))
    expect(spoken).to_contain_text("Without BN: diverged.")


def test_a_network_at_chance_has_not_broken(tab, harness, taken):
    snapshot, _ = taken[6]
    networks = {
        norm: dataclasses.replace(record, state="stuck", broke=None, accuracy_trace=None)
        for norm, record in snapshot.networks.items()
    }
    stuck = dataclasses.replace(snapshot, networks=networks)
    tab.drawn(harness.push(31, encoded(stuck)))
    spoken = tab.view.locator("[aria-live=polite]")
    expect(spoken).to_contain_text("Without BN: stuck at chance level.")
    assert "broke" not in spoken.inner_text()
    assert tab.view.get_by_role("button", name="Show the break").count() == 0
    assert tab.view.locator(".bnviz-ticks i").count() == 1  # the change


def test_a_break_that_is_none_any_more_is_marked_nowhere(tab, harness, taken):
    snapshot, _ = taken[6]
    plain = dataclasses.replace(
        snapshot.networks["none"], state="blown_up", broke=Break(4, None, "its loss")
    )
    networks = {**snapshot.networks, "none": plain}
    tab.drawn(harness.push(31, encoded(dataclasses.replace(snapshot, networks=networks))))
    marks = (
        "document.querySelector('[data-chart=loss] .js-plotly-plot').data"
        ".filter((trace) => (trace.x ?? []).join().startsWith('4,4')).length === argument"
    )
    shows = tab.view.locator("button:not([hidden])", has_text="Show the break")
    assert (tab.view.locator(".bnviz-ticks i").count(), shows.count()) == (2, 1)
    tab.wait(marks, 1)
    networks["none"] = dataclasses.replace(plain, state="learning", broke=None)
    tab.drawn(harness.push(32, encoded(dataclasses.replace(snapshot, networks=networks))))
    assert (tab.view.locator(".bnviz-ticks i").count(), shows.count()) == (1, 0)
    tab.wait(marks, 0)


def test_steps_replayed_around_a_break_come_into_the_curves(open_tab, harness, taken):
    shots = [(broken(snapshot, 9.0) if snapshot.step >= 6 else snapshot, log)
             for snapshot, log in taken]  # fmt: skip
    for at, (snapshot, log) in enumerate(shots):
        if at >= 6:
            plain = dataclasses.replace(
                snapshot.networks["none"], state="blown_up", broke=Break(6, "layer 2", "large")
            )
            networks = {**snapshot.networks, "none": plain}
            shots[at] = dataclasses.replace(snapshot, networks=networks), log
    every = bodies(shots)
    shown = [0, 1, 2, *range(12, 31)]
    tab = open_tab(page_data(PAIR, ONE), [every[step] for step in shown])
    tab.drawn(len(shown) - 1)
    tab.filled("loss")
    steps = "document.querySelector('[data-chart=loss] .js-plotly-plot').data[2].x.join()"
    tab.page.wait_for_function(f"{steps} === '{','.join(map(str, shown))}'")
    for step in range(3, 12):
        harness.hear("replayed", every[step][1], step=step)
    harness.call(maintain, harness.hub.registry)
    tab.page.wait_for_function(f"{steps} === '{','.join(map(str, range(31)))}'")


def test_an_accuracy_that_is_not_finite_is_no_zero(tab, harness, taken):
    snapshot = broken(taken[6][0], np.nan)
    gone = dataclasses.replace(snapshot.networks["none"], test_accuracy=np.nan)
    networks = {**snapshot.networks, "none": gone}
    tab.drawn(harness.push(31, encoded(dataclasses.replace(snapshot, networks=networks))))
    score = tab.view.locator("[data-card=none] .bnviz-score")
    expect(score.locator(".bnviz-accuracy")).to_have_text("–")
    expect(score).to_contain_text("not finite")


def test_a_pause_is_told_with_the_step_at_which_the_run_stands(tab, harness, frames):
    harness.script("pause")
    tab.wait("view.status === 'paused'")
    # The states of the networks have not changed, so only the pause is announced.
    tab.drawn(harness.push(31, frames[-1][1]))
    expect(tab.view.locator("[aria-live=polite]")).to_have_text("Paused at step 31.")


def test_present_mode_swaps_charts_with_the_number_keys(open_tab, frames):
    tab = open_tab({**page_data(PAIR, MAIN, MORE), "present": True}, frames)
    tab.drawn(30)
    shown = tab.view.locator(".bnviz-stage-foot [data-chart]:visible")
    assert shown.count() == 1
    tab.page.keyboard.press("6")
    expect(tab.view.locator("[data-chart=drift]")).to_be_visible()
    assert shown.count() == 1


def test_the_exported_file_needs_no_network(open_tab, frames, harness, taken, chromium, tmp_path):
    tab = open_tab(page_data(PAIR, MAIN), frames)
    tab.drawn(30)
    networks = {
        norm: dataclasses.replace(record, measured_at={**record.measured_at, "jacobian": 7})
        for norm, record in taken[30][0].networks.items()
    }
    shot = dataclasses.replace(taken[30][0], networks=networks)
    tab.drawn(harness.push(31, encoded(shot)))
    tab.filled("loss")
    tab.page.locator("[data-control=export]").evaluate("button => button.click()")
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
    assert page.locator("figcaption", has_text="Jacobian measured at step 7").count() == 1
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    context.close()


def test_share_links_carry_what_was_chosen(tab):
    tab.page.get_by_role("button", name="Share").click()
    box = tab.page.get_by_role("dialog")
    box.get_by_text("with large type").click()
    box.get_by_text("paused at step 0, with the question").click()
    box.get_by_text("Take controls away").click()
    box.get_by_text("batch size").click()
    watch, copy = (field.input_value() for field in box.locator("input[readonly]").all())
    assert "run=" in watch
    assert "paused" not in watch
    assert copy.endswith("?depth=3&present=1&paused=1&hide=batch_size")


def test_what_has_no_room_in_the_toolbar_is_reached_by_the_keyboard(open_tab, frames):
    tab = open_tab(page_data(PAIR, ONE), frames, viewport={"width": 680, "height": 800})
    tab.drawn(30)
    more = tab.view.locator(".bnviz-others-more")
    more.press("Enter")
    inside = tab.view.locator(".bnviz-menu-panel > button")
    expect(inside.first).to_be_visible()
    more.press("ArrowDown")
    expect(inside.first).to_be_focused()
    tab.page.keyboard.press("ArrowUp")
    expect(inside.last).to_be_focused()
    tab.page.keyboard.press("Escape")
    expect(inside.first).to_be_hidden()
    more.focus()
    tab.page.set_viewport_size({"width": 1440, "height": 800})
    expect(more).to_be_focused()
    more.press("Enter")
    expect(inside.last).to_have_attribute("data-control", "pin")


def test_nothing_is_wider_than_a_phone(open_tab, frames):
    tab = open_tab(page_data(PAIR, MAIN, MORE), frames, viewport={"width": 390, "height": 800})
    tab.drawn(30)
    assert tab.page.evaluate("document.documentElement.scrollWidth") == 390
    assert tab.view.locator("[data-chart]:visible").count() == 1
