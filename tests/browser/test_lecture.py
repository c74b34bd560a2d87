"""A five-minute lecture with a clicker and three voting phones. The view is checked at several
points.

With `BNVIZ_PICTURES` set to a folder, the test saves a screenshot of each point there.
"""

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.accessible import serious
from tests.browser.conftest import Server
from tests.browser.test_ask import CODE, PHONE, vote
from tests.browser.test_stage import WINDOWS, until_it_is_whole

TALK = "/lab?talk=first-five-minutes&station=1&present=1"
WHOLE_RUN = 240_000


class Lecture:
    """The teacher's tab, and three phones that vote."""

    def __init__(self, lab, phones, server, window):
        self.lab, self.phones, self.server, self.window = lab, phones, server, window
        self.layer = lab.page.get_by_role("dialog")
        self.panel = lab.page.get_by_role("region", name="The class")

    def look(self, name):
        """Check that the view fits the window with large type, and save a screenshot."""
        page = self.lab.page
        until_it_is_whole(page, WINDOWS[self.window])
        if folder := os.environ.get("BNVIZ_PICTURES"):
            page.screenshot(path=Path(folder) / f"{self.window[0]}-{name}.png")

    def to(self, station):
        """Advance to the next station (stop of the talk), which has the number `station`."""
        self.lab.page.keyboard.press("PageDown")
        self.lab.until_query(lambda query: query.get("station") == str(station))

    def ask(self, *answers):
        """Ask the station's question, and answer it on every phone."""
        self.lab.page.keyboard.press("a")
        composer = self.lab.page.get_by_role("dialog", name="Ask the class")
        expect(composer.get_by_role("radio").first).to_be_focused()
        self.lab.page.keyboard.press("Enter")
        expect(composer).to_have_count(0)
        code = self.layer.locator(".class-code")
        expect(code).to_have_text(CODE)
        for phone in self.phones:
            if "/b/" not in phone.url:
                phone.goto(f"{self.server.url}/b/{code.inner_text()}")
        self.vote(*answers)

    def vote(self, *answers):
        for phone, letter in zip(self.phones, answers, strict=True):
            vote(phone, letter)
        expect(self.layer).to_contain_text("3 of 3 have answered")

    def reveal_and_run(self):
        self.layer.get_by_role("button", name="Reveal").click()
        expect(self.layer.locator(".class-bars").first).to_be_visible()
        self.layer.get_by_role("button", name="Run").click()
        expect(self.layer).to_have_count(0)


@pytest.fixture(params=[(1280, 800), (1920, 1080)], ids=lambda window: f"{window[0]}")
def lecture(request, visit, tabs, server: Server):
    window = request.param
    lab = visit(TALK, viewport=dict(zip(("width", "height"), window, strict=True))).drawn()
    taken = [tabs.take(viewport=PHONE, locale=name) for name in ("en-GB", "en-US", "de-DE")]
    yield Lecture(lab, [tab.page for tab in taken], server, window)
    for tab in taken:
        tabs.give_back(tab, server.url + "/_stcore/health")


@pytest.mark.verify
@pytest.mark.timeout(400)
def test_five_minutes_of_a_lecture(lecture):
    lab = lecture.lab
    lecture.look("1-predict")
    lecture.ask("A", "B", "A")
    lecture.look("2-voting")
    lecture.reveal_and_run()  # runs with a learning rate of 1, as set by the next station
    lab.until_query(lambda query: query.get("station") == "2")
    lab.wait("root.textContent.includes('broke at step')", timeout=WHOLE_RUN)
    came = lecture.panel.locator(".class-came")
    expect(came).to_contain_text("Without BN", timeout=WHOLE_RUN)
    lecture.look("3-broke-and-the-tally")
    lecture.to(3)  # shows the layer and step of the break
    lab.wait("view.time === 'playing'")
    lecture.look("4-show-the-break")
    lecture.to(4)  # restores the rate
    lab.wait("view.time === 'live'")
    lecture.look("5-back-again")
    lecture.to(5)  # mini-batches of size 2
    lab.until_query(lambda query: query.get("preset") == "batch-of-two").wait("view.step === '0'")
    lecture.look("6-a-batch-of-two")
    # The first press starts the waiting run. The second press advances the run to the question's
    # last step.
    lab.page.keyboard.press("PageDown")
    lab.until_step(1)
    lab.page.keyboard.press("PageDown")
    lab.until_step(300)
    lecture.to(6)  # sigmoid, 20 layers
    lab.until_query(lambda query: query.get("depth") == "20").wait("view.step === '0'")
    lecture.ask("A", "A", "B")
    # The class votes again after a discussion with neighbours.
    lecture.layer.get_by_role("button", name="Close the vote").click()
    lecture.layer.get_by_role("button", name="Vote again").click()
    for phone in lecture.phones:
        expect(phone.get_by_text("Second vote")).to_be_visible()
    lecture.vote("B", "B", "B")
    lecture.layer.get_by_role("button", name="Reveal").click()
    expect(lecture.layer).to_contain_text("first vote 2")
    lecture.look("7-voted-twice")
    lecture.layer.get_by_role("button", name="Run").click()
    lab.wait("Number(view.step) >= 10", timeout=WHOLE_RUN)
    lecture.look("8-deep")
    lab.page.keyboard.press("PageDown")
    lab.until_step(100, timeout=WHOLE_RUN)
    lecture.to(7)  # shows the gradients of the deep network
    lecture.look("8-gradient")
    lecture.to(8)  # returns to the start
    lab.until_query(lambda query: "depth" not in query)
    lab.wait("Number(view.step) >= 10", timeout=WHOLE_RUN)
    assert serious(lab.page) == []
    lab.button("More").click()
    lecture.look("9-menu")
    lab.view.get_by_role("button", name="Share", exact=True).click()
    expect(lab.page.get_by_role("dialog")).to_be_visible()
    lecture.look("10-share")
    assert serious(lab.page) == []
