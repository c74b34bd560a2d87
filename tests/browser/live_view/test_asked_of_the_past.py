"""Tests of questions about steps that the run has already taken: the steps are replayed, or their
results stay covered.
"""

import dataclasses
import re

import numpy as np
import pytest
from playwright.sync_api import expect

from bnviz.ui.talks import talk_words
from tests.browser.live_view.page_data import page_data
from tests.browser.live_view.recorded import MAIN, PAIR, broken, encoded

LAYER = "Without BN: which layer breaks first?"


@pytest.fixture
def begin(open_tab, harness, frames, taken):
    """Open a presentation view in which the network without BN broke at step 31."""

    def opened(*, rate=None, **data):
        page = page_data(PAIR, MAIN)
        texts = {**page["texts"], "talks": talk_words()}
        tab = open_tab({**page, "texts": texts, "present": True, **data}, frames)
        tab.drawn(30)
        if rate is not None:
            harness.script("set_knobs", learning_rate=rate)  # processed before the following frame
        tab.page.route(re.compile(r"/room(/|$)"), lambda route: route.abort())
        gone = broken(dataclasses.replace(taken[30][0], step=31), np.nan)
        tab.drawn(harness.push(31, encoded(gone, changes=taken[30][1])))
        return tab

    return opened


def forget_the_room(tab):
    tab.problems[:] = [problem for problem in tab.problems if "/room" not in problem]


def test_what_is_played_of_the_past_is_held_while_a_question_is_chosen_and_asked(begin, harness):
    tab = begin()
    page = tab.page
    tab.view.locator("button:not([hidden])", has_text="Show the break").evaluate(
        "one => one.click()"
    )
    tab.wait("view.time === 'playing' && view.step === '25'")
    page.keyboard.press("a")
    tab.wait("view.time === 'pinned'")
    assert tab.commands() == [{"name": "pause"}]
    harness.script("pause")
    composer = page.get_by_role("dialog", name="Ask the class")
    # Later steps must affect neither the offered questions nor the visible charts.
    composer.get_by_role("radio", name=LAYER).check()
    expect(composer).not_to_contain_text("The network broke")
    line = tab.view.locator("[data-chart=loss] .bnviz-figure")
    show = tab.view.get_by_role("button", name="Show the break", include_hidden=True)
    expect(line).to_be_hidden()
    expect(show).to_be_hidden()
    page.keyboard.press("Escape")
    # After the question is cancelled, the replay and the run continue.
    tab.wait("view.time === 'playing'")
    assert tab.commands() == [{"name": "pause"}, {"name": "play"}]
    expect(line).to_be_visible()
    harness.script("play")
    page.keyboard.press("a")
    composer.get_by_role("radio", name=LAYER).check()
    page.keyboard.press("Enter")
    harness.script("pause")
    layer = page.get_by_role("dialog")
    expect(layer).to_contain_text("The server does not answer")
    page.keyboard.press("Escape")
    tab.wait("view.time === 'pinned' && Number(view.step) < 31")
    expect(line).to_be_hidden()
    expect(show).to_be_hidden()
    panel = tab.view.get_by_role("region", name="The class")
    expect(panel.locator(".class-came")).to_have_count(0)
    # The run has already passed the step at which the answer is shown.
    page.keyboard.press("Space")
    expect(panel).to_contain_text("Without BN broke at step 31, first in layer 2.")
    tab.wait("view.time === 'live'")
    expect(line).to_be_visible()
    forget_the_room(tab)


def test_a_station_offers_its_own_question_whose_answer_it_keeps_covered(begin, harness):
    """The learning rate rose to 1 after step 12, and the question is about the effect of this
    change.
    """
    talk = {
        "name": "t", "title": "t", "number": 2, "titles": ["one", "two", "three"], "chart": "loss",
        "does": None, "ask": "In which layer?", "answers": [], "say": "", "waits": 0, "until": 2,
    }  # fmt: skip
    asks = {
        "text": "In which layer?", "answers": None, "kind": "layer", "network": "none", "until": 2,
        "steps": None, "needs": {"learning_rate": 1.0}, "since": 0, "walks": False,
    }  # fmt: skip
    tab = begin(rate=1.0, talk=talk, question=asks)
    page = tab.page
    chosen = page.locator(".class-composer input:checked")
    page.keyboard.press("a")
    expect(chosen).to_have_value("given")
    page.keyboard.press("Enter")
    harness.script("pause")
    layer = page.get_by_role("dialog")
    expect(layer).to_contain_text("The server does not answer")
    layer.get_by_role("button", name="Run", exact=True).click()
    panel = tab.view.get_by_role("region", name="The class")
    expect(panel).to_contain_text("Without BN broke at step 31, first in layer 2.")
    # A question that has been answered is not offered first again.
    page.keyboard.press("a")
    expect(chosen).to_have_value("accuracy")
    page.keyboard.press("Escape")
    forget_the_room(tab)
