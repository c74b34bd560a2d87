"""The course in a browser, for `make verify`. `make test` runs one lesson (test_checklist.py).

Other tests, which need no browser or no run, check the settings and widgets of single lessons.
"""

import re

import pytest
from playwright.sync_api import expect

from bnviz.lessons import LESSONS
from bnviz.lessons.in_code import FAULTS
from bnviz.lessons.report import Reading, plan_again, read_report
from bnviz.lessons.words import Filling
from bnviz.planned_runs.execution import run_plan
from bnviz.ui.lessons.handed_in import read_collection
from bnviz.ui.lessons.tour import LIT
from bnviz.ui.lessons.words import lesson_words
from bnviz.words.texts import texts
from tests.browser.accessible import serious, until_it_fits
from tests.browser.drawing import draw, draw_by_finger, drawn_in, near, until_it_stays

# Guess and outcome at seed 0, for every lesson with a claim.
GUESSES = {
    "break-it": ("learns_again", "proportional"), "by-hand": ("nearer", "nearer"),
    "moving-targets": ("worse", "better"), "slow-start": ("alike", "alike"),
    "through-the-batch": ("settles", "grows"), "scale-and-shift": ("all", "shift"),
    "two-modes": ("little", "third"), "size-of-weights": ("relearns", "smaller"),
    "depth": ("learns", "stays"), "whitening": ("faster", "slower"),
    "images-and-sequences": ("breaks", "holds"),
    "what-it-buys": ("breaks", "rate"),
    "is-it-shift": ("only", "both"),
    "batch-size": ("ahead", "behind"), "does-it-regularize": ("always", "small"),
}  # fmt: skip
# Drawn guesses, with five values per curve.
DRAWN = {
    "break-it": (90, 10, 90, 60, 90), "moving-targets": (90, 80, 60, 40, 20),
    "through-the-batch": (10, 20, 25, 26, 26),
    "two-modes": (10, 80, 90, 95, 95, 10, 76, 86, 92, 95),
}  # fmt: skip
# Lesson with the shortest run. The run contradicts the guess in `GUESSES`.
WALKED = "moving-targets"
WIDTHS = {"break-it": 1280, "slow-start": 1024}
HEIGHTS = {"break-it": 800, "slow-start": 768}
PAGE_OF_PDF, RGB = re.compile(rb"/Type /Page\b"), re.compile(r"\d+")
PHONE = {"width": 390, "height": 844}
FRAME = texts("lessons")
# Timeout in milliseconds for a whole run. The longest is scheduled for 18 seconds, but all runs
# share two cores.
TO_THE_END = 90_000
# Timeout in milliseconds for a run's first frame, while runs of all lessons are open.
A_NEW_RUN = 90_000


def verdict(page):
    return page.locator(".st-key-lesson_beat_verdict [role=status]:not(.bnviz-hidden)")


def press(page, key):
    # Streamlit renders a button with a tooltip twice, once for touch.
    page.locator(f".st-key-{key} button:visible").click()


def open_predict(page):
    press(page, "lesson_to_predict")
    # Each section of a lesson opens at the top of the page. On a slow machine, the page scrolls
    # there only after everything else, so wait for it.
    page.wait_for_function("() => document.querySelector('[data-testid=stMain]').scrollTop === 0")


def guess(page, name):
    """Enter the guess of a lesson, and start its run."""
    open_predict(page)
    answer = GUESSES[name][0]
    if name in DRAWN:
        draw(page, DRAWN[name])
        told = lesson_words(name, LESSONS[name].lesson).answer(answer, drawn=True)
        expect(page.locator(".lesson-drawn")).to_contain_text(told)
        press(page, "lesson_run")
    else:
        press(page, f"answer_{answer}")
        press(page, "lesson_run")
    if LESSONS[name].resolve().tried_first:
        page.get_by_role("slider", name="Value of image 4").press("End")


def test_every_lesson_with_a_claim_is_in_this_walk():
    written = {name: entry.resolve() for name, entry in LESSONS.items() if not entry.is_page}
    assert GUESSES.keys() == {name for name, lesson in written.items() if lesson.rule}
    assert DRAWN.keys() == {name for name, lesson in written.items() if lesson.drawing}


