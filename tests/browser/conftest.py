"""Fixtures with a real server and a real Chromium. Without Chromium, the tests fail."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.lab_page import PATIENCE, LabPage
from tests.browser.tabs import OpenTab, Tabs
from tests.live.classroom.phones import started

ROOT = Path(__file__).parents[2]
# With this token, `/status` lists the process ids of the workers.
TOKEN = "a token of the tests"
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
# Executable of Debian's Chromium. The headless shell is preferred, because it has no window to
# manage.
CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
expect.set_options(timeout=PATIENCE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder as browser tests, with a long timeout for the warm-up."""
    for item in items:
        if Path(item.path).is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.timeout(900))


def free_port() -> int:
    """Return a free TCP port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_healthy(url: str, process: subprocess.Popen[bytes]) -> None:
    """Wait until a Streamlit server responds.

    Raises:
        RuntimeError: If the server has exited or 120 s have passed.
    """
    pause = threading.Event()
    for _ in range(1200):
        try:
            with urllib.request.urlopen(url + "/_stcore/health", timeout=2):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            if process.poll() is not None:
                break
            pause.wait(0.1)
    raise RuntimeError(f"{url} did not become healthy")


class Server:
    """The app as `make run` serves it, on the given port or, by default, on a free port."""

    def __init__(
        self, base: str = "", port: int = 0, command: Sequence[str] = (),
        within: Sequence[str] = (), **environment: str,
    ) -> None:  # fmt: skip
        """`command` serves a different app. `within` is a command that runs its arguments."""
        self.port, self.base = port or free_port(), base
        serve = [sys.executable, "-m", "bnviz", "serve", "--port", str(self.port)]
        serve += ["--base-path", base] if base else []
        command = [*command, f"--server.port={self.port}"] if command else serve
        # After a test leaves its page, the run is suspended and frees the cores for the next test.
        # The run resumes as soon as a viewer connects, so a reload may take as long as necessary.
        limits = {
            "BNVIZ_STARTS_PER_MINUTE": "1000", "BNVIZ_GRACE_SECONDS": "1", "BNVIZ_STATE_DIR": "",
        }  # fmt: skip
        variables = {**os.environ, **limits, **environment}
        self.process = subprocess.Popen(
            [*within, *command],
            cwd=ROOT,
            env=variables,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        self.log: list[str] = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        try:
            wait_until_healthy(self.url, self.process)
        except RuntimeError as error:
            raise RuntimeError(f"{error}:\n" + "".join(self.log[-50:])) from None

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.log.append(line.decode(errors="replace"))

    @property
    def url(self) -> str:
        """Address of the app, without a trailing slash."""
        return f"http://127.0.0.1:{self.port}{self.base}"

    def stop(self) -> None:
        """End the server and the processes that it started."""
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
        self.reader.join(5)
        if self.process.stderr is not None:
            self.process.stderr.close()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """Run one server for all tests that leave it intact. It has a single worker, so that a core
    remains free for Chromium.
    """
    running = Server(BNVIZ_WORKERS="1", BNVIZ_STATUS_TOKEN=TOKEN)
    yield running
    running.stop()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.fail("Chromium not found: run `apt-get install chromium-headless-shell` or .ci/run.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def tabs(chromium: Browser) -> Tabs:
    """Return browser tabs that tests reuse."""
    return Tabs(chromium)


@contextmanager
def visiting(tabs: Tabs, server: Server) -> Iterator[Callable[..., LabPage]]:
    """Yield a function that opens the app as a new visitor, and give the tabs back afterwards.

    Console errors and uncaught exceptions of a page fail the test. Pages forbid `eval`, so the
    condition of `wait_for_function` must be a function, not an expression.
    """
    taken: list[OpenTab] = []

    def open_page(path: str = "/", *, base: str | None = None, same: LabPage | None = None,
                  script: str = "", **options: object) -> LabPage:  # fmt: skip
        if same:
            tab = OpenTab(same.page.context.new_page(), [], plain=False)
        else:
            tab = tabs.take(**{"viewport": {"width": 1440, "height": 1000}, **options})  # type: ignore[arg-type]
        if script:  # a tab with an init script cannot be reused
            tab.plain = False
            tab.page.add_init_script(script)
        taken.append(tab)
        tab.page.set_default_timeout(PATIENCE)
        tab.page.goto((base or server.url) + path)
        return LabPage(tab.page, tab.problems)

    yield open_page
    found = [problem for tab in taken for problem in tab.problems]
    for tab in taken:
        tabs.give_back(tab, server.url + "/_stcore/health")
    assert not found, "\n".join(found)


@pytest.fixture
def visit(tabs: Tabs, server: Server) -> Iterator[Callable[..., LabPage]]:
    """Yield `visit(path, **context options)`, which opens the app as a new visitor."""
    with visiting(tabs, server) as open_page:
        yield open_page


@pytest.fixture(scope="module")
def visit_once(tabs: Tabs, server: Server) -> Iterator[Callable[..., LabPage]]:
    """Yield a `visit` function that all tests of a module share; each test must restore the
    page.
    """
    with visiting(tabs, server) as open_page:
        yield open_page


@pytest.fixture
def rooms() -> Iterator[None]:
    """Start without any voting rooms, like a newly started server.

    Request this fixture before a page, because a page uses its room until the page closes.
    """
    with started():
        yield
