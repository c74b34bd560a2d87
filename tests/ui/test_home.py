"""The home page, and root addresses that open the lab."""

from functools import partial

import pytest

from bnviz.live.web.owner import COOKIE
from bnviz.ui.sitemap import PAGES
from tests.conftest import ROOT
from tests.ui.handed_over import said


@pytest.fixture
def home(open_page):
    """Return a function that opens the root page."""
    return partial(open_page, None)


def test_home_leads_to_every_page_and_starts_no_lab(home):
    page = home()
    assert "lab" not in page.session_state
    assert 'class="bnviz-answer"' not in said(page)
    for name, place in ((name, page) for name, page in PAGES.items() if page.listed):
        assert f'href="/{place.path}" target="_self" data-page="{name}"' in said(page)
    assert said(page).count('aria-current="page"') == 1


def test_an_address_of_the_lab_opens_it_from_within_the_app_too(home, one_chart):
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


def test_what_somebody_broke_is_shown_again(home, hub):
    page = home(replay="46:0.5~48:1.5,120:0.1")
    assert 'class="bnviz-answer"' not in said(page)
    (lab,) = page.session_state["page_runs"].values()
    changes = [(change.step, change.values, change.drag) for change in lab.plan.changes]
    assert changes == [
        (46, {"learning_rate": 0.5}, 1), (48, {"learning_rate": 1.5}, 1),
        (120, {"learning_rate": 0.1}, 0),
    ]  # fmt: skip
    assert lab.plan.last_step >= 600


def test_what_the_page_showed_before_a_restart_is_shown_again_or_told_to_be_gone(
    home, hub, browser
):
    first = home()
    (run,) = first.session_state["page_runs"].values()
    assert run.notices == []
    cookie = browser.cookies[COOKIE]
    (again,) = (
        home(cookie, shown_run=["0" * 32, run.run_id, "rates"]).session_state["page_runs"].values()
    )
    assert (again.run_id, again.notices) == (run.run_id, [])
    other = home(shown_run=run.run_id)
    (others,) = other.session_state["page_runs"].values()
    assert others.run_id != run.run_id
    assert [notice.key for notice in others.notices] == ["series.results_gone"]


@pytest.mark.parametrize(
    ("wrong", "names"),
    [
        ("", "order of steps"), ("46", "46:1.5"), ("46:x", "= 46:x"), ("46:1.2.3", "= 46:1.2.3"),
        ("46:1.5,46:2", "order of steps"), ("50:1,46:2", "order of steps"),
        ("46:0", "learning_rate"), ("46:1e9", "learning_rate"), ("-1:1", "= -1:1"),
        ("99999:1", "step 10000"), (",".join(f"{step}:1" for step in range(201)), "at most 200"),
        ("1:1" + "0" * 500, "…"),
    ],
)  # fmt: skip
def test_what_cannot_be_shown_again_is_answered_and_the_run_starts_without(home, wrong, names):
    page = home(replay=wrong)
    answer = next(part.value for part in page.get("html") if 'class="bnviz-answer"' in part.value)
    assert names in answer
    assert len(answer) < 400
    (lab,) = page.session_state["page_runs"].values()
    assert lab.plan.changes == ()


def test_every_page_is_one_file_and_one_line():
    assert {page.script for page in PAGES.values()} == set((ROOT / "pages").glob("*.py"))
    assert PAGES["claims"].path == "claims"
    assert [name for name, page in PAGES.items() if not page.path] == ["home"]
