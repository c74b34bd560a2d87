"""The presentation view in windows of every size, with its keys and its menu."""

import gzip
from functools import partial

import numpy as np
import pytest
from playwright.sync_api import expect

from bnviz.charts.theme import PRESENTATION_TYPE
from bnviz.live.protocol.client_messages import BadMessage
from bnviz.ui.chart_templates import build_charts
from bnviz.words.texts import ENGLISH, texts
from tests.browser.live_view.knob_hands import sent
from tests.browser.live_view.page_data import knobs_of, page_data
from tests.browser.live_view.recorded import MAIN, PAIR, broken, encoded
from tests.browser.test_stage import OUTSIDE, SMALL, WINDOWS, until_it_is_whole

# JavaScript function that returns the texts that overlap or are cut off at the bottom of the
# presentation view.
COVERED = """() => {
  const names = '.bnviz-talk, .bnviz-track, .bnviz-now, .bnviz-pill, .bnviz-notice, .bnviz-stands';
  const parts = [...document.querySelectorAll(`.bnviz-stage-base :is(${names})`)]
    .filter((part) => part.checkVisibility()).map((part) => [part, part.getBoundingClientRect()]);
  const over = (a, b) =>
    a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  const covered = parts.flatMap(([one, a], i) => parts.slice(i + 1)
    .filter(([two, b]) => over(a, b)).map(([two]) => `${one.textContent} ${two.textContent}`));
  const cut = parts.flatMap(([part]) => [part, ...part.children])
    .filter((part) => part.scrollWidth > part.clientWidth + 1 && part.clientWidth)
    .map((part) => part.textContent);
  return [...covered, ...cut];
}"""
# JavaScript function that returns the texts that are larger than their element.
CUT = """element => [element, ...element.querySelectorAll('h2, .class-answer')]
  .filter((part) => part.scrollHeight > part.clientHeight + 1)
  .map((part) => part.textContent)"""


def answer(body, kind, route):
    route.fulfill(body=body, content_type=kind)


@pytest.fixture
def stage(open_tab, frames):
    """Return a presentation view of a paused run with two networks."""
    paused = {"paused": True}
    window = {"width": 1280, "height": 800}
    tab = open_tab(
        {**page_data(PAIR, MAIN), "present": True}, frames[:9], begin=paused, viewport=window
    )
    tab.drawn(8)
    # Serve the lab's charts in the type sizes of the presentation view.
    for size in PRESENTATION_TYPE.values():
        made = gzip.decompress(build_charts(PAIR, False, size, None, ENGLISH, ()).compressed)
        tab.page.route(f"**/hall-{size}.json", partial(answer, made, "application/json"))
    tab.page.evaluate("ids => window.mountAgain({ charts_ids: ids })", {
        str(least): f"hall-{size}" for least, size in PRESENTATION_TYPE.items()
    })  # fmt: skip
    # In the app, the presentation view is inside a scrolling element with this CSS class.
    tab.page.evaluate("document.documentElement.classList.add('stMain')")
    expect(tab.view.locator(".bnviz-stage-card .js-plotly-plot")).to_have_count(2)
    return tab


def test_all_of_it_is_in_one_window_and_nothing_is_small(stage):
    for (width, height), least in WINDOWS.items():
        stage.page.set_viewport_size({"width": width, "height": height})
        until_it_is_whole(stage.page, least)
        expect(stage.view.locator(".bnviz-stage-card .js-plotly-plot")).to_have_count(2)
        tops = {box.bounding_box()["y"] for box in stage.view.locator("[data-card]").all()}
        assert len(tops) == 1, "two charts are side by side"


