"""The map page with a real hub: drawing, links to runs and back, and stopping."""

import re

import pytest
from playwright.sync_api import expect

from bnviz.config import RunConfig
from tests.browser.accessible import serious, until_it_fits

# Query of a small map that one core draws quickly and that still has boundaries.
SMALL = "steps=30&width=8&depth=2&across=learning_rate,0.03,30.0,6&up=batch_size,4,64,3"
# Query of a map over three consecutive batch sizes, so that a zoomed part has no further cells to
# draw.
FLAT = "steps=10&width=8&depth=2&across=learning_rate,0.03,30.0,4&up=batch_size,4,6,3"
DONE = re.compile("finished")
# JavaScript function that returns whether the card of a cell's run is fully inside the window.
SHEET = """() => {
  const sheet = document.querySelector('.st-key-map_card')?.closest('[data-testid=stColumn]');
  const { left, right, top, bottom } = sheet?.getBoundingClientRect() ?? { left: -1 };
  return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
}"""


@pytest.fixture
def open_map(visit):
    """Return a function that opens the map at an address and waits until it is drawn."""

    def open_page(query=SMALL, **options):
        page = visit(f"/map?{query}", **options).page
        expect(the_map(page)).to_have_attribute("data-status", DONE)
        return page

    return open_page


def the_map(page):
    return page.get_by_test_id("map")


def plane(page):
    return the_map(page).locator(".bnviz-stability-plane svg").first


def drag(page, left, top, right, bottom):
    """Drag a rectangle on the first plane. Its edges are given as fractions of the plane's width
    and height.
    """
    plane(page).scroll_into_view_if_needed()
    box = plane(page).bounding_box()
    page.mouse.move(box["x"] + left * box["width"], box["y"] + top * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + right * box["width"], box["y"] + bottom * box["height"], steps=4)
    page.mouse.up()


def have_nothing_drawn(route):
    progress = {"done": 0, "total": 0, "phase": "first"}
    route.fulfill(json={"status": "waiting", "n": 0, "points": [], "progress": progress})


def networks_run(page):
    return page.request.get(f"{page.url.partition('/map')[0]}/status").json()["map_networks"]


@pytest.mark.verify
def test_a_cell_opened_before_it_was_run_learns_what_became_of_it_and_another_leads_to_the_lab(
    open_map,
):
    page = open_map(f"{SMALL}&seed=7&cell=0.48,16")
    card = page.locator(".st-key-map_card")
    expect(card).to_contain_text("batch size 16")
    expect(card.get_by_text(re.compile(r"\d+ % test accuracy after 30 steps"))).to_have_count(2)
    expect(the_map(page)).to_contain_text("networks trained")
    expect(the_map(page).get_by_text("Read the map")).to_be_visible()
    # A finished map has no progress bar.
    expect(the_map(page).locator(".bnviz-stability-track")).to_be_hidden()
    for width, height in ((1440, 900), (1280, 800), (1024, 768), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function(SHEET)
    until_it_fits(page, 390)
    expect(card.get_by_role("heading", level=2)).to_be_in_viewport(ratio=1)
    card.get_by_role("button", name="Close").click()
    expect(card).to_have_count(0)
    expect(page.get_by_role("heading", level=1)).to_be_in_viewport()
    page.set_viewport_size({"width": 1440, "height": 900})
    plane(page).focus()
    before = plane(page).bounding_box()
    page.keyboard.press("ArrowRight")
    readout = the_map(page).locator(".bnviz-stability-readout")
    expect(readout).to_contain_text("test accuracy")
    page.keyboard.press("Enter")
    expect(card).to_contain_text("batch size")
    assert plane(page).bounding_box() == before, "the map does not move"
    assert serious(page) == []
    place = re.search(r"Learning rate ([\d.]+), batch size (\d+)", readout.inner_text())
    expect(card).to_contain_text(place[0])
    expect(card.get_by_test_id("live-view")).to_have_attribute("data-status", "paused")
    card.get_by_role("link", name="Watch this run").first.click()
    expect(page).to_have_url(re.compile(r"/lab\?"))
    expect(page.get_by_test_id("live-view")).to_have_attribute("data-step", re.compile(r"\d+"))
    expect(page).to_have_url(re.compile("run="))
    query = dict(part.split("=") for part in page.url.partition("?")[2].split("&"))
    names = ("learning_rate", "batch_size", "width", "depth")
    config = RunConfig.from_query({name: query[name] for name in names if name in query})
    assert (config.learning_rate, config.batch_size) == (float(place[1]), int(place[2]))
    assert (config.width, config.depth) == (8, 2)


@pytest.mark.verify
def test_ways_back_lead_to_maps_that_are_drawn_already(open_map):
    page = open_map(FLAT)
    whole = the_map(page).get_attribute("data-key")
    # As long as the new map has no points, it shows the results of the previous map.
    page.route(re.compile("wanted="), have_nothing_drawn)
    drag(page, 0.35, 0.15, 0.75, 0.6)
    expect(the_map(page)).not_to_have_attribute("data-key", whole)
    expect(the_map(page).get_by_text("faint: result from the previous map")).to_be_visible()
    page.unroute_all()
    expect(the_map(page)).to_have_attribute("data-status", DONE)
    part = the_map(page).get_attribute("data-key")
    before = networks_run(page)
    the_map(page).get_by_role("button", name="whole plane").click()
    expect(the_map(page)).to_have_attribute("data-key", whole)
    page.go_back()
    expect(the_map(page)).to_have_attribute("data-key", part)
    page.go_back()
    expect(the_map(page)).to_have_attribute("data-key", whole)
    expect(the_map(page)).to_have_attribute("data-status", DONE)
    assert networks_run(page) == before


def test_from_the_lab_it_has_values_of_its_own_and_once_stopped_it_waits_to_be_let_go_on(visit):
    page = visit("/lab?paused=1&activation=relu&depth=2&width=16").drawn().page
    expect(page.locator("[class*=st-key-knob_depth]")).to_be_visible()
    page.locator(".bnviz-pages a", has_text="Map").first.click()
    the_map(page).get_by_role("button", name="Stop").click()
    expect(page.locator(".st-key-map_part_activation")).to_contain_text("tanh")
    expect(page.locator(".st-key-map_part_depth")).to_contain_text("6 layers")
    expect(the_map(page)).to_have_attribute("data-status", "paused")
    page.locator(".bnviz-stability-choice label", has_text="accuracy").click()
    expect(page).to_have_url(re.compile("colour=accuracy"))
    expect(the_map(page)).to_have_attribute("data-status", "paused")
    the_map(page).get_by_role("button", name="Go on").click()
    expect(the_map(page)).to_have_attribute("data-status", "running")
    the_map(page).get_by_role("button", name="Stop").click()
