"""The ballot on a phone: votes, and use without a network connection, without scripts, or after a
restart of the server.
"""

import pytest
from playwright.sync_api import expect

from tests.browser.accessible import serious
from tests.browser.conftest import visiting
from tests.browser.hall_server import hall_server

PHONE = {"viewport": {"width": 390, "height": 844}}
QUESTION = {
    "text": "The learning rate goes from 0.1 to 1. Which one breaks?",
    "answers": ["Without BN", "With BN", "Both", "Neither"],
}
SAID = "[role=status]"
# Path of a page that sends no further requests.
STILL = "/still"


class Teacher:
    """Client that sends the requests of a teacher's browser without a page."""

    def __init__(self, page, server):
        self.requests, self.server, self.opened = page.context.request, server, {}
        self.requests.get(server.url, headers={"accept": "text/html"})  # sets the cookie

    @property
    def code(self):
        return self.opened["code"]

    def open(self):
        self.opened = self.send("/room")
        return f"/b/{self.code}"

    def do(self, act, **body):
        return self.send(f"/room/{self.code}/{act}", **body)["question"]

    def send(self, path, **body):
        url = self.server.url + path
        found = self.requests.post(url, data=body, headers={"origin": self.server.url})
        assert found.ok, found.text()
        return found.json()


@pytest.fixture(scope="module")
def hall():
    with hall_server() as running:
        yield running


@pytest.fixture
def visit(tabs, hall):
    with visiting(tabs, hall) as open_page:
        yield open_page


@pytest.fixture
def teacher(visit, hall):
    return Teacher(visit(STILL).page, hall)


def without(problems, said):
    """Remove expected console errors from the problems."""
    problems[:] = [problem for problem in problems if said not in problem]


def test_a_ballot_is_tapped_counted_changed_and_shows_the_tally(visit, teacher):
    phone = visit(teacher.open(), color_scheme="dark", **PHONE)
    page, said = phone.page, phone.page.locator(SAID)
    expect(page.get_by_role("heading", level=1)).to_have_text("You are in.")
    teacher.do("ask", **QUESTION)
    expect(page.get_by_role("heading", level=1)).to_have_text(QUESTION["text"])
    expect(page.locator("[aria-live=polite]")).to_have_text(QUESTION["text"])
    answers = page.get_by_role("button")
    assert answers.all_inner_texts() == [
        f"{letter}\n{answer}" for letter, answer in zip("ABCD", QUESTION["answers"], strict=True)
    ]
    for box in (answer.bounding_box() for answer in answers.all()):
        assert box["height"] >= 60
        assert box["width"] >= 300
    page.get_by_role("button", name="Both").click()
    expect(said).to_contain_text("Your answer C is counted")
    # The keyboard works too. Focus does not move when the server's response arrives.
    first = page.get_by_role("button", name="Without BN")
    first.press("Enter")
    expect(said).to_contain_text("Your answer A is counted")
    expect(first).to_be_focused()
    expect(first).to_have_attribute("aria-pressed", "true")
    foot = page.get_by_role("contentinfo")
    expect(foot).to_contain_text("Each browser counts as one vote")
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        assert serious(page) == []
    assert teacher.do("reveal")["tally"] == [1, 0, 0, 0]
    teacher.do("happened", answers=[0], sentence="Without BN broke at step 156.")
    expect(page.get_by_text("Without BN broke at step 156.")).to_be_visible()
    expect(page.get_by_role("listitem").first).to_contain_text("This happened · your answer")
    assert serious(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_a_tap_without_a_network_is_counted_when_there_is_one_again(visit, teacher):
    address = teacher.open()
    teacher.do("ask", **QUESTION)
    phone = visit(address, **PHONE)
    phone.page.context.set_offline(True)
    phone.page.get_by_role("button", name="With BN").click()
    expect(phone.page.locator(SAID)).to_contain_text("Trying again")
    phone.page.get_by_role("button", name="Neither").click()
    phone.page.context.set_offline(False)
    expect(phone.page.locator(SAID)).to_contain_text("Your answer D is counted")
    assert teacher.do("reveal")["tally"] == [0, 0, 0, 1]
    without(phone.problems, "ERR_INTERNET_DISCONNECTED")


def test_a_phone_asks_less_and_less_often_and_not_at_all_while_nobody_looks(visit, teacher):
    page = visit(STILL, script="// Its clock is not real from now on.", **PHONE).page
    page.clock.install()
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "/state" in request.url else 0)
    page.goto(teacher.server.url + teacher.open())
    for longest in (2.6, 3.3, 4.1, 5.1, 6.4, 6.5):
        with page.expect_response("**/state?**"):
            page.clock.run_for(1000 * longest)
    page.clock.run_for(3400)
    page.evaluate("0")
    assert len(asked) == 6

    def hide(hidden):
        look = "Object.defineProperty(document, 'hidden', { value: %s, configurable: true })"
        page.evaluate(f"{look % str(hidden).lower()}")
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")

    hide(True)
    page.clock.run_for(60_000)
    page.evaluate("0")
    assert len(asked) == 6
    with page.expect_response("**/state?**"):
        hide(False)


