"""The presentation view of a page: it fits the window, has large type, and can be opened with a
key.
"""

import pytest
from playwright.sync_api import expect

# Smallest allowed font size in pixels, by window size. Text of this size is legible from the last
# row of a hall.
WINDOWS = {(1280, 800): 20, (1024, 768): 20, (1920, 1080): 24}
FOUR = "/lab?present=1&paused=1&norms=none,batch,layer,group"

# JavaScript function that returns the visible texts below the given font size, with their sizes.
SMALL = """least => {
  const found = [], view = document.querySelector('.bnviz');
  const words = document.createTreeWalker(view, NodeFilter.SHOW_TEXT);
  const how = { opacityProperty: true, visibilityProperty: true };
  while (words.nextNode()) {
    const { textContent, parentElement: of } = words.currentNode;
    const seen = textContent.trim() && of.checkVisibility(how);
    if (!seen || of.closest('.bnviz-hidden') || of.getBoundingClientRect().height < 2) continue;
    const size = parseFloat(getComputedStyle(of).fontSize);
    if (size < least - 0.01) found.push([textContent.trim().slice(0, 40), size]);
  }
  return found;
}"""
# JavaScript function that returns the elements that are outside the window or overlap another part
# of the view.
OUTSIDE = """() => {
  const main = document.querySelector('.stMain');
  const names = '.bnviz-stage-bar, .bnviz-stage-card, .bnviz-stage-foot > *, .bnviz-stage-base,'
    + '.bnviz-map-hall > *, .bnviz-map-hall figure.bnviz-stability-plane';
  const parts = [...document.querySelectorAll(names)].filter((part) => part.checkVisibility())
    .map((part) => [part.className, part.getBoundingClientRect(), part]);
  const out = ({ left, top, right, bottom }) =>
    left < 0 || top < 0 || right > innerWidth || bottom > innerHeight;
  const cover = (a, b) =>
    a.left < b.right && b.left < a.right && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  const found = parts.filter(([, box]) => out(box));
  if (main.scrollHeight > main.clientHeight) found.push(['page', main.scrollHeight]);
  const within = (one, other) => one.contains(other) || other.contains(one);
  for (const [name, a, one] of parts) for (const [other, b, two] of parts) {
    if (!within(one, two) && cover(a, b)) found.push([name, other]);
  }
  // A drawing that its place cuts off.
  for (const planes of document.querySelectorAll('.bnviz-map-hall .bnviz-stability-planes'))
    if (planes.scrollHeight > planes.clientHeight || planes.scrollWidth > planes.clientWidth)
      found.push(['planes', planes.scrollHeight]);
  return found.map(([name, what]) => `${name} ${JSON.stringify(what)}`);
}"""
# JavaScript function that returns the largest vertical distance between the centres of the
# toolbar's parts, in pixels.
WRAPPED = """() => {
  const middle = (e) => { const box = e.getBoundingClientRect(); return box.top + box.height / 2; };
  const bar = '.bnviz-stage-bar .bnviz-', all = ['buttons', 'counter', 'stage-tools'].map(
    (name) => middle(document.querySelector(bar + name)));
  return Math.max(...all) - Math.min(...all);
}"""


def test_a_lab_of_four_networks_is_in_one_window_and_its_knobs_are_a_drawer(visit):
    lab = visit(FOUR, viewport={"width": 1280, "height": 800}).drawn()
    page = lab.page
    expect(page.get_by_role("navigation", name="Pages")).to_have_count(0)
    in_every_window(lab)
    tops = {round(card.bounding_box()["y"]) for card in page.locator(".bnviz-stage-card").all()}
    assert len(tops) == 2, "four charts are in a 2×2 grid"
    page.set_viewport_size({"width": 1280, "height": 800})
    before, drawer = lab.view.bounding_box(), page.get_by_test_id("stSidebar")
    expect(drawer).to_be_hidden()
    closings = (
        lambda: page.keyboard.press("Escape"),
        lambda: page.locator(".bnviz-stage-cards").click(position={"x": 200, "y": 8}),
    )
    for close in closings:
        lab.button("More").click()
        lab.button("All knobs").click()
        expect(drawer.get_by_text("Hidden layers").first).to_be_in_viewport()
        lab.button("Play").click(trial=True)  # nothing covers the button
        assert lab.view.bounding_box() == before
        close()
        expect(drawer).to_be_hidden()
    # The presentation view does not store that the sidebar is hidden, so the lab still shows it.
    assert not page.evaluate("Object.keys(localStorage).filter((key) => /sidebar/i.test(key))")


@pytest.mark.verify
def test_a_lesson_has_the_same_stage_and_waits_for_the_class(visit):
    lab = visit("/lessons?lesson=break-it", viewport={"width": 1280, "height": 800}).drawn()
    run = lab.until_query(lambda query: "run" in query).run
    lab.page.keyboard.press("p")
    expect(lab.view.locator(".bnviz-stage")).to_be_visible()
    lab.drawn().until_status("paused")
    assert (lab.run, lab.step) == (run, 0)
    expect(lab.view.locator(".bnviz-stage-foot [data-chart]:visible")).to_have_count(1)
    in_every_window(lab)
    assert lab.query()["lesson"] == "break-it"
    lab.page.keyboard.press("Space")
    lab.until_step(5)
    until_it_is_whole(lab.page)


def until_it_is_whole(page, least=0):
    """Wait until the view fits the window, its type is large enough, and its toolbar has one row.

    Charts are resized with a delay, and a new chart size may have to be loaded.
    """
    small, apart = f"({SMALL})({least}).length", f"({WRAPPED})() >= 2"
    page.wait_for_function(f"() => !(({OUTSIDE})().length || {small} || {apart})")


def in_every_window(lab):
    """Check that the view fits every window size with legible type."""
    page = lab.page
    for window, least in WINDOWS.items():
        page.set_viewport_size(dict(zip(("width", "height"), window, strict=True)))
        cards = page.locator(".bnviz-stage-card").count()
        expect(page.locator(".bnviz-stage-card .js-plotly-plot")).to_have_count(cards)
        until_it_is_whole(page, least)
