"""The About page: its figure and table in light and dark themes and at every width."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.accessible import serious, until_it_fits


@pytest.mark.verify
def test_the_figure_is_seen_and_read_aloud_in_both_themes_and_every_window(visit):
    page = visit("/about", viewport={"width": 1440, "height": 900}).page
    figures = page.locator(".about-figure").get_by_role("img")
    expect(figures).to_have_count(2)
    expect(figures.first).to_have_accessible_name(re.compile("Without normalization: at step 0 .*"))
    hill = figures.first.locator(".about-hill").first
    expect(hill).to_have_css("clip-path", re.compile(r"polygon\("))
    light = hill.evaluate("hill => getComputedStyle(hill).backgroundColor")
    assert serious(page) == []
    page.emulate_media(color_scheme="dark")
    # wait until the app has switched the theme
    expect(hill).not_to_have_css("background-color", light)
    assert serious(page) == []
    expect(page.get_by_role("cell", name="recovered", exact=True)).to_be_visible()
    # A width of 720 px corresponds to 1440 px at 200 % zoom.
    for width in (1920, 1024, 720, 390):
        page.set_viewport_size({"width": width, "height": 844})
        until_it_fits(page, width)