def test_a_phone_without_scripts_votes(visit, teacher):
    address = teacher.open()
    teacher.do("ask", **QUESTION)
    page = visit("/b", java_script_enabled=False, **PHONE).page
    page.get_by_label("Code of the class").fill(address[-6:].lower())
    page.get_by_role("button", name="Go").click()
    page.get_by_role("button", name="Without BN").click()
    expect(page.locator(SAID)).to_contain_text("Your answer A is counted")
    assert teacher.do("reveal")["tally"] == [1, 0, 0, 0]
    page.get_by_role("link", name="Look again").click()
    expect(page.get_by_role("listitem").first).to_contain_text("your answer")


@pytest.mark.verify
def test_the_page_that_follows_shows_what_the_teacher_shows_and_goes_along(visit, teacher):
    follow = visit(teacher.open().replace("/b/", "/w/"), **PHONE).page
    expect(follow.get_by_text("The teacher’s page is shown here")).to_be_visible()
    steps, frame = follow.evaluate("history.length"), follow.frame_locator("iframe")

    def go(address):
        path = f"{teacher.server.url}/room/{teacher.code}/place"
        headers = {"origin": teacher.server.url}
        assert teacher.requests.put(path, data={"address": address}, headers=headers).ok

    run = "0f" * 16
    go(f"/lab?depth=2&width=8&run={run}&present=1")
    expect(frame.get_by_role("heading")).to_have_text(f"/lab?run={run}&embed=true")
    expect(follow.get_by_text("The teacher’s page is shown here")).to_be_hidden()
    teacher.do("ask", **QUESTION)
    expect(follow.get_by_text("A question is open.")).to_be_visible()
    go("/about")
    expect(frame.get_by_role("heading")).to_have_text("/about?embed=true")
    # Navigation in the frame adds no history entry, so Back leaves the page.
    assert follow.evaluate("history.length") == steps
    assert serious(follow) == []


def test_a_phone_says_that_its_class_is_over_after_a_restart_without_saved_state(
    visit, teacher, hall
):
    address = teacher.open()
    teacher.do("ask", **QUESTION)
    phone = visit(address, **PHONE)
    said, trouble = phone.page.locator(SAID), phone.page.get_by_role("alert")
    phone.page.get_by_role("button", name="Both").click()
    expect(said).to_contain_text("Your answer C is counted")
    phone.page.context.set_offline(True)
    expect(trouble).to_contain_text("Not connected since")
    hall.restart()
    phone.page.context.set_offline(False)
    expect(trouble).to_have_text("This class is over.")
    assert teacher.open() != address
    for error in ("ERR_INTERNET_DISCONNECTED", "404", "429"):
        without(phone.problems, error)