def test_what_was_asked_and_what_happened_are_read_whole(stage, harness):
    said = texts(name="class")["happened"]
    parts = (said[key] for key in ("layer_first", "rule_saturated", "moved_first"))
    sentence = " ".join(parts).format(label="Without BN", step="1,234", number=5)
    question = {
        "id": "given", "kind": "layer",
        "text": "The learning rate goes from 0.1 to 1. Which layer breaks?",
        "answers": ["Layer 1", "Layers 2 to 5", "Layer 6", "The output, or none"],
        "networks": [None] * 4, "network": "none", "needs": {},
    }  # fmt: skip
    votes = {"status": "revealed", "round": 2, "answered": 212, "hands": False,
             "tally": [101, 77, 22, 12], "first": [50, 100, 31, 31]}  # fmt: skip
    happened = {"answers": [1], "sentence": sentence}
    stage.page.evaluate(
        "asked => sessionStorage.setItem('bnviz-question', JSON.stringify(asked))",
        {"of": "run", "question": question, "alone": False, "going": True, "votes": votes,
         "happened": happened, "stations": None,
         "from": {"run": harness.run.id, "step": 0, "broken": {}}},
    )  # fmt: skip
    stage.reload()
    panel = stage.view.get_by_role("region", name="The class")
    expect(panel).to_contain_text(sentence)
    assert panel.evaluate(CUT) == []


def test_number_keys_swap_the_chart_below_and_once_more_gives_it_the_window(stage):
    below, card = stage.view.locator(".bnviz-stage-foot [data-chart]:visible"), "[data-card=none]"
    expect(below).to_have_attribute("data-chart", "loss")
    stage.page.keyboard.press("2")
    expect(below).to_have_attribute("data-chart", "accuracy")
    stage.page.keyboard.press("2")
    expect(stage.view.locator(card)).to_be_hidden()
    expect(stage.view.get_by_role("button", name="Play", exact=True)).to_be_visible()
    expect(stage.view.get_by_role("slider", name="Learning rate")).to_be_visible()
    stage.page.wait_for_function(
        "part => part.getBoundingClientRect().height > 0.7 * 800", arg=below.element_handle()
    )
    stage.page.wait_for_function(f"() => !({SMALL})(20).length")
    stage.page.keyboard.press("Escape")
    expect(stage.view.locator(card)).to_be_visible()
    # If a chart does not fit below the cards, it fills the window at once.
    stage.page.keyboard.press("3")
    expect(below).to_have_attribute("data-chart", "layers")
    expect(stage.view.locator(card)).to_be_hidden()


def test_what_is_chosen_in_the_menu_closes_it_and_leaves_the_keys_to_the_page(stage):
    page, more = stage.page, stage.view.get_by_role("button", name="More")
    more.click()
    radio = stage.view.get_by_label("fast", exact=True)
    radio.click(force=True)
    expect(radio).to_be_hidden()
    page.wait_for_function("document.activeElement === document.body")
    page.keyboard.press("Space")
    assert stage.commands() == [{"name": "pace", "pace": "fast"}, {"name": "play"}]
    more.focus()
    page.keyboard.press("Enter")
    stage.view.get_by_role("button", name="Share").press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(more).to_be_focused()


def test_space_plays_and_pauses_whatever_was_clicked_last(stage):
    stage.view.get_by_role("button", name="Reset").click()
    stage.view.locator(".bnviz-rate input[type=range]").click(position={"x": 9, "y": 9})
    stage.wait("view.status === 'running'")  # a new rate makes a paused run continue
    stage.view.get_by_role("button", name="accuracy", exact=True).click()
    for _ in range(2):
        stage.page.keyboard.press("Space")
    assert [sent["name"] for sent in stage.commands()] == ["reset", "pause", "play"]
    # A focused button handles Space itself.
    stage.view.get_by_role("button", name="Reset").focus()
    stage.page.keyboard.press("Space")
    assert stage.commands()[-1] == {"name": "reset"}


