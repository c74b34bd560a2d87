"""A server with 1 GB of memory serves the lab, the map and a vote for ten minutes."""

from __future__ import annotations

import json
import os
import time
import urllib.request
from http.cookiejar import CookieJar
from itertools import count, cycle
from typing import Any

import pytest
from playwright.sync_api import expect

from bnviz.presets import PRESETS
from tests.browser.conftest import TOKEN, Server, visiting
from tests.browser.test_map import DONE, the_map
from tests.memory_group import MemoryGroup, memory_group

GB = 2**30
SECONDS = float(os.environ.get("BNVIZ_SMALL_HOST_SECONDS", "600"))
ANSWERS = ["Without BN", "With BN", "Both", "Neither"]
# A small map of networks that no other round has trained.
MAP = "steps=30&width={width}&depth=2&across=learning_rate,0.03,30.0,6&up=batch_size,4,64,3"
# Counters of `/status` that count processes that were lost.
LOSSES = (
    "worker_deaths", "worker_hangs", "workers_replaced", "runs_moved", "runs_ended_by_deaths",
    "map_stacks_lost",
)  # fmt: skip


class Person:
    """Browser without scripts, with its own cookies."""

    def __init__(self, address: str) -> None:
        cookies = urllib.request.HTTPCookieProcessor(CookieJar())
        self.address, self._opener = address, urllib.request.build_opener(cookies)

    def ask(self, path: str, body: Any = None, **headers: str) -> bytes:
        content = None if body is None else json.dumps(body).encode()
        sent = {"Origin": self.address, "Content-Type": "application/json", **headers}
        request = urllib.request.Request(self.address + path, content, sent)
        with self._opener.open(request, timeout=60) as answer:
            return bytes(answer.read())

    def json(self, path: str, body: Any = None, **headers: str) -> Any:
        return json.loads(self.ask(path, body, **headers))


class Classroom:
    """A teacher and three phones."""

    def __init__(self, address: str) -> None:
        self.teacher, *self.phones = (Person(address) for _ in range(4))
        page = {"Accept": "text/html", "Sec-Fetch-Dest": "document"}
        self.teacher.ask("/", **page)
        self.code = self.teacher.json("/room", {})["code"]
        for phone in self.phones:
            phone.ask(f"/b/{self.code}", **page)

    def vote(self, number: int) -> None:
        """Ask a question, let every phone vote, and check the tally."""
        asked = self.teacher.json(
            f"/room/{self.code}/ask", {"text": f"Which one breaks, {number}?", "answers": ANSWERS}
        )["question"]["id"]
        expected = [0] * len(ANSWERS)
        for at, phone in enumerate(self.phones):
            answer = (number + at) % len(ANSWERS)
            expected[answer] += 1
            vote = {"question": asked, "round": 1, "answer": answer, "page": 1, "n": number}
            phone.ask(f"/b/{self.code}/vote?lang=en", vote)
        told = self.teacher.json(f"/room/{self.code}/reveal", {})
        assert told["question"]["tally"] == expected


@pytest.fixture
def small(tabs):
    """Return a server in a group with 1 GB, and its group. Chromium runs outside the group."""
    with memory_group(GB) as group:
        running = Server(within=group.command, BNVIZ_STATUS_TOKEN=TOKEN)
        yield running, group
        running.stop()


def status_of(person: Person) -> dict[str, Any]:
    found: dict[str, Any] = person.json("/status", Authorization=f"Bearer {TOKEN}")
    return found


@pytest.mark.verify
@pytest.mark.memory_group
@pytest.mark.timeout(SECONDS + 900)
def test_one_worker_with_one_gigabyte_serves_the_lab_the_map_and_a_vote(small, tabs, capsys):
    server, group = small
    person, began, largest = Person(server.url), time.monotonic(), 0
    host = status_of(person)["host"]
    assert (host["bytes"], host["workers"], host["places"]) == (GB, 1, 8)
    first = set(group.processes())
    assert server.process.pid in first
    classroom, presets = Classroom(server.url), cycle(PRESETS)
    with visiting(tabs, server) as visit:
        lab, sheet = visit("/lab"), visit("/map?" + MAP.format(width=8))
        for number in count(1):
            expect(the_map(sheet.page)).to_have_attribute("data-status", DONE)
            lab.drawn().until_step(100)
            classroom.vote(number)
            largest = max(largest, group.stat["total_rss"])
            done = time.monotonic() - began
            with capsys.disabled():
                print(f"{done:5.0f} s: {_figures(group, largest)}", flush=True)
            if done > SECONDS:
                break
            lab.page.goto(f"{server.url}/lab?preset={next(presets)}")
            sheet.page.goto(f"{server.url}/map?" + MAP.format(width=8 + number % 24))
        seen = int(lab.attribute("seq"))
        lab.wait("Number(view.seq) > argument", seen)
    known = status_of(person)
    assert {name: known[name] for name in LOSSES} == dict.fromkeys(LOSSES, 0)
    assert [worker["measurer"]["restarted"] for worker in known["workers"]] == [0]
    assert group.kills == 0
    assert first <= set(group.processes()) | {server.process.pid}


def _figures(group: MemoryGroup, largest: int) -> str:
    peak, failures = group.number("max_usage_in_bytes"), group.number("failcnt")
    return (
        f"peak {peak / 2**20:.0f} MB with files, at most {largest / 2**20:.0f} MB of processes, "
        f"{failures} times at the limit, {group.kills} processes killed"
    )
