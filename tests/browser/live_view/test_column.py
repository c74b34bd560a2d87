"""A live view in a column: all charts fit, or the view shows how many charts are below."""

from playwright.sync_api import expect

from bnviz.ui.chart_templates import chart_ids
from bnviz.words.texts import texts
from tests.browser.live_view.page_data import page_data
from tests.browser.live_view.recorded import MAIN, PAIR

SAID = texts("live")["block"]
BLOCK = {
    "layout": "stack", "parts": ["transport", "step", "timeline"], "sizes": {}, "notes": {},
    "one_on_phone": True, "large_type": False, "waits": False, "heading": [], "covered": {},
}  # fmt: skip
# JavaScript function that moves the view into a scrolling column of a given height, as in a lesson.
INTO_A_COLUMN = """height => {
  const place = document.getElementById("place");
  const column = place.closest("[data-testid=stColumn]") ?? document.createElement("div");
  column.dataset.testid = "stColumn";
  column.style = `max-height: ${height}px; overflow: hidden auto`;
  if (!column.isConnected) {
    place.before(column);
    column.append(place);
  }
  window.mountAgain();
}"""


def test_charts_are_lower_where_then_more_of_them_fit_and_the_rest_is_counted(open_tab, frames):
    tall = {"width": 1300, "height": 1800}
    data = {**page_data(PAIR, MAIN), "block": BLOCK}
    data["charts_ids"] = chart_ids(PAIR, MAIN, (), dark=False, large_type=False)
    tab = open_tab(data, frames[:9], viewport=tall)
    tab.drawn(8)
    below, plots = tab.view.locator(".bnviz-below"), tab.view.locator(".bnviz-figure:visible")
    expect(below).to_be_hidden()
    expect(plots).to_have_count(len(MAIN))
    whole = tab.view.bounding_box()["height"]

    def heights():
        return [box.bounding_box()["height"] for box in plots.all()]

    own = heights()
    tab.page.evaluate(INTO_A_COLUMN, 0.94 * whole)
    tab.page.wait_for_function("document.querySelector('.bnviz').style.getPropertyValue('--share')")
    expect(below).to_be_hidden()
    assert all(height < before for height, before in zip(heights(), own, strict=True))
    foot = tab.page.locator("[data-testid=stColumn]").evaluate(
        "column => column.getBoundingClientRect().bottom"
    )
    for box in plots.all():
        assert box.bounding_box()["y"] + box.bounding_box()["height"] <= foot
    tab.page.evaluate(INTO_A_COLUMN, 330)
    expect(below).to_have_text(SAID["below"].format(count=2))
    first, dock = plots.first.bounding_box(), tab.view.locator(".bnviz-dock").bounding_box()
    assert first["y"] + first["height"] <= dock["y"], "the bar does not cover a chart that fits"
    below.press("Enter")
    column = "document.querySelector('[data-testid=stColumn]')"
    tab.page.wait_for_function(f"{column}.scrollTop > 0")
    tab.page.evaluate(f"{column}.scrollTo(0, {column}.scrollHeight)")
    expect(below).to_be_hidden()
    tab.page.evaluate(f"{column}.replaceWith(document.getElementById('place'))")


def test_what_waits_for_a_guess_cannot_be_played_yet(open_tab, frames):
    waits = {**BLOCK, "waits": True}
    tab = open_tab({**page_data(PAIR, MAIN), "block": waits}, frames[:1])
    tab.drawn(0)
    bar = tab.view.locator(".bnviz-transport")
    expect(bar).to_be_hidden()
    tab.page.evaluate("block => window.mountAgain({ block })", BLOCK)
    expect(bar).to_be_visible()
