"""The checklist of the lab and the map: knobs, charts, files, links, frames."""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, expect

from bnviz.norms import NORMS
from bnviz.ui.query_schema import ADDABLE_CHARTS
from bnviz.words.texts import texts
from tests.browser.checklist import (
    CODE,
    RATE,
    SMALL,
    Checklist,
    another_run,
    go_slowly,
    press,
    saved,
    until_a_chart_is_drawn,
)
from tests.browser.conftest import Server
from tests.browser.lab_page import CALM, LabPage
from tests.browser.test_map import drag, plane, the_map
from tests.browser.test_stage import until_it_is_whole

# Query of a small map that one core draws quickly.
MAP = "steps=10&width=8&depth=2&across=learning_rate,0.03,30.0,4&up=batch_size,4,64,3"
FINISHED = re.compile("finished")
# Pattern of a number of cells that exceeds the 4 by 3 cells of the coarse grid.
MORE_THAN_ITS_COARSE_GRID = re.compile(r"^(1[3-9]|[2-9]\d|\d{3,})$")
# Number of charts that are added at a time. A page with all charts would be slow.
AT_ONCE = 5
# JavaScript function that adds the named charts and closes all other charts.
ADDS = """(checks, names) => {
  for (const check of checks)
    if (check.checked !== names.includes(check.dataset.adds)) check.click();
}"""
# JavaScript function that makes the browser record the title of a printed page instead of opening
# the print dialog.
PRINTS = """() => document.addEventListener("load", ({ target: frame }) => {
  const note = () => (window.printed = frame.contentDocument.querySelector("h1").textContent);
  if (frame.contentWindow) frame.contentWindow.print = note;
}, true)"""


