"""Makes tests that need what a machine may lack say loudly that they did not run there."""

import os
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

# Ten thousand real MNIST digits, where the project's shared data lies beside it.
MNIST = Path(__file__).resolve().parents[2] / "shared" / "data" / "mnist-10k"

NOT_TRIED = "NOT TRIED HERE"
ANOTHER_TRY = "PASSED OR FAILED ON ANOTHER TRY"
# Real processes and a real browser share the machine with whatever else it does: one of their tests
# that fails is tried again, and the summary says so.
ROOT = Path(__file__).parent
TRIED_AGAIN = [ROOT / "browser", ROOT / "live", ROOT / "sweeps" / "test_ray.py"]

# `make test` draws the same examples everywhere, so that a commit fails for what is in it alone;
# `make verify` draws new ones.
settings.register_profile("same", derandomize=True)
if not os.environ.get("BNVIZ_NEW_EXAMPLES"):
    settings.load_profile("same")


@pytest.fixture(autouse=True, scope="session")
def _one_torch_thread():
    """As in a worker: several threads on small matrices cost more than they bring."""
    import torch

    torch.set_num_threads(1)


@pytest.fixture
def mnist_folder(monkeypatch):
    """The folder of real MNIST digits, set as the app's data folder."""
    monkeypatch.setenv("BNVIZ_DATA", str(MNIST))
    return MNIST


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # Playwright keeps an event loop running in this thread once a browser has been asked for, and
    # other tests start loops of their own: browsers come last.
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)
    for item in items:
        if any(item.path.is_relative_to(folder) for folder in TRIED_AGAIN):
            item.add_marker(pytest.mark.flaky(reruns=2))
    for marker, there, lack in (
        ("gpu", _has_gpu, "no CUDA device"),
        ("cluster", _has_ray, "Ray is not installed (requirements-cluster.txt)"),
        ("mnist", MNIST.is_dir, f"no MNIST digits in {os.path.relpath(MNIST)}"),
    ):
        needing = [item for item in items if item.get_closest_marker(marker)]
        if not needing or there():
            continue
        for item in needing:
            item.add_marker(pytest.mark.skip(reason=f"{NOT_TRIED}: {lack}"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    # Read from the reports: with several processes, collecting happens in others than this one.
    untried: dict[str, list[str]] = {}
    for report in terminalreporter.stats.get("skipped", []):
        reason = str(report.longrepr[2])
        if NOT_TRIED in reason:
            untried.setdefault(reason.split(f"{NOT_TRIED}: ")[1], []).append(report.nodeid)
    tried_again = [report.nodeid for report in terminalreporter.stats.get("rerun", [])]
    if tried_again:
        terminalreporter.section(ANOTHER_TRY, sep="!", yellow=True, bold=True)
        for name in tried_again:
            terminalreporter.line(f"  {name}")
    if untried:
        terminalreporter.section(NOT_TRIED, sep="!", yellow=True, bold=True)
    for lack, names in untried.items():
        terminalreporter.line(f"{NOT_TRIED}: {len(names)} tests, {lack}:")
        for name in names:
            terminalreporter.line(f"  {name}")


def _has_ray() -> bool:
    return find_spec("ray") is not None


def _has_gpu() -> bool:
    import torch

    return torch.cuda.is_available()
