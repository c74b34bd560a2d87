"""Checklist of the home page, lessons, claims, About page and languages.

`test_checklist_lab.py` and `test_checklist_lecture.py` cover the rest of `checklist.toml`. Other
tests of this folder test each feature in detail.
"""

import re

from playwright.sync_api import expect

from bnviz.lessons import LESSONS
from bnviz.lessons.in_code import FAULTS
from bnviz.lessons.report import read_report
from bnviz.ui.claims.measured import claims_in_lab, measured
from bnviz.words.texts import texts
from tests.browser.checklist import (
    ELSEWHERE,
    FILE,
    LISTED,
    NUMBER,
    RATE,
    SMALL,
    WALKED_BY,
    Checklist,
    another_run,
    leads,
    pages,
    saved,
    until_a_chart_is_drawn,
)
from tests.browser.conftest import ROOT
from tests.browser.drawing import draw, drawn_in, near
from tests.browser.lab_page import CALM, LabPage
from tests.browser.test_home import drag_rate

HAND = (90, 80, 60, 40, 20)


def test_every_feature_of_the_readme_is_listed_and_every_list_is_walked():
    promised = leads((ROOT / "README.md").read_text(encoding="utf-8"))
    assert promised, "the section “Use it” has bold words"
    assert LISTED.keys() - {ELSEWHERE} == set(promised)
    tests = "".join(file.read_text("utf-8") for file in FILE.parent.glob("test_checklist*.py"))
    assert sorted(re.findall(r'with Checklist\("(\w+)"\)', tests)) == sorted(pages())
    for name in (found[WALKED_BY] for found in LISTED.values() if WALKED_BY in found):
        assert (ROOT / name).is_file(), name


def test_home(visit):
    with Checklist("home") as feature:
        home = visit("/").drawn()
        page = feature.page = home.page
        prompt = page.locator(".bnviz-prompt p").first
        headline = page.locator("[data-card=none] h2")
        layer = page.locator(".bnviz-callout-number:visible").first
        with feature("two-networks-train"):
            home.until_step(3)
            expect(page.locator("[data-card]")).to_have_count(2)
            until_a_chart_is_drawn(page, "stacks")
        begins = prompt.inner_text()
        with feature("one-breaks"):
            drag_rate(home, 1.5)
            expect(layer).to_be_visible()
            expect(headline).to_contain_text(texts("live")["reading"]["one_digit"])
        with feature("where-runs-break"):
            expect(page.locator(".bnviz-painted")).to_be_visible()
        with feature("the-prompt-goes-on"):
            expect(prompt).not_to_have_text(begins)
        first = layer.inner_text()
        with feature("share-what-you-broke"):
            page.locator(".bnviz-prompt-share").click()
            box = page.locator("dialog.bnviz-share-break")
            expect(box.locator("a[download]")).to_be_visible()
            assert box.locator("img").evaluate("image => image.naturalWidth") == 1200
            link = box.get_by_role("textbox").input_value()
            assert "?replay=" in link
        with feature("a-link-does-it-again"):
            before = home.run
            page.goto(link)
            home.wait("view.run && view.run !== argument", before)
            expect(layer).to_have_text(first)
        with feature("ways-on"):
            doors = page.locator(".bnviz-doors a")
            hrefs = doors.evaluate_all("all => all.map((one) => one.getAttribute('href'))")
            assert hrefs == ["/lessons", "/lab", "/map", "/lab?present=1&paused=1"]
            doors.first.click()
            expect(page.locator(".lesson-list").first).to_be_visible()


