"""`make thumbnails`: save thumbnails of the optional charts, drawn from real runs.

A thumbnail is made from the light version of the slide picture that the lab exports. Its text is
removed, so it is the same in every language. Thumbnails are saved in `assets/chart_pictures/`.
Arguments are names of charts; without arguments all charts are drawn.
"""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

from PIL import Image, ImageChops
from playwright.sync_api import Page

from benchmarks.app_in_chromium import chromium_page
from bnviz.charts import CHARTS
from bnviz.ui.query_schema import ADDABLE_CHARTS
from bnviz.ui.sitemap import ROOT
from tests.browser.checklist import until_a_chart_is_drawn
from tests.browser.conftest import Server
from tests.browser.lab_page import LabPage

FOLDER = ROOT / "assets" / "chart_pictures"
SIZE = (240, 180)  # width and height of a thumbnail in pixels, twice its size on the page
MARGIN = 8
COLOURS = 128
AT_ONCE = 8  # charts on one page
STEP = 120
RUN = "learning_rate=0.3"
PLANE = "dataset=spirals&depth=4&width=32&activation=relu&init=he&learning_rate=0.3"
WORDS = re.compile(r"<text\b.*?</text>", re.DOTALL)
STROKE = re.compile(r"(stroke-width: ?)([\d.]+)")
THICKER = 2.5  # factor by which lines are widened, so that they stay visible in a small picture
FOOT = 76  # height of the caption below the figure of a slide, in pixels


def main() -> None:
    names = [name for name in ADDABLE_CHARTS if not sys.argv[1:] or name in sys.argv[1:]]
    FOLDER.mkdir(exist_ok=True)
    plane = [name for name in names if CHARTS[name].plane_only]
    others = [name for name in names if name not in plane]
    server = Server()
    try:
        with chromium_page() as page:
            for run, charts in ((RUN, others), (PLANE, plane)):
                for start in range(0, len(charts), AT_ONCE):
                    some = charts[start : start + AT_ONCE]
                    page.goto(f"{server.url}/lab?{run}&charts={','.join(some)}")
                    LabPage(page, []).until_step(STEP).pause()
                    for name in some:
                        _write(FOLDER / f"{name}.png", _drawn(page, _slide(page, name)))
    finally:
        server.stop()
    taken = [path.stat().st_size for path in FOLDER.iterdir()]
    print(f"{len(taken)} pictures, {sum(taken) / 1000:.0f} kB in total")


def _slide(page: Page, name: str) -> str:
    """Download the slide picture of a chart, and return it as SVG."""
    until_a_chart_is_drawn(page, name)
    page.locator(f"[data-chart={name}] .bnviz-picture-of").click()
    box = page.locator("dialog.bnviz-picture-dialog")
    for value in ("classic", "light"):
        box.locator(f"input[value={value}]").check(force=True)
    box.get_by_role("checkbox").uncheck(force=True)
    svg = box.locator(".bnviz-pills button").last
    with page.expect_download() as saved:
        svg.click()  # Playwright waits until the button can be clicked
    page.keyboard.press("Escape")
    return Path(saved.value.path()).read_text("utf-8")


def _drawn(page: Page, svg: str) -> bytes:
    """Render an SVG without its text and with thicker lines, and return a PNG."""
    wordless = WORDS.sub("", svg)
    thicker = STROKE.sub(lambda one: f"{one[1]}{THICKER * float(one[2]):g}", wordless)
    browser = page.context.browser
    assert browser is not None
    drawing = browser.new_page(viewport={"width": 1440, "height": 1080})
    try:
        drawing.set_content(f"<style>body{{margin:0}}</style>{thicker}")
        return drawing.screenshot(clip={"x": 0, "y": 0, "width": 1440, "height": 1080 - FOOT})
    finally:
        drawing.close()


def _write(path: Path, picture: bytes) -> None:
    """Crop a picture to its content, scale it to `SIZE`, and save it with few colours."""
    with Image.open(io.BytesIO(picture)) as image:
        whole = image.convert("RGB")
    paper = Image.new("RGB", whole.size, whole.getpixel((2, 2)))
    drawn = whole.crop(ImageChops.difference(whole, paper).getbbox())
    room = tuple(side - 2 * MARGIN for side in SIZE)
    scale = min(room[0] / drawn.width, room[1] / drawn.height)
    drawn = drawn.resize(
        (round(drawn.width * scale), round(drawn.height * scale)), Image.Resampling.LANCZOS
    )
    small = Image.new("RGB", SIZE, whole.getpixel((2, 2)))
    small.paste(drawn, tuple((SIZE[at] - drawn.size[at]) // 2 for at in (0, 1)))
    small.quantize(COLOURS, kmeans=2, dither=Image.Dither.NONE).save(path, "PNG", optimize=True)
    print(f"{path.name}: {path.stat().st_size / 1000:.1f} kB", flush=True)


if __name__ == "__main__":
    main()
