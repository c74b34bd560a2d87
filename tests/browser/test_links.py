"""Addresses that name a preset, an ended run, or invalid values."""

import pytest
from playwright.sync_api import expect

from bnviz.presets import PRESETS
from bnviz.words.texts import texts

LAB = [name for name, preset in PRESETS.items() if preset.group == "lab"]


# Other tests also open presets: in Streamlit's test harness, and in `test_first_screen.py`.
@pytest.mark.verify
@pytest.mark.parametrize("preset", LAB)
def test_every_preset_of_the_lab_opens_and_trains(visit, preset):
    lab = visit(f"/lab?preset={preset}").drawn().until_step(3)
    words = texts(name="presets")[preset]
    expect(lab.page.get_by_role("combobox").first).to_have_attribute("placeholder", words["label"])
    expect(lab.page.get_by_text(words["help"].split(".")[0]).first).to_be_visible()
    expect(lab.view.locator("[data-chart='layers'] .main-svg").first).to_be_visible()


WRONG = {
    "width=-3": "`width` must be a whole number between 2 and 512, got '-3'.",
    "learning_rate=nan": "`learning_rate` must be a number between 1e-05 and 100",
    "nonsense=1": "This page does not know `nonsense`",
    "hide=moon": "`hide` names 'moon'",
    "activation=<img src=x onerror=alert(1)>": "`activation` must be one of",
}


def test_what_an_address_asks_wrongly_is_answered_and_a_run_that_is_over_starts_anew(visit):
    lab = visit(f"/lab?paused=1&depth=3&run={'0' * 32}&{'&'.join(WRONG)}").drawn()
    answers = lab.page.locator(".bnviz-link-answers li")
    expect(answers).to_have_count(len(WRONG))
    expect(answers.locator("img")).to_have_count(0)
    for sentence in WRONG.values():
        expect(answers.filter(has_text=sentence.replace("`", ""))).to_have_count(1)
    lab.page.locator(".bnviz-link-answers button").click()
    expect(answers).to_have_count(0)
    assert lab.run != "0" * 32
    lab.until_query(lambda query: "width" not in query)
    assert set(lab.query()) <= {"depth", "paused", "run"}
    assert (lab.query()["depth"], lab.query()["run"]) == ("3", lab.run)
