"""The checklist of a lecture: the presentation view, a class with its phones, talks."""

import re

from playwright.sync_api import expect

from bnviz.words.texts import texts
from tests.browser.checklist import CODE, NUMBER, SMALL, Checklist, press, saved
from tests.browser.conftest import Server
from tests.browser.lab_page import CALM, LabPage
from tests.browser.tabs import Tabs
from tests.browser.test_stage import until_it_is_whole

BELOW = ".bnviz-stage-foot [data-chart]:visible"
PHONE = {"width": 390, "height": 844}
CLASS = texts("class")
OWN = ("Who moves?", "the mean", "the weights")
TALK = f"""title = "My talk"
[[station]]
title = "Guess"
notes = "Only I see this."
setting = {{ depth = 2, width = 8, batch_size = 16 }}
paused = true
question = {{ text = "{OWN[0]}", answers = ["{OWN[1]}", "{OWN[2]}"] }}
[[station]]
title = "Go on"
change = {{ learning_rate = 1.0 }}
after = 5
notes = "Now wait."
"""
COPIED = "() => navigator.clipboard.readText().then((text) => text.includes('#talk=') && text)"


def test_stage(visit):
    with Checklist("stage") as feature:
        lab = visit(f"/lab?{SMALL}&learning_rate=1", **CALM).drawn()
        page, view = lab.page, lab.view
        feature.page = page
        stage, below = view.locator(".bnviz-stage"), page.locator(BELOW)
        here = page.url.partition("?")[0]
        with feature("key-p"):
            run = lab.run
            for there in (1, 0):
                page.keyboard.press("p")
                expect(stage).to_have_count(there)
                lab.wait("view.run === argument", run)
        with feature("present-in-the-address"):
            page.goto(f"{here}?{SMALL}&learning_rate=10&present=1")
            lab.drawn()
            expect(stage).to_be_visible()
            expect(page.locator(".bnviz-stage-card .js-plotly-plot")).to_have_count(2)
            until_it_is_whole(page)
        with feature("digits-change-the-chart"):
            for key, chart in (("2", "accuracy"), ("1", "loss")):
                page.keyboard.press(key)
                expect(below).to_have_attribute("data-chart", chart)
            page.keyboard.press("1")
            expect(page.locator(".bnviz-stage-cards")).to_be_hidden()
            page.keyboard.press("1")
            expect(page.locator(".bnviz-stage-cards")).to_be_visible()
        with feature("show-the-break"):
            view.locator(".bnviz-stage-base > .bnviz-pill:not(.bnviz-live)").click()
            lab.wait("view.time === 'playing'")
            page.keyboard.press("Escape")
        with feature("a-second-slider"):
            view.locator(".bnviz-stage-more").click()
            view.locator(".bnviz-stage-panel input[value=batch_size]").click(force=True)
            expect(view.locator(".bnviz-rate [data-knob=batch_size]")).to_be_visible()
        with feature("knobs-of-the-stage"):
            sidebar = page.get_by_test_id("stSidebar")
            expect(sidebar).to_be_hidden()
            view.locator(".bnviz-stage-more").click()
            view.get_by_role("button", name=texts("live")["stage"]["knobs"]).click()
            expect(sidebar).to_be_visible()
            page.keyboard.press("Escape")
            expect(sidebar).to_be_hidden()
        with feature("a-lesson-on-the-stage"):
            page.goto(here.replace("/lab", "/lessons?lesson=break-it&present=1"))
            lab.drawn()
            expect(stage).to_be_visible()
            assert (lab.step, lab.status) == (0, "paused")


