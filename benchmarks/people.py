"""Measure the memory and the frames of a server while many people have the lab open.

`python -m benchmarks.people 40` opens forty pages, each with a default run of its own.
`python -m benchmarks.people 40 watch` opens forty pages that all show the first one's run.

Runs have the pace `fast`, which does not pause. The simulated browsers share this machine's cores
with the server, so that frame rates are lower bounds. Memory is the proportional set size: pages
that processes share count once.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import time
from contextlib import AsyncExitStack, suppress
from pathlib import Path

from benchmarks.viewers import one_viewer, processor_seconds
from bnviz.live.protocol.frames import WIRE_VERSION
from tests.conftest import ROOT
from tests.machines.served_app import ServedApp, served_app
from tests.red_team.target import Target
from tests.red_team.visitor import visitor

SERVE = [sys.executable, "-m", "bnviz", "serve", "--port", "{port}"]
FAST = {"live_view": {"commands": {
    "view": "people", "commands": [{"sent": 1, "name": "pace", "pace": "fast"}],
}}}  # fmt: skip
SETTLE_SECONDS, SECONDS = 10.0, 30.0
MEGABYTE = 2**20


def main(people: int, watch: bool) -> None:
    limits = {"BNVIZ_WORKERS": "0", "BNVIZ_MAX_RUNS": str(max(48, people)),
              "BNVIZ_VIEWERS_PER_ADDRESS": "1000"}  # fmt: skip
    with (
        tempfile.TemporaryDirectory() as folder,
        served_app(SERVE, ROOT, Path(folder, "log"), **limits) as app,
    ):
        asyncio.run(_measure(app, people, watch))


async def _measure(app: ServedApp, people: int, watch: bool) -> None:
    target = Target(f"localhost:{app.port}", app.pid)
    await asyncio.sleep(SETTLE_SECONDS)
    print(f"{os.cpu_count()} cores; at rest: {_memory(app.pid)}", flush=True)
    async with AsyncExitStack() as stack:
        counts, run = [0] * people, ""
        connected, ends, viewers = asyncio.Semaphore(0), asyncio.Event(), []
        for at in range(people):
            who = await stack.enter_async_context(visitor(target))
            tab = await who.open("lab", f"run={run}" if watch and run else "")
            if tab.run not in (None, run):
                run = tab.run
                await tab.run_script("lab", **FAST)
            viewers.append(asyncio.create_task(one_viewer(
                f"{target.url.replace('http', 'ws')}/live/{run}?v={WIRE_VERSION}", target.url,
                counts, at, connected, ends, cookie=who.cookie,
            )))  # fmt: skip
        await asyncio.sleep(SETTLE_SECONDS)
        before, began, used = list(counts), time.monotonic(), _processor(app.pid)
        await asyncio.sleep(SECONDS)
        took = time.monotonic() - began
        used = {role: (now - used[role]) / took for role, now in _processor(app.pid).items()}
        shown = [(now - then) / took for now, then in zip(counts, before, strict=True)]
        ends.set()
        await asyncio.gather(*viewers)
        what = "of one run" if watch else "with a run each"
        print(f"{people} pages {what}: {_memory(app.pid)}")
        print(f"    frames/s: worst {min(shown):.2f}, median {statistics.median(shown):.2f}")
        print("    cores in use: " + ", ".join(f"{role} {n:.2f}" for role, n in used.items()))


def _processes(server: int) -> dict[int, str]:
    """Return the process ids of a server and its descendants, with their roles."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        # Skip a process that ended after it was listed.
        with suppress(OSError):
            fields = (folder / "stat").read_text("utf-8").rsplit(")", 1)[1].split()
            children.setdefault(int(fields[1]), []).append(int(folder.name))
    found = {}
    roles, generation = iter(("server", "workers", "long measurements")), [server]
    while generation:
        role = next(roles, "other")
        found |= dict.fromkeys(generation, role)
        generation = [child for parent in generation for child in children.get(parent, ())]
    return found


def _memory(server: int) -> str:
    sizes: dict[str, list[float]] = {}
    for pid, role in _processes(server).items():
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text("utf-8").splitlines()
        size = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
        sizes.setdefault(role, []).append(size / MEGABYTE)
    total = sum(map(sum, sizes.values()))
    each = ", ".join(f"{role} {' + '.join(f'{n:.0f}' for n in ns)}" for role, ns in sizes.items())
    return f"{total:.0f} MB ({each})"


def _processor(server: int) -> dict[str, float]:
    seconds: dict[str, float] = {}
    for pid, role in _processes(server).items():
        seconds[role] = seconds.get(role, 0) + processor_seconds(pid)
    return seconds


if __name__ == "__main__":
    main(int(sys.argv[1]), "watch" in sys.argv[2:])
