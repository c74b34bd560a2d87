"""A lecture on a server with few file descriptors: 300 pages and 300 phones, and too many pages."""

from __future__ import annotations

import asyncio
import contextlib
import json
import resource
from collections.abc import Iterator
from contextlib import AsyncExitStack

import pytest
from websockets.exceptions import InvalidStatus

from benchmarks.phones import ANSWERS, Browser
from tests.browser.conftest import Server
from tests.red_team.attack import at_rate
from tests.red_team.measuring import descriptors, resident
from tests.red_team.target import STREAM, Target
from tests.red_team.visitor import messages, visitor

pytestmark = [pytest.mark.verify, pytest.mark.timeout(600)]
FEW = 1_024
PAGES = PHONES = 300
# Seconds until Streamlit forgets old sessions, number of descriptors that may remain open, and
# factor by which memory may grow. Streamlit keeps 128 ended sessions for two minutes. Each session
# holds three descriptors until garbage collection.
KEPT_SECONDS, STAY, GROWN = 125, 64, 1.25


@contextlib.contextmanager
def served(hard: int | None = None) -> Iterator[tuple[Target, Server]]:
    """Run a server whose file descriptor limit was low when it started."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    server = None
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (FEW, before[1]))
        server = Server(BNVIZ_WORKERS="1")
        if hard is not None:
            resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (hard, hard))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    try:
        yield Target(f"127.0.0.1:{server.port}", server.process.pid), server
    finally:
        server.stop()


async def fill(target: Target) -> None:
    """Let 300 pages watch one run, and 300 phones vote, all at once."""
    async with visitor(target) as teacher, AsyncExitStack() as hall:
        run = (await teacher.open()).run
        browser = Browser(target.url)
        browser.cookie = teacher.cookie
        code = json.loads((await browser.ask("POST", "/room", {}))[2])["code"]
        body = {"text": "Which one breaks?", "answers": ANSWERS}
        asked = json.loads((await browser.ask("POST", f"/room/{code}/ask", body))[2])["question"]

        async def open_page(_number: int) -> bool:
            student = await hall.enter_async_context(visitor(target))
            assert (await student.open("lab", f"run={run}")).run == run
            socket = await hall.enter_async_context(target.socket(f"/live/{run}", student.cookie))
            async for message in messages(socket):
                if message["type"] == "frame":
                    return True
            return False

        async def vote(number: int) -> Browser:
            phone = Browser(target.url)
            hall.callback(phone.close)
            await phone.ask("GET", f"/b/{code}", Accept="text/html")
            ballot = {"question": asked["id"], "round": 1, "answer": number % 4, "page": 1, "n": 1}
            status, _, _ = await phone.ask("POST", f"/b/{code}/vote?lang=en", ballot)
            assert status == 200, status
            return phone

        pages, phones = await asyncio.gather(
            at_rate(30, open_page, count=PAGES), at_rate(30, vote, count=PHONES)
        )
        assert pages == [True] * PAGES
        assert None not in phones
        (_, _, told) = await browser.ask("POST", f"/room/{code}/reveal", {})
        assert json.loads(told)["question"]["tally"] == [PHONES // 4] * 4
        browser.close()


def test_a_hall_is_served_where_few_descriptors_are_the_default():
    with served() as (target, server):

        async def one_page() -> None:
            async with visitor(target) as own:
                await own.open()

        asyncio.run(one_page())
        before = descriptors(target.pid), resident(target.pid)
        asyncio.run(fill(target))

        async def later() -> None:
            await asyncio.sleep(KEPT_SECONDS)
            # Streamlit forgets old sessions when another session ends.
            await one_page()
            await asyncio.sleep(5)

        asyncio.run(later())
        after = descriptors(target.pid), resident(target.pid)
        print(f"descriptors {before[0]} → {after[0]}, MB {before[1]:.0f} → {after[1]:.0f}")
        assert after[0] <= before[0] + STAY
        assert after[1] <= before[1] * GROWN
        assert not [line for line in server.log if "Traceback" in line or "few desc" in line]


def test_pages_for_which_no_descriptors_are_left_are_told_so():
    with served(hard=FEW) as (target, server):

        async def too_many() -> int:
            async with AsyncExitStack() as pages:
                refused = 0
                for _ in range(PAGES * 2):
                    try:
                        await pages.enter_async_context(target.socket(STREAM))
                    except InvalidStatus:
                        refused += 1
                        break
                answer = await target.ask("/", headers={"Accept": "text/html"})
                assert answer.status == 503
                assert answer.content.decode().strip().endswith(".")
                phone = await target.ask("/b", headers={"Accept": "*/*"})
                assert phone.status == 200, "phones must work when pages are refused"
            return refused

        assert asyncio.run(too_many())
        assert not [line for line in server.log if "Traceback" in line]