@pytest.mark.verify
@pytest.mark.parametrize("name", GUESSES)
def test_a_lesson_is_walked_to_its_end(visit, name):
    """The test of the shortest lesson also checks features of all lessons, so that no other test
    loads a page for them.
    """
    size = {"width": WIDTHS.get(name, 1440), "height": HEIGHTS.get(name, 900)}
    page, words = visit(f"/lessons?lesson={name}", viewport=size).page, texts(f"lessons/{name}")
    page.wait_for_url("**&run=*", timeout=A_NEW_RUN)
    expect(page.locator(".bnviz-transport")).to_be_hidden()
    lesson = LESSONS[name].resolve()
    expect(page.locator(".bnviz-not-yet")).to_have_count(len(lesson.covered))
    guess(page, name)
    guessed, said = GUESSES[name]
    expect(verdict(page)).to_be_visible(timeout=TO_THE_END)
    expect(verdict(page)).to_be_in_viewport()
    expect(verdict(page)).to_contain_text(FRAME["verdict"]["held"])
    expect(page.locator(".bnviz-not-yet")).to_have_count(0)
    if lesson.said_at is not None:
        shown = f"{lesson.said_at} of {lesson.plan.last_step}"
        expect(page.locator(".bnviz-now").first).to_have_text(shown)
    says = Filling(lesson.named_values()).sentence(words["says"][said])
    outcome = says.rstrip(".") if guessed != said else "This run shows the same."
    expect(verdict(page)).to_contain_text(outcome)
    if name in DRAWN:
        assert near(drawn_in(page), DRAWN[name])
        expect(page.locator(".bnviz-drawn-told:visible")).to_contain_text("You drew")
    else:
        assert f"guess={guessed}" in page.url
    assert "run=" in page.url
    until_it_fits(page, page.viewport_size["width"])
    assert serious(page) == []
    press(page, "lesson_to_why")
    expect(page.get_by_role("heading", name=FRAME["beat"]["why"], exact=True)).to_be_visible()
    page.get_by_text(FRAME["beat"]["more"]).click()
    expect(page.locator(".katex").first).to_be_visible()
    # Formula fonts load late and move the content below them.
    until_it_stays(page, ".st-key-lesson_ways")
    press(page, "lesson_to_break")
    for each in lesson.breaks:
        expect(page.locator(f".st-key-break_{each.name} button")).to_be_enabled()
    until_it_fits(page, page.viewport_size["width"])
    assert serious(page) == []
    if name == WALKED:
        the_report_of_a_run_has_its_numbers_and_no_script_and_is_printed(page, visit)
        more_charts_than_the_window_has_room_for_are_led_to(page)
        a_phone_has_the_figure_above_the_words_and_what_moves_the_run_at_its_foot(page)
        a_reload_finds_the_run_and_now_break_it_runs_another_until_one_goes_back(page)
        the_lab_opens_at_the_step_looked_at(page)


def the_report_of_a_run_has_its_numbers_and_no_script_and_is_printed(page, visit):
    report = texts("report")
    page.locator(".bnviz-report").click()
    page.get_by_label(report["who"]).fill("Ada <i>")
    page.get_by_label(report["words"]).fill("</script><b>It was sent better things.")
    with page.expect_download() as saved:
        page.locator("[data-control=report_page]").click()
    page.get_by_role("button", name=texts("live")["dialog"]["close"]).click()
    source = saved.value.path().read_text("utf-8")
    assert re.findall("<script", source) == ["<script"], "the block of numbers alone"
    (block,) = re.findall(r'<script type="application/json" id="bnviz-report">([^<]*)<', source)
    read, lesson = read_report(block), LESSONS[WALKED].resolve()
    assert read.who == "Ada <i>"
    assert (read.measured.outcome, read.measured.answer) == ("held", GUESSES[WALKED][1])
    made = list(run_plan(lesson.config(), plan_again(read, lesson.plan), probes=()))[-1]
    for norm, record in made.networks.items():
        assert read.measured.networks[norm] == Reading.of(record), "to the last bit"
    handed_in = read_collection({"files": [{"name": "a.html", "text": block}]})
    assert (handed_in.problems, handed_in.rows[0].config) == ((), lesson.config())
    printed = visit("/status").page
    printed.set_content(source)
    expect(printed.locator(".words")).to_have_text("</script><b>It was sent better things.")
    expect(printed.locator("figure img")).to_have_count(len(lesson.charts) + (WALKED in DRAWN))
    printed.emulate_media(media="print")
    assert 1 <= len(PAGE_OF_PDF.findall(printed.pdf(prefer_css_page_size=True))) <= 4


