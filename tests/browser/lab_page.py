"""Page object of the lab: the elements that tests read and click."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator, Page, expect

VIEW = "[data-testid='live-view']"
# Timeout in milliseconds. Servers and tabs share two busy cores, and a long timeout only delays the
# report of a real failure.
PATIENCE = 240_000
# Context options for a page that draws one frame per second. Use them when a run only has to
# continue: drawing every frame would occupy a core that other processes need.
CALM = {"reduced_motion": "reduce"}
# Polling interval in milliseconds. Polling on every animation frame would make the browser render
# each of these frames.
POLLING = 50


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
        """Wait for a condition on the address's query, which the page writes with a delay."""
        while not holds(_query(address := self.page.url)):
            self.page.wait_for_function("seen => location.href !== seen", arg=address)
        return self

    def wait(self, condition: str, argument: Any = None, timeout: float = PATIENCE) -> LabPage:
        """Wait until a JavaScript condition holds. In it, `view` stands for the data attributes of
        the live view's root element.
        """
        self.page.wait_for_function(
            f'argument => {{ const root = document.querySelector("{VIEW}");'
            f" if (!root) return false; const view = root.dataset; return {condition}; }}",
            arg=argument,
            timeout=timeout,
            polling=POLLING,
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
        """Pause the run, unless it has already paused by itself."""
        play = self.view.locator(".bnviz-play[data-shows]")
        play.evaluate("button => button.dataset.shows === 'pause' && button.click()")
        return self.until_status("paused")

    def paused_again(self, path: str, open_it: Callable[[LabPage], LabPage]) -> LabPage:
        """Return a shared page in the state in which the first test found it.

        Args:
            path: page to load again if the run has ended or is not paused.
            open_it: prepares the page after it has loaded.
        """
        if self.page.locator(VIEW).count() and self.status == "paused":
            return self
        parts = urlsplit(self.page.url)
        self.page.goto(f"{parts.scheme}://{parts.netloc}{path}")
        return open_it(self)

    def one_step(self, act: Callable[[], None]) -> LabPage:
        """Advance a paused run by one step, and wait until the step is drawn."""
        step = self.step
        act()
        return self.wait("Number(view.step) > argument && view.status === 'paused'", step)

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def choose_preset(self, name: str) -> None:
        """Choose a preset by typing, because the long list renders only a part of its options."""
        box = self.page.get_by_test_id("stSidebar").get_by_role("combobox").first
        box.click()
        box.fill(name)
        self.page.get_by_role("option", name=name).click()

    def slider(self, label: str) -> Locator:
        """Return the sidebar slider with this label, which may be a live knob or a slider of
        Streamlit.
        """
        sidebar = self.page.get_by_test_id("stSidebar")
        return sidebar.locator(f"input[type=range][aria-label='{label}']")

    def slider_says(self, label: str, value: str) -> None:
        """Wait until a slider shows a value, and Streamlit has removed the slider that it
        replaces.
        """
        slider = self.slider(label)
        expect(slider.and_(self.page.locator(f"[aria-valuetext='{value}']"))).to_have_count(1)
        expect(slider).to_have_count(1)

    def nudge(self, label: str, keys: int) -> None:
        """Press an arrow key `keys` times on a slider: the right arrow if `keys` is positive, else
        the left one.
        """
        thumb = self.slider(label)
        expect(thumb).to_have_count(1)  # wait until Streamlit has removed the previous slider
        expect(thumb).to_be_enabled()
        thumb.focus()
        for _ in range(abs(keys)):
            thumb.press("ArrowRight" if keys > 0 else "ArrowLeft")

    def pace(self, name: str) -> None:
        """Choose a pace. The click is forced, because the pace's label covers its radio button."""
        radio = self.view.get_by_label(name, exact=True)
        # Use `click`, not `check`: the page may briefly show the server's previous state again.
        radio.click(force=True)
        expect(radio).to_be_checked()

    def hurry_to(self, step: int) -> LabPage:
        """Run at the fast pace until a step is reached, and keep this pace."""
        self.pace("fast")
        return self.until_step(step)

    def card(self, norm: str) -> Locator:
        return self.page.locator(f"{VIEW} [data-card='{norm}']")
