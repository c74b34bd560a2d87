"""Measure a server, in its own process, while three hundred sockets watch one of its runs."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from typing import Any

from benchmarks.viewers import one_viewer, processor_seconds
from bnviz.config import RunConfig

SOCKETS, SECONDS = 300, 15.0
OPEN_SECONDS = 60.0


def three_hundred() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.live.server", str(port)],
        env={**os.environ, "BNVIZ_WORKERS": "2", "BNVIZ_LOG_LEVEL": "warning"},
    )
    try:
        asyncio.run(_watch(port, server.pid))
    finally:
        server.terminate()
        server.wait()


async def _watch(port: int, pid: int) -> None:
    base = f"http://127.0.0.1:{port}"
    await _healthy(base)
    asked = {"owner": secrets.token_hex(32), "config": RunConfig().model_dump(), "pace": "watch"}
    run = await asyncio.to_thread(_post, f"{base}/start", json.dumps(asked).encode())
    counts = [0] * SOCKETS
    ready = asyncio.Semaphore(0)
    ends = asyncio.Event()
    sockets = [
        asyncio.create_task(
            one_viewer(f"ws://127.0.0.1:{port}/live/{run}", base, counts, at, ready, ends)
        )
        for at in range(SOCKETS)
    ]
    async with asyncio.timeout(OPEN_SECONDS):
        for _ in range(SOCKETS):
            await ready.acquire()
    before, cpu, began = list(counts), processor_seconds(pid), time.perf_counter()
    await asyncio.sleep(SECONDS)
    took, cpu = time.perf_counter() - began, processor_seconds(pid) - cpu
    status = json.loads(await asyncio.to_thread(_get, f"{base}/status"))
    frames = [now - then for now, then in zip(counts, before, strict=True)]
    ends.set()
    lost = [result for result in await asyncio.gather(*sockets, return_exceptions=True) if result]
    print(
        f"(c) {SOCKETS} sockets on one run, {took:.0f} s: {min(frames)} to {max(frames)} frames"
        f" each; {status['viewers']} connected at the end, {status['viewers_dropped']} dropped,"
        f" {len(lost)} lost; server {100 * cpu / took:.0f} % of a core"
    )


async def _healthy(base: str) -> None:
    async with asyncio.timeout(OPEN_SECONDS):
        while True:
            try:
                status: dict[str, Any] = json.loads(await asyncio.to_thread(_get, f"{base}/status"))
            except OSError:
                status = {"workers": []}
            if status["workers"] and all(worker["ready"] for worker in status["workers"]):
                return
            await asyncio.sleep(0.1)


def _get(url: str) -> str:
    with urllib.request.urlopen(url) as answer:
        return str(answer.read().decode())


def _post(url: str, body: bytes) -> str:
    with urllib.request.urlopen(urllib.request.Request(url, data=body)) as answer:
        return str(answer.read().decode())
