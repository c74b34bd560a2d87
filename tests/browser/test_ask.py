"""Test of a classroom vote: a class votes on two phones, one vote changes, the run shows the
outcome, and the class votes again.
"""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessible import serious
from tests.browser.conftest import Server
from tests.browser.lab_page import LabPage

STAGE = {"width": 1280, "height": 800}
CODE = re.compile(r"^[2-9A-Z]{6}$")
PHONE = {"width": 390, "height": 844}


def ask(lab: LabPage, question: str) -> None:
    """Choose a question using only the keyboard."""
    lab.page.keyboard.press("a")
    composer = lab.page.get_by_role("dialog", name="Ask the class")
    expect(composer.get_by_role("radio").first).to_be_focused()
    composer.get_by_role("radio", name=question, exact=True).check()
    lab.page.keyboard.press("Enter")
    expect(composer).to_have_count(0)


def vote(phone: Page, letter: str) -> None:
    """Tap an answer, and wait until the page confirms it."""
    phone.locator("button[name=answer]").nth("ABCD".index(letter)).click()
    expect(phone.get_by_text(f"Your answer {letter} is counted.")).to_be_visible()


def move_the_rate_to_one(lab: LabPage) -> None:
    """Set the learning rate to 1 while a class votes. The slider shows the new rate, but the run
    does not use it yet.
    """
    rate = lab.view.locator(".bnviz-rate input[type=range]")
    rate.press("PageUp")
    expect(rate).to_have_attribute("aria-valuetext", re.compile("^1$"))
    assert (lab.status, lab.query().get("learning_rate")) == ("paused", None)


def run(lab: LabPage) -> None:
    """Continue the run from the question's dialog, with the changed knob."""
    lab.page.get_by_role("dialog").get_by_role("button", name="Run").click()
    lab.until_status("running")
    lab.until_query(lambda query: float(query.get("learning_rate", 0)) == 1)


@pytest.mark.verify
def test_a_class_votes_is_told_what_happened_and_votes_again(visit, tabs, server: Server):
    # With reduced motion, the page draws few frames. These are enough, because the test does not
    # depend on the charts.
    lab = visit("/lab?present=1", viewport=STAGE, reduced_motion="reduce").drawn()
    # The outcome is known as soon as the network breaks.
    ask(lab, "Without BN: which layer breaks first?")
    layer = lab.page.get_by_role("dialog")
    lab.until_status("paused")
    expect(layer.get_by_role("heading")).to_be_focused()
    code = layer.locator(".class-code")
    expect(code).to_have_text(CODE)
    # The code must be readable from the last row.
    assert layer.get_by_alt_text("QR code of the ballot").bounding_box()["height"] >= 400
    assert float(code.evaluate("(e) => parseFloat(getComputedStyle(e).fontSize)")) >= 96
    assert serious(lab.page) == []
    phones = [tabs.take(viewport=PHONE) for _ in range(2)]
    first, second = (phone.page for phone in phones)
    for phone in (first, second):
        phone.goto(f"{server.url}/b/{code.inner_text()}")
    vote(first, "B")
    vote(second, "B")
    expect(layer).to_contain_text("2 of 2 have answered")
    vote(first, "A")
    expect(layer.locator(".class-bars")).to_have_count(0)  # never what
    # Escape discards no votes: the question moves into the panel, and a reload keeps it.
    lab.page.keyboard.press("Escape")
    panel = lab.page.get_by_role("region", name="The class")
    expect(panel).to_contain_text("2 of 2 have answered")
    lab.page.reload()
    lab.drawn()
    move_the_rate_to_one(lab)
    expect(panel).to_contain_text("2 of 2 have answered")
    panel.get_by_role("button", name="Show", exact=True).click()
    layer.get_by_role("button", name="Vote again").wait_for(state="hidden")
    layer.get_by_role("button", name="Close the vote").click()
    layer.get_by_role("button", name="Vote again").click()
    expect(layer).to_contain_text("0 of 2 have answered")
    expect(second.get_by_text("Second vote")).to_be_visible()
    vote(second, "A")
    layer.get_by_role("button", name="Reveal").click()
    expect(layer.locator("[data-place='0'] .class-bars")).to_have_text(
        "first vote 1 → second vote 1"
    )
    expect(layer.locator("[data-place='1'] .class-bars")).to_have_text(
        "first vote 1 → second vote 0"
    )
    run(lab)
    expect(layer).to_have_count(0)
    came = panel.locator(".class-came")
    expect(came).to_contain_text("happened")
    expect(panel).to_contain_text("Without BN broke at step")
    expect(first.get_by_text("Without BN broke at step")).to_be_visible()
    panel.get_by_role("button", name="Ask again").click()
    lab.page.keyboard.press("Escape")
    expect(panel.get_by_role("button", name="Ask again")).to_be_focused()
    for phone in phones:
        tabs.give_back(phone, server.url + "/_stcore/health")
