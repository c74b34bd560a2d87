"""Makes tests that need a GPU say loudly that they did not run, where there is none."""

import pytest

_untried: list[str] = []


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    needing = [item for item in items if item.get_closest_marker("gpu")]
    if not needing or _has_gpu():
        return
    for item in needing:
        item.add_marker(pytest.mark.skip(reason="no CUDA device"))
        _untried.append(item.nodeid)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _untried:
        terminalreporter.section("NOT TRIED HERE", sep="!", yellow=True, bold=True)
        terminalreporter.line(f"NOT TRIED HERE: {len(_untried)} GPU tests, no CUDA device:")
        for name in _untried:
            terminalreporter.line(f"  {name}")


def _has_gpu() -> bool:
    import torch

    return torch.cuda.is_available()
