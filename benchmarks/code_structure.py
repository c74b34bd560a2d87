"""Measure the size of the code base: modules, classes, ambiguous names, and files per action.

`python -m benchmarks.code_structure` counts files and names. With `ways`, it starts the app and
follows four actions: changing a knob, one training step whose singular values are drawn, opening a
lesson, and computing the first cell of a map. It traces the function calls in the browser, the
server and the worker processes until the result is drawn, and prints how many of our files were
involved. `--root FOLDER` examines another checkout. `--files` lists the counted files.
"""

from __future__ import annotations

import argparse
import ast
import collections
import contextlib
import os
import re
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession, Page

ROOT = Path(__file__).parents[1]
# Parts of the code that have one file per entry by design: the engine and the registries. Their
# files are counted separately.
ENGINE = (
    "config", "knobs", "checks", "sizes", "change_log", "experiment", "frozen_run", "saved_weights",
    "pieces", "records", "registry", "presets", "data", "norms", "networks", "training", "probes",
    "charts", "claims", "lessons",
)  # fmt: skip
FRAGMENT = 50  # lines
CLASS = re.compile(r"^(?:export )?(?:default )?class (\w+)", re.MULTILINE)
# Source of a `sitecustomize.py`, the module that Python runs at startup. This one records the file
# of every function that is called.
TRACER = """
import os, signal, sys, threading
_seen = set()
def _enter(frame, event, _arg):
    if event == "call":
        _seen.add(frame.f_code.co_filename)
def _begin(*_): _seen.clear()
def _write(*_):
    path = os.path.join(os.environ["BNVIZ_HOUSE"], str(os.getpid()))
    with open(path + ".part", "w") as file:
        file.write("\\n".join(_seen.copy()))
    os.replace(path + ".part", path)
signal.signal(signal.SIGUSR1, _begin)
signal.signal(signal.SIGUSR2, _write)
open(os.path.join(os.environ["BNVIZ_HOUSE"], f"{os.getpid()}.here"), "w").close()
sys.setprofile(_enter)
threading.setprofile(_enter)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("part", nargs="?", choices=["rooms", "ways"], default="rooms")
    parser.add_argument("--root", type=Path, default=ROOT, help="checkout to count")
    parser.add_argument("--files", action="store_true", help="list the counted files")
    said = parser.parse_args()
    if said.part == "rooms":
        rooms(said.root.resolve(), said.files)
    else:
        ways(said.root.resolve(), said.files)


# Files and names.


def rooms(root: Path, files: bool) -> None:
    """Print the numbers of modules, lines and classes, and the ambiguous class names."""
    python = {path: path.read_text(encoding="utf-8") for path in (root / "bnviz").rglob("*.py")}
    browser = {path: path.read_text(encoding="utf-8") for path in (root / "assets").rglob("*.js")}
    trees = {path: ast.parse(text) for path, text in python.items()}
    outside = [path for path in python if not _of_engine(path.relative_to(root / "bnviz"))]
    print(f"Python modules in bnviz: {len(python)}; outside engine and registries: {len(outside)}")
    print(f"JavaScript modules in assets: {len(browser)}")
    for name, some in (("Python", python), ("JavaScript", browser)):
        lines = [len(text.splitlines()) for text in some.values()]
        print(
            f"{name}: {sum(lines)} lines; {sum(n < FRAGMENT for n in lines)} files with fewer than "
            f"{FRAGMENT} lines"
        )
    functions = [
        node.end_lineno - node.lineno + 1
        for tree in trees.values() for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno
    ]  # fmt: skip
    short = sum(length <= 5 for length in functions) / len(functions)
    print(f"functions: {len(functions)}, {short:.0%} with at most five lines")
    nodes = [node for tree in trees.values() for node in ast.walk(tree)]
    classes = sum(isinstance(node, ast.ClassDef) for node in nodes)
    others = sum(len(CLASS.findall(text)) for text in browser.values())
    print(f"classes: {classes} in Python, {others} in JavaScript")
    single = [path for path, count in _importers(root, trees).items() if count == 1]
    print(f"Python modules with one importer: {len(single)}")
    twice = _two_meanings(root, trees, browser)
    print(f"class names that live, ui and assets define more than once: {len(twice)}")
    for name, where in sorted(twice.items()):
        print(f"  {name}: {', '.join(sorted(where))}")
    if files:
        print("\n".join(sorted(str(path.relative_to(root)) for path in outside)))


def _of_engine(path: Path) -> bool:
    return path.parts[0].removesuffix(".py") in ENGINE


def _importers(root: Path, trees: dict[Path, ast.Module]) -> dict[Path, int]:
    """Return for each module the number of modules that import it."""
    names = {
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path
        for path in trees
    }
    found: dict[Path, set[Path]] = collections.defaultdict(set)
    for path, tree in trees.items():
        for node in ast.walk(tree):
            asked = []
            if isinstance(node, ast.Import):
                asked = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                parts = [f"{node.module}.{alias.name}" for alias in node.names]
                asked = [name for name in parts if name in names] or [node.module]
            for name in asked:
                if name in names and names[name] != path:
                    found[names[name]].add(path)
    return {path: len(found[path]) for path in trees if path.name != "__init__.py"}


def _two_meanings(
    root: Path, trees: dict[Path, ast.Module], browser: dict[Path, str]
) -> dict[str, list[str]]:
    """Find public class names that are defined in several files of `live`, `ui` and `assets`."""
    found: dict[str, list[str]] = collections.defaultdict(list)
    for path, tree in trees.items():
        where = path.relative_to(root)
        if where.parts[1] in ("live", "ui"):
            for node in tree.body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found[node.name].append(str(where))
    for path, text in browser.items():
        for name in CLASS.findall(text):
            found[name].append(str(path.relative_to(root)))
    return {name: where for name, where in found.items() if len(where) > 1}


# Ways.


def ways(root: Path, files: bool) -> None:
    """Follow four actions through a checkout's app, and count the files that each uses."""
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import ARGUMENTS, CHROMIUM
    from tests.browser.lab_page import LabPage

    with _traced(root) as (url, trace), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(120_000)
        trace.watch(page)
        # Start from a paused run whose charts are drawn.
        page.goto(f"{url}/lab")
        lab = LabPage(page, []).drawn().until_step(12)
        lab.pause()
        page.wait_for_timeout(4000)
        at_rest = trace.entered(lambda: page.wait_for_timeout(2000))
        step = trace.entered(lambda: lab.one_step(lab.button("One step").click))
        page.wait_for_timeout(4000)
        knob = page.locator("[data-testid=stSidebar] [data-knob=learning_rate] input[type=range]")
        knob.focus()
        before = lab.attribute("knob")
        drag = trace.entered(lambda: (
            page.keyboard.press("ArrowRight"),
            lab.wait("root.dataset.knob && root.dataset.knob !== argument", before),
        ))  # fmt: skip
        page.goto("about:blank")
        page.wait_for_timeout(3000)
        lesson = trace.entered(lambda: (
            page.goto(f"{url}/lessons?lesson=slow-start"), LabPage(page, []).drawn(),
        ))  # fmt: skip
        page.goto("about:blank")
        page.wait_for_timeout(3000)
        cell = trace.entered(lambda: (
            page.goto(f"{url}/map"),
            page.wait_for_function(
                "() => Number(document.querySelector('[data-testid=map]')?.dataset.points) > 0"
            ),
        ))  # fmt: skip
        browser.close()
    print(f"idle: {_counted(at_rest)}")
    found = {"knob": drag, "singular value": step, "lesson": lesson, "map cell": cell}
    for name, entered in found.items():
        engine = {file for file in entered if _of_engine_file(file)}
        print(f"{name}: {len(entered - engine)} files, and {len(engine)} of engine and registries")
        print(f"  {_counted(entered - engine)}")
        if files:
            print("\n".join(f"    {file}" for file in sorted(entered - engine)))