def more_charts_than_the_window_has_room_for_are_led_to(page):
    below = page.locator(".bnviz-below")
    expect(below).to_be_visible()
    below.press("Enter")
    column = page.locator("[data-testid=stColumn]:has(.st-key-lesson_view)")
    page.wait_for_function("column => column.scrollTop > 0", arg=column.element_handle())
    # The controls of the run stay in place.
    expect(page.locator(".bnviz-dock")).to_be_in_viewport(ratio=0.99)


def a_phone_has_the_figure_above_the_words_and_what_moves_the_run_at_its_foot(page):
    size, main = page.viewport_size, page.get_by_test_id("stMain")
    page.set_viewport_size(PHONE)
    page.locator(".bnviz-chooser [data-opens=accuracy]").click()
    expect(page.locator(".bnviz-panel:visible .bnviz-plot")).to_have_count(1)
    main.evaluate("part => part.scrollTo(0, part.scrollHeight)")
    page.wait_for_function(
        "part => part.scrollTop + part.clientHeight >= part.scrollHeight - 1",
        arg=main.element_handle(),
    )
    # The charts are resized with a delay.
    until_it_stays(page, ".bnviz-panel .bnviz-plot")
    column = page.locator("[data-testid=stColumn]:has(.st-key-lesson_view)").bounding_box()
    header = page.locator(".st-key-navigation").bounding_box()
    dock = page.locator(".bnviz-dock").bounding_box()
    assert abs(column["y"] - header["height"]) < 2, "under the header, nothing covered"
    assert abs(dock["y"] + dock["height"] - PHONE["height"]) < 2, "at the foot"
    taken = header["height"] + column["height"] + dock["height"]
    assert taken <= 0.62 * PHONE["height"] + 1, "the words have the rest"
    plot = page.locator(".bnviz-panel:visible .bnviz-plot").bounding_box()
    assert plot["height"] >= 240
    told = page.locator(".bnviz-drawn-told:visible").bounding_box()
    assert told["y"] >= plot["y"] + plot["height"] - 1, "the sentence is below the plot"
    assert plot["y"] + plot["height"] <= column["y"] + column["height"] + 1
    slider = page.locator(".bnviz-dock .bnviz-rate input[type=range]").bounding_box()
    assert slider["width"] >= 160, "there is a track to drag on"
    line = page.locator(".bnviz-dock .bnviz-timeline").bounding_box()
    assert line["x"] >= 0
    assert line["x"] + line["width"] <= PHONE["width"]
    until_it_fits(page, PHONE["width"])
    page.set_viewport_size(size)


def a_reload_finds_the_run_and_now_break_it_runs_another_until_one_goes_back(page):
    press(page, "lesson_show_verdict")
    expect(verdict(page)).to_be_visible()
    page.reload()
    expect(verdict(page)).to_be_visible(timeout=A_NEW_RUN)
    expect(page.locator(".lesson-kept")).to_contain_text(FRAME["list"]["guesses_one"])
    mark = "part => getComputedStyle(part, '::after').content"
    for name, content in ((WALKED, '"✓"'), ("break-it", "none")):
        link = page.locator(f".lesson-course-dots [data-lesson={name}] a")
        assert link.evaluate(mark) == content
    other = LESSONS[WALKED].resolve().breaks[0].name
    view, chosen = page.get_by_test_id("live-view"), page.locator(f".st-key-break_{other} button")
    before = view.get_attribute("data-run")
    press(page, "lesson_to_why")
    press(page, "lesson_to_break")
    chosen.click()
    # The run is added to the address when the page's script has finished.
    page.wait_for_url(f"**break={other}**run=*")
    expect(chosen).to_have_attribute("kind", "primary")
    expect(view).not_to_have_attribute("data-run", before, timeout=A_NEW_RUN)
    other = view.get_attribute("data-run")
    page.go_back()
    page.wait_for_url(lambda url: "break=" not in url)
    expect(chosen).to_have_attribute("kind", "secondary")
    expect(view).not_to_have_attribute("data-run", other, timeout=A_NEW_RUN)


