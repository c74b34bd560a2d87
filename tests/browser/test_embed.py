"""A page in a frame of another site."""

import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import expect


@pytest.fixture
def course():
    """Serves a page of another site with a frame in it; gives its address for a frame's."""
    pages = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(pages.get(self.path, "").encode())

        def log_message(self, *_arguments):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()

        def page_with(address):
            pages["/"] = f'<h1>Course</h1><iframe src="{address}" width=900 height=600></iframe>'
            # Another site than the app's 127.0.0.1: no cookie of the app reaches its frame.
            return f"http://localhost:{server.server_port}/"

        yield page_with
        server.shutdown()


@pytest.mark.verify
def test_a_frame_on_another_site_shows_a_run_that_nobody_there_can_touch(visit, server, course):
    page = visit("/about").page
    page.goto(course(f"{server.url}/lab?embed=1&preset=broken-from-the-start"))
    frame = page.frame_locator("iframe")
    view = frame.get_by_test_id("live-view")
    expect(view).to_have_attribute("data-step", re.compile("[1-9]"))
    expect(view.locator("[data-chart='loss'] .main-svg").first).to_be_visible()
    expect(frame.get_by_role("navigation")).to_have_count(0)
    expect(frame.get_by_test_id("stSidebar")).to_have_count(0)
    for name in ("Pause", "New seed", "Share", "Make my own copy", "Present"):
        expect(frame.get_by_role("button", name=name, exact=True)).to_be_hidden()
    expect(frame.get_by_role("slider", name="Learning rate")).to_be_hidden()
    view.press("Space")
    run = view.get_attribute("data-run")
    expect(view).to_have_attribute("data-step", re.compile("[1-9][0-9]"))
    expect(view).to_have_attribute("data-status", "running")
    link = frame.get_by_role("link", name="bnviz · open")
    expect(link).to_have_attribute("title", re.compile("Version"))
    with page.expect_popup() as opened:
        link.click()
    whole = opened.value
    expect(whole.get_by_test_id("live-view")).to_have_attribute("data-run", run)
    assert "embed" not in whole.url
    expect(whole.get_by_role("button", name="Make my own copy")).to_be_visible()
