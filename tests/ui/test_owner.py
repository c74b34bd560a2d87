"""A browser without the app's cookie can see everything but start nothing."""

import json
from collections.abc import Iterator

import pytest
from starlette.datastructures import Headers

from bnviz.live.settings import Settings
from bnviz.live.web.cookies import Signer
from bnviz.live.web.owner import COOKIE, Issuer, install_issuer, issuer, owner_in
from bnviz.ui.commands import run_command
from bnviz.ui.tab_run import owner
from bnviz.words.phrase import phrase
from tests.ui.handed_over import live_view

pytestmark = pytest.mark.usefixtures("one_chart")


def state(page):
    return page.session_state["lab"]


HTTPS = f"__Host-{COOKIE}"
NO_COOKIE = phrase("lab.notice.no_cookie")


@pytest.fixture
def one_a_minute() -> Iterator[None]:
    """Allow each address one cookie per minute."""
    before = install_issuer(Issuer(Settings(cookies_per_minute=1)))
    yield
    install_issuer(before)


@pytest.mark.parametrize("cookie", ["", "0f" * 32, f"{'0f' * 32}.{'0f' * 32}", Signer().new()])
def test_without_a_cookie_of_ours_no_run_starts_and_the_page_says_why(open_lab, live, cookie):
    started = live.hub.viewers.status()["runs_started"]
    page = open_lab(cookie)
    assert live_view(page)["run"] is None
    assert live_view(page)["notices"] == [NO_COOKIE.text()]
    run_command(state(page), {"name": "new_seed"})
    assert state(page).notices == [NO_COOKIE]
    assert live.hub.viewers.status()["runs_started"] == started


@pytest.mark.usefixtures("one_a_minute")
def test_where_too_many_came_from_one_address_it_says_when_to_try_again(
    open_lab, browser, monkeypatch
):
    scope = {"type": "http", "headers": [], "client": (browser.remote_ip, 1)}
    assert issuer().cookie(scope)
    assert issuer().cookie(scope) is None
    page = open_lab("")
    (notice,) = state(page).notices
    assert notice.key == "lab.notice.too_many_browsers"
    assert 0 < int(notice.values["seconds"]) <= 60
    assert live_view(page)["notices"] == [notice.text()]
    monkeypatch.setattr(browser, "remote_ip", "192.0.2.2")
    assert live_view(open_lab(""))["notices"] == [NO_COOKIE.text()]


def test_who_watches_needs_no_cookie_until_a_copy_is_wanted(open_lab, live):
    run = live_view(open_lab())["run"]
    page = open_lab("", run=run)
    assert live_view(page)["run"] == run
    assert live_view(page)["notices"] == []
    for command in ({"name": "copy"}, {"name": "fork", "step": 0}):
        run_command(state(page), command)
        assert state(page).notices == [NO_COOKIE]
        assert state(page).run_id == run
    run_command(state(page), {"name": "pause"})
    assert "Only the browser that started" in state(page).notices[0].text()


def test_the_name_of_a_cookie_over_https_comes_before_the_old_one(browser):
    old, new = issuer().signer.new(), issuer().signer.new()
    found = []
    for cookies in ({COOKIE: old, HTTPS: new}, {HTTPS: new}, {COOKIE: old, HTTPS: "x"}, {}):
        browser.cookies = cookies
        found.append(owner())
    assert found == [new[:64], new[:64], old[:64], ""]


def test_of_two_valid_cookies_pages_and_sockets_take_the_same(browser):
    first, second = issuer().signer.new(), issuer().signer.new()
    browser.cookies = {COOKIE: f"{first}; {COOKIE}={second}"}
    assert owner() == first[:64] == owner_in(Headers({"cookie": browser.headers[0][1]}))


def test_one_cookie_is_one_owner_with_a_run_in_each_tab_and_stays_out_of_the_page(open_lab, live):
    cookie = issuer().signer.new()
    first, second = open_lab(cookie), open_lab(cookie)
    assert state(first).owner == state(second).owner == cookie[:64]
    assert live.hub.info(live_view(first)["run"]).owner == cookie[:64]
    assert live_view(first)["run"] != live_view(second)["run"]
    assert COOKIE not in json.dumps(live_view(first))
    assert cookie[:64] not in json.dumps(live_view(first))