def the_lab_opens_at_the_step_looked_at(page):
    view = page.get_by_test_id("live-view")
    expect(view).to_have_attribute("data-step", re.compile("[1-9]"), timeout=A_NEW_RUN)
    run = view.get_attribute("data-run")
    view.get_by_role("slider", name="Timeline").press("Home")
    expect(view).to_have_attribute("data-time", "pinned")
    expect(view).to_have_attribute("data-step", "0")
    page.locator(".st-key-lesson_beat_break a", has_text=FRAME["break"]["lab"]).click()
    page.wait_for_url(f"**/lab?*run={run}*")
    expect(view).to_have_attribute("data-run", run)
    expect(view).to_have_attribute("data-time", "pinned")
    expect(view).to_have_attribute("data-step", "0")


@pytest.mark.verify
@pytest.mark.parametrize(
    ("link", "widget"),
    [
        ("lesson=scale-and-shift&guess=all&break=circles", "gamma_beta"),
        ("lesson=two-modes&guess=third&break=never", "compose_batch"),
    ],
)
def test_what_moves_a_widget_and_what_comes_of_it_are_in_one_window(visit, link, widget):
    size = {"width": 1366, "height": 768}
    page = visit(f"/lessons?{link}&beat=why", viewport=size).page
    charts = page.locator(".st-key-lesson_live")
    expect(charts).to_be_visible(timeout=A_NEW_RUN)
    press(page, f"lesson_open_{widget}")
    part = page.locator(f".st-key-lesson_hand_{widget}")
    controls = part.locator("input, .bnviz-slot, .bnviz-widget-row button")
    expect(controls.first).to_be_visible(timeout=A_NEW_RUN)
    expect(charts).to_be_hidden()
    for each in (controls.first, part.locator("svg.bnviz-small-chart, svg.bnviz-lines").first,
                 part.locator(".bnviz-widget-sentence")):  # fmt: skip
        expect(each).to_be_in_viewport(ratio=1)
    press(page, "lesson_close")
    expect(charts).to_be_visible()


@pytest.mark.verify
def test_a_finger_draws_two_curves_one_after_the_other(visit):
    page = visit("/lessons?lesson=two-modes", viewport=PHONE, has_touch=True, is_mobile=True).page
    expect(page.get_by_test_id("live-view")).to_have_attribute("data-step", "0", timeout=A_NEW_RUN)
    open_predict(page)
    draw_by_finger(page, DRAWN["two-modes"][:5])
    page.locator(".bnviz-drawn-choose:visible").nth(1).click()
    draw_by_finger(page, DRAWN["two-modes"][5:])
    expect(page.locator(".lesson-drawn")).to_be_visible()
    assert near(drawn_in(page), DRAWN["two-modes"])


@pytest.mark.verify
def test_a_finger_draws_and_keys_mend_what_it_drew(visit):
    page = visit("/lessons?lesson=break-it", viewport=PHONE, has_touch=True, is_mobile=True).page
    expect(page.get_by_test_id("live-view")).to_have_attribute("data-step", "0", timeout=A_NEW_RUN)
    open_predict(page)
    drawn = page.locator(".lesson-drawn")
    answers = texts("lessons/break-it")["answers"]
    draw_by_finger(page, DRAWN["break-it"])
    expect(drawn).to_contain_text(answers["learns_again"])
    assert near(drawn_in(page), DRAWN["break-it"])
    # The button becomes enabled once there is a guess.
    expect(page.locator(".st-key-lesson_run button")).to_be_enabled()
    for at in (2, 3, 4):
        page.locator(".bnviz-drawn-handle:visible").nth(at).press("Home")
    expect(drawn).to_contain_text(answers["stays"])
    page.wait_for_url("**%2C0%2C0%2C0*")


@pytest.mark.verify
def test_the_first_lesson_lights_part_after_part_in_sight_and_asks_about_them(visit):
    page = visit("/lessons?lesson=read-the-charts", viewport=PHONE).page
    words = texts("lessons/read-the-charts")
    lit = page.locator(".lesson-stops li")
    for at, stop in enumerate(words["stops"]):
        expect(lit).to_have_count(at + 1)
        if LIT[stop]:
            expect(page.locator(f".bnviz-panel-{LIT[stop]}")).to_be_visible(timeout=A_NEW_RUN)
        page.locator(f".st-key-lesson_next_{at} button").click()
    # During a script run, the previous button may still be beside the new one.
    layer = page.locator("button:enabled", has_text="layer 1").first
    expect(layer).to_be_visible(timeout=TO_THE_END)
    layer.press("Enter")
    expect(page.locator(".st-key-lesson_beat_check [role=status]")).to_contain_text("layer 1")
    following = page.locator(".lesson-next")
    expect(following).to_have_attribute("title", texts("lessons/break-it")["title"])