def test_lab(visit):
    with Checklist("lab") as feature:
        lab = visit(f"/lab?{SMALL}", **CALM).drawn()
        page, view = lab.page, lab.view
        feature.page = page
        rate, timeline = page.locator(RATE), view.locator(".bnviz-timeline input")
        layers = page.locator(".st-key-open_size input")
        words = texts("lab")

        def until(**wanted: str | None) -> None:
            lab.until_query(lambda query: all(query.get(name) == wanted[name] for name in wanted))

        def move(slider: Locator, key: str) -> None:
            expect(slider).to_have_count(1)
            expect(slider).to_be_enabled()
            slider.press(key)

        with feature("move-a-live-knob"):
            run = lab.until_step(3).run
            move(rate, "ArrowRight")
            lab.wait("view.changes === '1'")
            until(learning_rate="0.15")
            assert lab.run == run
        with feature("play-pause-step"):
            page.keyboard.press("Space")
            lab.until_status("paused").one_step(lambda: page.keyboard.press("s"))
            page.keyboard.press("Space")
            lab.until_status("running")
        with feature("pace"):
            fast = view.locator("input[type=radio][value=fast]")
            fast.click(force=True)
            expect(fast).to_be_checked()
            lab.until_step(100).pause()
            go_slowly(lab)
        with feature("scrub"):
            timeline.press("Home")
            lab.wait("view.time === 'pinned' && view.step === '0'")
            page.keyboard.press("Escape")
            lab.wait("view.time === 'live' && Number(view.step) >= 100")
        with feature("play-from-here"):
            timeline.press("ArrowLeft")
            lab.wait("view.time === 'pinned'")
            at = lab.step
            another_run(lab, lambda: press(view, "fork"))
            lab.until_step(at + 1)
        with feature("a-knob-moved-in-the-past"):
            lab.pause()
            timeline.press("Home")
            lab.wait("view.time === 'pinned' && view.step === '0'")
            before = another_run(lab, lambda: move(rate, "ArrowLeft"))
            until(learning_rate=None)
        with feature("back"):
            page.go_back()
            lab.wait("view.run === argument", before)
        with feature("move-a-knob-that-starts-over"):
            another_run(lab, lambda: move(layers, "ArrowLeft"))
            until(depth="2")
        with feature("find-a-knob"):
            drawer = page.locator(".bnviz-drawer")
            drawer.locator("input[type=search]").fill("momentum")
            momentum = page.locator(".st-key-drawer [data-knob=momentum] input[type=range]")
            move(momentum, "ArrowRight")
            until(momentum="0.5")
            drawer.locator("[data-differs*=momentum] button").click()
            until(momentum=None)
        with feature("list-of-keys"):
            page.evaluate("document.activeElement.blur()")
            page.keyboard.press("?")
            expect(page.locator("dialog .bnviz-keys dt").first).to_be_visible()
            page.keyboard.press("Escape")
        with feature("other-norms"):
            page.get_by_text(words["more_norms"]["title"], exact=True).click()
            offers = page.locator(".st-key-norm_offers [role=checkbox], .st-key-norm_offers input")
            expect(offers).to_have_count(sum(not entry.usual for entry in NORMS.values()))
            noisy = texts("norms")["noisy"]["choice"]
            page.locator(".st-key-norm_offers label", has_text=noisy).click()
            expect(view.locator("[data-card]")).to_have_count(3)
            until(norms="none,batch,noisy")
        with feature("other-networks"):
            for kind in ("conv", "recurrent"):
                drawer.locator("input[type=search]").fill("network")
                choice = page.locator(".st-key-drawer_knob_network [role=radio]")
                another_run(lab, choice.filter(has_text=texts("networks")[kind]["label"]).click)
                until(network=kind)
        with feature("pick-a-preset"):
            another_run(lab, lambda: lab.choose_preset(texts("presets")["spirals"]["label"]))
            until(preset="spirals", depth=None)
            until_a_chart_is_drawn(page, "boundary")
        with feature("restore-by-key"):
            another_run(lab, lambda: move(layers, "ArrowLeft"))
            until(depth="4")
            another_run(lab, lambda: page.keyboard.press("0"))
            until(preset="spirals", depth=None)
        with feature("restore-by-button"):
            move(rate, "ArrowLeft")
            until(learning_rate="0.07")
            page.locator(".st-key-restore button:visible").click()
            until(learning_rate=None)
        with feature("reset"):
            move(rate, "ArrowLeft")
            lab.wait("view.changes !== '0'")
            press(view, "reset")
            lab.wait("view.changes === '0'")
        with feature("new-seed"):
            another_run(lab, lambda: press(view, "new_seed"))
            until(seed="1")
        with feature("dark-theme"):
            page.emulate_media(color_scheme="dark")
            page.reload()
            expect(view).to_have_attribute("data-theme", "dark")
        with feature("hide-controls"):
            asks = "paused=1&preset=broken-from-the-start&hide=activation,init"
            page.goto(f"{page.url.partition('?')[0]}?{asks}")
            lab.drawn()
            expect(page.locator(".st-key-drawer_knob_width")).to_have_count(1)
            for name in ("activation", "init"):
                expect(page.locator(f".st-key-drawer_knob_{name}")).to_have_count(0)
        with feature("predict-alone"):
            assert (lab.step, lab.status) == (0, "paused")
            panel = view.locator(".class-panel")
            panel.locator(".class-answers button").first.click()
            lab.until_status("running")
            expect(panel.locator(".class-came")).to_be_visible()


