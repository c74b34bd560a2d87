"""Attacks with large numbers of connections, pages, viewers, runs and maps."""

from __future__ import annotations

import asyncio
import contextlib
import json
import resource
import socket
from collections.abc import Iterator
from contextlib import AsyncExitStack

from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.exceptions import InvalidStatus

from bnviz.live.settings import Settings
from bnviz.live.web.descriptors import RESERVE, raise_limit
from tests.red_team.attack import CUT, SECONDS, at_rate, attack
from tests.red_team.measuring import descriptors
from tests.red_team.target import STREAM, Target
from tests.red_team.visitor import LIGHT, PATIENCE, Visitor, visitor

# Number of pages for which the server has file descriptors in `many_pages`.
PAGES = 300
CONNECTS, HALF_OPEN = 1_200, 200
HIDDEN, SLOW = 599, 100
BROWSERS = 12
MAP_BROWSERS = 6


@contextlib.contextmanager
def few_descriptors(target: Target) -> Iterator[None]:
    """Limit the server's file descriptors to those that are open, its reserve, and `PAGES` more."""
    before = resource.prlimit(target.pid, resource.RLIMIT_NOFILE)
    most = descriptors(target.pid) + RESERVE + PAGES
    resource.prlimit(target.pid, resource.RLIMIT_NOFILE, (most, before[1]))
    try:
        yield
    finally:
        resource.prlimit(target.pid, resource.RLIMIT_NOFILE, before)


@attack
async def many_pages(target: Target) -> str:
    """Open pages until the server runs out of file descriptors, and run some of their scripts."""
    asked = BackMsg()
    asked.rerun_script.page_name = "about"
    opened, refused = 0, 0
    with few_descriptors(target):
        async with AsyncExitStack() as pages:

            async def open_page(number: int) -> None:
                nonlocal opened, refused
                try:
                    page = await pages.enter_async_context(target.socket(STREAM))
                    opened += 1
                except InvalidStatus:
                    refused += 1
                    return
                if number % 10 == 0:
                    await page.send(asked.SerializeToString())

            await at_rate(80, open_page, count=PAGES + 100)
            assert refused, f"none of {opened} pages was refused"
            answer = await target.ask("/", headers={"Accept": "text/html"})
            assert answer.status == 503, f"a page above the limit got {answer.status}"
            assert answer.content.decode().strip().endswith("."), "the response gives no reason"
    return f"{opened} pages opened, {refused} refused"


@attack
async def many_connects(target: Target) -> str:
    """Connect 1,200 times, one after another, beside 200 connections that send half a request."""
    raise_limit()
    halves = []
    try:
        for number in range(HALF_OPEN):
            _, writer = await target.open()
            writer.write(target.head("/", "GET", 0)[: number % 60])
            halves.append(writer)

        async def connect(number: int) -> bool:
            _, writer = await target.open()
            writer.close()
            return True

        answers = await at_rate(300, connect, count=CONNECTS, at_once=1)
        assert None not in answers, f"{answers.count(None)} connections were refused"
    finally:
        for writer in halves:
            writer.close()
    return f"{len(answers)} connections beside {len(halves)} half-open ones"


@attack
async def hidden_viewers(target: Target) -> str:
    """Watch a run with 599 sockets that have no cookie and report that they are hidden."""
    raise_limit()
    hidden = json.dumps({"type": "hidden", "hidden": True})
    async with visitor(target) as own, AsyncExitStack() as sockets:
        run = (await own.open()).run

        async def hide(number: int) -> bool:
            """Return whether the socket stays open."""
            socket = await sockets.enter_async_context(target.socket(f"/live/{run}"))
            kind = json.loads(await socket.recv())["type"]
            await socket.send(hidden)
            return bool(kind == "hello")

        answers = await at_rate(150, hide, count=HIDDEN)
        async with visitor(target) as new:
            await new.see_a_step((await new.open()).run)
            await new.see_a_step(run)
    return f"{answers.count(True)} of {len(answers)} sockets were accepted"


@attack
async def slow_readers(target: Target) -> str:
    """Watch a run with 100 sockets that acknowledge all frames but read nothing."""
    drawn = json.dumps({"type": "ack", "seq": 2**53})
    address, port = target.host.split(":")
    async with visitor(target) as own:
        run = (await own.open()).run

        async def watch(number: int) -> bool:
            small = socket.socket()
            small.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2_048)
            small.setblocking(False)
            await asyncio.get_running_loop().sock_connect(small, (address, int(port)))
            async with target.socket(
                f"/live/{run}", sock=small, max_queue=1, close_timeout=0.1
            ) as slow:
                for _ in range(int(5 * SECONDS)):
                    await slow.send(drawn)
                    await asyncio.sleep(0.2)
            return True

        answers = await at_rate(50, watch, count=SLOW, at_once=SLOW)
    return f"{len(answers)} sockets"


@attack
async def many_maps(target: Target) -> str:
    """Open two maps in each of six browsers, and another map in a seventh one."""

    async def networks(own: Visitor, key: str) -> int:
        """Request a map as a browser, and return the number of trained networks."""
        answer = await target.ask(f"/maps/{key}?wanted=1", headers={"Cookie": own.cookie})
        done: int = answer.json["progress"]["done"]
        return done

    async with AsyncExitStack() as stack:
        own = [await stack.enter_async_context(visitor(target)) for _ in range(MAP_BROWSERS + 1)]
        wanted: list[tuple[Visitor, str]] = []

        async def open_map(browser: Visitor, seed: int) -> str:
            tab = await browser.open("map", f"seed={seed}")
            wanted.append((browser, tab.data["map_view"]["key"]))
            return wanted[-1][1]

        async def poll() -> None:
            while True:
                for each in list(wanted):
                    with contextlib.suppress(*CUT):
                        await networks(*each)
                await asyncio.sleep(0.5)

        polling = stack.enter_context(_running(poll()))
        for number in range(2 * MAP_BROWSERS):
            await open_map(own[number // 2], seed=100 + number)
        key, done = await open_map(own[-1], seed=200), 0
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE / 2):
                while not done:
                    done = await networks(own[-1], key)
                    await asyncio.sleep(0.25)
        assert not polling.done(), "the maps were not polled"
        assert done, "the seventh browser's map is empty"
    return f"{2 * MAP_BROWSERS} maps beside the seventh browser's"


@attack
async def unwatched_runs(target: Target) -> str:
    """Start runs in twelve browsers and leave them, until all run slots and the queue are full."""
    per_browser, started = Settings().runs_per_owner, 0

    async def start(own: Visitor) -> None:
        nonlocal started
        run = (await own.open("lab", LIGHT)).run
        if run is not None:
            # The run starts once a viewer connects, and then continues for a few seconds.
            async with target.socket(f"/live/{run}", own.cookie) as socket:
                started += json.loads(await socket.recv())["type"] == "hello"

    async with AsyncExitStack() as browsers:
        owners = [await browsers.enter_async_context(visitor(target)) for _ in range(BROWSERS)]
        await at_rate(10, lambda number: start(owners[number % BROWSERS]),
                      count=BROWSERS * per_browser, at_once=4)  # fmt: skip
    async with visitor(target) as new:
        await new.see_a_step((await new.open()).run)
    return f"{started} of {BROWSERS * per_browser} runs were started"


@contextlib.contextmanager
def _running(work: object) -> Iterator[asyncio.Task[None]]:
    """Run a background task during a `with` block."""
    task = asyncio.ensure_future(work)  # type: ignore[call-overload]
    try:
        yield task
    finally:
        task.cancel()
