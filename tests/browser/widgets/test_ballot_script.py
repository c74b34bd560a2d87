"""The ballot's script on a page from the server. The server's routes for classes answer its
requests.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.widgets.class_server import pass_on
from tests.browser.widgets.conftest import ORIGIN
from tests.live.classroom.phones import QUESTION, Phone, Teacher, restart, started

COUNTED = "Your answer {} is counted. You can change it until the vote is closed."


# Message about a lost connection. It also appears if a proxy holds back the server's responses.
NOT_CONNECTED = re.compile(r"^Not connected since \d.*\. This page keeps trying\.$")


class OpenBallot:
    """A ballot on a phone, with control over the server's responses.

    Attributes:
        answers: whether the server responds. None keeps requests in `waiting`.
        votes: votes sent, in order.
        looks: number of times the script has polled for updates.
    """

    def __init__(self, page: Page) -> None:
        self.page, self.teacher = page, Teacher()
        self.code = self.teacher.open()
        self.phone = Phone(self.code)
        self.answers: bool | None = True
        self.waiting: list[Route] = []
        self.votes: list[dict[str, Any]] = []
        self.looks = 0
        page.route(f"{ORIGIN}/x/**", self._answer)
        self.ask()
        page.goto(f"{ORIGIN}{self.phone.address}")

    def _answer(self, route: Route) -> None:
        if route.request.method == "POST":
            self.votes.append(json.loads(route.request.post_data or ""))
        self.looks += "/state" in route.request.url
        if self.answers is None:
            self.waiting.append(route)
        elif self.answers:
            pass_on(route, self.phone.browser)
        else:
            route.abort()

    def ask(self) -> None:
        self.teacher.do("ask", **QUESTION)

    def look(self) -> None:
        """Advance the clock until the script has polled again."""
        before = self.looks
        while self.looks == before:
            self.page.clock.run_for(1_000)

    def tap(self, answer: str) -> None:
        self.page.get_by_role("button", name=answer).click()

    def says(self, text: str) -> None:
        expect(self.page.locator("#said")).to_have_text(text)

    def has_trouble(self, text: str | re.Pattern[str]) -> None:
        expect(self.page.locator("#trouble")).to_have_text(text)

    def pressed(self) -> list[str]:
        return self.page.locator("[aria-pressed=true] .letter").all_inner_texts()


@pytest.fixture(scope="module")
def page(chromium) -> Iterator[Page]:
    page = chromium.new_page(viewport={"width": 390, "height": 844})
    page.clock.install()
    yield page
    page.close()


@pytest.fixture
def ballot(page: Page) -> Iterator[OpenBallot]:
    with started():
        yield OpenBallot(page)
        # Leave the page before removing its route, so that pending requests end first.
        page.goto("about:blank")
        page.unroute_all(behavior="ignoreErrors")
        page.route(f"{ORIGIN}/", lambda route: route.fulfill(body=""))
        page.goto(f"{ORIGIN}/")


def test_a_tap_says_what_is_sent_and_then_what_is_counted(ballot: OpenBallot):
    ballot.says("Tap your answer.")
    ballot.answers = None
    ballot.tap("With BN")
    ballot.says("Sending B …")
    assert ballot.pressed() == ["B"]
    ballot.tap("None")
    ballot.says("Sending D …")
    assert ballot.pressed() == ["D"]
    ballot.answers = True
    for route in ballot.waiting:
        pass_on(route, ballot.phone.browser)
    ballot.says(COUNTED.format("D"))
    assert ballot.pressed() == ["D"]
    assert [vote["answer"] for vote in ballot.votes] == ["1", "3"]
    assert [vote["n"] for vote in ballot.votes] == [1, 2]
    assert len({vote["page"] for vote in ballot.votes}) == 1
    assert {vote["round"] for vote in ballot.votes} == {1}
    assert ballot.teacher.tally() == [0, 0, 0, 1]


def test_a_tap_without_an_answer_is_sent_again_as_it_was(ballot: OpenBallot):
    ballot.answers = False
    ballot.tap("Both")
    ballot.says(
        "Your answer has not been counted yet, because the server does not respond. Trying again …"
    )
    assert ballot.pressed() == ["C"]
    ballot.answers = True
    ballot.page.clock.run_for(2_000)
    ballot.says(COUNTED.format("C"))
    assert len({json.dumps(vote) for vote in ballot.votes}) == 1
    assert ballot.teacher.tally() == [0, 0, 1, 0]


def test_a_second_round_begins_without_an_answer_and_its_bars_are_its_own(ballot: OpenBallot):
    page = ballot.page
    ballot.tap("Without BN")
    ballot.says(COUNTED.format("A"))
    ballot.teacher.do("again")
    ballot.look()
    ballot.says("Tap your answer.")
    assert ballot.pressed() == []
    expect(page.locator(".round")).to_have_text("Second vote, after the discussion")
    ballot.tap("Both")
    ballot.says(COUNTED.format("C"))
    assert [vote["round"] for vote in ballot.votes] == [1, 2]
    ballot.teacher.do("close")
    ballot.look()
    ballot.says(
        "The vote is closed. Your answer was C. The votes appear here when the teacher shows them"
        " in the room."
    )
    ballot.teacher.do("reveal")
    ballot.teacher.do("happened", answers=[1], sentence="With BN broke at step 40.")
    ballot.look()
    ballot.says("Your answer was C.")
    expect(page.locator(".sentence")).to_have_text("With BN broke at step 40.")
    rows = page.get_by_role("listitem")
    expect(rows).to_have_text(
        [re.compile("A.*0.*first vote: 1"), re.compile("B.*0.*This happened · first vote: 0"),
         re.compile("C.*1.*your answer · first vote: 0"), re.compile("D.*0.*first vote: 0")]
    )  # fmt: skip
    expect(page.locator(".happened")).to_have_count(1)


def test_a_tap_of_the_first_round_is_no_answer_of_the_second(ballot: OpenBallot):
    ballot.answers = None
    ballot.tap("With BN")
    ballot.tap("None")
    (first,) = ballot.waiting
    ballot.phone.vote(1)
    ballot.teacher.do("again")
    ballot.answers = True
    # The first tap is counted, but its confirmation arrives during the second round.
    first.fulfill(json=ballot.phone.state().json())
    ballot.says("Tap your answer.")
    expect(ballot.page.locator(".round")).to_have_text("Second vote, after the discussion")
    assert ballot.pressed() == []
    ballot.tap("Both")
    ballot.says(COUNTED.format("C"))
    assert [(vote["round"], vote["answer"]) for vote in ballot.votes] == [(1, "1"), (2, "2")]
    assert ballot.teacher.tally() == [0, 0, 1, 0]


def test_what_is_tapped_for_a_question_that_is_over_is_said_to_be_closed(ballot: OpenBallot):
    ballot.teacher.do("close")
    ballot.tap("Both")
    ballot.says("This vote is closed: nothing was counted.")
    ballot.ask()
    ballot.look()
    ballot.says("Tap your answer.")
    assert ballot.pressed() == []
    expect(ballot.page.locator("#news")).to_have_text("Which one breaks?")


def test_a_phone_tells_a_server_that_is_away_from_a_class_that_is_over(ballot: OpenBallot):
    ballot.answers = False
    ballot.look()
    ballot.has_trouble(NOT_CONNECTED)
    ballot.answers = True
    ballot.look()
    ballot.has_trouble("")
    ballot.answers = None
    ballot.look()
    ballot.page.clock.run_for(10_000)
    ballot.has_trouble(NOT_CONNECTED)
    ballot.answers = True
    ballot.look()
    ballot.has_trouble("")
    restart()
    ballot.look()
    ballot.has_trouble("This class is over.")


def test_a_lost_connection_is_said_once_if_the_page_in_a_frame_says_it(ballot: OpenBallot):
    ballot.page.evaluate("() => document.body.append(document.createElement('iframe'))")
    ballot.answers = False
    ballot.look()
    ballot.has_trouble(NOT_CONNECTED)
    line = "Object.assign(document.createElement('p'), { className: 'bnviz-lost' })"
    ballot.page.locator("iframe").evaluate(f"frame => frame.contentDocument.body.append({line})")
    ballot.look()
    ballot.has_trouble("")