def test_class(visit, tabs: Tabs, server: Server):
    with Checklist("class") as feature:
        lab = visit(f"/lab?{SMALL}&present=1", **CALM).drawn()
        page = feature.page = lab.page
        taken = tabs.take(viewport=PHONE)
        phone = taken.page
        asked, panel = page.locator("dialog.class-open"), page.locator(".class-panel")
        answers = phone.locator("button[name=answer]")

        def ask(question: str) -> None:
            page.keyboard.press("a")
            composer = page.locator("dialog.class-composer")
            composer.locator(f"input[type=radio][value={question}]").check()
            if question == "own":
                for place, text in enumerate(OWN):
                    composer.locator(".class-own input").nth(place).fill(text)
            composer.locator("[type=submit]").click()

        def act(name: str) -> None:
            asked.locator(f"[data-class={name}]:visible").click()

        def until_answered(count: int) -> None:
            expect(asked.locator(".class-count")).to_have_text(
                CLASS["layer"]["answered"].format(answered=count, phones=1)
            )

        with feature("key-a-stops-and-asks"):
            ask("layer")
            lab.until_status("paused")
            expect(asked).to_be_visible()
        with feature("the-code-to-scan"):
            code = asked.locator(".class-code")
            expect(code).to_have_text(CODE)
            drawn = "image => image.complete && image.naturalWidth > 0"
            page.wait_for_function(drawn, arg=asked.locator(".class-qr").element_handle())
            phone.goto(f"{server.url}/b")
            phone.locator("#code").fill(code.inner_text().lower())
            phone.locator("form button").click()
            expect(answers.first).to_be_visible()
        with feature("a-vote-is-counted"):
            until_answered(0)
            answers.first.click()
            expect(answers.first).to_have_attribute("aria-pressed", "true")
            until_answered(1)
        with feature("close-and-reopen"):
            act("close")
            expect(answers).to_have_count(0)
            act("reopen")
            expect(answers.first).to_be_visible()
        with feature("vote-again"):
            act("close")
            act("vote_again")
            expect(phone.locator(".round")).to_be_visible()
            until_answered(0)
            answers.first.click()
            until_answered(1)
        with feature("reveal"):
            act("close")
            act("reveal")
            for place, votes in ((0, "1"), (1, "0")):
                bars = asked.locator(f"[data-place='{place}'] .class-bars b")
                expect(bars).to_contain_text(votes)
        with feature("run-and-what-happened"):
            page.keyboard.press("Escape")
            page.locator(".bnviz-rate input[type=range]").first.press("End")
            panel.locator("[data-class=show]").click()
            act("run")
            expect(asked).to_be_hidden()
            expect(panel).to_have_class(re.compile("class-decided"))
            expect(panel.locator(".class-came")).to_have_count(1)
        with feature("phones-are-told"):
            told = phone.locator(".sentence")
            expect(told).to_have_text(NUMBER)
            assert panel.locator(".class-line").inner_text().startswith(told.inner_text())
        with feature("the-teachers-own-words"):
            ask("own")
            expect(phone.locator("h1")).to_have_text(OWN[0])
            expect(answers).to_contain_text(OWN[1:])
        with feature("a-phones-own-language"):
            phone.locator("footer a[hreflang=ja]").click()
            expect(phone.locator("html")).to_have_attribute("lang", "ja")
            expect(phone.locator("h1")).to_have_text(OWN[0])
        with feature("show-of-hands"):
            act("hands")
            for field, hands in zip(asked.locator(".class-hands input").all(), "34", strict=True):
                field.fill(hands)
            asked.locator(".class-hands [type=submit]").click()
            expect(asked.locator("[data-place='1'] .class-bars")).to_have_text("4")
        with feature("a-ballot-without-a-script"):
            act("cancel")
            ask("accuracy")
            plain = tabs.take(viewport=PHONE, java_script_enabled=False)
            plain.page.goto(f"{server.url}/b/{code.inner_text()}")
            plain.page.locator("button[name=answer]").first.click()
            expect(plain.page.locator("button[aria-pressed=true]")).to_have_count(1)
            tabs.give_back(plain, server.url)
        with feature("follow-the-teacher"):
            phone.locator("header a").click()
            phone.wait_for_url("**/w/*")
            shown = phone.frame_locator("#frame").get_by_test_id("live-view")
            expect(shown).to_have_attribute("data-run", lab.run)
        tabs.give_back(taken, server.url + "/_stcore/health")


