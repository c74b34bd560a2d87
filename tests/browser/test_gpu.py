"""Pages of a server with a simulated GPU: the device of a run and the reason for it, limits, and
drags of a map's slider.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Request, expect

from tests.browser.conftest import ROOT, Server, visiting
from tests.browser.lab_page import LabPage
from tests.browser.tabs import Tabs

Visit = Callable[..., LabPage]
# Query of a run that takes too much work per step for a CPU core, but little enough for the
# simulated GPU.
BEYOND = "depth=12&width=512&batch_size=512&norms=none"
MAP = "/map?width=8&depth=2&steps=1&across=learning_rate,0.1,1,3&up=batch_size,4,16,2"


@pytest.fixture(scope="module")
def gpu_server() -> Iterator[Server]:
    app = ROOT / "tests" / "browser" / "gpu_app.py"
    command = [sys.executable, "-m", "streamlit", "run", str(app), "--server.headless=true"]
    running = Server(command=command, PYTHONPATH=str(ROOT), BNVIZ_WORKERS="1")
    yield running
    running.stop()


@pytest.fixture
def visit(tabs: Tabs, gpu_server: Server) -> Iterator[Visit]:
    """Yield a function that opens a page of the GPU server as a new visitor."""
    with visiting(tabs, gpu_server) as open_page:
        yield open_page


@pytest.mark.parametrize(
    ("link", "device", "reason"),
    [
        ("", "CPU", "networks this small train more slowly on the GPU (Stand-in 1)"),
        (BEYOND, "GPU", "auto chose the GPU (Stand-in 1)"),
    ],
)
def test_the_lab_says_which_device_runs_it_and_why(visit: Visit, link, device, reason):
    page = visit(f"/lab?{link}").page
    counter = page.locator(".bnviz-transport").get_by_text(f"digits · {device}", exact=False)
    expect(counter).to_have_attribute("title", re.compile(re.escape(reason)))
    expect(page.get_by_text("Not everything in your link was used")).to_have_count(0)
    expect(page.locator(".st-key-drawer_knob_device")).to_contain_text(reason)


def test_what_only_the_gpu_may_run_is_refused_where_the_cpu_is_named(visit: Visit):
    page = visit(f"/lab?{BEYOND}&device=cpu").page
    expect(page.get_by_text("must be at most 0.25 s of work per step")).to_be_visible()


def test_a_map_is_drawn_anew_while_a_knob_is_dragged_and_the_newest_wins(visit: Visit):
    page = visit(MAP).page
    head = page.locator(".bnviz-stability-head")
    expect(head).to_contain_text("on the GPU (Stand-in 1)")
    # The current map is complete, so it sends no more requests.
    expect(page.locator("[data-phase]").first).to_have_attribute("data-status", "finished")
    page.locator(".st-key-map_part_width button").first.click()
    slider = page.locator("[data-knob=knob_width] input[type=range]")
    box = slider.bounding_box()
    assert box is not None
    seen: set[str] = set()

    def asks_for_a_new_map(request: Request) -> bool:
        key = re.search("/maps/([0-9a-f]{32})", request.url)
        return key is not None and key[1] not in seen and not seen.add(key[1])

    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 2, middle)
    page.mouse.down()
    for share in (0.3, 0.5, 0.7):
        with page.expect_request(asks_for_a_new_map):
            page.mouse.move(box["x"] + share * box["width"], middle)
        assert "width=8" in page.url
    page.mouse.up()
    chosen = slider.get_attribute("aria-valuetext")
    expect(page).to_have_url(re.compile(f"width={chosen}(&|$)"))
    expect(page.locator("[data-phase]").first).to_have_attribute("data-status", "finished")
    page.go_back()
    expect(page).to_have_url(re.compile("width=8(&|$)"))
    expect(slider).to_have_attribute("aria-valuetext", "8")
