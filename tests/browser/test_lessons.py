"""The course in a real browser: one lesson is walked to its end, the others by `make verify`.

What only one lesson has, its settings and its widgets, is held without a browser, or without a run.
"""

from functools import cache

import pytest
from playwright.sync_api import expect

from bnviz.lessons import LESSONS
from bnviz.texts import texts
from tests.browser.accessible import serious, until_it_fits

# Of each lesson with a claim: what is guessed, and what its run of seed 0 says.
GUESSES = {
    "break-it": ("learns_again", "stays"), "by-hand": ("nearer", "nearer"),
    "moving-targets": ("worse", "better"), "slow-start": ("alike", "alike"),
    "through-the-batch": ("settles", "grows"),
}  # fmt: skip
# The one with the shortest run, and with a guess that its run contradicts.
WALKED = "moving-targets"
EVERY = [pytest.param(name, marks=() if name == WALKED else pytest.mark.verify) for name in GUESSES]
WIDTHS = {"break-it": 390, "slow-start": 1024}
HEIGHT = 900
FRAME = texts("lessons")
# The longest run takes 18 seconds by its schedule, and all of them share two cores here.
TO_THE_END = 90_000
# Until a run's first frame is drawn, where those of all lessons are open.
A_NEW_RUN = 90_000


def verdict(page):
    return page.locator(".st-key-lesson_beat_verdict [role=status]")


@pytest.fixture(scope="module")
def walked(visit_once):
    """`walked(name)`: the page of a lesson, its guess made, at its run's end."""

    @cache
    def guessed(name):
        size = {"width": WIDTHS.get(name, 1440), "height": HEIGHT}
        page = visit_once(f"/lessons?lesson={name}", viewport=size).page
        view = page.get_by_test_id("live-view")
        expect(view).to_have_attribute("data-step", "0", timeout=A_NEW_RUN)
        expect(page.locator(".bnviz-transport")).to_be_hidden()
        page.locator(f".st-key-answer_{GUESSES[name][0]} button").click()
        return page

    def walk(name):
        expect(verdict(guessed(name))).to_be_visible(timeout=TO_THE_END)
        return guessed(name)

    return walk


def test_every_lesson_with_a_claim_is_in_this_walk():
    assert GUESSES.keys() == {
        name for name, entry in LESSONS.items() if entry.written and entry.resolve().rule
    }


@pytest.mark.parametrize("name", EVERY)
def test_a_lesson_is_walked_to_its_end(walked, name):
    page, words = walked(name), texts(f"lessons/{name}")
    guess, said = GUESSES[name]
    expect(verdict(page)).to_contain_text(FRAME["verdict"]["held"])
    outcome = words["says"][said].rstrip(".") if guess != said else "This run says the same."
    expect(verdict(page)).to_contain_text(outcome)
    expect(page.get_by_role("heading", name=FRAME["beat"]["why"], exact=True)).to_be_visible()
    page.get_by_text(FRAME["beat"]["more"]).click()
    expect(page.locator(".katex").first).to_be_visible()
    for each in LESSONS[name].resolve().breaks:
        expect(page.locator(f".st-key-break_{each.name} button")).to_be_enabled()
    assert f"guess={guess}" in page.url
    assert "run=" in page.url
    until_it_fits(page, page.viewport_size["width"])
    # Captions are whole.
    page.wait_for_function(
        """() => [...document.querySelectorAll(".bnviz-subtitle")]
          .every((caption) => caption.scrollWidth <= caption.clientWidth)"""
    )
    assert serious(page) == []


def test_the_charts_stay_in_sight_beside_the_words_and_on_a_phone_above_them(walked):
    page = walked(WALKED)
    below, main = page.locator(".bnviz-below"), page.get_by_test_id("stMain")
    # More charts than the column has room for: it says so, and leads there.
    expect(below).to_be_visible()
    below.press("Enter")
    column = page.locator("[data-testid=stColumn]:has(.st-key-lesson_view)")
    page.wait_for_function("column => column.scrollTop > 0", arg=column.element_handle())
    page.set_viewport_size({"width": 390, "height": HEIGHT})
    page.locator(".bnviz-chooser [data-opens=accuracy]").click()
    slider = page.locator(".st-key-lesson_view .bnviz-rate input[type=range]")
    assert slider.bounding_box()["width"] >= 100, "there is a slider to drag"
    plot = page.locator(".bnviz-panel:visible .bnviz-plot")
    expect(plot).to_have_count(1)
    main.evaluate("part => part.scrollTo(0, part.scrollHeight)")
    page.wait_for_function(
        "part => part.scrollTop + part.clientHeight >= part.scrollHeight - 1",
        arg=main.element_handle(),
    )
    box = column.bounding_box()
    assert 0 <= box["y"] <= 60
    assert box["height"] <= 0.4 * HEIGHT + 1
    plot = plot.bounding_box()
    assert plot["height"] >= 120
    assert plot["y"] + plot["height"] <= box["y"] + box["height"] + 60, "its figure is in sight"
    page.set_viewport_size({"width": 1440, "height": HEIGHT})


