"""`make soak`: memory of the server and its workers after ten minutes of one run ÷ after one.

One visitor watches at full pace the whole time. Resident memory is read from /proc.
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.app_in_chromium import chromium_page
from tests.browser.conftest import Server
from tests.browser.lab_page import LabPage

MINUTES = (1, 10)


def resident(pid: int) -> int:
    """Resident memory of a process in bytes."""
    for line in Path(f"/proc/{pid}/status").read_text("utf-8").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


def family(pid: int) -> dict[str, int]:
    """Memory of the server and of all its workers together."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8").split()
    return {"server": resident(pid), "workers": sum(resident(int(child)) for child in children)}


def main() -> int:
    server = Server(BNVIZ_MAX_STEPS="100000000")
    try:
        with chromium_page() as page:
            page.goto(f"{server.url}/lab")
            lab = LabPage(page, []).drawn()
            lab.pace("full")
            measured = []
            for minutes, wait in zip(MINUTES, (MINUTES[0], MINUTES[1] - MINUTES[0]), strict=True):
                for _ in range(2 * wait):
                    page.wait_for_timeout(30_000)
                    if lab.status == "paused":
                        lab.button("Play").click()
                measured.append(family(server.process.pid))
                print(
                    f"after {minutes} min, step {lab.step}: {_megabytes(measured[-1])}", flush=True
                )
    finally:
        server.stop()
    worst = max(measured[1][name] / measured[0][name] for name in measured[0])
    print(f"largest ratio {worst:.3f}; aim at most 1.1")
    return 0


def _megabytes(sizes: dict[str, int]) -> str:
    return ", ".join(f"{name} {size / 2**20:.0f} MB" for name, size in sizes.items())


if __name__ == "__main__":
    sys.exit(main())
