"""Lines over time have a gap at steps that no viewer watched.

The server's history and columns and the browser's store, series and lines are real. An array
replaces the socket between them.
"""

from __future__ import annotations

import random

import numpy as np
import orjson
import pytest
from playwright.sync_api import expect

from bnviz.live.protocol.frames import compose, typed
from bnviz.live.runs.history import History
from bnviz.live.runs.time_series import read_fields
from tests.browser.live_view.page_data import page_data
from tests.browser.live_view.recorded import ONE, PAIR

RUN = "a" * 32
LOSS, RANK = "none.loss", "none.rank.ratio:0"
# Bindings of traces: one with all points, and two with so few points that most are thinned out.
DRAWN = [{"trace": 0, "field": LOSS, "points": 400}, {"trace": 0, "field": LOSS, "points": 12},
         {"trace": 0, "field": "none.rank.ratio", "index": "0", "points": 12}]  # fmt: skip
EVENTS = {"look": 8, "leave": 3, "reload": 1, "again": 1, "replay": 2, "fork": 1, "ask": 2,
          "answer": 3}  # fmt: skip
# JavaScript that processes the server's messages one by one, and draws the lines after each
# message.
FOLLOW = """(async () => {
  const { Store } = await load("data/store");
  const asked = [];
  let answer, socket, store, lines;
  window.WebSocket = class {
    static OPEN = 1;
    readyState = 1;
    constructor() { socket = this; }
    send() {}
    close() {}
  };
  window.fetch = (address) => {
    const fields = new URL(address, location.href).searchParams.getAll("field");
    const now = JSON.parse(answer);
    now.fields = Object.fromEntries(fields.map((field) => [field, now.fields[field]]));
    return new Promise((done) => asked.push(() => done({ ok: true, json: async () => now })));
  };
  const rest = () => new Promise((done) => setTimeout(done));
  const open = () => {
    store?.close();
    asked.length = 0;
    store = new Store("r", "", 1);
    store.series.settled(a.keys);
    lines = a.drawn.map(() => ({ x: [], y: [], memory: {} }));
  };
  const draw = () => lines.map((line, i) => {
    const chart = { selected: {}, memory: () => line.memory, countOutside() {},
      set: (trace, name, value) => { line[name] = value; } };
    m.applyBinding({ kind: "series", ...a.drawn[i] }, { store, live: store.live }, chart);
    return line.x.map((x, at) => [x, line.y[at]]);
  });
  const seen = [];
  for (const [event, message, past] of a.events) {
    answer = past;
    if (event === "open") open();
    else if (event === "ask") store.series.refetch(0);
    else if (event === "answer") for (const one of asked.splice(0)) one();
    else socket.onmessage({ data: message });
    await rest();
    seen.push(store.live ? draw() : []);
  }
  store.close();
  return seen;
})()"""


STANDS = {"status": "running", "status_number": 1}