def test_a_reload_finds_the_run_and_now_break_it_runs_another_until_one_goes_back(walked):
    page = walked(WALKED)
    page.reload()
    expect(verdict(page)).to_be_visible(timeout=A_NEW_RUN)
    expect(page.locator(".lesson-kept")).to_contain_text(FRAME["list"]["guesses_one"])
    mark = "part => getComputedStyle(part, '::after').content"
    for name, content in ((WALKED, '"✓"'), ("break-it", "none")):
        link = page.locator(f".st-key-lesson_link_side_{name} a")
        assert link.evaluate(mark) == content
    other = LESSONS[WALKED].resolve().breaks[0].name
    view, chosen = page.get_by_test_id("live-view"), page.locator(f".st-key-break_{other} button")
    before = view.get_attribute("data-run")
    chosen.click()
    # The run stands in the address when the page's script has come to its end.
    page.wait_for_url(f"**break={other}**run=*")
    expect(chosen).to_have_attribute("kind", "primary")
    expect(view).not_to_have_attribute("data-run", before, timeout=A_NEW_RUN)
    page.go_back()
    page.wait_for_url(lambda url: "break=" not in url)
    expect(chosen).to_have_attribute("kind", "secondary")


def test_the_first_lesson_lights_part_after_part_and_the_lab_opens_at_the_step_looked_at(visit):
    page = visit("/lessons").page
    words = texts("lessons/read-the-charts")
    lit = page.locator(".lesson-stops li")
    for at, _ in enumerate(words["stops"]):
        expect(lit).to_have_count(at + 1)
        page.locator(f".st-key-lesson_next_{at} button").click()
    # While the page's script runs, the button from before may stand beside the new one.
    layer = page.locator("button:enabled", has_text="layer 1").first
    expect(layer).to_be_visible(timeout=TO_THE_END)
    layer.press("Enter")
    expect(page.locator(".st-key-lesson_beat_check [role=status]")).to_contain_text("layer 1")
    view = page.get_by_test_id("live-view")
    run = view.get_attribute("data-run")
    view.get_by_role("slider", name="Timeline").press("Home")
    expect(view).to_have_attribute("data-time", "pinned")
    expect(view).to_have_attribute("data-step", "0")
    page.locator(".st-key-lesson_foot a", has_text=FRAME["break"]["lab"]).click()
    page.wait_for_url(f"**/lab?*run={run}*")
    expect(view).to_have_attribute("data-run", run)
    expect(view).to_have_attribute("data-time", "pinned")
    expect(view).to_have_attribute("data-step", "0")


def test_links_between_lessons_lead_there_and_back(visit):
    page = visit("/lessons").page
    for place, name in ((".st-key-lesson_foot", "break-it"), (".st-key-lesson_list", "slow-start")):
        title = texts(f"lessons/{name}")["title"]
        page.locator(f"{place} a", has_text=title).click()
        page.wait_for_url(f"**/lessons?lesson={name}&run=*")
        expect(page.locator(".st-key-lesson_words h1")).to_have_text(title)
        # The script runs for the guess, and stays where the link led.
        page.locator(f".st-key-answer_{GUESSES[name][0]} button").click()
        page.wait_for_url(f"**/lessons?*guess={GUESSES[name][0]}*")
        expect(page.locator(".st-key-lesson_words h1")).to_have_text(title)
    # Back over the guess, then over the link.
    page.go_back()
    page.wait_for_url(lambda url: "lesson=slow-start" in url and "guess=" not in url)
    page.go_back()
    page.wait_for_url("**/lessons?*lesson=break-it*")
    expect(page.locator(".st-key-lesson_words h1")).to_have_text(texts("lessons/break-it")["title"])