def test_talks(visit):
    with Checklist("talks") as feature:
        home = visit("/", **CALM).page
        origin = home.url.removesuffix("/")
        lab = LabPage(home, [])
        page, view = lab.page, lab.view
        feature.page = page
        asked = page.locator("dialog.class-open")

        def until_station(number: int) -> LabPage:
            return lab.until_query(lambda query: query.get("station") == str(number))

        with feature("take-a-recording"):
            recording = saved(page, page.locator(".bnviz-talks a[download]").click)
            context = page.context.browser.new_context(offline=True)
            alone = context.new_page()
            alone.goto(recording.as_uri())
            station = alone.locator("h1")
            expect(station).to_have_text(NUMBER)
            first = station.inner_text()
            for _ in range(2):
                alone.keyboard.press("PageDown")
            expect(station).not_to_have_text(first)
            context.close()
        with feature("from-the-home-page"):
            page.locator(".bnviz-talks a:not([download])").first.click()
            until_station(1)
            lab.wait("view.status === 'paused' && view.step === '0'")
            expect(view.locator(".bnviz-stage")).to_be_visible()
        with feature("a-question-to-the-class"):
            words = texts("talks")["talk"]["first-five-minutes"]["station"]["predict"]
            expect(view.locator(".bnviz-talk-says")).to_contain_text(words["ask"])
            page.keyboard.press("a")
            page.locator("dialog.class-composer [type=submit]").click()
            expect(asked.locator("h2")).to_have_text(words["ask"])
            expect(asked.locator(".class-code")).to_have_text(CODE)
        with feature("reopen-the-vote"):
            page.keyboard.press("PageDown")
            expect(asked).to_have_class(re.compile("class-closed"))
            asked.locator("[data-class=reopen]").click()
            expect(asked).not_to_have_class(re.compile("class-closed"))
        with feature("page-down-with-a-vote"):
            run = lab.run
            page.keyboard.press("PageDown")
            expect(asked).to_have_class(re.compile("class-closed"))
            page.keyboard.press("PageDown")
            expect(asked.locator(".class-bars").first).to_be_visible()
            page.keyboard.press("PageDown")
            expect(asked).to_be_hidden()
            until_station(2).until_step(1)
            assert lab.run == run
        with feature("page-down"):
            page.keyboard.press("PageDown")
            until_station(3)
            assert (lab.run, float(lab.query()["learning_rate"])) == (run, 1)
        with feature("page-up"):
            page.keyboard.press("PageUp")
            until_station(2)
        page.locator(".class-dismiss").click()  # otherwise the next talk would show this question
        with feature("a-talk-of-ones-own"):
            page.goto(f"{origin}/talks")
            drop = page.locator(".bnviz-drop")
            drop.locator("textarea").fill(TALK)
            drop.locator(".bnviz-filled").click()
            expect(page.locator(".bnviz-talk-own li")).to_have_text(["Guess", "Go on"])
        with feature("handed-on-as-a-link"):
            page.context.grant_permissions(["clipboard-read", "clipboard-write"])
            drop.locator(".bnviz-pill:not(.bnviz-filled)").last.click()
            link = page.wait_for_function(COPIED).json_value()
            other = visit(link.removeprefix(origin), **CALM).page
            expect(other.locator(".bnviz-talk-own li")).to_have_text(["Guess", "Go on"])
        with feature("notes"):
            page.locator(".bnviz-talk-own .bnviz-filled").click()
            until_station(1)
            lab.drawn()
            with page.context.expect_page() as opened:
                page.keyboard.press("n")
            notes = opened.value
            expect(notes.locator(".notes p")).to_have_text("Only I see this.")
            notes.keyboard.press("PageDown")
            until_station(2)
            expect(notes.locator(".notes p")).to_have_text("Now wait.")
            notes.close()
        with feature("keep-for-a-day"):
            page.goto(f"{origin}/lab?{SMALL}")
            run = lab.drawn().run
            press(view, "pin")
            expect(view.locator("[data-control=pin]")).to_have_attribute("aria-pressed", "true")
        with feature("kept-runs-are-listed"):
            page.goto(f"{origin}/talks")
            kept = page.locator(f".st-key-kept_run_{run}")
            kept.locator("a").click()
            lab.wait("view.run === argument", run)
        with feature("let-a-run-go"):
            page.goto(f"{origin}/talks")
            kept.locator("button").click()
            expect(kept).to_have_count(0)
