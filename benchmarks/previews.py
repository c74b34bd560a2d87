"""`make previews`: the pictures that stand beside links to our pages, taken of real runs.

Each page is opened in Chromium in the size of such a picture; what trains is let train until there
is something to see. Written to `assets/previews/`, in few colours, so that they weigh little.
"""

from __future__ import annotations

import io

from PIL import Image
from playwright.sync_api import Page

from benchmarks.app_in_chromium import chromium_page
from bnviz.live.web.link_preview import HEIGHT, WIDTH
from bnviz.ui.places import PAGES, ROOT
from tests.browser.conftest import Server
from tests.browser.lab_page import LabPage

FOLDER = ROOT / "assets" / "previews"
COLOURS = 128
# At which address a page is at its most telling; otherwise at its own.
ADDRESSES = {"lab": "lab?preset=broken-from-the-start&hide=transport,share,export,new_seed"}
STEP = 40  # of the runs


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    server = Server()
    try:
        with chromium_page() as page:
            page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
            for name, place in PAGES.items():
                page.goto(f"{server.url}/{ADDRESSES.get(name, place.path)}")
                path = FOLDER / f"{name}.png"
                _wait(page, live=place.live)
                if name == "map":
                    _wait_for_map(page)
                path.write_bytes(_light(page.screenshot()))
                print(f"{name}: {path.stat().st_size / 1000:.0f} kB", flush=True)
    finally:
        server.stop()


def _wait(page: Page, *, live: bool) -> None:
    """Until there is something to see."""
    page.locator(".bnviz-pages").first.wait_for(state="attached")
    if live:
        LabPage(page, []).until_step(STEP)
    page.wait_for_load_state("networkidle")


def _wait_for_map(page: Page) -> None:
    """Until its borders are drawn fine."""
    done = page.locator("[data-testid=map][data-status=finished]")
    done.wait_for(timeout=300_000)


def _light(picture: bytes) -> bytes:
    """A picture in few colours."""
    out = io.BytesIO()
    with Image.open(io.BytesIO(picture)) as image:
        few = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
        few.save(out, "PNG", optimize=True)
    return out.getvalue()


if __name__ == "__main__":
    main()
