"""`make previews`: the pictures that stand beside links to our pages, taken of real runs.

Each page is opened in Chromium in the size of such a picture; what trains is let train until there
is something to see. Of the home page it is the picture that *Share what you broke* makes, and the
page as a laptop shows it is the README's first. Written to `assets/`, in few colours, so that they
weigh little. Those of other languages stand in folders of their own; with codes of languages as
arguments these are taken alone.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page

from benchmarks.app_in_chromium import chromium_page
from bnviz.live.web.link_preview import HEIGHT, WIDTH
from bnviz.ui.sitemap import PAGES, ROOT
from bnviz.words.texts import ENGLISH, in_language, languages, texts
from tests.browser.conftest import Server
from tests.browser.lab_page import LabPage

FOLDER = ROOT / "assets" / "previews"
COLOURS = 128
# At which address a page is at its most telling; otherwise at its own.
ADDRESSES = {
    "lab": "lab?preset=broken-from-the-start&hide=transport,share,export,new_seed",
    "home": "?replay=46:1.5",
    "lessons": "lessons?lesson=break-it&guess=draw:90,10,30,60,90",
}
STEPS = {"lessons": 300}  # of the runs that are not at their most telling at the usual one
STEP = 40
BROKEN = 110  # of home's, some steps after one has broken
LAPTOP = {"width": 1440, "height": 900}


def main() -> None:
    server = Server()
    try:
        with chromium_page() as page:
            for code in sys.argv[1:] or languages():
                folder = FOLDER if code == ENGLISH else FOLDER / code
                folder.mkdir(exist_ok=True)
                with in_language(code):
                    _all(page, server.url, code, folder)
    finally:
        server.stop()


def _all(page: Page, server: str, code: str, folder: Path) -> None:
    """The pictures of one language, the current one."""

    def address(name: str, path: str) -> str:
        own = ADDRESSES.get(name, path)
        return f"{server}/{own}{'&' if '?' in own else '?'}lang={code}"

    home, readme = _home(page, address("home", ""))
    _write(folder / "home.png", home)
    if code == ENGLISH:
        _write(ROOT / "assets" / "screenshot.png", readme)
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    for name, place in PAGES.items():
        if name == "home":
            continue
        page.goto(address(name, place.path))
        _wait(page, STEPS.get(name, STEP) if place.live else None)
        if name == "map":
            _wait_for_map(page)
        if name == "lessons":
            page.locator(".lesson-lead").wait_for()
        _write(folder / f"{name}.png", page.screenshot())


def _home(page: Page, address: str) -> tuple[bytes, bytes]:
    """What its visitors share of it, and all of it, where one network has just broken."""
    page.set_viewport_size(LAPTOP)
    page.goto(address)
    LabPage(page, []).until_step(BROKEN)
    seen = page.screenshot()
    words = texts("live")
    page.get_by_role("button", name=words["prompt"]["share"]).click()
    with page.expect_download() as saved:
        page.get_by_role("link", name=words["sharing_break"]["save"]).click()
    return Path(saved.value.path()).read_bytes(), seen


def _write(path: Path, picture: bytes) -> None:
    """Write a picture in few colours; leave a file alone that shows the same pixels."""
    with Image.open(io.BytesIO(picture)) as image:
        few = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    if path.is_file():
        with Image.open(path) as before:
            if before.convert("RGB").tobytes() == few.convert("RGB").tobytes():
                return
    few.save(path, "PNG", optimize=True)
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB", flush=True)


def _wait(page: Page, step: int | None) -> None:
    """Until there is something to see."""
    page.locator(".bnviz-pages").first.wait_for(state="attached")
    if step is not None:
        LabPage(page, []).until_step(step)
    page.wait_for_load_state("networkidle")


def _wait_for_map(page: Page) -> None:
    """Until its borders are drawn fine."""
    done = page.locator("[data-testid=map][data-status=finished]")
    done.wait_for(timeout=300_000)


if __name__ == "__main__":
    main()
