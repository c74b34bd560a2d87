"""Tests of a question while the server's rooms cannot be reached: one person guesses, counts raised
hands, and starts the run.
"""

import re

import numpy as np
from playwright.sync_api import expect

from tests.browser.accessible import serious
from tests.browser.live_view.knob_hands import sent
from tests.browser.live_view.page_data import page_data
from tests.browser.live_view.recorded import ONE, PAIR, broken, encoded


def type_hands(layer, *counts):
    for letter, hands in zip("ABCD", counts, strict=True):
        layer.get_by_label(f"Hands for {letter}").fill(hands)
    layer.page.keyboard.press("Enter")


def test_a_frame_that_was_on_its_way_when_the_run_was_paused_leaves_the_question_open(
    open_tab, harness, frames, taken
):
    tab = open_tab({**page_data(PAIR, ONE), "present": True}, frames)
    tab.drawn(30)
    page = tab.page
    page.route(re.compile(r"/room(/|$)"), lambda route: route.abort())
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    run = page.get_by_role("dialog").get_by_role("button", name="Run")
    expect(run).to_be_visible()
    for viewer in harness.run.viewers:
        harness.call(viewer.limit_rate, 1)
    tab.drawn(harness.push(34, encoded(taken[30][0])))
    # The next frame is delayed by a second and still carries the status "running".
    seq = harness.push(35, encoded(taken[30][0]))
    harness.script("pause")
    tab.drawn(seq)
    assert tab.view.get_attribute("data-status") == "paused"
    expect(run).to_be_visible()
    tab.problems[:] = [problem for problem in tab.problems if "/room" not in problem]


def test_run_sets_what_the_question_takes_for_granted_and_says_so(open_tab, harness, frames):
    question = {
        "text": "At a rate of 1, which one breaks?", "answers": None, "kind": "breaks",
        "network": None, "steps": None, "needs": {"learning_rate": 1},
    }  # fmt: skip
    tab = open_tab({**page_data(PAIR, ONE), "question": question}, frames, begin={"paused": True})
    tab.drawn(30)
    page = tab.page
    page.route(re.compile(r"/room(/|$)"), lambda route: route.abort())
    edges = tab.view.locator(".bnviz-edge-words")
    expect(edges).to_have_count(1)
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    # The stability edge is hidden, because it would reveal the answer.
    expect(edges).to_have_count(0)
    page.get_by_role("dialog").get_by_role("button", name="Run with learning rate 1").click()
    harness.wait(lambda: sent(harness) == [("learning_rate", 1)])
    assert tab.commands() == [{"name": "play"}]
    expect(edges).to_have_count(1)
    tab.problems[:] = [problem for problem in tab.problems if "/room" not in problem]


def test_the_run_stands_while_a_question_is_chosen_and_goes_on_where_none_is_asked(
    open_tab, harness, frames
):
    tab = open_tab({**page_data(PAIR, ONE), "present": True}, frames)
    tab.drawn(30)
    covered = tab.page.locator(".bnviz-covered")
    tab.page.keyboard.press("a")
    assert tab.commands() == [{"name": "pause"}]
    expect(covered).to_have_count(1)
    harness.script("pause")
    tab.wait("view.status === 'paused'")
    tab.page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    tab.page.wait_for_function("window.commands.length === 2")
    assert tab.commands() == [{"name": "pause"}, {"name": "play"}]
    expect(covered).to_have_count(0)


def test_what_has_broken_already_is_not_what_is_offered_first(module):
    ask = """(() => {
      const subject = new m.QuestionedRun({
        store: { breaks: { none: { step: 66 }, batch: null } } });
      const common = { networks: [], network: null };
      return a.map((question) => subject.isUndecided({ ...common, ...question })); })()"""
    known = [
        {"kind": "breaks", "networks": ["none", "batch", None]},
        {"kind": "first", "networks": ["none", None]}, {"kind": "layer", "network": "none"},
    ]  # fmt: skip
    unknown = [
        {"kind": "breaks", "networks": ["batch", None]}, {"kind": "layer", "network": "batch"},
        {"kind": "accuracy", "network": "none"}, {"kind": "ahead", "networks": ["none", "batch"]},
    ]  # fmt: skip
    assert module("../classroom/questioned_run", ask, known + unknown) == [False] * 3 + [True] * 4


