"""What an address can ask for: presets, modes, wrong values."""

import pytest
from playwright.sync_api import expect

from bnviz.presets import PRESETS
from bnviz.texts import texts

# Presets open in Streamlit's own harness too, and some more in `test_first_screen.py`.
SOME = ("figure-1",)
LAB = [name for name, preset in PRESETS.items() if preset.group == "lab"]


@pytest.mark.parametrize(
    "preset", [pytest.param(p, marks=() if p in SOME else pytest.mark.verify) for p in LAB]
)
def test_every_preset_of_the_lab_opens_and_trains(visit, preset):
    lab = visit(f"/lab?preset={preset}").drawn().until_step(3)
    words = texts(name="presets")[preset]
    expect(lab.page.get_by_role("combobox").first).to_have_attribute("placeholder", words["label"])
    expect(lab.page.get_by_text(words["help"].split(".")[0]).first).to_be_visible()
    expect(lab.view.locator("[data-chart='layers'] .main-svg").first).to_be_visible()


def test_paused_opens_at_step_0_and_asks_before_it_plays(visit):
    lab = visit("/lab?paused=1&preset=broken-from-the-start").drawn()
    assert (lab.status, lab.step) == ("paused", 0)
    expect(lab.page.get_by_text("Which breaks first?")).to_be_visible()
    panel = lab.page.get_by_role("region", name="The class")
    panel.get_by_role("button", name="Without BN").click()
    lab.until_step(20)
    expect(panel.locator(".class-came")).to_contain_text("Without BN", timeout=30_000)


def test_hide_takes_controls_away(visit):
    lab = visit("/lab?hide=activation,share,preset").until_step(3)
    expect(lab.page.get_by_text("Activation", exact=True)).to_have_count(0)
    expect(lab.button("Share")).to_have_count(0)
    expect(lab.slider("Learning rate")).to_be_visible()
    assert lab.query()["hide"] == "activation,share,preset"


WRONG = {
    "width=-3": "`width` must be a whole number between 2 and 512, got '-3'.",
    "learning_rate=nan": "`learning_rate` must be a number between 1e-05 and 100",
    "nonsense=1": "`nonsense` must be one of the knobs",
    "hide=moon": "`hide` names 'moon'",
    "run=xyz": "`run` must be 32 hexadecimal digits",
    "activation=<img src=x onerror=alert(1)>": "`activation` must be one of",
}


def test_wrong_values_are_answered_each_and_the_page_goes_on(visit):
    lab = visit("/lab?" + "&".join(WRONG)).until_step(2)
    for sentence in WRONG.values():
        expect(lab.view.locator(".bnviz-notices")).to_contain_text(sentence)
    expect(lab.view.locator(".bnviz-notices img")).to_have_count(0)
    lab.until_query(lambda query: set(query) == {"run"})


def test_a_link_to_an_expired_run_starts_it_anew_and_says_so(visit):
    lab = visit(f"/lab?depth=3&run={'0' * 32}").until_step(2)
    expect(lab.view.locator(".bnviz-notices")).to_contain_text("started anew")
    assert lab.run != "0" * 32
    lab.until_query(lambda query: (query.get("depth"), query.get("run")) == ("3", lab.run))
