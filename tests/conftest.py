"""Shared fixtures, test order, and a report of tests that could not run on this machine."""

import os
import random
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import every_case
from tests.memory_group import can_limit_memory

ROOT = Path(__file__).resolve().parents[1]
# Ten thousand real MNIST digits, if the shared data folder is next to the project.
MNIST = ROOT.parent / "shared" / "data" / "mnist-10k"

NOT_TRIED = "NOT RUN HERE"
NOT_TRANSLATED = "NOT TRANSLATED"
RUN_ALONE = "FAILED TESTS, EACH RERUN ALONE"
# Maximum number of failed tests that are rerun one by one. If more tests fail, running in parallel
# is not the cause.
ALONE_AT_MOST = 5
ALONE_SECONDS = 300
# File that counts the CPU time of all processors since boot. The whole machine is measured, because
# a browser's processes are grandchildren of the test processes, which cannot add up their CPU time.
MACHINE = Path("/proc/stat")
MACHINE_BEFORE = pytest.StashKey[float]()

# Environment variables of the tests, which the app does not read.
OF_THE_TESTS = (
    "BNVIZ_NEW_EXAMPLES", "BNVIZ_PICTURES", "BNVIZ_REQUIRE_BROWSER", "BNVIZ_REQUIRE_LANGUAGES",
    "BNVIZ_SMALL_HOST_SECONDS",
)  # fmt: skip

