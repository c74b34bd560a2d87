"""Checklist of the browser features that README.md promises.

`checklist.toml` lists the features, and one test per page visits them. A test continues after a
feature fails, so that its error names every failed feature.
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

from playwright.sync_api import Locator, Page, TimeoutError, expect

from tests.browser.lab_page import LabPage

FILE = Path(__file__).with_name("checklist.toml")
LISTED = tomllib.loads(FILE.read_text(encoding="utf-8"))
ELSEWHERE, WALKED_BY = "Elsewhere", "walked_by"
# Number of failures after which a test skips the remaining features, because each failure waits for
# `PATIENCE`.
MOST_FAILURES = 3
# Maximum number of lines of each error in the message.
SHOWN_LINES = 6

# URL parameters for small networks, which train fast; no test here depends on what a network
# learns.
SMALL = "depth=3&width=16&batch_size=16"
RATE = ".st-key-live_knobs [data-knob=learning_rate] input[type=range]"
NUMBER, CODE = re.compile(r"\d+"), re.compile(r"^[2-9A-Z]{6}$")
# JavaScript function that returns whether most traces of a chart have values. Traces with text mark
# live changes and breaks, so they may be empty.
DRAWN = """name => {
  const finite = (value) => Array.isArray(value) || ArrayBuffer.isView(value)
    ? [...value].some(finite) : value !== null && Number.isFinite(Number(value));
  const plot = document.querySelector(`[data-chart='${name}'] .js-plotly-plot`);
  const traces = (plot?.data ?? []).filter(({ mode }) => mode !== "lines+text");
  const filled = traces.filter(({ x, y, z }) => finite(z ?? y ?? x ?? []));
  return 2 * filled.length > traces.length;
}"""


def features(page: str) -> dict[str, str]:
    """Return the features of a page and, for each feature, the state that its test must reach."""
    return {
        name: state
        for pages in LISTED.values()
        for name, state in pages.get(page, {}).items()
    }  # fmt: skip


def pages() -> set[str]:
    """Return the names of the pages in the checklist."""
    return {page for found in LISTED.values() for page in found if page != WALKED_BY}


def leads(readme: str) -> list[str]:
    """Return the bold words at the start of each feature in the README's section "Use it"."""
    section = readme.split("\n## Use it\n")[1].split("\n## ")[0]
    return re.findall(r"^- \*\*(.+?)\*\*", section, re.MULTILINE)


class TooManyFailures(Exception):
    """Error raised when `MOST_FAILURES` features of a page have failed."""


class Checklist:
    """Features of one page that are still to be checked.

    `with feature("name"):` encloses the steps that reach a feature's state.

    Attributes:
        page: the tab whose dialogs are closed after a failure.
    """

    def __init__(self, name: str) -> None:
        self._left = features(name)
        self._failures: list[str] = []
        self.page: Page | None = None

    def __enter__(self) -> Checklist:
        return self

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        """Record a feature that does not reach its state, and continue."""
        state = self._left.pop(name)
        try:
            yield
        except Exception as error:
            self._failures.append(f"{name}: {state}\n{_shortened(error)}")
            if self.page is not None:
                self.page.locator("dialog[open]").evaluate_all(
                    "all => all.map((box) => box.close())"
                )
            if len(self._failures) == MOST_FAILURES:
                raise TooManyFailures from error

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Raise an error that names all features whose state was not reached."""
        failures = list(self._failures)
        if error is not None and not isinstance(error, TooManyFailures):
            failures.append(f"between two features\n{_shortened(error)}")
        failures += [f"{name}: not tried" for name in self._left]
        if failures:
            raise AssertionError("\n".join(["", *failures])) from error


def _shortened(error: BaseException) -> str:
    """Return the line of the test that failed and the first lines of the error."""
    frames = traceback.extract_tb(error.__traceback__)
    at = [
        f"line {frame.lineno}: {frame.line}" for frame in frames
        if Path(frame.filename).name.startswith("test_checklist")
    ]  # fmt: skip
    lines = [line for line in f"{type(error).__name__}: {error}".splitlines() if line.strip()]
    return "\n".join(f"    {line}" for line in [*at, *lines[:SHOWN_LINES]])


def press(view: Locator, control: str) -> None:
    """Press a button of a live view or a map, even if the button is in the menu."""
    button = view.locator(f"[data-control={control}]")
    expect(button).to_have_count(1)
    menu = view.locator(".bnviz-others-more:not([hidden]), .bnviz-stage-more")
    expect(button.or_(menu).locator("visible=true").first).to_be_visible()
    button.evaluate("button => button.click()")


def saved(page: Page, save: Callable[[], None]) -> Path:
    """Return the file that a page saves, under the name that the page suggests."""
    with page.expect_download() as download:
        save()
    found = Path(download.value.path())
    return found.rename(found.with_name(f"{found.name}-{download.value.suggested_filename}"))


def until_a_chart_is_drawn(page: Page, name: str) -> None:
    """Scroll to a chart, and wait until most of its traces have values."""
    chart = page.locator(f"[data-chart='{name}']")
    expect(chart).to_be_visible()
    chart.evaluate("chart => chart.scrollIntoView({ block: 'center' })")
    try:
        page.wait_for_function(DRAWN, arg=name)
    except TimeoutError as error:
        raise AssertionError(f"the chart {name!r} shows no values") from error


def another_run(lab: LabPage, act: Callable[[], Any]) -> str:
    """Start another run, wait for its first frame, and return the id of the previous run."""
    before = lab.run
    act()
    # The page shows the previous run's step until the new run's first frame arrives.
    lab.wait("view.run && view.run !== argument && view.status !== 'disconnected'", before)
    lab.wait("Number(view.step) >= 0")
    return before


def go_slowly(lab: LabPage) -> None:
    """Set the pace to one step per second, also for later runs of the tab."""
    slow = lab.view.locator("input[type=radio][value='1/s']")
    slow.click(force=True)
    expect(slow).to_be_checked()
