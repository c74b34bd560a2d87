"""The lab as a person sees it: what its tests read and click."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator, Page, expect

VIEW = "[data-testid='live-view']"
# Milliseconds. Servers and tabs share two cores, which may have other work to do; what never comes
# fails just as surely, only later.
PATIENCE = 240_000
# Of a visitor for whom one frame a second is drawn: where a run only has to go on, drawing all of
# its frames would take a core that others need.
CALM = {"reduced_motion": "reduce"}
# Milliseconds between two looks: to look at every picture of the screen has the browser make them.
LOOKS = 50


def _query(url: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


class LabPage:
    """One open tab."""

    def __init__(self, page: Page, problems: list[str]) -> None:
        self.page, self.problems = page, problems

    @property
    def view(self) -> Locator:
        return self.page.locator(VIEW)

    def attribute(self, name: str) -> str:
        return self.view.get_attribute(f"data-{name}") or ""

    @property
    def step(self) -> int:
        return int(self.attribute("step") or -1)

    @property
    def run(self) -> str:
        return self.attribute("run")

    @property
    def status(self) -> str:
        return self.attribute("status")

    def query(self) -> dict[str, str]:
        return _query(self.page.url)

    def until_query(self, holds: Callable[[dict[str, str]], Any]) -> LabPage:
        """Wait until something holds of the address, which the page writes a little later."""
        while not holds(_query(address := self.page.url)):
            self.page.wait_for_function("seen => location.href !== seen", arg=address)
        return self

    def wait(self, condition: str, argument: Any = None, timeout: float = PATIENCE) -> LabPage:
        """Wait until a JavaScript condition of `view` (the root's data attributes) holds."""
        self.page.wait_for_function(
            f'argument => {{ const root = document.querySelector("{VIEW}");'
            f" if (!root) return false; const view = root.dataset; return {condition}; }}",
            arg=argument,
            timeout=timeout,
            polling=LOOKS,
        )
        return self

    def drawn(self) -> LabPage:
        """Wait for the first drawn frame."""
        return self.wait("Number(view.seq) >= 0 && view.run && view.seq !== undefined")

    def until_step(self, step: int, timeout: float = PATIENCE) -> LabPage:
        return self.wait("Number(view.step) >= argument", step, timeout)

    def until_status(self, status: str) -> LabPage:
        return self.wait("view.status === argument", status)

    def pause(self) -> LabPage:
        """Have it stand still; by now it may have come to a pause of its own."""
        play = self.view.locator(".bnviz-play[data-shows]")
        play.evaluate("button => button.dataset.shows === 'pause' && button.click()")
        return self.until_status("paused")

    def paused_again(self, path: str, open_it: Callable[[LabPage], LabPage]) -> LabPage:
        """A page kept for many tests, as the first of them found it.

        Args:
            path: where it is, if its run has ended or the last test left it otherwise.
            open_it: what was done there.
        """
        if self.page.locator(VIEW).count() and self.status == "paused":
            return self
        parts = urlsplit(self.page.url)
        self.page.goto(f"{parts.scheme}://{parts.netloc}{path}")
        return open_it(self)

    def one_step(self, act: Callable[[], None]) -> LabPage:
        """Have a paused run take a step: its last frame may still have been on its way."""
        step = self.step
        act()
        return self.wait("Number(view.step) > argument && view.status === 'paused'", step)

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def choose_preset(self, name: str) -> None:
        """By typing: of the long list only a part is in the page, and it moves."""
        box = self.page.get_by_test_id("stSidebar").get_by_role("combobox").first
        box.click()
        box.fill(name)
        self.page.get_by_role("option", name=name).click()

    def slider(self, label: str) -> Locator:
        """A slider of the sidebar: a live knob or one of the page's own."""
        sidebar = self.page.get_by_test_id("stSidebar")
        return sidebar.locator(f"input[type=range][aria-label='{label}']")

    def slider_says(self, label: str, value: str) -> None:
        """Wait until a slider says a value. For a moment Streamlit has the one before beside it."""
        slider = self.slider(label)
        expect(slider.and_(self.page.locator(f"[aria-valuetext='{value}']"))).to_have_count(1)
        expect(slider).to_have_count(1)

    def nudge(self, label: str, keys: int) -> None:
        """Move a slider by whole rungs with the arrow keys, as a keyboard user does."""
        thumb = self.slider(label)
        expect(thumb).to_have_count(1)  # not beside the one that it takes the place of
        expect(thumb).to_be_enabled()
        thumb.focus()
        for _ in range(abs(keys)):
            thumb.press("ArrowRight" if keys > 0 else "ArrowLeft")

    def pace(self, name: str) -> None:
        """Choose a pace; the radio button itself lies under its label."""
        radio = self.view.get_by_label(name, exact=True)
        # Not `check`: what the server said last may be shown once more before it has heard this.
        radio.click(force=True)
        expect(radio).to_be_checked()

    def hurry_to(self, step: int) -> LabPage:
        """Come to a step at the fast pace, and stay at that pace."""
        self.pace("fast")
        return self.until_step(step)

    def card(self, norm: str) -> Locator:
        return self.page.locator(f"{VIEW} [data-card='{norm}']")
