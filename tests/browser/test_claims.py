"""The page of the claims in a browser: search, filters, address, keys, and the way into the lab."""

import re

import pytest
from playwright.sync_api import expect

from bnviz.claims.judgement import Outcome
from bnviz.claims.results import read
from bnviz.ui.claims.measured import watchable

FITS = """width => {
  const page = document.documentElement, main = document.querySelector("[data-testid=stMain]");
  const inside = ({ left, right }) => left >= -1 && right <= width + 1;
  const parts = document.querySelectorAll(
    ".claims-row:not([hidden]), .claims-row svg, .claims-column, .claims-chip");
  return page.scrollWidth === page.clientWidth && main.scrollWidth === main.clientWidth
    && parts.length > 10 && [...parts].every((part) => inside(part.getBoundingClientRect()));
}"""


@pytest.fixture(scope="module")
def published():
    return read()


@pytest.fixture
def claims(visit):
    """Opens the page of the claims at an address behind its path."""

    def open_page(address="", **options):
        page = visit(f"/claims{address}", **options).page
        expect(page.get_by_test_id("claims")).to_be_visible()
        return page

    return open_page


def rows(page):
    return page.locator(".claims-row:visible")


def places(found):
    return [row.place for row in found]


def shown(page):
    return rows(page).evaluate_all("rows => rows.map((row) => row.id)")


def chip(page, field, value):
    return page.locator(f"[data-field={field}] [data-value='{value}']")


def test_the_first_screen_has_what_can_be_relied_on(claims):
    page = claims(viewport={"width": 1280, "height": 800})
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    columns = page.locator(".claims-column")
    expect(columns).to_have_count(3)
    for column in columns.all():
        expect(column).to_be_in_viewport(ratio=1)
    link = columns.first.get_by_role("link").first
    place = link.get_attribute("href").removeprefix("#")
    link.click()
    expect(page.locator(f"[id='{place}']")).to_be_focused()
    expect(page.locator(f"[id='{place}']")).to_be_in_viewport()
    expect(page).to_have_url(re.compile(f"#{place}$"))


