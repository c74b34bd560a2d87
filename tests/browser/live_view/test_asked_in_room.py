"""Tests of questions to a class in the presentation view, with the real rooms of the server."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from bnviz.live.protocol.client_messages import BadMessage
from bnviz.ui.talks import talk_words
from bnviz.words.texts import text
from tests.browser.live_view.knob_hands import sent
from tests.browser.live_view.page_data import page_data
from tests.browser.live_view.recorded import MAIN, ONE, PAIR, broken, encoded
from tests.browser.test_stage import OUTSIDE, WINDOWS
from tests.browser.widgets.class_server import pass_on
from tests.live.classroom.phones import Phone, Teacher

TALK = {
    "name": "talk", "title": "A talk", "number": 1, "does": None, "titles": ["one", "two", "three"],
    "ask": "Which one breaks?", "answers": [], "say": "Look.", "chart": "loss",
    "waits": 0, "until": 1,
}  # fmt: skip
QUESTION = {
    "text": "Which one breaks?", "answers": None, "kind": "breaks", "network": None, "steps": None,
    "needs": {}, "until": 1,
}  # fmt: skip

# JavaScript function that returns whether an element has the page's text colour, and the element's
# font size in pixels.
INK_AND_SIZE = """element => {
  const { color, fontSize } = getComputedStyle(element);
  const page = element.closest('dialog') ?? document.querySelector('.class-panel h2');
  return [color === getComputedStyle(page).color, parseFloat(fontSize)];
}"""


class Stage:
    """Presentation view of a run, with a class and the phone of one participant."""

    def __init__(self, tab, teacher):
        self.tab, self.page, self.teacher = tab, tab.page, teacher
        self.layer = tab.page.get_by_role("dialog")
        self.panel = tab.view.get_by_role("region", name="The class")
        self.phone = None

    def ask(self):
        """Ask the first question, vote on the phone, and wait for the panel."""
        expect(self.tab.view.locator(".class-ask").first).to_be_visible()
        self.page.keyboard.press("a")
        expect(self.page.locator(".class-composer")).to_be_visible()
        self.page.keyboard.press("Enter")
        self.room("question?.status === 'open'")
        self.phone = self.phone or Phone(self.layer.locator(".class-code").inner_text())
        self.phone.open()
        self.phone.vote(0)
        expect(self.layer).to_contain_text("1 of 1 have answered")
        self.page.keyboard.press("Escape")
        expect(self.layer).to_be_hidden()

    def to(self, number, **more):
        """Mount the page with the data of another station (stop) of the talk."""
        self.page.evaluate(
            """changes => {
              const done = window.commands.map((one) => [one.view, one.commands.at(-1).sent]);
              window.mountAgain({ ...changes, commands_done: Object.fromEntries(done) });
            }""",
            {
                "talk": {**TALK, "number": number, "until": number},
                "question": {**QUESTION, "until": number},
                **more,
            },
        )

    def phone_shows(self, words, language="en"):
        """Wait until the phone shows the words, because the page updates its own view before it
        informs the server.
        """
        while words not in self.phone.open(language).text:
            self.page.wait_for_timeout(50)

    def room(self, condition):
        """Wait for a condition on the room's state in the tab's session storage."""
        kept = "JSON.parse(sessionStorage.getItem('bnviz-room') ?? '{}')"
        self.page.wait_for_function(f"(({{ question }}) => {condition})({kept})")


@pytest.fixture
def begin(rooms, open_tab, frames):
    def opened(charts=ONE, **data):
        page = page_data(PAIR, charts)
        texts = {**page["texts"], "talks": talk_words()}
        given = {**page, "texts": texts, "present": True, **data}
        tab = open_tab(given, frames, begin={"paused": True})
        # A room outlives the view, so the next test must load the page again.
        tab.page.evaluate("delete window.leave")
        tab.drawn(30)
        stage = Stage(tab, Teacher())
        room = re.compile(r"/room(/|$)")
        tab.page.route(room, lambda route: pass_on(route, stage.teacher.browser, "/x"))
        return stage

    return opened


def test_votes_that_nobody_was_shown_outlive_the_run_that_answered_and_are_marked(
    begin, harness, taken
):
    stage = begin()
    stage.ask()
    # The phone's language does not depend on the teacher's language.
    stage.phone_shows(text("class.ask.breaks", "ja"), "ja")
    assert f">{text('norms.none.network', 'zh-Hans')}</span>" in stage.phone.open("zh-Hans").text
    stage.page.keyboard.press("Space")
    stage.room("question.status === 'closed'")
    assert stage.tab.commands() == [], "only the first request closes the vote"
    stage.page.keyboard.press("Space")
    stage.page.wait_for_function("window.commands.length === 1")
    assert stage.tab.commands() == [{"name": "play"}]
    harness.script("play")
    stage.tab.drawn(harness.push(230, encoded(broken(taken[30][0], np.nan))))
    expect(stage.panel).to_contain_text("Without BN broke at step")
    harness.start_over()
    expect(stage.panel).to_contain_text("In the previous run: Without BN broke at step")
    stage.panel.get_by_role("button", name="Reveal").click()
    expect(stage.panel.locator(".class-bars").first).to_have_text("1")
    stage.phone_shows("This happened")
    for code in ("ja", "zh-Hans"):
        broke = text("class.happened.broke", code).partition("{step}")[0]
        stage.phone_shows(broke.format(label=text("norms.none.network", code)), code)
    # Closing the panel now loses no answers, so it needs no confirmation.
    stage.panel.get_by_role("button", name="Close").click()
    expect(stage.panel).to_be_hidden()
    stage.phone_shows("This happened")
    # The space bar plays and pauses the run, whichever button was pressed last.
    stage.tab.page.keyboard.press("Space")
    assert stage.tab.commands()[-1]["name"] in ("play", "pause")
    expect(stage.layer).to_have_count(0)


def test_a_clicker_goes_on_with_the_vote_first_and_a_station_that_is_left_takes_its_question_along(
    begin, harness, taken
):
    walks = {**QUESTION, "needs": {"learning_rate": 1}, "walks": True, "until": 2}
    stage = begin(talk=TALK, question=walks)
    key = stage.page.keyboard
    stage.ask()
    # Pressing the key too early closes the vote, but the teacher can reopen it.
    key.press("PageDown")
    expect(stage.panel).to_contain_text("Voting is closed.")
    expect(stage.panel.locator(".class-small-code")).to_be_hidden()
    stage.panel.get_by_role("button", name="Show", exact=True).click()
    expect(stage.layer.locator(".class-code")).to_be_hidden()
    for says in (stage.panel.locator(".class-shut"), stage.layer.locator(".class-status")):
        assert says.evaluate(INK_AND_SIZE) == [True, 34], "the last row reads it"
    key.press("Escape")
    stage.panel.get_by_role("button", name="Reopen").click()
    expect(stage.panel.locator(".class-small-code")).to_be_visible()
    stage.phone.vote(1)
    key.press("PageDown")
    expect(stage.panel).to_contain_text("Voting is closed.")
    key.press("PageDown")
    expect(stage.panel.locator("[data-place='1'] .class-bars")).to_have_text("1")
    assert stage.tab.commands() == []
    # The next station of the talk sets the knobs that the question assumes.
    key.press("PageDown")
    assert stage.tab.commands() == [{"name": "station", "number": 2}]
    stage.to(2)
    harness.script("play")
    stage.tab.drawn(harness.push(31, encoded(taken[30][0])))
    expect(stage.panel).to_contain_text("The answer is known at step 230.")
    # The run must reach the step of the answer before the talk can leave the question.
    for _ in range(2):
        key.press("PageDown")
    assert stage.tab.commands()[1:] == [{"name": "advance", "step": 230}]
    expect(stage.page.locator(".bnviz-stands")).to_have_text("on to step 230 …")
    stage.page.get_by_role("button", name="Next station (PageDown): three").click()
    expect(stage.page.locator(".bnviz-notice")).to_contain_text("The answer is not known yet")
    stage.tab.drawn(harness.push(230, encoded(taken[30][0])))
    expect(stage.panel).to_contain_text("No network broke in the 200 steps up to step 230.")
    expect(stage.page.locator(".bnviz-stands")).to_have_count(0)
    # While the server is away, no key loses the outcome.
    connection = "state => (document.body.dataset.testConnectionState = state)"
    stage.page.evaluate(connection, "DISCONNECTED")
    key.press("PageDown")
    stage.page.get_by_role("button", name="Next station (PageDown): three").click()
    key.press("Space")
    assert stage.tab.commands()[2:] == []
    expect(stage.panel).to_contain_text("No network broke in the 200 steps up to step 230.")
    stage.page.evaluate(connection, "CONNECTED")
    key.press("PageDown")
    assert stage.tab.commands()[2:] == [], "the script does not know the page yet"
    stage.to(2)
    key.press("PageDown")
    # A command that was given meanwhile has waited for the script.
    given = stage.tab.commands()[2:]
    assert given == [{"name": "pause"}, {"name": "station", "number": 3}]
    stage.to(3)
    expect(stage.panel).to_be_hidden()
    stage.room("question === null")
    stage.phone_shows("This happened")
    # Unrevealed answers must be revealed or discarded before the talk can move on.
    stage.ask()
    key.press("PageUp")
    expect(stage.layer).to_contain_text("These answers have not been shown yet.")
    assert stage.tab.commands()[4:] == [], "the run is paused already"
    stage.layer.get_by_role("button", name="Reveal").click()
    expect(stage.layer).not_to_contain_text("These answers have not been shown yet.")
    expect(stage.layer.locator(".class-bars").first).to_be_visible()  # the server has responded
    key.press("Escape")
    key.press("PageUp")  # the run has not reached the step of the answer yet
    assert stage.tab.commands()[4:] == []
    key.press("PageUp")
    assert stage.tab.commands()[4:] == [{"name": "station", "number": 2}]
    stage.to(2)
    expect(stage.panel).to_be_hidden()
    stage.room("question === null")
    # The question is also discarded if the page itself changes the station.
    stage.ask()
    stage.to(3)
    expect(stage.panel).to_be_hidden()
    stage.room("question === null")
    stage.phone_shows("The question was taken back.")


def test_play_is_run_while_a_class_thinks(begin, harness):
    """The first press of Play closes the vote, and the second runs with the settings of the
    question.
    """
    stage = begin(question={**QUESTION, "text": "And at 1?", "needs": {"learning_rate": 1}})
    edges = stage.tab.view.locator(".bnviz-edge-words")
    stage.ask()
    expect(edges).to_have_count(0)

    def play():
        stage.tab.view.get_by_role("button", name="Play", exact=True).click()

    play()
    stage.room("question.status === 'closed'")
    assert stage.tab.commands() == [], "only the first request closes the vote"
    play()
    harness.wait(lambda: sent(harness) == [("learning_rate", 1)])
    assert stage.tab.commands() == [{"name": "play"}]
    stage.room("question.status === 'closed'")
    harness.script("play")
    stage.tab.wait("view.status === 'running'")
    stage.page.keyboard.press("Space")
    assert stage.tab.commands()[1:] == [{"name": "pause"}]


# JavaScript function that returns by how many pixels a room's code extends beyond its card or the
# window.
CUT_OFF = """() => {
  const box = (name) => document.querySelector(name).getBoundingClientRect();
  const [code, panel] = [box('.class-small-code'), box('.class-panel')];
  return Math.max(panel.top - code.top, code.bottom - panel.bottom, code.bottom - innerHeight, 0);
}"""


def test_a_rooms_code_is_whole_beside_all_that_may_be_said(begin, harness):
    ask = "The learning rate goes from 0.1 to 1. Which network breaks"
    long = f"{ask}, and which of them comes back later?"
    say = (
        "The two networks have the same data and the same initial weights. One of them has batch"
        " normalization."
    )
    stage = begin(
        MAIN,
        talk={**TALK, "ask": f"{ask}?", "say": say},
        question={**QUESTION, "text": long},
    )
    stage.ask()
    stage.page.evaluate("document.documentElement.classList.add('stMain')")
    code = stage.panel.locator(".class-small-qr")
    for notice in (False, True):
        if notice:
            harness.hub.registry.broadcast(
                harness.run, BadMessage("knob", 1, "smaller, too large, " * 9).plain()
            )
            expect(stage.page.locator(".bnviz-notice")).to_be_visible()
        for width, height in WINDOWS:
            stage.page.set_viewport_size({"width": width, "height": height})
            stage.page.wait_for_function(f"({CUT_OFF})() === 0")
            stage.page.wait_for_function(f"!({OUTSIDE})().length")
            assert code.bounding_box()["height"] > 60
    # The warning before discarding answers does not push the room's code out of its card either.
    stage.panel.get_by_role("button", name="Close").click()
    expect(stage.panel.get_by_role("button", name="Discard 1 answer")).to_be_visible()
    assert stage.page.evaluate(CUT_OFF) == 0
