"""How many questions open closed, of those that a class is asked while its run is going.

Each is asked as fast as keys can: the run is told to stop, and frames from before that may still be
on their way. Run it on a machine that has much else to do: `python -m benchmarks.asking 200`.
"""

from __future__ import annotations

import json
import sys

from playwright.sync_api import TimeoutError

from benchmarks.app_in_chromium import app_page
from tests.browser.lab_page import LabPage

ASKS = 50
# In which frames that were on their way when the run was paused arrive, in ms.
LATE = 300
# In which a run goes on that was going before, in ms.
GOES_ON = 5_000
KEPT = "sessionStorage.getItem('bnviz-question')"


def ask(lab: LabPage) -> bool:
    """Ask while the run is going, and take the question back. Returns whether it was open."""
    page = lab.page
    try:
        lab.wait("view.status === 'running'", timeout=GOES_ON)
    except TimeoutError:  # it waits at its next thousand of steps
        page.keyboard.press("Space")
        lab.until_status("running")
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    layer = page.locator("dialog.class-open")
    layer.locator(".class-code").wait_for()
    page.wait_for_function(
        "() => document.querySelector('dialog.class-open .class-code').textContent"
    )
    lab.until_status("paused")
    page.wait_for_timeout(LATE)
    kept = json.loads(page.evaluate(KEPT))
    layer.locator("[data-class=cancel]").click()
    layer.wait_for(state="hidden")
    return kept["votes"]["status"] == "open" and not kept["going"]


def main() -> int:
    asks = int(sys.argv[1]) if len(sys.argv) > 1 else ASKS
    with app_page("/lab?present=1") as lab:
        lab.drawn()
        closed = 0
        for number in range(1, asks + 1):
            closed += not ask(lab)
            if number % 10 == 0:
                print(f"{closed} of {number} opened closed", flush=True)
    return closed


if __name__ == "__main__":
    sys.exit(main())
