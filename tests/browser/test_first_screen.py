"""What a preset says is to be seen on the first screen of a small laptop, without scrolling."""

import pytest
from playwright.sync_api import expect

from bnviz.presets import PRESETS
from bnviz.words.texts import texts

LAPTOP = {"width": 1280, "height": 800}
# With as much above its chart as any: the most cards.
FULLEST = "e14-tiny-batches"


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
        expect(lab.view.locator(".bnviz-flag")).to_be_enabled()


def test_the_preset_with_most_above_its_chart_fits_into_the_first_screen(visit):
    fits(visit(f"/lab?preset={FULLEST}", viewport=LAPTOP).drawn(), FULLEST)


@pytest.mark.verify
@pytest.mark.parametrize("preset", PRESETS)
def test_the_charts_of_a_preset_and_what_it_says_fit_into_the_first_screen(visit, preset):
    fits(visit(f"/lab?preset={preset}", viewport=LAPTOP).drawn(), preset)
