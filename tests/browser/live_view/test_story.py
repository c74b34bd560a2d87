"""The opening story, played quickly: no layout shifts, and few announcements."""

import dataclasses

import pytest
from playwright.sync_api import expect

from bnviz.records import Break
from bnviz.words.texts import texts
from tests.browser.live_view.page_data import page_data
from tests.browser.live_view.recorded import MAIN, MORE, PAIR, encoded

SAID = texts("live")
# JavaScript function that starts to record the browser's layout-shift scores.
WATCH = """() => {
  const from = performance.now();
  window.shifts = [];
  // The page is opened once for many tests: one before this may have watched it, too.
  window.shiftObserver?.disconnect();
  window.shiftObserver = new PerformanceObserver((list) => {
    for (const { startTime, value } of list.getEntries()) {
      if (startTime >= from) window.shifts.push(value);
    }
  });
  window.shiftObserver.observe({ type: "layout-shift", buffered: true });
}"""


def told(shot, changes, state="learning", broke=None, loss=None):
    """Return a frame with the cards' sentences; the network without BN has the given state."""
    plain = dataclasses.replace(shot.networks["none"], state=state, broke=broke)
    if loss is not None:
        plain = dataclasses.replace(plain, loss=loss, test_loss=loss, test_accuracy=0.1)
    shot = dataclasses.replace(shot, networks={**shot.networks, "none": plain})
    return encoded(shot, changes)


# Maximum layout shift by window width. On a wide page, a verdict may gain its second line once. A
# phone shows this line only on demand.
@pytest.mark.parametrize(("width", "most"), [(1280, 0.06), (390, 0.02)])
def test_nothing_moves_while_a_network_breaks_is_stuck_and_the_run_pauses(
    open_tab, harness, taken, frames, width, most
):
    data = page_data(PAIR, MAIN, MORE)
    tab = open_tab(data, frames[:1], viewport={"width": width, "height": 844})
    tab.drawn(0)
    tab.page.evaluate(WATCH)
    broke = Break(14, "layer 2", "saturated")
    for shot, changes in (taken[step] for step in (1, 11, 12, 14, 17, 20, 30)):
        state = "learning" if shot.step < 14 else "blown_up" if shot.step < 20 else "stuck"
        after = {} if state == "learning" else {"state": state, "broke": broke, "loss": 9.0}
        tab.drawn(harness.push(shot.step, told(shot, changes, **after)))
    harness.hear("state", step=30, reason="watch", command_number=harness.run.command_number)
    # The playback controls show the pause, and no message covers the page.
    expect(tab.view.locator(".bnviz-counter")).to_contain_text(SAID["stands"]["watch"])
    expect(tab.view.locator("[data-card=none] h2")).to_contain_text("broke at step 14")
    expect(tab.view.locator(".bnviz-notice")).to_have_count(0)
    tab.page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    assert sum(tab.page.evaluate("window.shifts")) <= most


# JavaScript that returns the announcements for events [milliseconds, states, status], each with its
# time on a simulated clock.
SPOKEN = """(() => {
  const { now } = performance, { setTimeout } = window;
  const spoken = [[0, ""]], timers = [];
  let clock = 0;
  performance.now = () => clock;
  window.setTimeout = (call, wait) => timers.push({ call, at: clock + wait });
  const fill = (key, values) => a.texts[key].replace(/{(\\w+)}/g, (_, name) => values[name]);
  const texts = { story: { headline: a.headlines } };
  const data = { labels: { none: "none", batch: "batch" }, texts };
  const view = { data, t: fill, store: { live: { step: 7 } } };
  try {
    const announcer = new m.Announcer(view);
    const pass = (until) => {
      for (clock; clock <= until; clock += 100) {
        for (const due of timers.splice(0)) {
          if (due.at > clock) { timers.push(due); continue; }
          due.call();
          const text = announcer.element.textContent;
          if (text !== spoken.at(-1)?.[1]) spoken.push([clock, text]);
        }
      }
    };
    for (const [at, states, status] of a.frames) {
      pass(at);
      const networks = {};
      for (const [name, state] of Object.entries(states)) {
        networks[name] = { story: { headline: [state, {}], detail: [] } };
      }
      announcer.draw({ live: { step: 60, networks }, store: { status, breaks: {} } });
    }
    pass(clock + 20_000);
  } finally {
    performance.now = now;
    window.setTimeout = setTimeout;
  }
  return spoken.slice(1);
})()"""


def test_changes_are_said_at_most_every_five_seconds_each_once_and_in_its_newest_words(in_page):
    words = {"status.paused": "Paused at step {step}.", "status.running": "Running."}
    headlines = {
        state: f"{{label}}: {state.replace('_', ' ')}."
        for state in ("learning", "blown_up", "stuck")
    }

    def spoken(*frames):
        return in_page(
            "panels/announcer", SPOKEN, {"texts": words, "headlines": headlines, "frames": frames}
        )

    learning = {"none": "learning", "batch": "learning"}
    broken, stuck = {**learning, "none": "blown_up"}, {**learning, "none": "stuck"}
    assert spoken([0, learning, "running"], [400, learning, "running"]) == []
    story = spoken(
        [0, learning, "running"], [1000, broken, "running"], [2500, stuck, "running"],
        [3000, broken, "running"], [4000, stuck, "running"], [9000, stuck, "paused"],
    )  # fmt: skip
    assert [text for _, text in story] == [
        "None: blown up.", "None: stuck.", "Paused at step 7.",
    ]  # fmt: skip
    first, second, third = (at for at, _ in story)
    assert first == pytest.approx(2000, abs=200), "a moment later: the newest frame is here then"
    assert second - first == pytest.approx(5000, abs=200)
    assert third - second >= 5000
    # A state that has already been announced is not announced again.
    back = spoken([0, learning, "running"], [1000, broken, "running"], [1500, learning, "running"])
    assert back == []
