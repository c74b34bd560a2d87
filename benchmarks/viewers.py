"""Simulated viewers of a run: a process with many sockets that acknowledge each frame."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import websockets

from bnviz.live.protocol.frames import WIRE_VERSION

VIEWERS = 320


@contextlib.contextmanager
def watched(address: str, run: str) -> Iterator[list[tuple[float, int]]]:
    """Watch a run with many sockets while the block runs.

    Yields:
        A list that is filled when the block is left: pairs of a time and the number of frames that
            all viewers together had received by then.
    """
    counted: list[tuple[float, int]] = []
    viewers = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.viewers", address, run],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert viewers.stdout is not None
    try:
        assert viewers.stdout.readline() == "all connected\n"
        yield counted
    finally:
        viewers.terminate()
        lines = viewers.stdout.read().splitlines()
        viewers.wait(20)
        counted.extend((float(at), int(count)) for at, count in map(str.split, lines))


def per_second(frames: list[tuple[float, int]], since: float, until: float) -> float:
    """Return the frames per second that each viewer received between two times."""
    (first_at, first), *_, (last_at, last) = [each for each in frames if since <= each[0] <= until]
    return (last - first) / (last_at - first_at) / VIEWERS


def processor_seconds(pid: int) -> float:
    """Return the seconds of processor time that a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def watch(address: str, run: str) -> None:
    """Watch a run with many sockets, and print how many frames they have received in total."""
    counts, ready, ends = [0] * VIEWERS, asyncio.Semaphore(0), asyncio.Event()
    url = f"{address.replace('http', 'ws')}/live/{run}?v={WIRE_VERSION}"
    sockets = [
        asyncio.create_task(one_viewer(url, address, counts, at, ready, ends))
        for at in range(VIEWERS)
    ]
    for _ in sockets:
        await ready.acquire()
    print("all connected", flush=True)
    while True:
        print(time.monotonic(), sum(counts), flush=True)
        await asyncio.sleep(0.25)


async def one_viewer(
    url: str, origin: str, counts: list[int], at: int, ready: asyncio.Semaphore,
    ends: asyncio.Event, *, cookie: str = "",
) -> None:  # fmt: skip
    """Acknowledge each frame of a run, as a browser does, and count the frames."""
    async with websockets.connect(
        url, origin=websockets.Origin(origin), max_size=None,
        additional_headers={"Cookie": cookie} if cookie else None,
    ) as watching:  # fmt: skip
        ready.release()
        waiting = asyncio.create_task(ends.wait())
        while not ends.is_set():
            receiving = asyncio.ensure_future(watching.recv())
            await asyncio.wait({receiving, waiting}, return_when=asyncio.FIRST_COMPLETED)
            if not receiving.done():
                receiving.cancel()
                return
            # Do not parse whole frames. For hundreds of viewers, parsing would take too much CPU
            # time in this process, whose time is not part of the measurement.
            head = str(receiving.result())[:160]
            if '"type":"frame"' in head:
                counts[at] += 1
                seq = int(head.split('"seq":')[1].split(",")[0])
                await watching.send(json.dumps({"type": "ack", "seq": seq}))


if __name__ == "__main__":
    asyncio.run(watch(sys.argv[1], sys.argv[2]))
