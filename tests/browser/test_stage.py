"""The stage: all of it in one window, nothing small, and every chart at a key's reach."""

import pytest
from playwright.sync_api import expect

# The smallest type by the window, as the last row of a hall needs it.
WINDOWS = {(1280, 800): 20, (1024, 768): 20, (1920, 1080): 24}
TWO, FOUR = "/lab?present=1", "/lab?present=1&norms=none,batch,layer,group"

# Words that can be seen and are smaller than they may be, with their size.
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
# What stands outside the window, or covers another part of the stage.
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
# Buttons of the bar whose middles are not on one line.
WRAPPED = """() => {
  const middle = (e) => { const box = e.getBoundingClientRect(); return box.top + box.height / 2; };
  const bar = '.bnviz-stage-bar .bnviz-', all = ['buttons', 'counter', 'stage-tools'].map(
    (name) => middle(document.querySelector(bar + name)));
  return Math.max(...all) - Math.min(...all);
}"""


@pytest.fixture(scope="module")
def opened(visit_once):
    """A stage with two networks and one with four, paused, by their number."""
    size = {"width": 1280, "height": 800}
    return {
        count: visit_once(address, viewport=size).until_step(5).pause()
        for count, address in {2: TWO, 4: FOUR}.items()
    }


@pytest.fixture
def stage(opened):
    """That with two networks, as it opens."""

    def begin(lab):
        return lab.until_step(5).pause()

    lab = opened[2].paused_again(TWO, begin)
    lab.page.set_viewport_size({"width": 1280, "height": 800})
    lab.page.keyboard.press("Escape")
    if not lab.view.locator("[data-chart=loss]").is_visible():
        lab.page.keyboard.press("1")
    expect(lab.view.locator(".bnviz-alone")).to_have_count(0)
    return lab


@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize("window", WINDOWS, ids=lambda window: "x".join(map(str, window)))
def test_all_of_it_is_in_one_window_and_nothing_is_small(opened, window, count):
    page = opened[count].page
    page.set_viewport_size(dict(zip(("width", "height"), window, strict=True)))
    # Charts of the window's own size may have to be loaded.
    page.wait_for_function(f"least => !({SMALL})(least).length", arg=WINDOWS[window])
    expect(page.locator(".bnviz-stage-card .js-plotly-plot")).to_have_count(count)
    assert page.evaluate(OUTSIDE) == []
    assert page.evaluate(WRAPPED) < 2
    cards = page.locator(".bnviz-stage-card").all()
    tops = {round(card.bounding_box()["y"]) for card in cards}
    assert len(tops) == (2 if count == 4 else 1), "four stand two by two"


def test_number_keys_swap_the_chart_below_and_once_more_gives_it_the_window(stage):
    below = stage.view.locator(".bnviz-stage-foot [data-chart]:visible")
    expect(below).to_have_attribute("data-chart", "loss")
    stage.page.keyboard.press("2")
    expect(below).to_have_attribute("data-chart", "accuracy")
    stage.page.keyboard.press("2")
    expect(stage.card("none")).to_be_hidden()
    expect(stage.button("Play")).to_be_visible()
    expect(stage.view.get_by_role("slider", name="Learning rate")).to_be_visible()
    assert below.bounding_box()["height"] > 0.7 * 800
    assert stage.page.evaluate(SMALL, 20) == []
    stage.page.keyboard.press("Escape")
    expect(stage.card("none")).to_be_visible()
    # One that needs more room than there is below has the window at once.
    stage.page.keyboard.press("3")
    expect(below).to_have_attribute("data-chart", "layers")
    expect(stage.card("none")).to_be_hidden()


def test_an_open_sidebar_lies_over_the_stage(stage):
    before = stage.view.bounding_box()
    stage.button("More").click()
    stage.button("All knobs").click()
    sidebar = stage.page.get_by_test_id("stSidebar")
    expect(sidebar.get_by_text("Hidden layers").first).to_be_in_viewport()
    stage.page.wait_for_function(
        "document.querySelector('[data-testid=stSidebar]').getBoundingClientRect().left === 0"
    )
    assert stage.view.bounding_box() == before
    assert sidebar.bounding_box()["width"] > 200
    sidebar.hover()
    sidebar.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click()
    expect(sidebar.get_by_text("Hidden layers").first).not_to_be_in_viewport()


def test_its_knob_acts_on_the_run_and_p_leaves_the_stage_with_it(visit):
    lab = visit(TWO, viewport={"width": 1280, "height": 800}).until_step(3)
    run, rate = lab.run, lab.view.get_by_role("slider", name="Learning rate")
    rate.focus()
    rate.press("ArrowRight")
    lab.wait("Number(view.changes) >= 1")
    lab.page.keyboard.press("p")
    expect(lab.view.locator(".bnviz-stage")).to_have_count(0)
    lab.drawn()
    assert lab.run == run
    lab.page.keyboard.press("p")
    expect(lab.view.locator(".bnviz-stage")).to_be_visible()


def test_what_is_chosen_in_the_menu_closes_it_and_leaves_the_keys_to_the_page(visit):
    lab = visit(TWO, viewport={"width": 1280, "height": 800}).until_step(3)
    lab.button("More").click()
    lab.pace("fast")
    expect(lab.button("Share")).to_be_hidden()
    lab.page.keyboard.press("Space")
    lab.until_status("paused")
    lab.button("More").focus()
    lab.page.keyboard.press("Enter")
    lab.button("Share").press("Enter")
    expect(lab.page.get_by_role("dialog")).to_be_visible()
    lab.page.keyboard.press("Escape")
    expect(lab.button("More")).to_be_focused()


def test_a_lesson_has_the_same_stage_and_waits_for_the_class(visit):
    lab = visit("/lessons?lesson=break-it", viewport={"width": 1280, "height": 800}).drawn()
    lab.page.keyboard.press("p")
    expect(lab.view.locator(".bnviz-stage")).to_be_visible()
    lab.drawn().until_status("paused")
    assert lab.step == 0
    lab.page.keyboard.press("Space")
    lab.until_step(5)
    expect(lab.view.locator(".bnviz-stage-foot [data-chart]:visible")).to_have_count(1)
    assert lab.page.evaluate(OUTSIDE) == []
    assert lab.query()["lesson"] == "break-it"
