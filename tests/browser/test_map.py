"""The map's page against a real hub: it fills in, leads to runs, and is the same elsewhere."""

import csv
import io
import json
import re

import pytest
from playwright.sync_api import expect

from bnviz.config import RunConfig

# Some seconds on one core; enough to have borders.
SMALL = "steps=30&width=8&depth=2&across=learning_rate,0.03,30.0,6&up=batch_size,4,64,3"
DONE = re.compile("finished")


@pytest.fixture
def open_map(visit):
    """Opens the page at an address and waits until its map is drawn."""

    def open_page(query=SMALL, **options):
        page = visit(f"/map?{query}", **options).page
        expect(the_map(page)).to_have_attribute("data-status", DONE, timeout=60_000)
        return page

    return open_page


def the_map(page):
    return page.get_by_test_id("map")


def plane(page):
    return the_map(page).locator(".bnviz-stability-plane svg").first


def drag(page, left, top, right, bottom):
    """Draw a rectangle on the first plane; parts of its width and height."""
    plane(page).scroll_into_view_if_needed()
    box = plane(page).bounding_box()
    page.mouse.move(box["x"] + left * box["width"], box["y"] + top * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + right * box["width"], box["y"] + bottom * box["height"], steps=4)
    page.mouse.up()


def networks_run(page):
    return page.request.get(f"{page.url.partition('/map')[0]}/status").json()["map_networks"]


def test_it_fills_in_and_a_cell_leads_to_its_run_in_the_lab(open_map):
    page = open_map()
    expect(the_map(page)).to_contain_text("networks; every border is known")
    expect(the_map(page).get_by_text("Read the map")).to_be_visible()
    plane(page).focus()
    page.keyboard.press("ArrowRight")
    readout = the_map(page).locator(".bnviz-stability-readout")
    expect(readout).to_contain_text("test accuracy")
    page.keyboard.press("Enter")
    card = page.locator(".st-key-map_card")
    expect(card).to_be_visible()
    expect(card).to_contain_text("Learning rate")
    place = re.search(r"Learning rate ([\d.]+), batch size (\d+)", card.inner_text())
    assert readout.inner_text().startswith(place[0])
    expect(card.get_by_test_id("live-view")).to_have_attribute("data-status", "paused")
    card.get_by_role("link", name="Watch this run").first.click()
    expect(page).to_have_url(re.compile(r"/lab\?"))
    view = page.get_by_test_id("live-view")
    expect(view).to_have_attribute("data-step", re.compile(r"\d+"))
    expect(page).to_have_url(re.compile("run="))
    query = dict(part.split("=") for part in page.url.partition("?")[2].split("&"))
    names = ("learning_rate", "batch_size", "width", "depth")
    config = RunConfig.from_query({name: query[name] for name in names if name in query})
    assert (config.learning_rate, config.batch_size) == (float(place[1]), int(place[2]))
    assert (config.width, config.depth) == (8, 2)


def test_zooms_lead_back_and_a_link_shows_the_same_map_elsewhere(open_map):
    page = open_map()
    first = the_map(page).get_attribute("data-key")
    keys = [first]
    for _ in range(2):
        drag(page, 0.35, 0.15, 0.75, 0.6)
        expect(the_map(page)).not_to_have_attribute("data-key", keys[-1])
        expect(the_map(page)).to_have_attribute("data-status", DONE, timeout=60_000)
        keys.append(the_map(page).get_attribute("data-key"))
    before = networks_run(page)
    elsewhere = open_map(page.url.partition("?")[2])
    assert the_map(elsewhere).get_attribute("data-key") == keys[2]
    for attribute in ("data-points", "data-key"):
        expect(the_map(elsewhere)).to_have_attribute(
            attribute, the_map(page).get_attribute(attribute)
        )
    page.go_back()
    expect(the_map(page)).to_have_attribute("data-key", keys[1])
    the_map(page).get_by_role("button", name="whole plane").click()
    expect(the_map(page)).to_have_attribute("data-key", first)
    expect(the_map(page)).to_have_attribute("data-status", DONE)
    assert networks_run(page) == before


def test_files_open_and_other_axes_are_a_click_away(open_map):
    page = open_map()
    the_map(page).get_by_role("button", name="Export").click()
    dialog = page.get_by_role("dialog")
    files = {}
    for kind in ("CSV", "JSON", "SVG", "PNG"):
        with page.expect_download() as download:
            dialog.get_by_text(kind, exact=True).click()
        files[kind] = download.value.path().read_bytes()
    rows = list(csv.DictReader(io.StringIO(files["CSV"].decode())))
    assert len(rows) == len(json.loads(files["JSON"])) >= 2 * 6 * 3
    assert {row["norm"] for row in rows} == {"none", "batch"}
    assert b"<svg" in files["SVG"]
    assert files["PNG"].startswith(b"\x89PNG")
    page.keyboard.press("Escape")
    page.locator("[class*=st-key-map_up] button", has_text="depth").click()
    expect(page).to_have_url(re.compile("up=depth"))
    expect(the_map(page)).to_contain_text("hidden layers")
    expect(the_map(page)).to_have_attribute("data-points", re.compile(r"[1-9]\d*"))


def test_it_fits_a_phone_and_a_hall(open_map):
    page = open_map(viewport={"width": 390, "height": 844})
    wide = "document.documentElement.scrollWidth > innerWidth"
    assert not page.evaluate(wide)
    main = page.get_by_test_id("stMain")
    assert main.evaluate("element => element.scrollWidth <= element.clientWidth")
    hall = open_map(f"{SMALL}&present=1")
    expect(hall.locator(".bnviz-pages")).to_have_count(0)
    size = (
        the_map(hall)
        .locator(".bnviz-stability-title h2")
        .evaluate("element => parseFloat(getComputedStyle(element).fontSize)")
    )
    assert size >= 20


def test_a_map_that_was_stopped_stays_so_until_it_is_let_go_on(visit):
    page = visit("/map?steps=400&width=64&depth=6").page
    the_map(page).get_by_role("button", name="Stop").click()
    expect(the_map(page)).to_have_attribute("data-status", "paused", timeout=30_000)
    page.locator(".bnviz-stability-choice label", has_text="accuracy").click()
    expect(page).to_have_url(re.compile("colour=accuracy"))
    expect(the_map(page)).to_have_attribute("data-status", "paused")
    the_map(page).get_by_role("button", name="Go on").click()
    expect(the_map(page)).to_have_attribute("data-status", "running")
    the_map(page).get_by_role("button", name="Stop").click()


def test_from_the_lab_the_sidebar_shows_the_map_s_own_values(visit):
    lab = visit("/lab?activation=relu&depth=2").drawn()
    page = lab.page
    expect(page.locator("[class*=st-key-knob_activation]")).to_be_visible()
    page.locator(".bnviz-pages a", has_text="Map").first.click()
    chosen = page.locator("[class*=st-key-knob_activation] button[aria-checked=true]")
    expect(chosen).to_have_text("tanh")
    depth = page.locator("[class*=st-key-knob_depth]")
    expect(depth).to_contain_text("6")
    the_map(page).get_by_role("button", name="Stop").click()


def test_a_card_opened_before_its_cell_was_run_learns_what_became_of_it(visit):
    page = visit(f"/map?{SMALL}&seed=7&cell=0.48,16").page
    card = page.locator(".st-key-map_card")
    expect(card).to_contain_text("batch size 16")
    expect(card.get_by_text(re.compile(r"\d+ % test accuracy after 30 steps"))).to_have_count(2)