# `make test` draws the same examples everywhere, so that a commit fails only because of its own
# content. `make verify` draws new ones. Examples have no deadline, because their duration depends
# on the load of the machine.
settings.register_profile("new", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", settings.get_profile("new"), derandomize=True)
settings.load_profile("new" if os.environ.get("BNVIZ_NEW_EXAMPLES") else "same")


def pytest_configure(config: pytest.Config) -> None:
    every_case.only = config.getoption("case")
    if MACHINE.exists():
        config.stash[MACHINE_BEFORE] = _machine_seconds()
    forget_settings()


def forget_settings() -> None:
    """Remove settings of the developer that would change the tests.

    These are the settings of an app served on this machine, its language, and a proxy, which must
    not be used for local servers.
    """
    for name in [*os.environ]:
        if name.startswith("BNVIZ_") and name not in OF_THE_TESTS:
            del os.environ[name]
    # `bnviz serve` would save its state in the developer's own folder.
    os.environ["BNVIZ_STATE_DIR"] = ""
    # The command line uses the language of the locale.
    os.environ.pop("LC_ALL", None)
    os.environ["LC_MESSAGES"] = "C"
    for name in ("no_proxy", "NO_PROXY"):
        os.environ[name] = ",".join(filter(None, ["localhost,127.0.0.1", os.environ.get(name)]))


@pytest.fixture(autouse=True, scope="session")
def _one_torch_thread():
    """Use one thread, as a worker does: more threads are slower on small matrices."""
    import torch

    torch.set_num_threads(1)


@pytest.fixture
def mnist_folder(monkeypatch):
    """The folder of real MNIST digits, set as the app's data folder."""
    monkeypatch.setenv("BNVIZ_DATA", str(MNIST))
    return MNIST


def pytest_addoption(parser: pytest.Parser) -> None:
    shuffle = "run the tests in another order, drawn from this seed; browser tests still come last"
    parser.addoption("--shuffle", type=int, metavar="SEED", help=shuffle)
    case = "only tests of this case, a norm's name, say; a table of cases is cut down to it"
    parser.addoption("--case", metavar="NAME", help=case)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if every_case.only is not None:
        config.hook.pytest_deselected(items=[each for each in items if not _concerns_case(each)])
        items[:] = [each for each in items if _concerns_case(each)]
    if (seed := config.getoption("shuffle")) is not None:
        random.Random(seed).shuffle(items)
    # Playwright keeps an event loop running in this thread once a browser has started, and other
    # tests start loops of their own. So browser tests run last, and among them the long checklist
    # tests run first, so that no process is idle at the end.
    items.sort(key=_place)
    for marker, there, lack in (
        ("gpu", _has_gpu, "no CUDA device"),
        ("cluster", _has_ray, "Ray is not installed (requirements-cluster.txt)"),
        ("cluster", _ray_can_start, "Ray cannot start if the path of Python contains a space"),
        ("memory_group", can_limit_memory, "no right to make a memory control group of version 1"),
        ("mnist", MNIST.is_dir, f"no MNIST digits in {os.path.relpath(MNIST)}"),
    ):
        needing = [item for item in items if item.get_closest_marker(marker)]
        if not needing or there():
            continue
        for item in needing:
            item.add_marker(pytest.mark.skip(reason=f"{NOT_TRIED}: {lack}"))


def _concerns_case(item: pytest.Item) -> bool:
    given = item.callspec.params.values() if hasattr(item, "callspec") else ()
    of_table = isinstance(item, pytest.Function) and hasattr(item.obj, "concerns_case")
    return of_table or every_case.mentions(tuple(given), every_case.only)


def _place(item: pytest.Item) -> int:
    """Return a test's place in the order: 0 without a browser, 1 for a long checklist test, 2 for
    other browser tests.
    """
    if item.get_closest_marker("browser") is None:
        return 0
    return 1 if item.path.name.startswith("test_checklist") else 2


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    from bnviz.words.texts import FOLDER
    from bnviz.words.translations import faults

    # Read the skipped tests from the reports, because with several processes the tests are
    # collected in other processes.
    untried: dict[str, list[str]] = {}
    untranslated: list[str] = []
    for report in terminalreporter.stats.get("skipped", []):
        reason = str(report.longrepr[2])
        if NOT_TRANSLATED in reason:
            code = reason.split(f"{NOT_TRANSLATED}: ")[1]
            untranslated += [str(fault) for fault in faults(FOLDER, code) if fault.owed]
        if NOT_TRIED in reason:
            untried.setdefault(reason.split(f"{NOT_TRIED}: ")[1], []).append(report.nodeid)
    if terminalreporter.config.getoption("numprocesses", None):
        _run_alone(terminalreporter)
        _tell_durations(terminalreporter)
    if untried:
        terminalreporter.section(NOT_TRIED, sep="!", yellow=True, bold=True)
    for lack, names in untried.items():
        terminalreporter.line(f"{NOT_TRIED}: {len(names)} tests, {lack}:")
        for name in names:
            terminalreporter.line(f"  {name}")
    if untranslated:
        terminalreporter.section(NOT_TRANSLATED, sep="!", yellow=True, bold=True)
    for fault in sorted(untranslated):
        terminalreporter.line(f"{NOT_TRANSLATED}: {fault}")


def _tell_durations(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how long the tests of each folder took, including their fixtures."""
    seconds: Counter[str] = Counter()
    tests: dict[str, set[str]] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                folder = str(Path(report.nodeid.partition("::")[0]).parent)
                seconds[folder] += report.duration
                tests.setdefault(folder, set()).add(report.nodeid)
    terminalreporter.section("seconds of tests by folder")
    for folder, total in seconds.most_common():
        terminalreporter.line(f"{total:7.1f} s {len(tests[folder]):6} tests  {folder}")
    if MACHINE.exists():
        used = (_machine_seconds() - terminalreporter.config.stash[MACHINE_BEFORE]) / 60
        terminalreporter.line(f"{used:.1f} CPU minutes, of all programs on this machine")


def _machine_seconds() -> float:
    """Return the CPU time of all processors since boot, in seconds."""
    counters = MACHINE.read_text(encoding="utf-8").partition("\n")[0].split()[1:8]
    user, nice, system, _idle, _waiting, *interrupts = map(int, counters)
    return sum((user, nice, system, *interrupts)) / os.sysconf("SC_CLK_TCK")


def _run_alone(terminalreporter: pytest.TerminalReporter) -> None:
    """Rerun failed tests one by one and print whether they pass. They still count as failed."""
    stats = terminalreporter.stats
    failed = [report.nodeid for kind in ("failed", "error") for report in stats.get(kind, [])]
    names = list(dict.fromkeys(failed))
    if names:
        terminalreporter.section(RUN_ALONE, sep="!", red=True, bold=True)
    for name in names[:ALONE_AT_MOST]:
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-m", "verify or not verify"]
        try:
            done = subprocess.run(
                [*command, name], cwd=ROOT, capture_output=True, timeout=ALONE_SECONDS
            )
            found = "passes alone" if done.returncode == 0 else "fails alone"
        except subprocess.TimeoutExpired:
            found = f"does not finish within {ALONE_SECONDS} s alone"
        terminalreporter.line(f"{found}: {name}")


def _has_ray() -> bool:
    return find_spec("ray") is not None


def _ray_can_start() -> bool:
    return " " not in sys.executable


def _has_gpu() -> bool:
    import torch

    return torch.cuda.is_available()
