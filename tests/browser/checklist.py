"""The checklist of what README.md promises in a browser: a file, walked by a test per page.

`checklist.toml` lists the features; `test_checklist.py` walks them. A test goes on after a feature
whose state was not reached, so that it can name all of them at its end.
"""

from __future__ import annotations

import re
import tomllib
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.lab_page import LabPage

FILE = Path(__file__).with_name("checklist.toml")
LISTED = tomllib.loads(FILE.read_text(encoding="utf-8"))
ELSEWHERE, WALKED_BY = "Elsewhere", "walked_by"
# After so many failures of one page the rest is not tried: each one waits as long as `PATIENCE`.
MOST_FAILURES = 3
# Lines of an error that a failure shows.
SHOWN_LINES = 6

# Small networks: what they learn is not what these tests are about.
SMALL = "depth=3&width=16&batch_size=16"
RATE = ".st-key-live_knobs [data-knob=learning_rate] input[type=range]"
NUMBER, CODE = re.compile(r"\d+"), re.compile(r"^[2-9A-Z]{6}$")
# Whether a chart shows a finite value.
DRAWN = """name => {
  const finite = (value) => Array.isArray(value) || ArrayBuffer.isView(value)
    ? [...value].some(finite) : value !== null && Number.isFinite(Number(value));
  const plot = document.querySelector(`[data-chart='${name}'] .js-plotly-plot`);
  return Boolean(plot?.data?.some(({ x, y, z }) => finite(z ?? y ?? x ?? [])));
}"""


def features(page: str) -> dict[str, str]:
    """The features that one test walks, each with its state."""
    return {
        name: state
        for pages in LISTED.values()
        for name, state in pages.get(page, {}).items()
    }  # fmt: skip


def pages() -> set[str]:
    """The names of the tests that walk the list."""
    return {page for found in LISTED.values() for page in found if page != WALKED_BY}


def leads(readme: str) -> list[str]:
    """The bold words that lead each feature in the README's section "Use it"."""
    section = readme.split("\n## Use it\n")[1].split("\n## ")[0]
    return re.findall(r"^- \*\*(.+?)\*\*", section, re.MULTILINE)


class TooManyFailures(Exception):
    """So many features of a page failed that the rest is not tried."""


class Checklist:
    """Walks the features of one page: `with feature("name"):` around what reaches its state."""

    def __init__(self, page: str) -> None:
        self._left = features(page)
        self._failures: list[str] = []

    def __enter__(self) -> Checklist:
        return self

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        """Note whether a feature reaches its state, and go on."""
        state = self._left.pop(name)
        try:
            yield
        except Exception as error:
            self._failures.append(f"{name}: {state}\n{_shortened(error)}")
            if len(self._failures) == MOST_FAILURES:
                raise TooManyFailures from error

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Fail with the names of all features whose state was not reached."""
        failures = list(self._failures)
        if error is not None and not isinstance(error, TooManyFailures):
            failures.append(f"between two features\n{_shortened(error)}")
        failures += [f"{name}: not tried" for name in self._left]
        if failures:
            raise AssertionError("\n".join(["", *failures])) from error


def _shortened(error: BaseException) -> str:
    """Where a test was when it failed, and the first lines of the error."""
    frames = traceback.extract_tb(error.__traceback__)
    at = [
        f"line {frame.lineno}: {frame.line}" for frame in frames
        if Path(frame.filename).name.startswith("test_checklist")
    ]  # fmt: skip
    lines = [line for line in f"{type(error).__name__}: {error}".splitlines() if line.strip()]
    return "\n".join(f"    {line}" for line in [*at, *lines[:SHOWN_LINES]])


def press(view: Locator, control: str) -> None:
    """Press one of the buttons of a live view or a map, which may be in its menu."""
    button = view.locator(f"[data-control={control}]")
    expect(button).to_have_count(1)
    menu = view.locator(".bnviz-others-more:not([hidden]), .bnviz-stage-more")
    expect(button.or_(menu).locator("visible=true").first).to_be_visible()
    button.evaluate("button => button.click()")


def saved(page: Page, save: Callable[[], None]) -> Path:
    """What a page saves, under the name that it suggests."""
    with page.expect_download() as download:
        save()
    found = Path(download.value.path())
    return found.rename(found.with_name(f"{found.name}-{download.value.suggested_filename}"))


def until_a_chart_is_drawn(page: Page, name: str) -> None:
    """Scroll to a chart, and wait until it shows a value."""
    chart = page.locator(f"[data-chart='{name}']")
    expect(chart).to_be_visible()
    chart.evaluate("chart => chart.scrollIntoView({ block: 'center' })")
    page.wait_for_function(DRAWN, arg=name)


def another_run(lab: LabPage, act: Callable[[], Any]) -> str:
    """Do something that starts another run, and wait for its first frame; the run before."""
    before = lab.run
    act()
    lab.wait("view.run && view.run !== argument && Number(view.step) >= 0", before)
    return before


def go_slowly(lab: LabPage) -> None:
    """Have runs take one step per second from now on, which leaves the cores to the page."""
    slow = lab.view.locator("input[type=radio][value='1/s']")
    slow.click(force=True)
    expect(slow).to_be_checked()