def test_search_and_filters_leave_what_is_wanted_and_the_address_keeps_it(claims, published):
    page = claims()
    expect(rows(page)).to_have_count(len(published.rows))
    fails = [row for row in published.rows if row.outcome is Outcome.FAILS]
    chip(page, "outcome", "does-not-hold").click()
    assert shown(page) == places(fails)
    expect(page.get_by_role("status")).to_have_text(
        f"{len(fails)} of {len(published.rows)} statements"
    )
    papers = [row for row in fails if row.kind == "paper"]
    expect(chip(page, "source", "paper").locator("small")).to_have_text(str(len(papers)))
    chip(page, "source", "paper").click()
    assert shown(page) == places(papers)
    page.wait_for_url(re.compile(r"\?outcome=does-not-hold&source=paper$"))
    again = claims("?outcome=does-not-hold&source=paper")
    assert shown(again) == places(papers)
    expect(chip(again, "outcome", "does-not-hold")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Show all").click()
    expect(rows(page)).to_have_count(len(published.rows))
    row = published.rows[-1]
    page.get_by_role("searchbox").fill(row.text.upper())
    expect(page.locator(f"[id='{row.place}']")).to_be_visible()
    assert len(shown(page)) < len(published.rows)
    page.get_by_role("searchbox").fill("no such words at all")
    expect(page.get_by_text("No statement is like that")).to_be_visible()
    page.wait_for_url(re.compile(r"\?q=no\+such\+words"))


def test_what_an_address_says_wrongly_is_answered(claims, published):
    page = claims("?outcome=holds,moon&row=E99.1&foo=1&source=%3Cimg%20src=x%3E")
    said = page.get_by_role("alert")
    for part in (
        "`outcome` must be one of holds", '"holds,moon"', "`row` must be the number", '"E99.1"',
        "`foo` must be one of the parts", '"<img src=x>"',
    ):  # fmt: skip
        expect(said).to_contain_text(part)
    held = [row for row in published.rows if row.outcome is Outcome.HOLDS]
    expect(rows(page)).to_have_count(len(held))
    page.wait_for_url(re.compile(r"/claims\?outcome=holds$"))


@pytest.mark.parametrize("address", ["#{place}", "?row={place}", "?row={name}"])
def test_an_address_leads_to_a_row_whatever_the_filters_leave_out(claims, address):
    name, row = list(watchable().items())[-1]
    other = next(each for each in Outcome if each is not row.outcome)
    query = address.format(place=row.place, name=name)
    hidden = f"?outcome={other.value.replace(' ', '-')}"
    page = claims(hidden + query.replace("?", "&"))
    found = page.locator(f"[id='{row.place}']")
    expect(found).to_be_focused()
    expect(found).to_be_in_viewport()
    expect(page.get_by_role("alert")).to_contain_text("all statements are shown")


def test_watch_opens_the_lab_at_that_setting_with_its_chart_first(claims):
    name, row = next((name, row) for name, row in watchable().items() if "charts" in row.query)
    page = claims(f"?row={name}")
    page.get_by_role("link", name=f"Watch {row.place} in the lab", exact=True).click()
    view = page.get_by_test_id("live-view")
    first = view.locator(".bnviz-charts [data-chart]:visible").first
    charts = row.query["charts"].split(",")
    expect(first).to_have_attribute("data-chart", re.compile("|".join(charts)))
    expect(page.locator(".claims-watched")).to_contain_text(row.text)
    expect(page.locator(".claims-moved")).to_be_hidden()
    page.wait_for_url(re.compile(f"claim={name}.*run="))
    # A live knob moves without a script of the page.
    page.get_by_role("slider", name="Learning rate").first.press("ArrowLeft")
    expect(page.locator(".claims-moved")).to_be_visible()
    page.get_by_role("link", name="All its numbers").click()
    expect(page.locator(f"[id='{row.place}']")).to_be_focused()


def test_a_search_takes_words_as_people_type_them(claims, published):
    page = claims()
    field = page.get_by_role("searchbox")

    def found(text):
        field.fill(text)
        return set(shown(page))

    every = {row.place for row in published.rows}
    assert found("E1") >= {place for place in every if place.startswith("E1.")}
    assert not {place for place in found("E1") if place.startswith(("E10.", "E12.", "E17."))}
    assert found("e6.1") >= {"E6.1"}
    assert "E6.10" not in found("e6.1")
    assert found("gradíent") == found("gradient") != set()
    assert found("  ") == every
    assert found("eta") >= found("η") != set()
    assert found("layer normalisation") == found("layer normalization")


def test_back_leads_from_a_row_to_where_its_link_stands(claims):
    page = claims("?outcome=holds")
    link = page.locator(".claims-leads a").first
    link.click()
    expect(link).not_to_be_in_viewport()
    page.go_back()
    expect(link).to_be_in_viewport()


def test_keys_alone_search_filter_and_follow(claims):
    page = claims()
    field = page.get_by_role("searchbox")
    field.focus()
    page.keyboard.type("gradient")
    some = len(shown(page))
    page.keyboard.press("Tab")  # to the button that shows all
    page.keyboard.press("Tab")
    expect(page.locator("[data-field=outcome] button").first).to_be_focused()
    page.keyboard.press("Space")
    expect(page.locator("[data-field=outcome] button").first).to_have_attribute(
        "aria-pressed", "true"
    )
    assert 0 < len(shown(page)) <= some
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(field).to_be_focused()
    expect(field).to_have_value("")


def test_nothing_is_wider_than_the_window(claims):
    page = claims()
    for width in (1440, 1024, 390):
        page.set_viewport_size({"width": width, "height": 844})
        page.wait_for_function(FITS, arg=width)


def test_the_pages_lead_to_each_other(claims):
    page = claims()
    for name, heading in (("About", "How this is measured"), ("Claims", "The claims, measured")):
        page.get_by_role("link", name=name, exact=True).click()
        expect(page.get_by_role("heading", name=heading, exact=True)).to_be_visible()
    page.get_by_role("link", name="Lab", exact=True).click()
    expect(page.get_by_test_id("live-view")).to_be_visible()
    expect(page.get_by_test_id("claims")).to_have_count(0)


def test_the_dark_theme_reaches_the_page(claims):
    page = claims(color_scheme="dark")
    expect(page.locator(".claims-column").first).to_have_css("background-color", "rgb(20, 23, 26)")
