"""Following a run: connection, missed frames, the end of a run, and earlier steps."""

from playwright.sync_api import expect

from bnviz.live.protocol.server_messages import notice
from bnviz.live.runs import run_messages
from bnviz.records import Change
from tests.browser.live_view.page_data import page_data
from tests.browser.live_view.recorded import MAIN, ONE, PAIR, encoded


def test_of_many_frames_at_once_the_newest_is_drawn_and_acknowledged(tab, harness, frames):
    for step in range(31, 51):
        seq = harness.push(step, frames[step % 30][1])
    tab.drawn(seq)
    harness.wait(lambda: {"type": "ack", "seq": seq} in harness.heard)


def test_a_lost_connection_is_said_and_taken_up_again_with_all_that_was_missed(
    tab, harness, frames
):
    tab.filled("loss")
    asked = harness.asked["series"]
    # The connection may be restored within 0.25 s, so the page itself records the notice.
    said = tab.page.evaluate_handle(
        """() => {
          const said = { lost: false };
          const look = () => {
            const notice = document.querySelector(".bnviz-lost");
            said.lost ||= Boolean(notice?.checkVisibility());
          };
          const watch = { subtree: true, childList: true, attributes: true };
          new MutationObserver(look).observe(document.body, watch);
          return said;
        }"""
    )
    harness.cut()
    tab.page.wait_for_function("said => said.lost", arg=said)
    harness.wait(lambda: harness.asked["live"] == 2)
    expect(tab.page.locator(".bnviz-lost")).to_be_hidden()
    seq = harness.push(31, frames[4][1])
    tab.drawn(seq)
    harness.wait(lambda: harness.asked["series"] > asked)
    tab.page.wait_for_function(
        "document.querySelector('[data-chart=loss] .js-plotly-plot').data[2].x.length === 32"
    )
    harness.hub.registry.broadcast(harness.run, notice("worker_replaced"))
    expect(tab.view.locator("[data-notice=worker_replaced]")).to_contain_text(
        "a new process replaced it"
    )


def test_a_silent_connection_is_said_with_its_time_and_taken_up_again(tab, harness, monkeypatch):
    said = tab.page.evaluate_handle(
        """() => {
          const said = { text: "" };
          const look = () => {
            said.text ||= document.querySelector(".bnviz-lost")?.innerText ?? "";
          };
          const watch = { subtree: true, childList: true };
          new MutationObserver(look).observe(document.body, watch);
          return said;
        }"""
    )
    with monkeypatch.context() as patch:
        patch.setattr(run_messages, "BEAT_SECONDS", 0.1)
        harness.script("reset")
    # The server sends no more messages, but does not close the connection.
    harness.wait(lambda: harness.asked["live"] == 2)
    tab.page.wait_for_function("said => /Not connected since .*\\d/.test(said.text)", arg=said)
    expect(tab.page.locator(".bnviz-lost")).to_be_hidden()
    harness.wait(lambda: harness.kinds("beat"))
    assert harness.asked["live"] == 2


def test_a_run_that_has_ended_with_an_error_says_why_and_where_it_is_joined_later_too(
    open_tab, harness, frames
):
    tab = open_tab(page_data(PAIR, ONE), frames)
    tab.drawn(30)
    why = "Nothing of this run fits here."
    harness.call(harness.hub.registry.fail, harness.run, why)
    said = tab.view.locator(".bnviz-notice:visible")
    expect(said).to_have_text(f"{why} The run ended with an error. Reset starts it again.")
    harness.cut()
    harness.wait(lambda: harness.asked["live"] == 2)
    expect(said).to_have_text(f"{why} The run ended with an error. Reset starts it again.")


def test_a_run_that_is_over_is_not_asked_for_again(tab, harness):
    harness.call(harness.hub.registry.end, harness.run, "over")
    expect(tab.view.locator("[data-notice=expired]")).to_be_visible()
    tab.wait("view.status === 'disconnected'")
    assert tab.page.locator(".bnviz-lost").count() == 0
    assert harness.asked["live"] == 1


def test_a_server_of_another_version_asks_for_a_reload(tab, harness, frames, monkeypatch):
    monkeypatch.setattr("bnviz.live.protocol.frames.WIRE_VERSION", 2)
    harness.push(31, frames[4][1])
    notice = tab.view.locator("[data-notice=reload]")
    expect(notice).to_contain_text("Reload the page")
    tab.wait("view.status === 'disconnected'")
    assert harness.asked["live"] == 1


def test_a_run_that_starts_over_begins_with_empty_curves_and_the_knobs_as_they_are(
    tab, harness, frames, taken
):
    tab.filled("loss")
    harness.script("set_knobs", learning_rate=1.0)
    harness.start_over()
    harness.push(1, frames[1][1])
    tab.wait("view.step === '1' && view.changes === '0'")
    tab.page.wait_for_function(
        "document.querySelector('[data-chart=loss] .js-plotly-plot').data[2].x.join() === '0,1'"
    )
    changes = [Change(1, {"learning_rate": 0.1})]
    tab.drawn(harness.push(2, encoded(taken[2][0], changes=changes)))
    words = tab.plot("loss", "gd.data.flatMap((trace) => trace.text ?? [])")
    assert "rate 1 → 0.1" in [each.strip() for each in words]


def test_calm_and_small_screens_ask_for_fewer_frames(open_tab, harness, frames):
    tab = open_tab(page_data(PAIR, ONE), frames, reduced_motion="reduce")
    tab.drawn(30)
    harness.wait(lambda: harness.kinds("rate") == [{"type": "rate", "max_fps": 1}])
    tab.page.emulate_media(reduced_motion="no-preference")
    tab.page.set_viewport_size({"width": 390, "height": 800})
    harness.wait(lambda: harness.kinds("rate")[-1] == {"type": "rate", "max_fps": 2})


def test_the_pointer_shows_values_a_click_pins_the_page_and_esc_comes_back(open_tab, frames):
    tab = open_tab(page_data(PAIR, MAIN), frames)
    tab.drawn(30)
    tab.filled("loss")
    box = tab.page.locator("[data-chart=loss] .nsewdrag").first.bounding_box()
    tab.page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + box["height"] / 2)
    values = tab.view.locator("[data-chart=loss] .bnviz-values")
    expect(values).to_contain_text("without BN: ")
    expect(tab.view.locator("[data-chart=loss] .bnviz-pointer")).to_be_visible()
    # The rest of the page has not changed.
    assert tab.view.get_attribute("data-time") == "live"
    expect(tab.view.locator("[data-chart=layers]")).to_contain_text("step 30")
    step = values.locator("b").inner_text().removeprefix("step ")
    assert 5 < int(step) < 25
    tab.page.mouse.down()
    tab.page.mouse.up()
    tab.page.mouse.move(2, 2)
    # The page pins the nearest kept frame once this frame has loaded.
    tab.wait(f"view.time === 'pinned' && Math.abs(view.step - {step}) <= 1")
    expect(values).to_be_hidden()
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
    assert harness.asked["history"] == 2


def test_the_kept_frame_nearest_to_a_step_stands_for_it(module):
    ask = """(() => {
      const store = new m.Store(null, "", 1);
      store.history = [[0, 0], [1, 10], [2, 40]];
      return a.map((step) => [step, store.nearest(step)[1]]);
    })()"""
    nearest = [[0, 0], [3, 0], [7, 10], [10, 10], [11, 10], [14, 10], [39, 40], [99, 40]]
    assert module("data/store", ask, [step for step, _ in nearest]) == nearest