def test_a_run_that_stood_goes_on_standing_where_a_question_is_taken_back(
    open_tab, harness, frames
):
    tab = open_tab({**page_data(PAIR, ONE), "present": True}, frames, begin={"paused": True})
    tab.drawn(30)
    page = tab.page
    page.route(re.compile(r"/room(/|$)"), lambda route: route.abort())
    rate = tab.view.locator(".bnviz-rate input[type=range]")
    panel = tab.view.get_by_role("region", name="The class")
    # A finger that already holds the slider may move it while the question is being chosen.
    page.keyboard.press("a")
    rate.evaluate(
        "slider => { slider.value = slider.max; slider.dispatchEvent(new Event('input')); }"
    )
    expect(rate).to_have_attribute("aria-valuetext", "1")
    page.keyboard.press("Escape")
    expect(rate).to_have_attribute("aria-valuetext", "0.1")
    # A knob that is moved while the class is voting is reset as well.
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_contain_text("The server does not answer")
    page.keyboard.press("Escape")
    rate.press("End")
    expect(rate).to_have_attribute("aria-valuetext", "1")
    panel.get_by_role("button", name="Close").click()
    expect(panel).to_be_hidden()
    expect(rate).to_have_attribute("aria-valuetext", "0.1")
    assert (sent(harness), tab.commands()) == ([], [])
    tab.problems[:] = [problem for problem in tab.problems if "/room" not in problem]


def test_one_person_alone_guesses_and_types_hands_without_a_network(
    open_tab, harness, frames, taken
):
    data = {**page_data(PAIR, ONE), "present": True}
    tab = open_tab(data, frames, begin={"paused": True})
    tab.drawn(30)
    page = tab.page
    page.route(re.compile(r"/room(/|$)"), lambda route: route.abort())
    page.keyboard.press("a")
    composer = page.get_by_role("dialog", name="Ask the class")
    composer.get_by_role("radio", name="Which one breaks?", exact=True).check()
    page.keyboard.press("Enter")
    expect(composer).to_have_count(0)
    layer = page.get_by_role("dialog")
    expect(layer).to_contain_text("The server does not answer")
    layer.get_by_role("button", name="B With BN").click()
    layer.get_by_role("button", name="Show of hands").click()
    type_hands(layer, "12", "3", "1", "0")
    expect(layer).to_contain_text("16 hands")
    layer.get_by_role("button", name="Vote again").click()
    expect(layer.locator(".class-bars")).to_have_count(0)
    layer.get_by_role("button", name="Show of hands").click()
    type_hands(layer, "9", "4", "1", "1")
    expect(layer).to_contain_text("15 hands")
    expect(layer.locator(".class-bars")).to_have_text(
        [f"first vote {one} → second vote {two}" for one, two in ((12, 9), (3, 4), (1, 1), (0, 1))]
    )
    page.keyboard.press("Escape")
    # A knob moved while a class votes shows its new value, which is applied later.
    rate = tab.view.locator(".bnviz-rate input[type=range]")
    rate.press("End")
    expect(rate).to_have_attribute("aria-valuetext", "1")
    assert (sent(harness), tab.commands()) == ([], [])
    page.get_by_role("button", name="Show", exact=True).click()
    layer.get_by_role("button", name="Run").click()
    harness.wait(lambda: sent(harness) == [("learning_rate", 1.0)])
    assert tab.commands() == [{"name": "play"}]
    harness.script("play")
    panel = tab.view.get_by_role("region", name="The class")
    expect(layer).to_have_count(0)
    came = panel.locator(".class-came")
    expect(came).to_have_count(0)
    tab.drawn(harness.push(230, encoded(broken(taken[30][0], np.nan))))
    expect(came).to_contain_text("12")
    expect(came).to_contain_text("happened")
    expect(panel.locator("[data-place='1']")).to_contain_text("you")
    assert "right" not in panel.inner_text()
    page.evaluate("document.title = 'A page with a run'")
    assert serious(page) == []
    # The answer belongs to one run: after a restart, the question is open again.
    harness.start_over()
    expect(panel).to_be_hidden()
    tab.problems[:] = [problem for problem in tab.problems if "/room" not in problem]


def test_what_a_run_answers_from_its_beginning_counts_from_there_however_late_it_is_asked(module):
    ask = """a.map(([since, alone]) => {
      const question = { kind: "ahead", steps: 300, networks: [], network: null, since };
      const asked = new m.QuestionAboutRun(question, { alone });
      const store = { run: "r", breaks: {}, status: "paused" };
      for (let look = 0; look < 2; look += 1) asked.follow({ live: { step: 354 }, store });
      return [asked.from.step, asked.going]; })"""
    cases = [[None, True], [0, True], [0, False]]
    found = module("../classroom/questioned_run", ask, cases)
    assert found == [[354, False], [0, True], [0, False]]
