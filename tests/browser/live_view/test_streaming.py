"""While frames arrive and the page's script runs, charts stay mounted and frames are queued."""

import pytest

from tests.browser.live_view.page_data import page_data
from tests.browser.live_view.recorded import MAIN, PAIR

READ_RANGE = (
    "() => document.querySelector(\"[data-chart='loss'] .js-plotly-plot\").layout.xaxis.range"
)
# JavaScript function that counts the plots removed from the page, either directly or with a parent
# element.
COUNT = """() => {
  window.unmounted = 0;
  window.plots = [...document.querySelectorAll(".js-plotly-plot")];
  new MutationObserver((records) => {
    const removed = records.flatMap((record) => [...record.removedNodes]);
    const held = (node) => window.plots.some((plot) => node.contains(plot));
    window.unmounted += removed.filter(held).length;
  }).observe(document.body, { childList: true, subtree: true });
}"""


def zoom(tab):
    """Drag over a part of the loss chart, and return the new range of its x axis."""
    whole = tab.page.evaluate(READ_RANGE)
    box = tab.page.locator("[data-chart='loss'] .nsewdrag").first.bounding_box()
    across, down = box["x"], box["y"] + box["height"] * 0.5
    tab.page.mouse.move(across + box["width"] * 0.2, down)
    tab.page.mouse.down()
    tab.page.mouse.move(across + box["width"] * 0.5, down, steps=5)
    tab.page.mouse.up()
    tab.page.mouse.move(5, 5)
    tab.page.wait_for_function(
        f"whole => {{ const now = ({READ_RANGE})(); return now[1] - now[0] < whole / 2; }}",
        arg=whole[1] - whole[0],
    )
    return tab.page.evaluate(READ_RANGE)


def test_while_frames_stream_no_chart_is_unmounted_and_zoom_stays(open_tab, harness, frames):
    tab = open_tab(page_data(PAIR, MAIN), frames)
    tab.drawn(30)
    tab.filled("loss")
    tab.page.evaluate(COUNT)
    zoomed = zoom(tab)
    for step in range(31, 46):
        tab.drawn(harness.push(step, frames[step % 30][1]))
        if step % 5 == 0:  # mount as the page's script does after a knob change
            tab.page.evaluate("window.mountAgain({ notices: [], commands_done: {} })")
    tab.wait("view.step === '45'")
    assert tab.page.evaluate("window.unmounted") == 0
    assert tab.page.evaluate("window.plots.length") >= 2
    assert tab.page.evaluate("window.plots.every((plot) => plot.isConnected)")
    assert tab.page.evaluate(READ_RANGE) == zoomed


# JavaScript that returns the times at which frames are drawn, for given arrival times (in
# milliseconds, on a simulated clock).
DRAWN = """(() => {
  const { now } = performance, { setTimeout, requestAnimationFrame } = window;
  const drawn = [], timers = [];
  let clock = 0;
  const view = {
    screen: { frameRate: a.rate ?? Infinity }, root: document.body, charts: { ready: false },
    store: { acknowledge() {} }, scene: () => ({ frame: {} }), draw: () => drawn.push(clock),
  };
  performance.now = () => clock;
  window.setTimeout = (call, wait) => timers.push({ call, at: clock + wait });
  window.requestAnimationFrame = (call) => (call(), null);
  try {
    const scheduler = new m.DrawScheduler(view);
    for (clock of a.frames) {
      for (const due of timers.splice(0)) (due.at <= clock ? due.call() : timers.push(due));
      scheduler.request({ live: true, now: clock === a.own });
    }
  } finally {
    performance.now = now;
    Object.assign(window, { setTimeout, requestAnimationFrame });
  }
  return [drawn, timers.map(({ at }) => at)];
})()"""


@pytest.mark.parametrize(
    ("rate", "own", "drawn", "due"),
    [
        (None, None, [5000, 5010, 5500, 6100, 6200], []),
        (1, None, [5000, 6100], [7100]),
        # A frame that shows the effect of the reader's own action is drawn without delay.
        (1, 5500, [5000, 5500, 6100], [7100]),
        (2, None, [5000, 5500, 6100], [6600]),
    ],
)
def test_as_many_frames_are_drawn_as_the_reader_wants(in_page, rate, own, drawn, due):
    asked = {"rate": rate, "own": own, "frames": [5000, 5010, 5500, 6100, 6200]}
    assert in_page("draw_scheduler", DRAWN, asked) == [drawn, due]
