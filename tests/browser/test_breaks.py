"""Four runs break on the home page. The states that the page shows are consistent, and each is
shown long enough.
"""

import pytest

from bnviz.words.texts import texts
from tests.browser.live_view.test_readings import READING, STANDS, kind_of

# JavaScript function that records the page's state at every drawn frame.
FOLLOW = """\
() => {
  const view = document.querySelector("[data-testid=live-view]");
  const seen = window.seenFrames = [];
  const note = () => {
    const share = document.querySelector(".bnviz-prompt-share");
    const rows = [...document.querySelectorAll("[data-card]")].map((row) => [row.dataset.card, {
      state: row.dataset.reading,
      answers: [...row.querySelectorAll(".bnviz-band-cells b")].map((cell) => cell.textContent),
    }]);
    seen.push({
      step: Number(view.dataset.step), now: performance.now(), networks: Object.fromEntries(rows),
      share: Boolean(share && !share.hidden),
      painted: Boolean(document.querySelector(".bnviz-painted:not([hidden])")),
      badges: document.querySelectorAll(".bnviz-callout-number:not([hidden])").length,
    });
  };
  new MutationObserver(note).observe(view, { attributes: true, attributeFilter: ["data-seq"] });
}
"""
SLACK = 40  # milliseconds between a change and the frame that records it


@pytest.mark.verify
@pytest.mark.parametrize("rate", [0.7, 1, 2, 3])
def test_the_home_page_shows_a_break_in_legal_combinations(visit, rate):
    home = visit(f"/?replay=100:{rate}", viewport={"width": 1280, "height": 800}).drawn()
    home.page.evaluate(FOLLOW)
    home.until_step(200)
    frames = home.page.evaluate("seenFrames")
    assert len(frames) > 20
    broken = False
    for norm in ("none", "batch"):
        state, since = None, 0.0
        for frame in frames:
            shown = frame["networks"][norm]
            kind = kind_of(["255" if each == "–" else each for each in shown["answers"]])
            kind = "nothing" if kind == "one_digit" and "–" in shown["answers"] else kind
            assert not (shown["state"] in READING and kind), frame
            if shown["state"] in ("one_digit", "nothing"):
                assert kind == shown["state"], frame
                broken |= norm == "none"
            if state is not None and shown["state"] != state:
                stood = frame["now"] - since
                assert stood >= STANDS - SLACK or since == frames[0]["now"], frame
            if shown["state"] != state:
                state, since = shown["state"], frame["now"]
    assert broken
    for frame in frames:
        assert frame["share"] == frame["painted"], frame
        if frame["badges"]:
            assert frame["share"], frame
    assert frames[-1]["share"]
    assert (
        texts("live")["reading"]["one_digit"] in home.page.locator("[data-card=none]").inner_text()
    )
