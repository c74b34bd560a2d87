"""A map that is stopped, or that a class only follows, is shown, but no more of it is drawn."""

import pytest

from tests.browser.widgets.map_page import base, map_pages


@pytest.fixture(scope="module")
def open_map(pages):
    with map_pages(pages) as begin:
        yield begin


def test_no_more_is_wanted_of_a_map_that_was_stopped_or_is_followed_until_it_is_let_go_on(open_map):
    opened = open_map(base()[:12], stopped=True)
    opened.drawn(12)
    assert {asked["wanted"] for asked in opened.asked} == {"0"}
    # A rerun of the script keeps the map stopped. Then the class follows another map.
    opened.mount(stopped=True, colour="accuracy")
    opened.mount(key="b" * 32, follows=True)
    opened.drawn(12)
    assert {asked["wanted"] for asked in opened.asked} == {"0"}
    opened.mount(key="c" * 32)
    opened.page.wait_for_function("document.querySelector('[data-key^=c]')")
    with opened.page.expect_request(lambda request: "wanted=1" in request.url):
        opened.rows = base()
    opened.drawn(24)
