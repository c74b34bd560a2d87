"""The cookie that a run belongs to: too many new browsers, and an invented one."""

import urllib.request

from playwright.sync_api import expect

from bnviz.live.web.owner import COOKIE
from tests.browser.conftest import Server
from tests.browser.test_sharing import shared_link


def cookie_for(server, forwarded):
    """Whether a visitor who says to come from elsewhere gets a cookie."""
    headers = {"Accept": "text/html", "X-Forwarded-For": forwarded}
    with urllib.request.urlopen(urllib.request.Request(server.url + "/", headers=headers)) as page:
        return COOKIE in str(page.headers["set-cookie"])


def test_a_browser_over_its_address_limit_may_watch_and_is_told_when_to_try_again(visit):
    server = Server(BNVIZ_WORKERS="1", BNVIZ_COOKIES_PER_MINUTE="1")
    try:
        owner = visit("/lab", base=server.url).until_step(3)
        late = visit("/lab", base=server.url)
        notices = late.view.locator(".bnviz-notices")
        expect(notices).to_contain_text("Reload the page in", timeout=30_000)
        assert COOKIE not in [cookie["name"] for cookie in late.page.context.cookies()]
        # Nothing but that: no banner about a run that never was.
        expect(notices.locator(".bnviz-notice")).to_have_count(1)
        assert not cookie_for(server, "203.0.113.9"), "nobody vouches for what this says"
        late.page.goto(server.url + "/" + shared_link(owner))
        late.drawn()
        assert late.run == owner.run
        expect(late.button("Pause")).to_be_hidden()
        late.button("Make my own copy").click()
        expect(notices).to_contain_text("Reload the page in")
        assert late.run == owner.run
        for lab in (owner, late):
            lab.page.context.close()
    finally:
        server.stop()


def test_an_invented_cookie_is_replaced_and_controls_nothing(visit, server):
    lab = visit("/lab").until_step(3)
    run = lab.run
    (cookie,) = (each for each in lab.page.context.cookies() if each["name"] == COOKIE)
    owner, _, signature = cookie["value"].partition(".")
    invented = f"{owner}.{signature[::-1]}"
    lab.page.context.add_cookies([{**cookie, "value": invented}])  # type: ignore[list-item]
    lab.page.reload()
    lab.drawn()
    assert lab.run == run
    expect(lab.button("Pause")).to_be_hidden()
    now = {each["name"]: each["value"] for each in lab.page.context.cookies()}
    assert now[COOKIE].partition(".")[0] != owner