def test_charts(visit):
    with Checklist("charts") as feature:
        lab = (
            visit("/lab?dataset=spirals&norms=batch&depth=2&width=4&batch_size=8")
            .drawn()
            .until_step(10)
            .pause()
        )
        page, view = lab.page, lab.view
        feature.page = page
        loss = view.locator("[data-chart=loss]")
        with feature("main-charts"):
            until_a_chart_is_drawn(page, "loss")
            loss.locator(".bnviz-switch button").last.click()
            until_a_chart_is_drawn(page, "accuracy")
            view.locator("[data-chart=accuracy] .bnviz-switch button").first.click()
            until_a_chart_is_drawn(page, "layers")
        with feature("data-of-a-chart"):
            loss.locator(".bnviz-data").click()
            expect(loss.locator(".bnviz-table tbody tr").first).to_be_visible()
            loss.locator(".bnviz-data").click()
        with feature("a-large-chart"):
            loss.locator(".bnviz-actions button").last.click()
            expect(loss).to_have_attribute("popover", "manual")
            page.keyboard.press("Escape")
            expect(loss).not_to_have_attribute("popover", "manual")
        with feature("a-chart-as-svg"):
            loss.locator(".bnviz-picture-of").click()
            box = page.locator("dialog.bnviz-picture-dialog")
            png, svg = box.locator(".bnviz-pills button").all()
            expect(svg).to_be_enabled()
            drawing = saved(page, svg.click).read_text("utf-8")
            assert re.search(r"<svg[^>]* width=\"1920\"[^>]* height=\"1080\"", drawing)
            assert re.search(rf"2 × 4 .*\b{lab.step}\b", drawing)
        with feature("a-chart-as-png"), Image.open(saved(page, png.click)) as picture:
            assert (picture.format, picture.size) == ("PNG", (1920, 1080))
        with feature("dark-and-another-shape"):
            for value in ("dark", "classic"):
                box.locator(f"input[value={value}]").click(force=True)
            expect(png).to_be_enabled()
            with Image.open(saved(page, png.click)) as picture:
                assert picture.size == (1440, 1080)
                assert max(picture.convert("RGB").getpixel((2, 2))) < 60
        page.keyboard.press("Escape")
        with feature("every-chart-of-the-gallery"):
            gallery = page.locator("dialog.bnviz-gallery")
            checks = gallery.locator("[data-adds]")
            for start in range(0, len(ADDABLE_CHARTS), AT_ONCE):
                added = ADDABLE_CHARTS[start : start + AT_ONCE]
                view.locator(".bnviz-add").click()
                expect(checks).to_have_count(len(ADDABLE_CHARTS))
                checks.evaluate_all(ADDS, added)
                gallery.locator(".bnviz-strong").click()
                for name in added:
                    until_a_chart_is_drawn(page, name)
        with feature("close-a-chart"):
            last = view.locator(f"[data-chart={added[-1]}]")
            last.locator(".bnviz-actions button").last.click()
            expect(last).to_be_hidden()
            lab.until_query(lambda query: added[-1] not in query["charts"].split(","))


def test_map(visit):
    with Checklist("map") as feature:
        page = feature.page = visit(f"/map?{MAP}").page
        root, card = the_map(page), page.locator(".st-key-map_card")
        here = page.url.partition("?")[0]

        def until_finished() -> None:
            expect(root).to_have_attribute("data-status", FINISHED)

        with feature("every-cell-is-trained"):
            until_finished()
            expect(root).to_have_attribute("data-points", MORE_THAN_ITS_COARSE_GRID)
            expect(root.locator(".bnviz-stability-reading")).to_be_visible()
        whole = root.get_attribute("data-key")
        with feature("export-of-a-map"):
            press(root, "export")
            box = page.locator("dialog[open]")
            csv, rows, png, svg = (
                saved(page, box.locator(f"[data-export={kind}]").click)
                for kind in ("csv", "json", "png", "svg")
            )
            assert "," in csv.read_text("utf-8").splitlines()[1]
            assert json.loads(rows.read_text("utf-8"))
            with Image.open(png) as picture:
                assert picture.format == "PNG"
            assert "<svg" in svg.read_text("utf-8")
            page.keyboard.press("Escape")
        with feature("enter-on-a-cell"):
            plane(page).focus()
            page.keyboard.press("ArrowRight")
            page.keyboard.press("Enter")
            expect(card.get_by_test_id("live-view")).to_have_attribute("data-run", re.compile("."))
            expect(card.locator(".map-outcome")).to_have_count(2)
        with feature("drag-to-zoom"):
            drag(page, 0.9, 0.2, 0.6, 0.8)
            expect(root).not_to_have_attribute("data-key", whole)
            until_finished()
        with feature("back-to-the-whole"):
            root.locator("[data-crumb='0']").click()
            expect(root).to_have_attribute("data-key", whole)
            until_finished()
        with feature("other-colours"):
            root.locator(".bnviz-stability-choice input[value=accuracy]").click(force=True)
            expect(root.locator("svg.bnviz-stability-svg[role=application]")).to_have_count(1)
            page.wait_for_url("**colour=accuracy*")
        with feature("share-a-map"):
            press(root, "share")
            link = page.locator("dialog[open] input[readonly]").input_value()
            page.goto(link)
            expect(root).to_have_attribute("data-key", whole)
            page.wait_for_url("**colour=accuracy*")
        with feature("map-on-the-stage"):
            page.goto(f"{here}?{MAP}&present=1")
            until_finished()
            until_it_is_whole(page)
        with feature("a-map-is-asked-about"):
            page.keyboard.press("a")
            page.locator("dialog.class-composer [type=submit]").click()
            expect(page.locator("dialog.class-open .class-code")).to_have_text(CODE)
            expect(root).to_have_class(re.compile("bnviz-map-covered"))
            page.locator("dialog.class-open [data-class=run]").click()
            expect(root).not_to_have_class(re.compile("bnviz-map-covered"))
            expect(page.locator(".class-decided .class-line")).to_have_text(re.compile("."))
            page.locator(".class-panel .class-dismiss").click()
            page.keyboard.press("p")
            expect(root.locator(".bnviz-map-stage")).to_have_count(0)
        with feature("watch-that-run"):
            page.goto(f"{here}?{MAP}&cell=0.3,16")
            card.locator("[data-page=lab]").first.click()
            lab = LabPage(page, []).drawn()
            query = lab.until_query(lambda query: "run" in query).query()
            assert (query["batch_size"], query["width"], query["depth"]) == ("16", "8", "2")
        with feature("other-axes"):
            page.goto(f"{here}?steps=1&width=4&across=learning_rate,0.1,1,2&up=batch_size,4,8,2")
            depth = texts("map")["page"]["choice"]["depth"]
            page.locator(".st-key-map_part_axes button").first.click()
            page.locator("[class*=st-key-map_up] [role=radio]").filter(has_text=depth).click()
            page.wait_for_url("**up=depth*")
            until_finished()