def _of_engine_file(file: str) -> bool:
    return file.startswith("bnviz/") and _of_engine(Path(file).relative_to("bnviz"))


def _counted(files: set[str]) -> str:
    """Format the number of files per folder."""
    folders = collections.Counter("/".join(file.split("/")[:-1][:3]) for file in files)
    return ", ".join(f"{folder} {count}" for folder, count in sorted(folders.items()))


class Trace:
    """Trace of the files whose functions are called, in a page and in all processes of a server."""

    def __init__(self, root: Path, notes: Path) -> None:
        self._root, self._notes = root, notes
        self._session: CDPSession | None = None

    def watch(self, page: Page) -> None:
        """Follow this page, too."""
        self._session = page.context.new_cdp_session(page)
        self._session.send("Profiler.enable")
        self._session.send("Profiler.startPreciseCoverage", {"callCount": True, "detailed": False})

    def entered(self, act: Callable[[], object]) -> set[str]:
        """Call `act`, and return the files whose functions it called, as paths in the checkout."""
        assert self._session is not None
        self._session.send("Profiler.takePreciseCoverage")
        self._tell(signal.SIGUSR1)
        act()
        covered = self._session.send("Profiler.takePreciseCoverage")["result"]
        files = set()
        for script in covered:
            if any(function["ranges"][0]["count"] for function in script["functions"]):
                files |= self._asset(script["url"])
        for old in self._processes():
            (self._notes / str(old)).unlink(missing_ok=True)
        told = self._tell(signal.SIGUSR2)
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and any(
            not (self._notes / str(process)).exists() and _alive(process) for process in told
        ):
            time.sleep(0.05)
        for process in told:
            note = self._notes / str(process)
            for line in note.read_text().splitlines() if note.exists() else []:
                path = Path(line)
                if path.is_relative_to(self._root) and ".venv" not in path.parts:
                    files.add(str(path.relative_to(self._root)))
        return {file for file in files if not file.startswith("<")}

    def _asset(self, url: str) -> set[str]:
        path = url.split("?")[0]
        parts = path.split("/")
        for start in range(len(parts)):
            if (file := self._root / "assets" / "/".join(parts[start:])).is_file():
                return {str(file.relative_to(self._root))} if file.suffix == ".js" else set()
        return set()

    def _processes(self) -> list[int]:
        return [int(path.stem) for path in self._notes.glob("*.here")]

    def _tell(self, what: signal.Signals) -> list[int]:
        told = []
        for process in self._processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, what)
                told.append(process)
        return told


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@contextlib.contextmanager
def _traced(root: Path) -> Iterator[tuple[str, Trace]]:
    """Start the server of a checkout, and yield its address and a trace.

    The server's processes record the files of the functions that they call.
    """
    from tests.browser import conftest

    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder) / "notes"
        notes.mkdir()
        (Path(folder) / "sitecustomize.py").write_text(TRACER)
        conftest.ROOT = root
        server = conftest.Server(
            BNVIZ_WORKERS="1", BNVIZ_HOUSE=str(notes),
            PYTHONPATH=os.pathsep.join([folder, str(root)]),
        )  # fmt: skip
        try:
            yield server.url, Trace(root, notes)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
