"""Measure the time from a drag of the learning rate to a frame computed with the new value.

A mouse drags the rate back and forth while the run trains at the pace `fast`. For each sent value,
the clock starts at the pointer event. It stops when the live view has drawn a frame that was
computed with this value or a later one. A second browser watches the same run, and its clock stops
when the knob in that browser moves.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from playwright.sync_api import Page

from benchmarks import opening
from benchmarks.app_in_chromium import app_page
from tests.browser.lab_page import VIEW, LabPage

KNOB = "[data-testid=stSidebar] [data-knob=learning_rate] input[type=range]"
SECONDS = 20
MOVES = 25  # mouse moves per second
RUNGS = (6, 12)  # ends of the drag in slider steps from the left: rates 0.01 to 10

# JavaScript for the owner's page: record when values were sent, took effect and were drawn.
WATCH_OWNER = """
([selector, knob]) => {
  const clock = (stamp) => performance.timeOrigin + stamp;
  Object.assign(window, { sent: [], drawn: [], took: [] });
  const root = document.querySelector(selector);
  let moved = 0;
  document.querySelector(knob).addEventListener("pointermove", (event) => {
    moved = clock(event.timeStamp);
  }, true);
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (text) {
    const said = JSON.parse(text);
    if (said.type === "knob") {
      window.sent.push({ n: said.n, value: said.value, at: moved, left: clock(performance.now()) });
      if (!this.heard) {
        this.heard = true;
        this.addEventListener("message", ({ data }) => {
          if (!data.startsWith('{"v":1,"type":"knob",')) return;
          window.took.push({ n: JSON.parse(data).n, at: clock(performance.now()) });
        });
      }
    }
    return send.call(this, text);
  };
  new MutationObserver(() => {
    window.drawn.push({ n: Number(root.dataset.knob), at: clock(performance.now()) });
  }).observe(root, { attributes: true, attributeFilter: ["data-knob"] });
}
"""
WATCH_VIEWER = """
(knob) => {
  window.seen = [];
  const range = document.querySelector(knob);
  new MutationObserver(() => {
    const at = performance.timeOrigin + performance.now();
    window.seen.push({ value: Number(range.getAttribute("aria-valuetext")), at });
  }).observe(range, { attributes: true, attributeFilter: ["aria-valuetext"] });
}
"""


def main() -> None:
    with app_page() as lab:
        lab.drawn().until_step(20)
        lab.pace("fast")
        lab.page.locator(KNOB).wait_for()
        lab.page.evaluate(WATCH_OWNER, [VIEW, KNOB])
        sent, took, drawn = _dragged(lab)
        seconds = (sent[-1]["at"] - sent[0]["at"]) / 1000
        delays = _spread(_until(sent, drawn, "at"))
        print(f"drag to frame: {delays}; target: median 120 ms, 95 % 250 ms")
        print(f"  from drag to sending: {_spread([value['left'] - value['at'] for value in sent])}")
        print(f"  from sending to the answer: {_spread(_until(sent, took, 'left'))}")
        rates = f"{len(sent) / seconds:.1f} sent, {len(took) / seconds:.1f} took effect"
        print(f"values per second: {rates}")
        # The owner's page and the viewer's page share these cores. The viewer's delay is therefore
        # measured in a second drag and printed separately.
        viewer = _watch(lab)
        viewer.page.locator(KNOB).wait_for()
        viewer.page.evaluate(WATCH_VIEWER, KNOB)
        again, _, drawn = _dragged(lab)
        seen = viewer.page.evaluate("window.seen")
    print(f"drag to a viewer's knob, both on the same cores: {_spread(_followed(again, seen))}")
    print(f"  at the same time, drag to the owner's frame: {_spread(_until(again, drawn, 'at'))}")
    opening.main()


def _dragged(lab: LabPage) -> tuple[list[dict[str, float]], ...]:
    """Drag the learning rate, and return the values that were sent, took effect and were drawn."""
    lab.page.evaluate("for (const list of [sent, took, drawn]) list.length = 0")
    _drag(lab.page)
    lab.wait("Number(view.knob) >= argument", lab.page.evaluate("window.sent.at(-1).n"))
    sent, took, drawn = lab.page.evaluate("[window.sent, window.took, window.drawn]")
    return sent, took, drawn


def _watch(lab: LabPage) -> LabPage:
    """Open the run as another visitor, and return that visitor's page."""
    browser = lab.page.context.browser
    assert browser is not None
    page = browser.new_context(viewport={"width": 1440, "height": 1000}).new_page()
    page.goto(lab.page.url)
    return LabPage(page, []).drawn()


def _drag(page: Page) -> None:
    """Drag the slider of the learning rate back and forth."""
    box = page.locator(KNOB).bounding_box()
    assert box is not None
    rung = (box["width"] - 14) / 14
    low, high = (box["x"] + 7 + rung * end for end in RUNGS)
    middle, reach, y = (low + high) / 2, (high - low) / 2, box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 7 + 8 * rung, y)
    page.mouse.down()
    for move in range(SECONDS * MOVES):
        page.mouse.move(middle + reach * math.sin(move / MOVES * 2), y)
        page.wait_for_timeout(1000 / MOVES)
    page.mouse.up()


def _until(
    sent: Sequence[dict[str, float]], reached: Sequence[dict[str, float]], since: str
) -> list[float]:
    """Return the milliseconds from the time `since` of each sent value to its entry in `reached`.

    The entry of a later value also counts.
    """
    return [next(r["at"] for r in reached if r["n"] >= s["n"]) - s[since] for s in sent]


def _followed(sent: Sequence[dict[str, float]], seen: Sequence[dict[str, float]]) -> list[float]:
    """Return the delay in ms for each value that the viewer's knob showed.

    The delay starts when the value was last sent.
    """
    lags = []
    for shown in seen:
        before = [s["at"] for s in sent if s["value"] == shown["value"] and s["at"] <= shown["at"]]
        lags += [shown["at"] - before[-1]] if before else []
    return lags


def _spread(values: Sequence[float]) -> str:
    ordered = sorted(values)
    most = ordered[math.ceil(0.95 * len(ordered)) - 1]
    return (
        f"median {statistics.median(ordered):.0f} ms, 95 % {most:.0f} ms over {len(ordered)} values"
    )


if __name__ == "__main__":
    main()
