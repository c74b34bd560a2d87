"""A talk controlled with a clicker's keys, and its recording played offline."""

import re

import pytest
from playwright.sync_api import expect

from bnviz.own_talks.talk_cache import pack
from bnviz.talks.recording import recording
from bnviz.words.texts import texts

TALK = "/lab?talk=first-five-minutes&station=1&present=1"
BELOW = ".bnviz-stage-foot [data-chart]:visible"


def until_station(lab, number):
    return lab.until_query(lambda query: query.get("station") == str(number))


@pytest.mark.verify
def test_a_clicker_walks_through_all_stations_and_back(visit):
    lab = visit(TALK, viewport={"width": 1280, "height": 800}).drawn()
    page, run = lab.page, lab.run
    place = page.locator(".bnviz-talk")
    expect(place).to_contain_text("1 of 8")
    assert (lab.status, lab.step) == ("paused", 0)
    says = page.locator(".bnviz-talk-says")
    below = page.locator(BELOW)
    expect(says).to_contain_text("Which network breaks? The two networks")
    # Page keys must move the talk, not the focused knob.
    page.locator(".bnviz-rate input[type=range]").first.focus()
    page.keyboard.press("PageDown")
    until_station(lab, 2).until_query(lambda query: float(query.get("learning_rate", 0)) == 1)
    expect(place).to_contain_text("2 of 8")
    expect(says).to_contain_text("The next station shows, step by step, how")
    # The question with which the page opens has not been answered. It is not shown at the next
    # station.
    expect(page.get_by_role("region", name="The class")).to_be_hidden()
    expect(below).to_have_attribute("data-chart", "accuracy")
    # By step 60, the network has trained at the low rate for as long as the station requires.
    assert lab.until_step(60).run == run
    lab.wait("root.textContent.includes('broke at step')")
    first = page.locator("[data-card=none] header small")
    expect(first).to_have_text("")
    page.keyboard.press("PageDown")
    until_station(lab, 3).wait("view.time === 'playing'")
    expect(first).to_have_text(re.compile("layer . first"))
    assert lab.run == run
    page.evaluate("window.stays = true")
    page.get_by_role("button", name=re.compile("Next station")).click()
    until_station(lab, 4).wait("view.time === 'live'")
    page.keyboard.press("PageDown")
    until_station(lab, 5).wait("view.run && view.run !== argument && view.step === '0'", run)
    assert lab.query()["preset"] == "batch-of-two"
    page.keyboard.press("PageUp")
    until_station(lab, 4).wait("view.run === argument && view.status === 'paused'", run)
    page.keyboard.press("PageDown")
    until_station(lab, 5).wait("view.step === '0'")
    # The first press starts the waiting run. The second press advances the run to the question's
    # last step.
    page.keyboard.press("PageDown")
    lab.wait("Number(view.step) > 0")
    assert lab.query()["station"] == "5"
    page.keyboard.press("ArrowRight")  # other clickers send this key
    lab.until_step(300)
    assert lab.query()["station"] == "5"
    page.keyboard.press("ArrowRight")
    until_station(lab, 6).wait("view.step === '0'")
    page.get_by_role("button", name=re.compile("Next station")).click()
    until_station(lab, 7)
    expect(below).to_have_attribute("data-chart", "gradients")
    # Going back to a station that makes no changes keeps the run's current state. Going back to an
    # earlier run shows this run unchanged.
    page.keyboard.press("PageUp")
    until_station(lab, 6).until_step(100)
    asked = page.get_by_role("region", name="The class")
    for key, number in (("PageUp", 5), ("PageDown", 6), ("PageUp", 5)):
        page.keyboard.press(key)
        until_station(lab, number)
        # The run has passed the question's last step, so its answer is shown.
        expect(asked.get_by_text("happened")).to_be_visible()
    page.keyboard.press("PageUp")
    until_station(lab, 4).wait("view.status === 'paused'")
    lab.wait("view.run === argument", run)
    # Every press counts, even in quick succession, and the cards keep their charts.
    for _ in range(3):
        page.keyboard.press("PageUp")
    until_station(lab, 1)
    expect(page.locator(".bnviz-stage-card .js-plotly-plot")).to_have_count(2)
    assert page.evaluate("window.stays")