class Server:
    """Simulated run on the server. It records the messages that the server sends to one browser.

    Attributes:
        events: list of (event, message, the response of `/series` at that time).
        unseen: for each event, the steps without a viewer so far.
    """

    def __init__(self, chance: random.Random) -> None:
        self.chance, self.history = chance, History(8_000)
        self.events: list[tuple[str, str, str]] = []
        self.unseen: list[set[int]] = []
        self._passed = set[int]()
        self._step = self._measured = 0
        self._frame()
        self.reload()

    def _say(self, event: str, message: bytes = b"") -> None:
        history = self.history
        past = history.series.answer(
            history.version, list(history), read_fields([LOSS, RANK]), history.unseen.plain()
        )
        self.events.append((event, message.decode(), past.decode()))
        self.unseen.append(set(self._passed))

    def _tell(self, **message: object) -> None:
        self._say("message", orjson.dumps({"v": 1, **message}))

    def _hello(self) -> None:
        self._tell(
            type="hello", run=RUN, **STANDS, history=self.history.index(), changes=[],
            breaks={}, unseen=self.history.unseen.plain(),
        )  # fmt: skip
        self._tell_newest()

    def _tell_newest(self) -> None:
        newest = self.history.newest
        assert newest is not None
        self._say("message", compose(RUN, newest.seq, STANDS, newest.body))

    def _frame(self, *, replayed: bool = False, step: int | None = None) -> None:
        """Add a frame with the loss, and with a rank that may have been measured earlier."""
        at = self._step if step is None else step
        if self.chance.random() < 0.4 and not replayed:
            self._measured = at
        network = {"loss": float(at), "measured_at": {"rank": min(at, self._measured)}}
        arrays = {"none.rank.ratio": typed(np.array([self._measured], np.float64))}
        body = {"step": at, "networks": {"none": network}, "arrays": arrays, "changes": []}
        self.history.add(at, orjson.dumps(body), replayed=replayed)
        self._passed.discard(at)

    # What happens.

    def look(self) -> None:
        for _ in range(self.chance.randint(1, 6)):
            self._step += self.chance.choice([1, 1, 1, 2, 7])
            self._frame()
            if self.chance.random() < 0.7:  # a slow browser misses frames
                self._tell_newest()

    def leave(self) -> None:
        """Train without viewers. The hub records the skipped steps when a viewer returns."""
        first = self._step + 1
        self._step += self.chance.randint(2, 30)
        self.history.pass_unseen(first, self._step - 1)
        self._passed |= set(range(first, self._step))
        self._tell(type="unseen", **self.history.unseen.plain())
        self._frame()
        self._tell_newest()

    def reload(self) -> None:
        """Connect a new page. The time series may arrive before the socket opens."""
        self._say("open")
        if self.chance.random() < 0.5:
            self.answer()
        self._hello()

    def again(self) -> None:
        """Reconnect after a lost connection."""
        self._hello()

    def replay(self) -> None:
        """Replay up to four steps of the past, as if a viewer watched them."""
        first = self.chance.randint(0, self._step)
        for step in range(first, min(self._step, first + 4)):
            self._frame(replayed=True, step=step)
        self._tell(type="history", kept=self.history.index())

    def fork(self) -> None:
        self._step = self.chance.randint(self._step // 2, self._step)
        self.history = self.history.up_to(self._step, ())
        self._passed = {step for step in self._passed if step <= self._step}
        self._measured = min(self._measured, self._step)
        self._frame()
        self.reload()

    def ask(self) -> None:
        self._say("ask")

    def answer(self) -> None:
        """Answer the pending request with the series at the time of the request."""
        self._say("answer")


def joined(line):
    """Return the pairs of neighbouring points that a line joins, and the pairs between which the
    line has a gap.
    """
    pairs = {True: [], False: []}
    last, is_joined = None, True
    for step, value in line:
        if value is not None:
            if last is not None:
                pairs[is_joined].append((last, step))
            last = step
        is_joined = value is not None
    return pairs[True], pairs[False]


def between(pair):
    """Return the steps between two points."""
    return set(range(pair[0] + 1, pair[1]))


@pytest.mark.parametrize("seed", range(3))
def test_whatever_comes_no_line_crosses_steps_that_nobody_looked_at(in_page, seed):
    chance = random.Random(seed)
    server = Server(chance)
    events = chance.choices(list(EVENTS), list(EVENTS.values()), k=60)
    for event in [*events, "look", "leave", *["look"] * 5, "answer", "again", "answer"]:
        getattr(server, event)()
    assert server.history.thinned
    told = {"drawn": DRAWN, "keys": [LOSS, RANK], "events": server.events}
    drawn = in_page("charts/bindings", FOLLOW, told)
    for event, lines, unseen in zip(server.events, drawn, server.unseen, strict=True):
        pairs = [pair for line in lines for pair in joined(line)[0]]
        crossing = [pair for pair in pairs if unseen & between(pair)]
        assert crossing == [], event[:2]
    # Once the browser has received everything, the line has gaps at unseen steps only.
    apart = [pair for line in drawn[-1] for pair in joined(line)[1]]
    assert apart
    assert all(server.unseen[-1] & between(pair) for pair in apart)
    assert [step for step, value in drawn[-1][0] if value is not None] == [
        step for _, step in server.history.index()
    ]


def test_the_line_of_a_chart_that_is_open_ends_where_nobody_looked(tab, harness, frames):
    tab.filled("loss")
    strokes = "gd.querySelectorAll('.scatterlayer .trace .js-line').length"
    whole = tab.plot("loss", strokes)
    harness.hear("unseen", first=31, last=89)
    for step in (90, 91):
        tab.drawn(harness.push(step, frames[step % 30][1]))
    apart = tab.plot("loss", strokes)
    # Four lines gain a gap, which splits each line into two strokes: loss and mini-batch loss of
    # both networks. Both counts also include the lines of marks.
    assert apart == whole + 4
    # After a reconnection, the page loads the history and its gaps again.
    harness.cut()
    harness.wait(lambda: harness.asked["live"] == 2)
    tab.drawn(harness.push(92, frames[20][1]))
    tab.page.wait_for_function(
        """[0, 30, 92].every((step) => document.querySelector('[data-chart=loss] .js-plotly-plot')
        .data[0].x.includes(step))"""
    )
    assert tab.plot("loss", strokes) == apart


def test_the_timeline_says_which_early_steps_the_charts_lack_after_a_restart(
    open_tab, harness, frames
):
    tab = open_tab(page_data(PAIR, ONE), [(60 + step, body) for step, body in frames])
    start = tab.view.locator(".bnviz-timeline > span").first
    expect(start).to_have_text("0")

    def restored():
        harness.run.restored_at = 60
        harness.run.history.pass_unseen(0, 59)

    harness.call(restored)
    for made_again, text in [
        ((), "charts from step 60"), (range(10), "charts with gaps"),
        ((30,), "charts with gaps"), (range(10, 60), "0"),
    ]:  # fmt: skip
        for step in made_again:
            harness.hear("replayed", frames[step % 30][1], step=step)
        harness.cut()
        expect(start).to_have_text(text)


def test_a_page_that_is_looked_at_again_asks_for_what_others_saw_meanwhile(tab, harness, frames):
    look = """hidden => {
      Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }"""
    tab.filled("loss")
    tab.page.evaluate(look, True)
    harness.wait(lambda: harness.kinds("hidden"))
    for step in (31, 32, 33):
        harness.push(step, frames[step % 30][1])
    tab.page.evaluate(look, False)
    tab.page.wait_for_function(
        """[31, 32, 33].every((step) => document.querySelector('[data-chart=loss] .js-plotly-plot')
        .data[0].x.includes(step))"""
    )


def test_an_area_lies_where_both_of_its_lines_go_on(module):
    fill = """(() => {
      const area = {};
      const chart = { memory: () => ({}), next: (trace, name) => a[trace][name],
        set: (trace, name, value) => { area[name] = value; } };
      m.applyBinding({ kind: "band", trace: 2, low: 0, high: 1 }, {}, chart);
      return area;
    })()"""
    low = {"x": [0, 2, 4, None, 7, 8, 9, 10], "y": [0, 1, 2, None, 3, 4, 5, 6]}
    # One point of the upper line is thinned out, and one is not finite.
    high = {"x": [0, 4, None, 7, 8, 9, 10], "y": [10, 12, None, 13, 14, None, 16]}
    assert module("charts/bindings", fill, [low, high]) == {
        "x": [0, 4, 4, 2, 0, None, 7, 8, 8, 7, None],
        "y": [10, 12, 2, 1, 0, None, 13, 14, 4, 3, None],
    }
    assert module("charts/bindings", fill, [low, {"x": [], "y": []}]) == {"x": [], "y": []}
