"""The page of talks: loading the user's own talk, and unpinning kept runs."""

import re
from functools import partial
from types import SimpleNamespace

import pytest

from bnviz.config import KNOBS
from bnviz.live.web.owner import COOKIE, verify
from bnviz.own_talks.file import MOST_BYTES
from bnviz.own_talks.talk_cache import find_talk, pack
from bnviz.ui.sitemap import PAGES
from bnviz.ui.talks_page import KEY, STATE, _take
from bnviz.words.texts import texts
from tests.live.conftest import SMALL
from tests.ui.handed_over import components, healthy, said

WORDS = texts("talks")["page"]
TEXT = """title = "Mine & < yours"
[[station]]
title = "One"
[[station]]
title = "Two"
after = 3
"""


@pytest.fixture
def talks(open_page):
    return partial(open_page, PAGES["talks"].script)


def give(page, monkeypatch, given):
    """Pass data from the component as Streamlit's callback does, and return the page afterwards."""
    state = {KEY: SimpleNamespace(given=given)}
    with monkeypatch.context() as patch:
        patch.setattr("bnviz.ui.talks_page.st.session_state", state)
        _take()
    page.session_state[STATE] = state[STATE]
    return healthy(page.run())


def test_a_talk_that_is_given_is_opened_and_has_its_link(talks, monkeypatch):
    page = give(talks(), monkeypatch, {"text": TEXT})
    name = page.session_state[STATE].name
    assert len(find_talk(name)) == 2
    assert "Mine &amp; &lt; yours" in said(page)
    assert f"/lab?talk={name}&amp;station=1&amp;present=1" in said(page)
    assert [*re.findall(r"station=(\d)\"", said(page))] == ["1", "2"]
    (data,) = [data for data in components(page) if data.get("module") == "own_talk.js"]
    assert (data["text"], data["title"], data["most"]) == (TEXT, "Mine & < yours", MOST_BYTES)
    assert data["link"] == f"/talks#talk={pack(TEXT)}"
    again = give(talks(), monkeypatch, {"packed": pack(TEXT)})
    assert again.session_state[STATE].name == name


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"text": "title = 3"}, "Line 1: <code>title</code> must be one line of plain text"),
        ({"text": "t" * (MOST_BYTES + 1)}, "a talk has at most"),
        ({"text": 'title = "<b>"'}, "without HTML"),
        ({"packed": "moon"}, "does not contain a talk"),
    ],
)
def test_what_is_no_talk_is_told(talks, monkeypatch, given, problem):
    page = give(talks(), monkeypatch, given)
    assert problem in said(page)
    assert "<b>" not in said(page).replace("<b></b>", "")
    assert WORDS["begin"] not in said(page)


@pytest.mark.parametrize("given", [None, 3, {}, {"text": 3}, {"packed": None}, []])
def test_what_no_page_of_ours_sends_does_nothing(talks, monkeypatch, given):
    state = {KEY: SimpleNamespace(given=given)}
    monkeypatch.setattr("bnviz.ui.talks_page.st.session_state", state)
    _take()
    assert STATE not in state


def test_kept_runs_are_listed_with_their_time_and_let_go(talks, live, browser):
    page = talks()
    assert WORDS["no_runs"] in said(page)
    owner = verify(browser.cookies[COOKIE])
    run = live.hub.start(owner, SMALL)
    live.hub.pin(owner, run)
    healthy(page.run())
    assert f"/lab?run={run}" in said(page)
    assert WORDS["left"].format(hours=23, minutes=59) in said(page)
    assert f"{KNOBS['width'].label} 16" in said(page)
    healthy(page.button(key=f"let_go_{run}").click().run())
    assert live.hub.pinned(owner) == []
    assert WORDS["no_runs"] in said(page)