def test_a_break_says_its_layer_and_is_shown_and_the_slider_stays_where_it_is(
    stage, harness, taken
):
    slider = stage.view.get_by_role("slider", name="Learning rate")
    show = stage.view.get_by_role("button", name="Show the break")
    before = slider.bounding_box()
    expect(show).to_be_hidden()
    stage.drawn(harness.push(9, encoded(broken(taken[9][0], np.nan))))
    header = stage.view.locator("[data-card=none] > header")
    expect(header).to_contain_text("layer 2 first")
    # If a talk asks which layer broke first, the card does not name the layer.
    talk = {"name": "t", "title": "t", "number": 1, "titles": ["one"], "chart": "loss"}
    talk |= {"does": None, "ask": "Which layer?", "answers": [], "say": ""}
    asks = {"text": "Which layer?", "kind": "layer", "network": "none", "answers": None}
    remount = "([talk, question]) => window.mountAgain({ talk, question })"
    stage.page.evaluate(remount, [talk, asks])
    expect(header).not_to_contain_text("layer 2")
    expect(show).to_be_hidden()
    stage.page.evaluate(remount, [None, None])
    expect(header).to_contain_text("layer 2 first")
    show.click()
    stage.wait("view.time === 'playing'")
    expect(stage.view.get_by_role("button", name="Back to live")).to_be_visible()
    # The run's button pauses and continues the replay, as Space does.
    sent = len(stage.commands())
    for name, mode in (("Pause", "pinned"), ("Play", "playing")):
        stage.view.locator(".bnviz-transport").get_by_role("button", name=name, exact=True).click()
        stage.wait(f"view.time === '{mode}'")
    assert len(stage.commands()) == sent
    harness.hear("state", step=30, reason="watch", command_number=harness.run.command_number)
    expect(stage.view.locator(".bnviz-stands")).to_be_visible()
    assert slider.bounding_box() == before
    until_it_is_whole(stage.page)
    # A message is shown in full, in its own row.
    harness.hub.registry.broadcast(
        harness.run, BadMessage("knob", 1, "smaller, too large, " * 9).plain()
    )
    expect(stage.view.locator(".bnviz-notice")).to_be_visible()
    for width, height in WINDOWS:
        stage.page.set_viewport_size({"width": width, "height": height})
        stage.page.wait_for_function(f"!({COVERED})().length && !({OUTSIDE})().length")
    stage.page.set_viewport_size({"width": 1280, "height": 800})
    # Space pauses and continues the replay.
    for mode in ("pinned", "playing"):
        stage.page.keyboard.press("Space")
        stage.wait("view.time === argument", mode)
    assert stage.commands() == []


def test_a_second_slider_stands_beside_the_rate_where_one_is_chosen(stage, harness):
    knobs = knobs_of(PAIR, "learning_rate", "batch_size")
    knobs["specs"]["batch_size"]["rungs"].remove(1)
    second = {**knobs, "shown": ["learning_rate"], "second": ["batch_size", "momentum"]}
    stage.page.evaluate("knobs => window.mountAgain({ knobs })", second)
    slider = stage.view.get_by_role("slider", name="Batch size")
    expect(slider).to_have_count(0)
    stage.view.get_by_role("button", name="More").click()
    stage.view.get_by_role("radio", name="Batch size").click()
    expect(slider).to_be_visible()
    stage.page.keyboard.press("Space")  # the chosen radio button no longer has the focus
    slider.press("Home")
    harness.wait(lambda: sent(harness) == [("batch_size", 2)])
    until_it_is_whole(stage.page, 20)
    # Both sliders return when the page is opened again, but not for another run.
    stage.view.get_by_role("button", name="accuracy", exact=True).click()
    harness.data["knobs"] = second
    other = harness.hub.fork(harness.run.owner, harness.run.id, 8)
    for run, there in ((harness.run.id, True), (other, False)):
        harness.data["run"] = run
        stage.reload()
        expect(stage.view.locator(".bnviz-stage")).to_be_visible()
        expect(slider).to_be_visible(visible=there)
        expect(stage.view.locator("[data-chart=accuracy]")).to_be_visible(visible=there)


def test_a_key_leads_to_the_stage_and_back(tab, harness):
    """The address only gains or loses one parameter, and the page keeps the shown step."""
    page = tab.page
    page.get_by_role("slider", name="Timeline").press("ArrowLeft")
    tab.wait("view.step === '29'")
    plain = partial(answer, '<!doctype html><link rel="icon" href="data:,">', "text/html")
    page.route(harness.url + "?present=1", plain)
    page.keyboard.press("p")
    page.wait_for_url("**/?present=1")
    page.unroute_all()
    harness.data["present"] = True
    tab.reload()
    expect(tab.view.locator(".bnviz-stage")).to_be_visible()
    tab.wait("view.time === 'pinned' && view.step === '29'")
    page.keyboard.press("Escape")
    page.route(harness.url, plain)
    page.keyboard.press("p")
    page.wait_for_url(harness.url)