@pytest.mark.verify
def test_links_between_lessons_lead_there_and_back(visit):
    page = visit("/lessons").page

    def opened(name):
        page.wait_for_url(f"**/lessons?lesson={name}&run=*")
        title = texts(f"lessons/{name}")["title"]
        expect(page.locator(".st-key-lesson_words h1")).to_have_text(title)

    # Open a lesson from the list, and another from the course's dots.
    page.locator(".lesson-list [data-lesson=break-it] a").click()
    opened("break-it")
    page.locator(".lesson-course-dots [data-lesson=slow-start] a").click()
    opened("slow-start")
    # Opening a section reruns the script, and the page stays on the lesson that the dot opened.
    open_predict(page)
    page.wait_for_url("**/lessons?*beat=predict*")
    expect(page.locator(".st-key-lesson_beat_predict")).to_be_visible()
    # The first Back leaves the section, and the second returns to the previous lesson.
    page.go_back()
    page.wait_for_url(lambda url: "lesson=slow-start" in url and "beat=" not in url)
    page.go_back()
    page.wait_for_url("**/lessons?*lesson=break-it*")
    expect(page.locator(".st-key-lesson_words h1")).to_have_text(texts("lessons/break-it")["title"])
    page.locator(".lesson-all").click()
    expect(page.locator(".lesson-list li")).to_have_count(len(LESSONS))


@pytest.mark.verify
def test_a_page_that_a_link_opens_begins_at_its_top(visit):
    page = visit("/lessons", viewport={"width": 1366, "height": 768}).page
    link = page.locator(".lesson-list [data-lesson=notes-corrected] a")
    link.scroll_into_view_if_needed()
    scrolled = "() => document.querySelector('[data-testid=stMain]').scrollTop"
    page.wait_for_function(f"({scrolled})() > 0")
    link.click()
    expect(page.locator(".lesson-table").first).to_be_visible()
    assert page.evaluate(scrolled) == 0


@pytest.mark.verify
def test_a_lesson_that_was_finished_opens_with_its_guess_and_verdict_and_starts_afresh(visit):
    page = visit("/lessons").page
    kept = {"slow-start": {"done": True, "guess": "flat", "seed": 3}}
    page.evaluate("(kept) => localStorage.setItem('bnviz-lessons', JSON.stringify(kept))", kept)
    page.locator(".lesson-list [data-lesson=slow-start] a").click()
    page.wait_for_url("**guess=flat&seed=3&again=1*")
    expect(verdict(page)).to_be_visible(timeout=TO_THE_END)
    guessed = texts("lessons/slow-start")["answers"]["flat"].rstrip(".")
    expect(verdict(page)).to_contain_text(guessed)
    press(page, "lesson_to_why")
    expect(page.locator(".st-key-lesson_beat_why")).to_be_visible()
    press(page, "lesson_start_afresh")
    page.wait_for_url("**beat=question&seed=4*")
    expect(page.locator(".st-key-lesson_beat_question")).to_be_visible()
    # Back and the list of lessons both return to the finished lesson.
    page.go_back()
    page.wait_for_url("**guess=flat*again=1*")
    page.locator(".lesson-all").click()
    page.locator(".lesson-list [data-lesson=slow-start] a").click()
    page.wait_for_url("**guess=flat&seed=3&again=1*")


REMEMBER, TICK = "details.lesson-remember", "✓"


