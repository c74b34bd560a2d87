"""A server that is killed and started again under open pages."""

import json

import pytest
from playwright.sync_api import expect

from bnviz.own_talks.talk_cache import pack
from bnviz.words.texts import texts
from tests.browser.conftest import Server, visiting

TALK = """
title = "My talk"
[[station]]
title = "The start"
setting = { depth = 2, width = 16 }
say = "Both learn."
[[station]]
title = "A large step"
change = { learning_rate = 2.0 }
say = "One breaks."
"""
# Records whether each dialog that Streamlit opens can be seen.
WATCH_DIALOGS = """
window.dialogs = [];
new MutationObserver(() => {
  const dialog = document.querySelector("[data-testid=stDialog]");
  if (dialog) dialogs.push(dialog.checkVisibility());
}).observe(document, { childList: true, subtree: true });
"""


@pytest.mark.verify
def test_each_page_shows_its_run_again_after_the_server_was_killed(tabs, tmp_path):
    settings = {"BNVIZ_WORKERS": "1", "BNVIZ_STATE_DIR": str(tmp_path)}
    server = Server(**settings)
    with visiting(tabs, server) as visit:
        lab = visit("/lab?depth=2&width=16", script=WATCH_DIALOGS).until_step(3)
        home = visit("/", script=WATCH_DIALOGS).until_step(3)
        talk = visit(f"/talks#talk={pack(TALK)}", script=WATCH_DIALOGS)
        talk.page.get_by_role("link", name=texts("talks")["page"]["begin"]).click()
        pages = [lab, home, talk.until_step(3)]
        about = visit("/about", script=WATCH_DIALOGS)
        expect(about.page.locator("h1")).to_be_visible()
        lost = [page.page.locator(".bnviz-lost") for page in (*pages, about)]
        talk.until_query(lambda query: "run" in query)
        runs, addresses = [page.run for page in pages], [page.page.url for page in pages]
        server.process.kill()
        for line in lost:
            expect(line).to_be_visible()
        for page in pages:
            page.wait("view.status === 'disconnected'")
            expect(page.view.locator(".bnviz-notice")).to_have_count(0)
            page.page.wait_for_function("() => dialogs.length > 0")
            assert not any(page.page.evaluate("dialogs"))
            # Streamlit's dialog would take the page away from the keyboard and from screen readers.
            expect(page.page.locator("[data-testid=stDialog]")).to_have_count(0)
        expect(home.view.locator(".bnviz-prompt p").first).to_be_hidden()
        server.stop()
        server = Server(port=server.port, **settings)
        for page in pages:
            page.page.wait_for_function("() => !('returns' in document.documentElement.dataset)")
            page.until_status("running").drawn()
            expect(page.view.locator(".bnviz-notice")).to_have_count(0)
        for line in lost:
            expect(line).to_have_count(0)
        assert [page.run for page in pages] == runs
        assert [page.page.url for page in pages] == addresses
        expect(lab.page.get_by_test_id("stSidebar")).to_contain_text("Network")
        talk.page.keyboard.press("PageDown")
        talk.until_query(lambda query: query.get("station") == "2")
        expect(talk.page.locator(".bnviz-talk-says")).to_contain_text("One breaks.")
        talk.until_query(lambda query: query.get("learning_rate") == "2")
        assert talk.run == runs[2]
        status = json.loads(home.page.request.get(f"{server.url}/status?as=json").text())
        assert status["runs_started"] == 0
        # The station before has its own settings and sentence again.
        says = talk.page.locator(".bnviz-talk-says")
        talk.page.keyboard.press("PageUp")
        talk.until_query(lambda query: query.get("station") == "1" and "learning_rate" not in query)
        expect(says).to_contain_text("Both learn.")
        talk.wait("view.run && view.run !== argument && Number(view.step) > 3", runs[2])
        # A server that saves nothing says so. Nothing plays in place of the run that is gone.
        server.process.kill()
        server.stop()
        server = Server(port=server.port, BNVIZ_WORKERS="1")
        expect(talk.view.locator("[data-notice=expired]")).to_be_visible()
        talk.page.locator(".stApp[data-test-connection-state=CONNECTED]").wait_for()
        expect(says).to_contain_text("Both learn.")
        assert talk.status == "disconnected"
        talk.page.keyboard.press("PageDown")
        expect(talk.page.get_by_text("The server no longer has this talk")).to_be_visible()
        talk.wait("view.status === 'paused' && view.step === '0'")
        for page in (*pages, about):
            page.problems.clear()  # failed attempts to connect
    server.stop()
