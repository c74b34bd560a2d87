"""Every chart offers its values as a table."""

from playwright.sync_api import expect

from tests.browser.live_view.page_data import page_data
from tests.browser.live_view.recorded import MAIN, PAIR


def test_the_table_of_a_chart_over_time_begins_at_the_step_shown(open_tab, frames):
    tab = open_tab(page_data(PAIR, MAIN), frames)
    tab.drawn(30)
    tab.filled("loss")
    tab.view.locator("[data-chart=loss]").get_by_text("Data", exact=True).click()
    first = "root.querySelector('[data-chart=loss] tbody th')?.textContent === argument"
    tab.wait(first, "30")
    expect(tab.view.locator("[data-chart=loss] caption")).to_contain_text(
        "measured steps, evenly spaced, newest first"
    )
    tab.page.keyboard.press("Escape")
    tab.view.get_by_role("slider", name="Timeline").press("Home")
    tab.wait("view.step === '0'")
    panel = tab.view.locator("[data-chart=layers]")
    panel.get_by_text("Data", exact=True).click()
    expect(panel.locator("tbody th").first).to_have_text("layer 1")
