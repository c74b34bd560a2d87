"""Makes tests that need what a machine may lack say loudly that they did not run there."""

import os
from pathlib import Path

import pytest

# Ten thousand real MNIST digits, where the project's shared data lies beside it.
MNIST = Path(__file__).resolve().parents[2] / "shared" / "data" / "mnist-10k"

_untried: dict[str, list[str]] = {}


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
    for marker, there, lack in (
        ("gpu", _has_gpu, "no CUDA device"),
        ("mnist", MNIST.is_dir, f"no MNIST digits in {os.path.relpath(MNIST)}"),
    ):
        needing = [item for item in items if item.get_closest_marker(marker)]
        if not needing or there():
            continue
        for item in needing:
            item.add_marker(pytest.mark.skip(reason=lack))
            _untried.setdefault(lack, []).append(item.nodeid)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _untried:
        terminalreporter.section("NOT TRIED HERE", sep="!", yellow=True, bold=True)
    for lack, names in _untried.items():
        terminalreporter.line(f"NOT TRIED HERE: {len(names)} tests, {lack}:")
        for name in names:
            terminalreporter.line(f"  {name}")


def _has_gpu() -> bool:
    import torch

    return torch.cuda.is_available()
