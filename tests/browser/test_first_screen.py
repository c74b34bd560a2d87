"""What a preset says is to be seen on the first screen of a small laptop, without scrolling."""

import pytest
from playwright.sync_api import expect

from bnviz.presets import PRESETS
from bnviz.texts import texts
from tests.browser.test_history import choose_preset

LAPTOP = {"width": 1280, "height": 800}
# Those with most above their chart, or the tallest: many cards, a tall chart.
SOME = ("e14-tiny-batches", "e10-landscape")


def fits(lab, preset):
    """The preset's sentence and the charts that it is about are in the window."""
    expect(lab.view.locator(".bnviz-moment")).to_contain_text(texts(name="presets")[preset]["look"])
    for name in PRESETS[preset].leading or ("loss",):
        lab.wait(
            "root.querySelector(`[data-chart=${argument}] .js-plotly-plot`)"
            "?.getBoundingClientRect().bottom <= innerHeight",
            name,
        )
    lab.until_step(min(PRESETS[preset].moment, 5))
    if PRESETS[preset].moment <= 5:
        expect(lab.view.locator(".bnviz-go")).to_be_enabled()


def test_presets_with_most_above_their_charts_fit_into_the_first_screen(visit):
    first, *others = SOME
    lab = visit(f"/lab?preset={first}", viewport=LAPTOP).drawn()
    fits(lab, first)
    for preset in others:
        choose_preset(lab, texts(name="presets")[preset]["label"])
        fits(lab, preset)


@pytest.mark.verify
@pytest.mark.parametrize("preset", PRESETS)
def test_the_charts_of_a_preset_and_what_it_says_fit_into_the_first_screen(visit, preset):
    fits(visit(f"/lab?preset={preset}", viewport=LAPTOP).drawn(), preset)
