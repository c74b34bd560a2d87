"""What a preset says is to be seen on the first screen of a small laptop, without scrolling."""

import pytest
from playwright.sync_api import expect

from bnviz.presets import PRESETS
from bnviz.texts import texts

# Those with most above their chart: many cards, long cards, a tall chart.
SOME = ("e14-tiny-batches", "large-initial-weights", "e10-landscape")


@pytest.mark.parametrize(
    "preset",
    [pytest.param(name, marks=() if name in SOME else pytest.mark.verify) for name in PRESETS],
)
def test_the_charts_of_a_preset_and_what_it_says_fit_into_the_first_screen(visit, preset):
    lab = visit(f"/lab?preset={preset}", viewport={"width": 1280, "height": 800}).drawn()
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