def test_lessons(visit):
    with Checklist("lessons") as feature:
        page = visit("/lessons", **CALM).page
        here = page.url

        def open_lesson(query: str) -> None:
            page.goto(f"{here}?lesson={query}")

        with feature("list-of-lessons"):
            expect(page.locator(".lesson-list li")).to_have_count(len(LESSONS))
            numbers = page.locator(".lesson-list .lesson-number").all_inner_texts()
            assert [each for each in numbers if each] == [str(number) for number in range(13)]
            beside = [entry for entry in LESSONS.values() if entry.extra and not entry.is_page]
            assert len(beside) == 3
        with feature("for-a-teacher"):
            fold = page.locator("[data-testid=stExpander]")
            fold.locator("summary").click()
            expect(fold.locator("li").first).to_be_visible()
            # the first block for teachers belongs to the tour
            lesson = fold.locator(".lesson-teachers").nth(1)
            hrefs = lesson.locator("a").evaluate_all("all => all.map((one) => one.href)")
            wanted = ("present=1", "hide=", "print=1")
            assert all(name in href for name, href in zip(wanted, hrefs, strict=True))
        with feature("a-lesson-from-the-list"):
            page.locator(".lesson-list [data-lesson=break-it] a").click()
            page.wait_for_url("**lesson=break-it&run=*")
        with feature("a-lesson-from-the-dots"):
            page.locator(".lesson-course-dots [data-lesson=by-hand] a").click()
            page.wait_for_url("**lesson=by-hand&run=*")
        with feature("two-questions-from-before"):
            page.locator("details.lesson-remember > summary").click()
            first = page.locator("details.lesson-remember [data-question]").first
            first.locator("summary").click()
            expect(first.locator("small")).to_be_visible()
            page.wait_for_function(
                "() => localStorage.getItem('bnviz-looked')?.includes('by-hand-0')"
            )
        with feature("faults-in-code"):
            open_lesson("in-code")
            fault = FAULTS[0]
            page.locator(f".st-key-answer_{fault.name}_{fault.answers[0]} button").click()
            expect(page.locator(f".st-key-lesson_lines_{fault.name}")).to_be_visible()
        with feature("when-batch-norm-loses"):
            open_lesson("when-it-loses")
            page.locator("[data-row='break-it/relu'] a").first.click()
            page.wait_for_url("**lesson=break-it&break=relu*")
            expect(page.locator(".st-key-break_relu")).to_be_visible()
        with feature("own-words"):
            open_lesson("what-you-can-say")
            answer = page.locator("[data-say]").first
            answer.locator("textarea").fill("The mean moves.")
            answer.locator("button").first.click()
            expect(answer.locator(".say-model")).to_be_visible()
        with feature("pages-to-read"):
            for name in ("what-to-use-when", "notes-corrected"):
                open_lesson(name)
                title = texts(f"lessons/{name}")["title"]
                expect(page.locator(".st-key-lesson_words h1")).to_have_text(title)
                expect(page.locator(".lesson-next")).to_be_visible()
        with feature("syllabus"):
            open_lesson("syllabus")
            expect(page.locator(".lesson-syllabus").first).to_be_visible()
            expect(page.locator(".lesson-misconceptions dt").first).to_be_visible()
        with feature("worksheet"):
            open_lesson("two-modes&print=1")
            expect(page.locator(".sheet-page")).to_have_count(2)
            sheet = saved(page, page.locator(".st-key-sheet_edit button").click)
            assert sheet.suffix == ".md"
            assert sheet.read_text("utf-8").startswith("# ")


def test_a_lesson(visit):
    with Checklist("a_lesson") as feature:
        lab = visit("/lessons?lesson=moving-targets", **CALM).drawn()
        page, frame = lab.page, texts("lessons")
        feature.page = page

        def go(key: str) -> None:
            page.locator(f".st-key-{key} button:visible").click()

        def until_drawn(values: tuple[int, ...]) -> None:
            page.wait_for_url("**guess=draw*")
            lab.until_query(lambda _query: near(drawn_in(page), values))

        go("lesson_to_predict")
        with feature("drawn-by-hand"):
            draw(page, HAND)
            until_drawn(HAND)
        with feature("drawn-by-keys"):
            page.locator(".bnviz-drawn-handle:visible").last.press("Home")
            until_drawn((*HAND[:-1], 0))
        with feature("it-runs-and-judges"):
            go("lesson_run")
            lab.until_step(1)
            verdict = page.locator(".st-key-lesson_beat_verdict [role=status]:not(.bnviz-hidden)")
            expect(verdict).to_contain_text(frame["verdict"]["held"])
        with feature("the-gap-is-told"):
            expect(page.locator(".bnviz-drawn-told:visible")).to_have_text(NUMBER)
        with feature("report-of-a-lesson"):
            page.locator(".bnviz-report").click()
            box = page.locator("dialog[open]")
            box.locator("input[type=text]").fill("Ada")
            box.locator("textarea").fill("It was sent better things.")
            report = saved(page, box.locator("[data-control=report_page]").click)
            page.keyboard.press("Escape")
            told = report.read_text("utf-8")
            (block,) = re.findall(r"<script[^>]*>([^<]*)<", told)
            assert (read_report(block).who, read_report(block).measured.outcome) == ("Ada", "held")
            assert told.count("<img") == len(LESSONS["moving-targets"].resolve().charts) + 1
            assert "It was sent better things." in told
        with feature("why"):
            go("lesson_to_why")
            page.get_by_text(frame["beat"]["more"]).click()
            expect(page.locator(".katex").first).to_be_visible()
        with feature("a-lesson-as-a-script"):
            expect(page.locator(".lesson-code")).to_be_visible()
            script = saved(page, page.locator(".lesson-script a").first.click)
            assert script.suffix == ".py"
            assert "import torch" in script.read_text("utf-8")
        with feature("now-break-it"):
            go("lesson_to_break")
            another_run(lab, lambda: go("break_faster"))
            page.wait_for_url("**break=faster*")