@pytest.fixture
def course():
    """Yield a function that serves a page of another site. The page shows a given address in a
    frame.
    """
    pages = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(pages.get(self.path, "").encode())

        def log_message(self, *_arguments):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()

        def page_with(address):
            pages["/"] = f'<h1>Course</h1><iframe src="{address}" width=900 height=600></iframe>'
            # `localhost` is a different site from the app's 127.0.0.1, so the frame gets no cookie.
            return f"http://localhost:{server.server_port}/"

        yield page_with
        server.shutdown()


def test_embed(visit, server: Server, course):
    with Checklist("embed") as feature:
        page = visit("/about", **CALM).page
        page.goto(course(f"{server.url}/lab?embed=1&preset=broken-from-the-start"))
        frame = page.frame_locator("iframe")
        view = frame.get_by_test_id("live-view")
        with feature("a-frame-shows-a-run"):
            expect(view).to_have_attribute("data-step", re.compile("[1-9]"))
            expect(view.locator("[data-chart=loss] .main-svg").first).to_be_visible()
        with feature("only-watched"):
            expect(view.locator("[data-control]:visible")).to_have_count(0)
            expect(frame.locator(RATE)).to_have_count(0)
            expect(frame.get_by_test_id("stSidebar")).to_have_count(0)
            expect(frame.get_by_role("navigation")).to_have_count(0)
            view.press("Space")
            expect(view).to_have_attribute("data-step", re.compile("[1-9][0-9]"))
            expect(view).to_have_attribute("data-status", "running")
        with feature("out-of-the-frame"):
            run = view.get_attribute("data-run")
            expect(frame.locator("[data-open]")).to_have_attribute("title", re.compile("Version"))
            with page.expect_popup() as opened:
                frame.locator("[data-open]").click()
            whole = LabPage(opened.value, [])
            whole.wait("view.run === argument", run)
            assert "embed" not in whole.page.url
            expect(whole.view.locator("[data-control=copy]")).to_be_visible()
        with feature("one-run-in-every-frame"):
            page.goto(course(f"{server.url}/lab?embed=1&run={run}"))
            expect(view).to_have_attribute("data-run", run)


