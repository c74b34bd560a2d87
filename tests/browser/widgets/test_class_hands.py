"""Keyboard shortcuts and typed counts of raised hands while a teacher asks a question, with a real
room of the server.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.widgets.class_server import pass_on
from tests.browser.widgets.conftest import ORIGIN
from tests.browser.widgets.map_page import base, map_pages
from tests.live.classroom.phones import Phone, Teacher

BEFORE_AND_AFTER = (
    "Outline and first number: before the discussion. Bar and second number: after it."
)


@pytest.fixture
def open_map(pages):
    with map_pages(pages) as begin:
        yield begin


class Asked:
    """Presentation view with an open question that has two answers."""

    def __init__(self, page: Page) -> None:
        self.page, self.teacher = page, Teacher()
        page.route(re.compile(rf"{ORIGIN}/room"), self._room)
        page.route(re.compile(r"/qr\.svg"), lambda route: route.fulfill(body=""))
        self.layer: Locator = page.get_by_role("dialog")
        self.ask()
        self.code = self.layer.locator(".class-code").inner_text()

    def ask(self) -> None:
        """Ask the class a question in the teacher's own words."""
        page = self.page
        page.keyboard.press("a")
        composer = page.get_by_role("dialog", name="Ask the class")
        composer.get_by_role("radio", name="Your own words").check()
        composer.get_by_label("Question", exact=True).last.fill("Which?")
        for letter in "AB":
            composer.get_by_label(f"Answer {letter}").fill(f"Network {letter}")
        page.keyboard.press("Enter")
        expect(self.layer.locator(".class-code")).not_to_be_empty()

    def _room(self, route: Route) -> None:
        pass_on(route, self.teacher.browser, "/x")

    def button(self, name: str) -> Locator:
        return self.layer.get_by_role("button", name=name, exact=True)

    def type_hands(self, **counts: int) -> None:
        self.button("Show of hands").click()
        for letter, count in counts.items():
            self.layer.get_by_label(f"Hands for {letter}").fill(str(count))

    def phone_shows(self, phone: Phone, words: str) -> None:
        """Wait until the phone shows the words, because the page updates its own view before it
        informs the server.
        """
        while words not in phone.open().text:
            self.page.wait_for_timeout(50)

    def tally_is(self, *counts: str) -> None:
        """Check the vote counts in the panel."""
        expect(self.page.locator(".class-panel .class-bars")).to_have_text(counts)


@pytest.fixture
def asked(rooms, open_map) -> Asked:
    opened = open_map(base(), present=True)
    opened.drawn(24)
    return Asked(opened.page)


def test_hands_that_were_typed_count_whatever_is_pressed_next(asked: Asked):
    ways = (["Reveal"], ["Close the vote", "Reveal"], ["Run"])
    for number, presses in enumerate(ways, 30):
        if number > 30:
            asked.button("Cancel").click()
            asked.ask()
        asked.type_hands(A=number, B=12)
        for name in presses:
            asked.button(name).click()
        asked.tally_is(str(number), "12")
        expect(asked.layer.get_by_label("Hands for A")).to_be_hidden()


def test_a_field_for_hands_is_empty_until_it_is_typed_in_and_what_is_no_count_is_said(
    asked: Asked,
):
    asked.type_hands()
    field = asked.layer.get_by_label("Hands for A")
    expect(field).to_be_focused()
    expect(field).to_have_value("")
    for _ in range(2):  # in the second pass, the field already contains a digit
        asked.layer.get_by_label("Hands for B").focus()
        field.click(position={"x": 4, "y": 8})
        asked.page.keyboard.type("3")
        expect(field).to_have_value("3")
    asked.layer.get_by_label("Hands for B").fill("-1")
    asked.button("Reveal").click()
    expect(asked.layer.get_by_label("Hands for B")).to_be_focused()
    asked.layer.get_by_label("Hands for B").fill("")
    asked.page.keyboard.press("Enter")
    expect(asked.layer).to_contain_text("3 hands")
    asked.tally_is("3", "0")
    expect(asked.button("Run")).to_be_focused()


def test_answers_that_nobody_was_shown_are_thrown_away_by_a_second_press_alone(asked: Asked):
    page, phone = asked.page, Phone(asked.code)
    phone.open()
    phone.vote(0)
    expect(asked.layer).to_contain_text("1 of 1 have answered")
    asked.button("Cancel").click()
    expect(asked.button("Discard 1 answer")).to_be_visible()
    page.keyboard.press("Escape")
    expect(asked.button("Cancel")).to_be_visible()
    asked.button("Cancel").dblclick()  # a double click must not confirm what the first click offers
    asked.button("Show of hands").click()
    expect(asked.button("Cancel")).to_be_visible()
    asked.button("Back to the page").click()
    panel = page.get_by_role("region", name="The class")
    close = panel.get_by_role("button", name="Close", exact=True)
    lost = panel.get_by_role("button", name="Discard 1 answer")
    close.click()
    expect(lost).to_be_visible()
    panel.get_by_role("button", name="Keep").click()
    expect(lost).to_be_hidden()
    # Any other key also cancels the confirmation.
    close.click()
    expect(lost).to_be_visible()
    page.keyboard.press("z")
    expect(lost).to_be_hidden()
    close.click()
    lost.click()
    expect(panel).to_be_hidden()
    asked.phone_shows(phone, "The question was taken back.")


def test_focus_goes_on_to_what_comes_next_and_a_second_round_says_which_is_which(asked: Asked):
    phone = Phone(asked.code)
    phone.open()
    phone.vote(0)
    asked.button("Close the vote").press("Enter")
    expect(asked.button("Close the vote")).to_be_hidden()
    expect(asked.button("Reveal")).to_be_focused()
    # A vote that was closed too early keeps its earlier votes when it is reopened.
    asked.button("Reopen the vote").press("Enter")
    expect(asked.layer).to_contain_text("1 of 1 have answered")
    asked.button("Close the vote").press("Enter")
    expect(asked.button("Reveal")).to_be_focused()
    asked.button("Vote again").press("Enter")
    expect(asked.button("Close the vote")).to_be_focused()
    phone.vote(1)
    asked.button("Reveal").press("Enter")
    expect(asked.button("Run")).to_be_focused()
    expect(asked.layer.get_by_role("status").filter(has_text=BEFORE_AND_AFTER)).to_be_visible()
    expect(asked.button("Vote again")).to_be_hidden()  # at most two rounds
    asked.button("Cancel").click()
    expect(asked.layer).to_have_count(0)
    asked.phone_shows(phone, "The question will appear here when the teacher asks it")
