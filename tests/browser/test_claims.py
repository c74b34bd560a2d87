"""The claims page: its first screen, its list, and its layout at several widths."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.accessible import serious

# JavaScript function that returns whether every element is inside the page's margins at a given
# window width.
FITS = """width => {
  const page = document.documentElement, main = document.querySelector("[data-testid=stMain]");
  const margins = document.querySelector(".claims").getBoundingClientRect();
  const inside = ({ left, right }) => left >= margins.left - 1 && right <= margins.right + 1;
  const parts = [...document.querySelectorAll(".claims *")]
    .filter((part) => part.checkVisibility());
  return innerWidth === width && margins.left >= 0 && margins.right <= width
    && page.scrollWidth === page.clientWidth && main.scrollWidth === main.clientWidth
    && parts.length > 1000 && parts.every((part) => inside(part.getBoundingClientRect()));
}"""


@pytest.mark.verify
def test_the_page_opens_with_five_that_surprise_and_back_leads_there_from_a_row(visit):
    page = visit("/claims", viewport={"width": 1280, "height": 800}, color_scheme="dark").page
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    items = page.locator(".claims-surprises li")
    expect(items).to_have_count(5)
    for item in items.all():
        expect(item).to_be_in_viewport(ratio=1)
        expect(item.get_by_role("img")).to_have_accessible_name(re.compile("5 seeds gave .*"))
    link = items.nth(1).get_by_role("link").first
    place = link.get_attribute("href").removeprefix("#")
    link.click()
    expect(page.locator(f"[id='{place}']")).to_be_focused()
    expect(page.locator(f"[id='{place}']")).to_be_in_viewport()
    header = page.locator(".st-key-navigation").bounding_box()
    assert page.locator(f"[id='{place}']").bounding_box()["y"] >= header["height"]
    expect(page).to_have_url(re.compile(f"#{place}$"))
    expect(link).not_to_be_in_viewport()
    page.go_back()
    expect(link).to_be_in_viewport()
    page.get_by_text("The short list").click()
    columns = page.locator(".claims-column")
    expect(columns).to_have_count(3)
    expect(columns.first).to_have_css("background-color", "rgb(23, 27, 34)")
    assert serious(page) == []
    # A width of 720 px corresponds to 1440 px at 200 % zoom.
    for width in (1920, 720, 390):
        page.set_viewport_size({"width": width, "height": 844})
        page.wait_for_function(FITS, arg=width, polling=100)