@pytest.mark.verify
def test_two_questions_from_before_are_opened_by_keys_and_what_was_opened_is_kept(visit):
    """The questions are optional, and the tick of an opened question survives a reload."""
    page = visit("/lessons?lesson=by-hand", viewport=PHONE).page
    whole = page.locator(REMEMBER)
    expect(whole).to_be_visible()
    first, second = whole.locator("[data-question]").all()
    expect(first).to_be_hidden()
    whole.locator("> summary").press("Enter")
    question = first.locator("> summary")
    expect(question).to_be_visible()
    expect(first.get_by_text(FRAME["remember"]["from"].partition("{")[0])).to_be_hidden()
    question.press("Enter")
    expect(first.get_by_text(FRAME["remember"]["from"].partition("{")[0])).to_be_visible()
    opened = "name => JSON.parse(localStorage.getItem('bnviz-looked') ?? '[]').includes(name)"
    page.wait_for_function(opened, arg="by-hand-0")
    ticked = "each => getComputedStyle(each.querySelector('summary'), '::after').content"
    assert TICK in first.evaluate(ticked)
    assert TICK not in second.evaluate(ticked)
    until_it_fits(page, PHONE["width"])
    assert serious(page) == []
    page.reload()
    expect(page.locator(REMEMBER)).to_be_visible()
    page.wait_for_function(
        "([place, tick]) => getComputedStyle(document.querySelector(place), '::after')"
        ".content.includes(tick)",
        arg=["[data-question='by-hand-0'] > summary", TICK],
    )
    open_predict(page)
    expect(page.locator(".st-key-lesson_beat_predict")).to_be_visible()
    expect(page.locator(REMEMBER)).to_have_count(0)


@pytest.mark.verify
def test_the_page_of_code_is_walked_by_keys(visit):
    page = visit("/lessons?lesson=in-code", viewport={"width": 1024, "height": 768}).page
    for number, fault in enumerate(FAULTS):
        answer = page.locator(f".st-key-answer_{fault.name}_{fault.answers[number % 3]} button")
        answer.focus()
        answer.press("Enter")
        expect(page.locator(f".st-key-lesson_lines_{fault.name}")).to_be_visible()
    until_it_fits(page, 1024)
    assert serious(page) == []
    page.set_viewport_size(PHONE)
    until_it_fits(page, PHONE["width"])
    page.get_by_text(texts("lessons/in-code")["faults"]["check"]).first.click()
    expect(page.get_by_text("def saved(")).to_be_visible()
    assert serious(page) == []


@pytest.mark.verify
def test_the_page_that_collects_fits_and_leads_to_the_run(visit):
    page = visit("/lessons?lesson=when-it-loses", viewport={"width": 1440, "height": 844}).page
    row = page.locator("[data-row='break-it/relu']")
    expect(row).to_be_visible()
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 844})
        until_it_fits(page, width)
        assert serious(page) == []
    row.get_by_role("link").click()
    page.wait_for_url("**lesson=break-it&break=relu*")
    expect(page.locator(".st-key-break_relu")).to_be_visible()


@pytest.mark.verify
def test_a_worksheet_is_printed_on_two_pages_in_black_and_what_teachers_and_learners_open_fits(
    visit,
):
    """Print the longest worksheet from a phone in the dark theme."""
    page = visit(
        "/lessons?lesson=two-modes&print=1&lang=ja", viewport={"width": 390, "height": 844},
        color_scheme="dark",
    ).page  # fmt: skip
    sheet = page.locator(".st-key-lesson_sheet")
    expect(sheet.locator(".sheet-page")).to_have_count(2)
    until_it_fits(page, 390)
    assert serious(page) == []
    page.emulate_media(media="print")
    assert len(PAGE_OF_PDF.findall(page.pdf(prefer_css_page_size=True))) == 2
    for gone in (".st-key-sheet_tools", ".st-key-navigation"):
        expect(page.locator(gone)).to_be_hidden()
    for part in ("h1", "p", ".sheet-axes"):
        ink, paper = sheet.locator(part).first.evaluate(
            "(one) => [getComputedStyle(one).color,"
            " getComputedStyle(document.body).backgroundColor]"
        )
        assert lightness(ink) < 200 < 700 < lightness(paper), part
    page.emulate_media(media="screen")
    for name, part in (("syllabus", ".lesson-syllabus"), ("what-you-can-say", ".say textarea")):
        page.goto(page.url.partition("?")[0] + f"?lesson={name}")
        expect(page.locator(part).first).to_be_visible()
        until_it_fits(page, 390)
        assert serious(page) == [], name


def lightness(colour):
    """Return the sum of the red, green and blue values of a CSS colour, from 0 to 765."""
    return sum(int(number) for number in RGB.findall(colour)[:3])