def test_the_recording_plays_from_a_file_without_a_network(chromium, tmp_path):
    path = tmp_path / "talk.html"
    path.write_text(recording("first-five-minutes", "en"), encoding="utf-8")
    context = chromium.new_context(offline=True, viewport={"width": 1280, "height": 800})
    page, problems = context.new_page(), []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: problems.append(request.url))
    page.goto(path.as_uri())
    problems.remove(path.as_uri())
    expect(page.get_by_text("Recording", exact=True)).to_be_visible()
    expect(page.locator("h1")).to_have_text(re.compile("1 of 8.*Predict"))
    first = page.get_by_text(re.compile("^layer . first$"))
    # The class has guessed, so the first press plays and the second continues the talk.
    page.keyboard.press("PageDown")
    expect(page.get_by_role("button", name=texts("talks")["recording"]["pause"])).to_be_visible()
    expect(page.locator("h1")).to_have_text(re.compile("1 of 8"))
    for number in (2, 3):
        page.keyboard.press("PageDown")
        expect(page.locator("h1")).to_have_text(re.compile(f"{number} of 8"))
        expect(page.get_by_text("broke at step")).to_be_visible()
        # The talk asks the class for the layer before it names the layer.
        expect(first).to_have_count(number - 2)
    # The chart below the cards belongs to the station.
    below = page.locator(".time h2")
    expect(below).to_have_text("Share of test images classified correctly")
    while "7 of 8" not in page.locator("h1").inner_text():
        page.keyboard.press("PageDown")  # needs a second press if the class has guessed
    expect(below).to_have_text("Size of each layer’s gradient")
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    assert problems == []
    context.close()


OWN = """title = "My talk"
[[station]]
title = "Guess"
say = "Both learn."
notes = "Only I see this.\\nA second line."
setting = { depth = 2, width = 8, batch_size = 16 }
paused = true
question = { text = "Which one?", answers = ["this one", "that one"] }
[[station]]
title = "Go on"
change = { learning_rate = 1.0 }
after = 5
notes = "Now wait."
"""


@pytest.mark.verify
def test_a_talk_of_ones_own_is_opened_by_its_link_and_walked_from_the_notes(visit, tmp_path):
    lab = visit(f"/talks#talk={pack(OWN)}", viewport={"width": 1280, "height": 800})
    page = lab.page
    expect(page.get_by_role("heading", name="My talk")).to_be_visible()
    assert page.evaluate("location.hash") == "", "the address no longer contains it"
    old = tmp_path / "old.toml"
    old.write_bytes('title = "Schr\u00f6dinger"'.encode("latin-1"))
    page.locator("[type=file]").set_input_files(old)
    expect(page.get_by_text(texts("talks")["page"]["give"]["not_utf_8"])).to_be_visible()
    page.get_by_role("link", name=texts("talks")["page"]["begin"]).click()
    lab.drawn()
    says = page.locator(".bnviz-talk-says")
    expect(says).to_contain_text("Which one? A this one B that one · Both learn.")
    expect(page.get_by_text("Only I see this.")).to_have_count(0)
    with page.context.expect_page() as opened:
        page.keyboard.press("n")
    notes = opened.value
    expect(notes.get_by_text("Only I see this.")).to_be_visible()
    expect(notes.locator("header")).to_contain_text("1 of 2")
    expect(notes.locator("ol li")).to_have_text(["this one", "that one"])
    notes.keyboard.press("PageDown")
    until_station(lab, 2).until_step(5)
    expect(notes.get_by_text("Now wait.")).to_be_visible()
    notes.get_by_role("button", name=re.compile("Station before")).click()
    until_station(lab, 1)
    expect(notes.get_by_text("Only I see this.")).to_be_visible()
    # The same button opens closed notes again, and the talk stays at its station.
    run = lab.run
    notes.close()
    with page.context.expect_page() as opened:
        page.get_by_role("button", name="Notes", exact=True).click()
    again = opened.value
    expect(again.get_by_text("Only I see this.")).to_be_visible()
    assert lab.run == run
    # After a reload, the talk finds its open notes. Closing the talk closes the notes.
    page.reload()
    lab.drawn()
    expect(again.get_by_text("Only I see this.")).to_be_visible()
    page.goto("about:blank")
    expect(again.get_by_text(texts("talks")["presenter"]["left"])).to_be_visible()
    with again.expect_event("close"):
        # Simulate a closed tab, because the remaining tests need this tab.
        again.evaluate("Object.defineProperty(window, 'opener', { value: { closed: true } })")
