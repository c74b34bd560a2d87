"""Measure the memory of the server, a worker and its measuring process, by the number of runs.

Each run has a viewer who opens every chart, so that all probes are measured. Memory is counted as
proportional shares: a page of memory that several processes share counts once in total.
"""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import AsyncExitStack, suppress
from pathlib import Path

from benchmarks.soak import descendants
from bnviz.probes import PROBES
from tests.browser.conftest import Server
from tests.red_team.target import Target
from tests.red_team.visitor import messages, visitor

# Queries of a usual run and of runs with large networks.
QUERIES = {
    "usual": "",
    "MNIST": "dataset=mnist",
    "large": "depth=25&width=256&batch_size=60",
    "largest": "depth=21&width=512&batch_size=60&norms=none,batch",
}
COUNTS = (1, 4, 8)
SECONDS = 40.0


def main() -> None:
    chosen = sys.argv[1:] or [*QUERIES]
    for name in chosen:
        server = Server(BNVIZ_WORKERS="1", BNVIZ_STARTS_PER_MINUTE="40")
        try:
            target = Target(f"127.0.0.1:{server.port}", server.process.pid)
            asyncio.run(_measure(target, name))
        finally:
            server.stop()


async def _measure(target: Target, name: str) -> None:
    await _ready(target)
    print(f"{'no run':>12} {_line(target.pid)}", flush=True)
    async with AsyncExitStack() as stack:
        tasks, seen = [], []
        for count in COUNTS:
            while len(tasks) < count:
                own = await stack.enter_async_context(visitor(target))
                query = "&".join(filter(None, [QUERIES[name], f"seed={len(tasks)}"]))
                run = (await own.open("lab", query)).run
                if run is None:
                    print(f"{name}: no run for {query}")
                    break
                seen.append(0)
                tasks.append(asyncio.create_task(_watch(target, run, own.cookie, seen, len(tasks))))
            await asyncio.sleep(SECONDS)
            print(f"{count:3} {name:>8} {_line(target.pid)} frames {sum(seen)}", flush=True)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _ready(target: Target) -> None:
    while not all(w["ready"] for w in (await target.ask("/status")).json["workers"]):
        await asyncio.sleep(0.5)


async def _watch(target: Target, run: str, cookie: str, seen: list[int], at: int) -> None:
    async with target.socket(f"/live/{run}", cookie) as socket:
        await socket.send(json.dumps({"type": "want", "probes": [*PROBES]}))
        async for message in messages(socket):
            seen[at] += message["type"] == "frame"


def _line(server: int) -> str:
    shares = [(pid, _megabytes(pid)) for pid in (server, *descendants(server))]
    named = (f"{_kind(pid, server)} {size:.0f}" for pid, size in shares)
    return f"{', '.join(named)}: {sum(size for _, size in shares):.0f} MB"


def _kind(pid: int, server: int) -> str:
    if pid == server:
        return "server"
    parent = int(Path(f"/proc/{pid}/stat").read_text("utf-8").rsplit(")", 1)[1].split()[1])
    return "worker" if parent == server else "measurer"


def _megabytes(pid: int) -> float:
    """Return the proportional share of the memory of a process."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text("utf-8").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0


if __name__ == "__main__":
    main()
