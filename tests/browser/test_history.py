"""The browser's Back and Forward: through settings, through pages, and to what is typed by hand."""

import re

from playwright.sync_api import expect


def until_address(lab, **wanted):
    """Wait until the address says these, and the view shows the run that it names."""
    lab.until_query(lambda query: all(query.get(name) == said for name, said in wanted.items()))
    lab.page.wait_for_function(
        """view => {
          const shown = document.querySelector(view)?.dataset.run;
          return shown && new URL(location.href).searchParams.get("run") === shown;
        }""",
        arg="[data-testid='live-view']",
    )
    return lab


def choose_preset(lab, name):
    run = lab.run
    lab.page.get_by_role("combobox").first.click()
    lab.page.get_by_role("option", name=name).click()
    return lab.wait("view.run && view.run !== argument && Number(view.step) >= 1", run)


def test_back_leads_through_settings_and_pages_and_forward_again(visit):
    lab = visit("/").drawn()
    page = lab.page
    page.get_by_role("navigation").get_by_role("link", name="Lab", exact=True).click()
    lab.wait("root.querySelector('[data-card]') && Number(view.step) >= 1")
    until_address(lab, preset=None)
    lab.nudge("Hidden layers", -1)
    until_address(lab, depth="5")
    lab.nudge("Learning rate", 1)  # no step to go back from
    until_address(lab, depth="5", learning_rate="0.3")
    choose_preset(lab, "Spirals")
    until_address(lab, preset="spirals", learning_rate=None)
    expect(lab.view.locator("[data-chart='boundary'] .main-svg").first).to_be_visible()
    spirals = lab.run
    page.go_back()
    until_address(lab, preset=None, depth="5", learning_rate="0.3")
    assert lab.run != spirals
    expect(lab.slider("Hidden layers")).to_have_attribute("aria-valuetext", "5")
    expect(lab.slider("Learning rate")).to_have_attribute("aria-valuetext", "0.3")
    page.go_back()
    until_address(lab, preset=None, depth=None, learning_rate=None)
    expect(lab.slider("Hidden layers")).to_have_attribute("aria-valuetext", "6")
    page.go_back()
    expect(page.locator("[class*=door_]").first).to_be_visible()
    assert lab.query() == {}
    page.go_forward()
    page.go_forward()
    lab.drawn()
    until_address(lab, depth="5", learning_rate="0.3")
    expect(lab.slider("Hidden layers")).to_have_attribute("aria-valuetext", "5")
    # What is shown now is what a knob moves: nothing of the way here is done again.
    lab.nudge("Hidden layers", -1)
    until_address(lab, depth="4", learning_rate="0.3")
    page.goto(re.sub(r"\?.*", "?depth=2", page.url))  # as typed by hand
    until_address(lab.drawn(), depth="2", learning_rate=None)


def test_a_run_goes_on_while_another_page_is_read(visit):
    lab = visit("/lab?depth=3").until_step(3)
    run, page = lab.run, lab.page
    page.get_by_role("navigation").get_by_role("link", name="About", exact=True).click()
    expect(page.get_by_role("heading", name="How this is measured")).to_be_visible()
    expect(page.locator("[aria-current=page]")).to_have_text("About")
    expect(lab.view).to_have_count(0)
    page.go_back()
    assert lab.drawn().run == run
    page.go_forward()
    expect(page.get_by_role("heading", name="How this is measured")).to_be_visible()
    page.get_by_role("navigation").get_by_role("link", name="Claims", exact=True).click()
    expect(page.get_by_role("heading", name="The claims, measured", exact=True)).to_be_visible()
    page.get_by_role("navigation").get_by_role("link", name="Lab", exact=True).click()
    lab.drawn()
    expect(page.get_by_test_id("claims")).to_have_count(0)
    assert lab.run == run
    until_address(lab, depth="3")


def test_a_preset_is_restored_or_started_anew_and_a_rewound_knob_leaves_its_parent_behind(visit):
    lab = visit("/lab").until_step(3)
    page, run = lab.page, lab.run
    choose_preset(lab, "Raise the rate")  # the one that stands there
    again = lab.run
    assert again != run
    lab.nudge("Learning rate", 2)
    until_address(lab, learning_rate="1")
    page.keyboard.press("0")
    until_address(lab, learning_rate=None)
    assert lab.run == again
    expect(page.get_by_text("the run goes on").first).to_be_visible()
    lab.until_step(25)
    page.get_by_role("slider", name=re.compile("Timeline")).focus()
    for _ in range(8):
        page.keyboard.press("ArrowLeft")
    lab.wait("view.time === 'pinned'")
    note = f"starts a new run at step {lab.step}"
    expect(page.get_by_test_id("stSidebar").get_by_text(note)).to_be_visible()
    lab.nudge("Learning rate", 1)
    lab.wait("view.run && view.run !== argument && Number(view.step) >= 1", again)
    until_address(lab, learning_rate="0.3")
    expect(page.get_by_text("A new run, from step")).to_be_visible()
    page.go_back()
    lab.wait("view.run === argument && view.step !== undefined", again)
    until_address(lab, learning_rate=None)
