"""The course in a real browser: each lesson is walked to its end, a guess answered either way."""

import pytest
from playwright.sync_api import expect

from bnviz.lessons import LESSONS
from bnviz.texts import texts
from tests.browser.accessible import serious

# Of each lesson with a claim: what is guessed, and what its run of seed 0 says.
GUESSES = {
    "break-it": ("learns_again", "stays"), "by-hand": ("nearer", "nearer"),
    "moving-targets": ("worse", "better"), "slow-start": ("alike", "alike"),
    "through-the-batch": ("settles", "grows"),
}  # fmt: skip
WIDTHS = {"break-it": 390, "slow-start": 1024}
FRAME = texts("lessons")
# The longest run takes 18 seconds by its schedule, and all of them share two cores here.
TO_THE_END = 90_000
# Until a run's first frame is drawn, where those of all lessons are open.
A_NEW_RUN = 60_000


@pytest.fixture(scope="module")
def walked(visit_once):
    """A tab for each lesson with a claim, its guess made; they run beside each other."""
    opened = {}
    for name, (guess, _) in GUESSES.items():
        size = {"width": WIDTHS.get(name, 1440), "height": 900}
        opened[name] = visit_once(f"/lessons?lesson={name}", viewport=size).page
        answer = opened[name].locator(f".st-key-answer_{guess} button")
        expect(opened[name].get_by_test_id("live-view")).to_have_attribute("data-step", "0")
        expect(opened[name].locator(".bnviz-transport")).to_be_hidden()
        answer.click()
    return opened


def test_every_lesson_with_a_claim_is_in_this_walk():
    assert GUESSES.keys() == {
        name for name, entry in LESSONS.items() if entry.written and entry.resolve().rule
    }


@pytest.mark.parametrize("name", GUESSES)
def test_a_lesson_is_walked_to_its_end(walked, name):
    page, words = walked[name], texts(f"lessons/{name}")
    guess, said = GUESSES[name]
    verdict = page.locator(".st-key-lesson_beat_verdict [role=status]")
    expect(verdict).to_be_visible(timeout=TO_THE_END)
    expect(verdict).to_contain_text(FRAME["verdict"]["held"])
    outcome = words["says"][said].rstrip(".") if guess != said else "This run says the same."
    expect(verdict).to_contain_text(outcome)
    expect(page.get_by_role("heading", name=FRAME["beat"]["why"], exact=True)).to_be_visible()
    page.get_by_text(FRAME["beat"]["more"]).click()
    expect(page.locator(".katex").first).to_be_visible()
    for each in LESSONS[name].resolve().breaks:
        expect(page.locator(f".st-key-break_{each.name} button")).to_be_enabled()
    assert f"guess={guess}" in page.url
    assert "run=" in page.url
    main = page.get_by_test_id("stMain")
    assert main.evaluate("part => part.scrollWidth <= part.clientWidth"), "nothing overflows"
    assert serious(page) == []


def test_on_a_phone_the_view_is_pinned_above_the_words(walked):
    page = walked["break-it"]
    view = page.locator("[data-testid=stColumn]:has(.st-key-lesson_view)")
    page.get_by_test_id("stMain").evaluate("part => part.scrollTo(0, part.scrollHeight)")
    box = view.bounding_box()
    assert 0 <= box["y"] <= 60
    assert box["height"] <= 0.4 * 900 + 1
    plot = page.locator(".bnviz-panel:visible .bnviz-plot").bounding_box()
    assert plot["height"] >= 120
    assert plot["y"] + plot["height"] <= box["y"] + box["height"] + 60, "its figure is in sight"


def test_charts_fit_their_column_or_the_page_says_how_many_lie_below(walked):
    more = walked["by-hand"].locator(".bnviz-below")
    expect(more).to_be_hidden()
    foot = walked["by-hand"].locator(".bnviz-timeline").bounding_box()["y"]
    for figure in walked["by-hand"].locator(".bnviz-figure").all():
        box = figure.bounding_box()
        assert box["y"] + box["height"] <= foot + 20, "the whole figure is in sight"
    more = walked["through-the-batch"].locator(".bnviz-below")
    expect(more).to_have_text(texts("live")["block"]["below_one"])
    more.press("Enter")
    expect(more).to_be_hidden()


def test_a_reload_finds_the_run_and_what_was_done(walked):
    page = walked["by-hand"]
    page.reload()
    verdict = page.locator(".st-key-lesson_beat_verdict [role=status]")
    expect(verdict).to_be_visible()
    expect(page.locator(".lesson-kept")).to_contain_text(FRAME["list"]["guesses_one"])
    link = page.locator(".st-key-lesson_link_side_by-hand a")
    mark = "part => getComputedStyle(part, '::after').content"
    assert link.evaluate(mark) == '"✓"'
    link = page.locator(".st-key-lesson_link_side_break-it a")
    assert link.evaluate(mark) == "none"


def test_now_break_it_runs_another_setting_and_back_returns(walked):
    page = walked["through-the-batch"]
    view, chosen = page.get_by_test_id("live-view"), page.locator(".st-key-break_tanh button")
    expect(chosen).to_be_visible(timeout=TO_THE_END)
    before = view.get_attribute("data-run")
    chosen.click()
    # The run stands in the address when the page's script has come to its end.
    page.wait_for_url("**break=tanh**run=*")
    expect(chosen).to_have_attribute("kind", "primary")
    expect(view).not_to_have_attribute("data-run", before, timeout=A_NEW_RUN)
    page.go_back()
    page.wait_for_url(lambda url: "break=" not in url)
    expect(chosen).to_have_attribute("kind", "secondary")


def test_the_first_lesson_lights_part_after_part_and_asks_for_a_look(visit):
    page = visit("/lessons").page
    words = texts("lessons/read-the-charts")
    lit = page.locator(".lesson-stops li")
    for at, _ in enumerate(words["stops"]):
        expect(lit).to_have_count(at + 1)
        page.locator(f".st-key-lesson_next_{at} button").click()
    layer = page.get_by_role("button", name="layer 1")
    expect(layer).to_be_enabled(timeout=TO_THE_END)
    layer.press("Enter")
    expect(page.locator(".st-key-lesson_beat_check [role=status]")).to_contain_text("layer 1")


def run_script(page):
    """Have the page's script run once more, by Streamlit's key for it, and wait for its end."""
    app = page.get_by_test_id("stApp")
    expect(app).to_have_attribute("data-test-script-state", "notRunning")
    ends = app.evaluate_handle(
        """app => {
          const ends = { seen: 0 };
          const count = () => (ends.seen += app.dataset.testScriptState === "notRunning");
          new MutationObserver(count).observe(app, { attributeFilter: ["data-test-script-state"] });
          return ends;
        }"""
    )
    page.keyboard.press("r")
    page.wait_for_function("ends => ends.seen > 0", arg=ends)


def test_the_lab_opens_at_the_step_to_which_a_lesson_was_rewound(visit):
    page = visit("/lessons?stop=6").page
    view = page.get_by_test_id("live-view")
    expect(page.get_by_role("button", name="layer 1")).to_be_enabled(timeout=TO_THE_END)
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
        # Whatever the script runs for next, it stays where the link led.
        run_script(page)
        expect(page.locator(".st-key-lesson_words h1")).to_have_text(title)
    page.go_back()
    expect(page.locator(".st-key-lesson_words h1")).to_have_text(texts("lessons/break-it")["title"])