def test_claims(visit):
    with Checklist("claims") as feature:
        page = visit("/claims", **CALM).page
        here, results = page.url, measured()
        rows = page.locator(".claims-row")
        with feature("every-statement"):
            expect(rows).to_have_count(len(results.rows))
            page.locator(".claims-clear").click()
            expect(rows.first.locator("[role=img]").first).to_be_visible()
            expect(rows.first.locator(".claims-spread dd").first).to_have_text(NUMBER)
        with feature("the-surprises"):
            links = page.locator(".claims-surprises li a:first-of-type")
            places = links.evaluate_all("all => all.map((one) => one.hash.slice(1))")
            assert len(set(places)) == 5
            links.first.click()
            expect(page.locator(f"[id='{places[0]}']")).to_be_focused()
        shown = page.locator(".claims-row:visible")
        with feature("search-the-statements"):
            page.locator(".claims-search input[name=q]").fill("whitening")
            page.wait_for_url("**q=whitening*")
            assert 0 < shown.count() < len(results.rows)
            page.locator(".claims-search input[name=q]").fill("")
            expect(shown).to_have_count(len(results.rows))
        with feature("choose-an-outcome"):
            chip = page.locator("[data-field=outcome] [data-value]").nth(1)
            outcome = chip.get_attribute("data-value")
            chip.click()
            page.wait_for_url(f"**outcome={outcome}*")
            outcomes = shown.evaluate_all("all => all.map((one) => one.dataset.outcome)")
            assert 0 < len(outcomes) < len(results.rows)
            assert set(outcomes) == {outcome}
        with feature("watch-in-the-lab"):
            name, row = next(
                (name, row) for name, row in claims_in_lab().items() if "charts" in row.query
            )
            page.goto(f"{here}?row={name}")
            page.locator(f"[data-name='{name}'] .claims-watch").click()
            lab = LabPage(page, []).drawn()
            expect(page.locator(".claims-watched")).to_contain_text(row.text)
            expect(page.locator(".claims-moved")).to_be_hidden()  # the run has the row's setting
            chart = lab.view.locator(".bnviz-charts [data-chart]:visible").first
            assert chart.get_attribute("data-chart") in row.query["charts"].split(",")
            page.wait_for_url(re.compile(f"claim={name}.*run="))
            page.locator(RATE).first.press("ArrowLeft")
            expect(page.locator(".claims-moved")).to_be_visible()
            page.get_by_role("link", name="All numbers of this statement").click()
            expect(page.locator(f"[id='{row.place}']")).to_be_focused()


def test_about(visit):
    with Checklist("about") as feature:
        page = visit("/about", **CALM).page
        origin = page.url.removesuffix("/about")
        with feature("about-and-its-figure"):
            hills = page.locator(".about-figure [role=img]")
            expect(hills).to_have_count(2)
            expect(hills.first.locator(".about-hill").first).to_be_visible()
            expect(page.get_by_role("table").first).to_be_visible()
        with feature("figures-run-in-the-lab"):
            page.locator(".about-figure figcaption a").click()
            LabPage(page, []).drawn().until_query(
                lambda query: "preset" in query and "run" in query
            )
        with feature("status-for-people"):
            page.goto(f"{origin}/status")
            expect(page.locator("table")).to_have_count(4)
            expect(page.locator("table").nth(1).locator("tr")).to_have_count(2)
        with feature("status-for-programs"):
            facts = page.request.get(f"{origin}/status?as=json").json()
            assert facts["viewers"] >= 0
            assert len(facts["workers"]) == 1
        with feature("what-if-a-run-is-gone"):
            page.goto(f"{origin}/lab?{SMALL}&run={'0' * 32}")
            lab = LabPage(page, []).drawn()
            assert lab.run != "0" * 32
            expect(lab.view.locator(".bnviz-notice").first).to_be_visible()


def test_languages(visit):
    with Checklist("languages") as feature:
        page = visit("/claims?lang=ja").page
        here, html = page.url.partition("?")[0], page.locator("html")
        title = page.get_by_role("heading", level=1)

        def until_in(code: str) -> None:
            expect(html).to_have_attribute("lang", code)
            expect(title).to_have_text(texts("claims", code)["title"])

        with feature("asked-for-in-the-address"):
            until_in("ja")
        with feature("remembered"):
            page.goto(here)
            until_in("ja")
        with feature("chosen-in-the-menu"):
            page.locator(".bnviz-languages summary").click()
            page.locator(".bnviz-languages a[lang=zh-Hans]").click()
            until_in("zh-Hans")
        with feature("what-the-browser-prefers"):
            page = visit("/claims", locale="ja-JP").page
            expect(page.locator("html")).to_have_attribute("lang", "ja")
