"""`make previews`: save the preview pictures for links to our pages, drawn from real runs.

Each page is opened in Chromium at the size of its picture, and its run trains until there is
something to see. The home page's picture is the one that *Share what you broke* makes. A
laptop-sized picture of the home page is the first picture in the README. Pictures are saved in
`assets/` with few colours, so that the files are small; other languages have their own folders.
Arguments select languages and pages, such as `ja home`.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable
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
# Addresses that show a page at its most interesting moment, if this is not the page's own address.
ADDRESSES = {
    "lab": "lab?preset=broken-from-the-start&hide=transport,share,export,new_seed",
    "home": "?replay=100:1",
    "lessons": "lessons?lesson=break-it&guess=draw:90,10,90,60,90",
}
STEPS = {"lessons": 300}  # number of steps for pages whose run needs more than `STEP`
STEP = 40
# CSS selector that matches on the home page as soon as just one network is still broken.
READS_AGAIN = "[data-card=batch][data-reading=reads_again]"
LAPTOP = {"width": 1440, "height": 900}


def main() -> None:
    asked = set(sys.argv[1:])
    codes = [code for code in languages() if code in asked] or languages()
    names = [name for name in PAGES if name in asked] or PAGES
    server = Server()
    try:
        with chromium_page() as page:
            for code in codes:
                folder = FOLDER if code == ENGLISH else FOLDER / code
                folder.mkdir(exist_ok=True)
                with in_language(code):
                    _take(page, server.url, code, folder, names)
    finally:
        server.stop()


def _take(page: Page, server: str, code: str, folder: Path, names: Iterable[str]) -> None:
    """Save the pictures of the pages `names` in the current language, whose code is `code`."""

    def address(name: str, path: str) -> str:
        own = ADDRESSES.get(name, path)
        return f"{server}/{own}{'&' if '?' in own else '?'}lang={code}"

    for name in names:
        place = PAGES[name]
        if name == "home":
            home, readme = _home(page, address("home", ""))
            _write(folder / "home.png", home)
            if code == ENGLISH:
                _write(ROOT / "assets" / "screenshot.png", readme)
            continue
        page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
        page.goto(address(name, place.path))
        _wait(page, STEPS.get(name, STEP) if place.live else None)
        if name == "map":
            _wait_for_map(page)
        if name == "lessons":
            page.locator(".lesson-lead").wait_for()
        _write(folder / f"{name}.png", page.screenshot())


def _home(page: Page, address: str) -> tuple[bytes, bytes]:
    """Return the picture that the home page shares, and a screenshot.

    The screenshot is taken while one network is broken.
    """
    page.set_viewport_size(LAPTOP)
    page.goto(address)
    page.locator(READS_AGAIN).wait_for()
    seen = page.screenshot()
    words = texts("live")
    page.get_by_role("button", name=words["prompt"]["share"]).click()
    with page.expect_download() as saved:
        page.get_by_role("link", name=words["sharing_break"]["save"]).click()
    return Path(saved.value.path()).read_bytes(), seen


def _write(path: Path, picture: bytes) -> None:
    """Save a picture with few colours, unless the file already shows the same pixels."""
    with Image.open(io.BytesIO(picture)) as image:
        few = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    if path.is_file():
        with Image.open(path) as before:
            if before.convert("RGB").tobytes() == few.convert("RGB").tobytes():
                return
    few.save(path, "PNG", optimize=True)
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB", flush=True)


def _wait(page: Page, step: int | None) -> None:
    """Wait until the page is drawn and its run has reached `step`."""
    page.locator(".bnviz-pages").first.wait_for(state="attached")
    if step is not None:
        LabPage(page, []).until_step(step)
    page.wait_for_load_state("networkidle")
    page.wait_for_function("() => !document.querySelector('[data-testid=stSkeleton]')")


def _wait_for_map(page: Page) -> None:
    """Wait until the map is complete, with its finest boundaries."""
    done = page.locator("[data-testid=map][data-status=finished]")
    done.wait_for(timeout=300_000)


if __name__ == "__main__":
    main()
