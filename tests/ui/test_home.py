"""The home page, and addresses that name the root and mean the lab."""

from functools import partial

import pytest

from bnviz.ui.places import CLAIMS, PAGES, ROOT


@pytest.fixture
def home(open_page):
    """Opens the root."""
    return partial(open_page, None)


def said(page):
    return " ".join(part.value for part in page.get("html"))


def test_home_leads_to_every_page_and_starts_no_lab(home):
    page = home()
    assert "lab" not in page.session_state
    assert 'class="bnviz-answer"' not in said(page)
    for name, place in PAGES.items():
        assert f'href="/{place.path}" target="_self" data-page="{name}"' in said(page)
    assert said(page).count('aria-current="page"') == 1


def test_an_address_of_the_lab_opens_it_from_within_the_app_too(home):
    page = home(depth="3", lang="en")
    assert page.session_state["lab"].config.depth == 3
    assert page.query_params["depth"] == "3"


def test_what_the_page_does_not_read_is_answered(home):
    page = home(foo="<b>", lang="en", **{f"name{number}": "1" for number in range(20)})
    assert "lab" not in page.session_state
    assert "'foo'" in said(page)
    assert "'name3'" in said(page)
    assert "'name10'" not in said(page)
    assert "'lang'" not in said(page)
    assert "&lt;i&gt;" in said(home(**{"<i>": "1"}))


def test_every_page_is_one_file_and_one_line():
    assert {page.script for page in PAGES.values()} == set((ROOT / "pages").glob("*.py"))
    assert [page.path for page in PAGES.values() if page.script == CLAIMS] == ["claims"]
    assert [name for name, page in PAGES.items() if not page.path] == ["home"]
