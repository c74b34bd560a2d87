"""The module of the claims page: search, filters, address and keys."""

import json
import re
from functools import cache

import pytest
from playwright.sync_api import expect

from bnviz.claims.judgement import StatementOutcome
from bnviz.claims.results import read
from bnviz.ui.claims.measured import claims_in_lab, measured
from bnviz.ui.claims.page import page as page_of
from bnviz.ui.query_schema import FOREIGN_NAMES, FOREIGN_PREFIXES
from bnviz.words.texts import texts
from tests.browser.widgets.conftest import ORIGIN, serve

TEMPLATE = "b" * 32
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,">
<title>claims</title><link rel="stylesheet" href="/assets/v1/kit.css">
<link rel="stylesheet" href="/assets/v1/controls.css">
<link rel="stylesheet" href="/assets/v1/claims.css">
<style>body { margin: 0; }</style>
<main id="place"></main><script type="module">
const { default: mount } = await import("/assets/v1/claims.js");
mount({ parentElement: document.getElementById("place"), data: DATA });
</script></html>"""


@pytest.fixture(scope="module")
def published():
    return read()


@pytest.fixture(scope="module")
def kept_page(chromium):
    """Yield one tab for all tests, and fail on any page error."""
    problems = []
    tab = chromium.new_page(viewport={"width": 1440, "height": 1000})
    tab.set_default_timeout(240_000)
    tab.on("pageerror", lambda error: problems.append(str(error)))
    tab.on("console", lambda line: problems.append(line.text) if line.type == "error" else None)
    data = {
        "base": "", "page": TEMPLATE, "language": "en", "texts": dict(texts("claims")["search"]),
        "foreign": {"names": sorted(FOREIGN_NAMES), "prefixes": list(FOREIGN_PREFIXES)},
    }  # fmt: skip
    made = json.dumps({"html": page_of(measured())})
    whole = {
        "/claims": ("text/html", PAGE.replace("DATA", json.dumps(data))),
        f"/templates/{TEMPLATE}.json": ("application/json", made),
    }

    def answer(route):
        path = route.request.url.removeprefix(ORIGIN).partition("?")[0]
        if path in whole:
            kind, body = whole[path]
            route.fulfill(body=body, content_type=kind)
        else:
            serve(route)

    tab.route(f"{ORIGIN}/**", answer)
    yield tab
    tab.close()
    assert not problems, "\n".join(problems)


@pytest.fixture
def claims(kept_page):
    """Return a function that opens the claims page at an address.

    Without an address, it resets an open page instead of loading it again.
    """

    def open_page(address=""):
        if not address and kept_page.url.startswith(f"{ORIGIN}/claims"):
            kept_page.get_by_role("searchbox").fill("")
            if (every := kept_page.get_by_role("button", name="Show all")).is_visible():
                every.click()
            return kept_page
        kept_page.goto("about:blank")
        kept_page.goto(f"{ORIGIN}/claims{address}")
        expect(kept_page.get_by_test_id("claims")).to_be_visible()
        return kept_page

    return open_page


def rows(page):
    return page.locator(".claims-row:visible")


def places(found):
    return [row.place for row in found]


def shown(page):
    return page.locator(".claims-row").evaluate_all(
        "rows => rows.filter((row) => row.checkVisibility()).map((row) => row.id)"
    )


def chip(page, field, value):
    return page.locator(f"[data-field={field}] [data-value='{value}']")


def test_search_and_filters_leave_what_is_wanted_and_the_address_keeps_it(claims, published):
    page = claims()
    assert shown(page) == [], "until something is asked for"
    fails = [row for row in published.rows if row.outcome is StatementOutcome.FAILS]
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
    page.reload()
    expect(page.get_by_test_id("claims")).to_be_visible()
    assert shown(page) == places(papers)
    expect(chip(page, "outcome", "does-not-hold")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Show all").click()
    assert shown(page) == places(published.rows)
    row = published.rows[-1]
    page.get_by_role("searchbox").fill(row.text.upper())
    expect(page.locator(f"[id='{row.place}']")).to_be_visible()
    assert len(shown(page)) < len(published.rows)
    page.get_by_role("searchbox").fill("no such words at all")
    expect(page.get_by_text("No statement has these words")).to_be_visible()
    page.wait_for_url(re.compile(r"\?q=no\+such\+words"))


def test_what_an_address_says_wrongly_is_answered(claims, published):
    page = claims("?outcome=holds,moon&row=E99.1&foo=1&source=%3Cimg%20src=x%3E")
    said = page.get_by_role("alert")
    for part in (
        "`outcome` must be one of holds", '"holds,moon"', "`row` must be the number", '"E99.1"',
        "`foo` must be one of the parameters", '"<img src=x>"',
    ):  # fmt: skip
        expect(said).to_contain_text(part)
    held = [row for row in published.rows if row.outcome is StatementOutcome.HOLDS]
    assert shown(page) == places(held)
    page.wait_for_url(re.compile(r"/claims\?outcome=holds$"))


@pytest.mark.parametrize("address", ["#{place}", "?row={place}"])
def test_an_address_leads_to_a_row_whatever_the_filters_leave_out(claims, address):
    row = list(claims_in_lab().values())[-1]
    other = next(each for each in StatementOutcome if each is not row.outcome)
    query = address.format(place=row.place)
    hidden = f"?outcome={other.value.replace(' ', '-')}"
    page = claims(hidden + query.replace("?", "&"))
    found = page.locator(f"[id='{row.place}']")
    expect(found).to_be_focused()
    expect(found).to_be_in_viewport()
    expect(page.get_by_role("alert")).to_contain_text("all statements are shown")


def test_a_search_takes_words_as_people_type_them(claims, published):
    page = claims()
    field = page.get_by_role("searchbox")

    @cache
    def found(text):
        field.fill(text)
        return set(shown(page))

    every = {row.place for row in published.rows}
    assert found("E1") >= {place for place in every if place.startswith("E1.")}
    assert not {place for place in found("E1") if place.startswith(("E10.", "E12.", "E17."))}
    assert found("e6.1") >= {"E6.1"}
    assert "E6.10" not in found("e6.1")
    assert found("gradíent") == found("gradient") != set()
    assert found("eta") >= found("η") != set()
    assert found("layer normalisation") == found("layer normalization")
    # The search matches whole numbers, as digits or words.
    assert found("batches of 4") >= found("batches of four") != set()
    assert found("batch 4") < found("batch")
    fours = {row.place for row in published.rows if "of four" in row.text}
    assert fours <= found("4") < every
    assert found("  ") == found("") == every


def test_a_search_for_a_phrase_puts_first_what_states_it(claims, published):
    page = claims("?q=batch+of+two")
    closest = page.locator(".claims-closest")
    expect(closest.get_by_role("heading", level=3).first).to_have_text("Closest to “batch of two”")

    def first():
        return closest.locator(".claims-row").evaluate_all("rows => rows.map(({ id }) => id)")

    stating = [row.place for row in published.rows if re.search(r"batch(es)? of two", row.lead)]
    assert first()[: len(stating)] == stating
    assert "E14.5" in stating
    assert "E1.1" not in shown(page), "“two” is not part of “network”"
    closest.get_by_role("link", name=f"Link to {stating[0]}").click()
    expect(page.locator(f"[id='{stating[0]}']")).to_be_focused()
    field = page.get_by_role("searchbox")
    # Claims that state the phrase come first. Digits match number words.
    field.fill("batch of 2")
    assert first()[: len(stating)] == stating
    field.fill("two")
    expect(closest).to_be_hidden()
    field.fill("")
    assert shown(page) == places(published.rows), "each claim is in its previous place"


def test_keys_alone_search_filter_and_follow(claims):
    page = claims()
    field = page.get_by_role("searchbox")
    field.focus()
    page.keyboard.type("gradient")
    some = len(shown(page))
    page.keyboard.press("Tab")  # moves the focus to the button "Show all"
    page.keyboard.press("Tab")
    first = page.locator("[data-field=outcome] button").first
    expect(first).to_be_focused()
    page.keyboard.press("Space")
    expect(first).to_have_attribute("aria-pressed", "true")
    assert 0 < len(shown(page)) <= some
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(field).to_be_focused()
    expect(field).to_have_value("")