def test_sharing(visit):
    with Checklist("sharing") as feature:
        lab = visit(f"/lab?{SMALL}", **CALM).drawn().until_step(3)
        go_slowly(lab)
        page, view = lab.page, lab.view
        feature.page = page
        origin = page.url.partition("/lab")[0]
        box = page.locator("dialog[open]")
        with feature("links-say-what-they-do"):
            press(view, "share")
            watch, copy = box.locator("input[readonly]").all()
            says = box.locator("[data-does=copy]")
            before = says.inner_text()
            box.locator("fieldset").first.locator("input").first.check()
            expect(says).not_to_have_text(before)
            assert "present=1" in copy.input_value()
            box.locator("details summary").click()
            box.locator("details input").first.check()
            expect(copy).to_have_value(re.compile("hide="))
            expect(watch).to_have_value(re.compile(f"run={lab.run}"))
        with feature("qr-on-the-whole-screen"):
            drawn = "image => image.complete && image.naturalWidth > 0"
            page.wait_for_function(drawn, arg=box.locator(".bnviz-qr").element_handle())
            box.locator("[data-control=qr_full]").click()
            full = page.locator("dialog.bnviz-share-full")
            assert full.locator("img").bounding_box()["height"] > 500
            full.locator("img").click()
            expect(full).to_have_count(0)
        link = watch.input_value().replace("present=1&", "").replace("&present=1", "")
        page.keyboard.press("Escape")
        with feature("everybody-watches-live"):
            viewer = visit(link.removeprefix(origin), **CALM).drawn()
            assert viewer.run == lab.run
            viewer.until_step(lab.step + 1)
            expect(viewer.view.locator(".bnviz-buttons")).to_be_hidden()
            lab.pause()
            viewer.until_status("paused")
        with feature("a-copy-of-ones-own"):
            another_run(viewer, lambda: press(viewer.view, "copy"))
            viewer.until_step(lab.step).pause()
        viewer.page.close()
        with feature("export-data"):
            page.locator(RATE).press("ArrowRight")
            lab.wait("view.changes === '1'")
            # A change takes effect at the next step. An export made before that step does not list
            # the change.
            lab.until_step(lab.step + 1).pause()
            press(view, "export")
            for kind in ("csv", "json"):
                assert saved(page, box.locator(f"a[href$='.{kind}']").click).suffix == f".{kind}"
        with feature("export-code"):
            script = saved(page, box.locator("a[href*='.py?']").click).read_text("utf-8")
            command = box.locator(".bnviz-copy input").input_value()
            assert "CHANGES = {" in script
            assert re.search(r"STEPS = (\d+)", script)[1] == re.search(r"--steps (\d+)", command)[1]
            compile(script, "exported", "exec")
            weights = saved(page, box.locator("a[href*='/export/'][href$='.npz']").click)
            with np.load(weights) as file:
                assert file["batch/layer1/weight"].ndim == 2
        with feature("export-charts"):
            charts = saved(page, box.locator("[data-control=export_html]").click)
            assert "Plotly.newPlot" in charts.read_text("utf-8")
            # Only the page itself explains terms.
            assert '"title":"Loss",' in charts.read_text("utf-8")
        with feature("export-command"):
            assert re.search(r"python -m bnviz train .*--change \d+:learning_rate=0.15", command)
        with feature("report-of-the-lab"):
            box.locator("[data-control=report]").click()
            box.locator("input[type=text]").fill("Ada")
            report, markdown = (
                saved(page, box.locator(f"[data-control=report_{kind}]").click)
                for kind in ("page", "markdown")
            )
            assert (report.suffix, markdown.suffix) == (".html", ".md")
            page.evaluate(PRINTS)
            box.locator("[data-control=report_print]").click()
            page.wait_for_function("() => window.printed")
            page.keyboard.press("Escape")
        with feature("a-link-makes-it-again"):
            (block,) = re.findall(r'id="bnviz-report">([^<]*)<', report.read_text("utf-8"))
            again = json.loads(block)["link"]
            assert "changes=" in again
            before, step = lab.run, json.loads(block)["step"]
            page.goto(again)
            lab.wait("view.run && view.run !== argument && view.changes === '1'", before)
            lab.until_step(step)
        with feature("collect"):
            page.goto(f"{origin}/lessons?lesson=collect")
            page.locator(".collect-zone input").set_input_files(report)
            page.locator("#collect-links").fill(again)
            page.locator(".collect > .bnviz-filled").click()
            table = page.locator(".collect-table tbody tr")
            expect(table).to_have_count(2)
            expect(table.filter(has_text="Ada")).to_have_count(1)
        with feature("run-again"):
            page.locator(".st-key-collect_run button").click()
            expect(table.locator(".collect-same")).to_have_count(1)
