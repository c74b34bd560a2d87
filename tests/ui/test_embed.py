"""Embedded pages, and their citation."""

import re

import pytest

import bnviz
from bnviz.live.errors import NotYours
from bnviz.live.settings import Settings
from bnviz.live.web.owner import Issuer, install_issuer, issuer
from bnviz.ui.commands import run_command
from bnviz.ui.sitemap import PAGES
from tests.conftest import ROOT
from tests.ui.handed_over import live_view, said

pytestmark = pytest.mark.usefixtures("one_chart")


@pytest.mark.parametrize("embed", ["1", "true"])
def test_a_frame_has_a_run_and_nothing_that_acts_on_it(open_lab, live, embed):
    page = open_lab("", embed=embed, preset="spirals", paused="1")
    data = live_view(page)
    info = live.hub.info(data["run"])
    assert info.initial_config.dataset == "spirals"
    assert info.reason != "paused"
    assert data["notices"] == []
    assert not data["can_control"]
    assert data["knobs"]["shown"] == []
    assert {"transport", "new_seed", "share", "export", "copy", "present", "more"} <= set(
        data["hide"]
    )
    assert "timeline" not in data["hide"]
    assert data["address"] == {"preset": "spirals", "run": data["run"]}
    assert not page.sidebar.markdown
    assert 'class="bnviz-pages"' not in said(page)
    assert 'class="bnviz-open"' in said(page)
    assert "Version" in said(page)


def test_nobody_outside_of_the_session_may_control_the_run_of_a_frame(first_look, live):
    cookie = issuer().signer.new()
    run = live_view(first_look(cookie, embed="1"))["run"]
    assert not live.hub.info(run).owner_is(cookie[:64])
    other = first_look(cookie, run=run)
    assert not live_view(other)["can_control"]
    run_command(other.session_state["lab"], {"name": "pause"})
    assert other.session_state["lab"].notices == [NotYours().phrase]


def test_frames_count_as_new_browsers_of_their_address(first_look, live):
    before = install_issuer(Issuer(Settings(cookies_per_minute=1)))
    try:
        assert live_view(first_look("", embed="1"))["run"]
        data = live_view(first_look("", embed="1"))
    finally:
        install_issuer(before)
    assert data["run"] is None
    assert "Too many new browsers" in data["notices"][0]


def test_a_frame_may_watch_a_run_that_is_given_to_it(first_look, live):
    run = live_view(first_look())["run"]
    data = live_view(first_look("", embed="1", run=run))
    assert (data["run"], data["can_control"]) == (run, False)


@pytest.mark.parametrize("name", PAGES)
def test_every_page_stands_alone_in_a_frame_and_on_the_stage(first_look, name):
    # The list of lessons shows no run, so open a lesson instead.
    asked = {"lesson": "break-it"} if name == "lessons" else {}
    page = first_look(embed="1", **asked)
    page.switch_page(str(PAGES[name].script)).run()
    assert not page.exception
    assert said(page).count('class="bnviz-open"') == 1
    for part in ('class="bnviz-pages"', 'class="bnviz-doors"'):
        assert part not in said(page)
    assert not page.sidebar.children, "a page in a frame is watched: it has no knobs"
    if PAGES[name].live:
        assert not live_view(page)["can_control"]
    del page.query_params["embed"]
    page.query_params["present"] = "1"
    page.run()
    assert 'class="bnviz-pages"' not in said(page)


@pytest.mark.parametrize(("embed", "framed"), [("1", True), ("0", False)])
def test_from_a_map_in_a_frame_a_run_is_watched_in_that_frame(open_page, embed, framed):
    read = said(open_page(PAGES["map"].script, None, embed=embed, cell="0.1,4"))
    links = re.findall(r'href="[^"]*/lab\?([^"]*)"', read)
    ways = [link for link in links if "batch_size=4" in link]
    assert len(ways) == 2
    assert all(("embed=1" in way) is framed for way in ways)


def test_without_the_word_everything_stands(first_look):
    for query in ({}, {"embed": "0"}):
        page = first_look(**query)
        assert 'class="bnviz-pages"' in said(page)
        assert 'class="bnviz-open"' not in said(page)
        assert 'class="bnviz-answer"' not in said(page)
    assert "`embed` must be 1 or left out, got 'x&lt;b&gt;'." in said(first_look(embed="x<b>"))


def test_a_citation_has_title_year_and_version_and_they_are_those_of_the_release(first_look):
    page = first_look()
    page.switch_page(str(PAGES["about"].script)).run()
    assert not page.exception
    assert f"Version {bnviz.VERSION}, {bnviz.YEAR}." in said(page)
    assert f"Copyright (c) {bnviz.YEAR}" in (ROOT / "LICENSE").read_text("utf-8")
