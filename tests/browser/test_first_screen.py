"""A preset's text and charts fit on the first screen of a small laptop."""

import pytest
from playwright.sync_api import expect

from bnviz.presets import PRESETS
from bnviz.words.texts import texts

LAPTOP = {"width": 1280, "height": 800}
# The preset with the most cards above its chart.
FULLEST = "e14-tiny-batches"


def fits(lab, preset):
    """Check that a preset's sentence and its leading charts are inside the window."""
    expect(lab.view.locator(".bnviz-step-to-see")).to_contain_text(
        texts(name="presets")[preset]["look"]
    )
    for name in PRESETS[preset].leading or ("loss",):
        lab.wait(
            "root.querySelector(`[data-chart=${argument}] .js-plotly-plot`)"
            "?.getBoundingClientRect().bottom <= innerHeight",
            name,
        )
    lab.until_step(min(PRESETS[preset].step_to_see, 5))
    if PRESETS[preset].step_to_see <= 5:
        expect(lab.view.locator(".bnviz-flag")).to_be_enabled()


def test_the_preset_with_most_above_its_chart_fits_into_the_first_screen(visit):
    fits(visit(f"/lab?preset={FULLEST}", viewport=LAPTOP).drawn(), FULLEST)


@pytest.mark.verify
@pytest.mark.parametrize("preset", PRESETS)
def test_the_charts_of_a_preset_and_what_it_says_fit_into_the_first_screen(visit, preset):
    fits(visit(f"/lab?preset={preset}", viewport=LAPTOP).drawn(), preset)


def boxes(page, root):
    """Return the left edge, top edge and width, in pixels, of each part of the home page."""
    return page.evaluate(
        """root => ["h1", ".bnviz-object", ".bnviz-band", ".bnviz-plot", ".bnviz-rate"]
          .map((part) => {
            const all = [...document.querySelectorAll(`${root} ${part}`)];
            const { x, y, width } = all.find((one) => one.offsetWidth > 0).getBoundingClientRect();
            return [part, x, y, width];
          })""",
        root,
    )


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_step_0_is_there_without_scripts_and_where_the_first_frame_will_be(chromium, server, size):
    context = chromium.new_context(viewport=dict(zip(("width", "height"), size, strict=True)))
    page = context.new_page()
    page.route("**/*.js", lambda route: route.abort())
    page.route("**/_stcore/health", lambda route: route.abort())  # otherwise the page loads again
    page.goto(server.url)
    page.wait_for_function("() => document.fonts.status === 'loaded'")
    static = boxes(page, "#bnviz-first")
    page.unroute_all()
    page.goto(server.url)
    page.wait_for_selector("[data-testid=live-view][data-step]", timeout=60_000)
    assert page.locator("#bnviz-first").count() == 0
    for (part, *before), (_, *after) in zip(static, boxes(page, ".bnviz-home"), strict=True):
        assert before == pytest.approx(after, abs=6), part
    context.close()
