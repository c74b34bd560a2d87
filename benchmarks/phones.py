"""Simulated phones of a class; each has a cookie and sends requests like the ballot page."""

from __future__ import annotations

import asyncio
import json
import math
import random
import secrets
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

PHONES = 300
SECONDS = 10.0
# Minimum and maximum seconds between reading a question and tapping an answer.
THINKING = (0.3, 2.5)
# Pauses between two polls by the ballot page's script: first pause in seconds, factor by which
# pauses grow, longest pause in seconds, and range of the random factor that varies each pause.
FIRST_PAUSE, GROWTH, LONGEST_PAUSE, JITTER = 2.0, 1.25, 5.0, (0.7, 1.3)
# Seconds after which an idle connection is not reused. The server closes idle connections a little
# later.
KEPT_SECONDS = 3.0
SETTLE_SECONDS = 12.0
ANSWERS = ["Without BN", "With BN", "Both", "Neither"]


@dataclass
class Told:
    """Measured results. All times are in seconds.

    Attributes:
        before: start and end of the window without phones, in which frames are counted.
        during: start and end of the window of each question.
        opened: opening time of each ballot.
        voted: duration of each vote, per question.
        heard: delay until each phone showed the second question.
        lost: missing or surplus votes in the tally, per question.
        bytes_opened: size of one ballot page in bytes.
    """

    before: tuple[float, float] = (0, 0)
    during: list[tuple[float, float]] = field(default_factory=list)
    opened: list[float] = field(default_factory=list)
    voted: list[list[float]] = field(default_factory=lambda: [[], []])
    heard: list[float] = field(default_factory=list)
    lost: list[int] = field(default_factory=list)
    bytes_opened: int = 0


class Browser:
    """HTTP client with one persistent connection and one cookie."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._host = address.removeprefix("http://")
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._used = -math.inf
        self.cookie = ""

    async def ask(
        self, method: str, path: str, body: Any = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """Send a request, and return the status, headers and body of the response."""
        if time.monotonic() - self._used > KEPT_SECONDS:
            self.close()
            host, port = self._host.split(":")
            self._streams = await asyncio.open_connection(host, int(port))
        content = b"" if body is None else json.dumps(body).encode()
        sent = {
            "Host": self._host, "Origin": self._address, "Accept-Encoding": "gzip",
            "Content-Length": str(len(content)), **headers,
        }  # fmt: skip
        if self.cookie:
            sent["Cookie"] = self.cookie
        if content:
            sent["Content-Type"] = "application/json"
        lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        reader, writer = self._streams
        writer.write(f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode() + content)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *rest = head.split("\r\n")
        got = {
            name.lower(): value
            for name, _, value in (line.partition(": ") for line in rest if line)
        }
        if "set-cookie" in got:
            self.cookie = got["set-cookie"].partition(";")[0]
        content = await reader.readexactly(int(got.get("content-length", 0)))
        self._used = time.monotonic()
        return int(first.split()[1]), got, content

    def close(self) -> None:
        """Hang up."""
        if self._streams is not None:
            self._streams[1].close()


class Phone:
    """Simulated ballot page: it opens, waits, votes, and polls for the next question."""

    def __init__(self, hall: Hall, number: int) -> None:
        self._hall, self._browser = hall, Browser(hall.address)
        self._random = random.Random(number)
        self.answers = [self._random.randrange(4) for _ in range(2)]

    async def open(self, at: float) -> None:
        """Open the ballot, answer the first question, poll for the second one, and answer it."""
        told, path = self._hall.told, f"/b/{self._hall.code}"
        await asyncio.sleep(max(0.0, at - time.monotonic()))
        began = time.monotonic()
        status, headers, _ = await self._browser.ask("GET", path, Accept="text/html")
        assert status == 200, status
        told.opened.append(time.monotonic() - began)
        told.bytes_opened = int(headers["content-length"])
        await self._vote(0, self._hall.question)
        first, tag, quiet = self._hall.question, "", 0
        while True:
            pause = min(FIRST_PAUSE * GROWTH**quiet, LONGEST_PAUSE)
            await asyncio.sleep(pause * self._random.uniform(*JITTER))
            status, headers, _ = await self._browser.ask(
                "GET", f"{path}/state?lang=en", **{"If-None-Match": tag} if tag else {}
            )
            quiet = 0 if status == 200 else quiet + 1
            tag = headers.get("etag", tag)
            if status == 200 and self._hall.asked_at and self._hall.question != first:
                told.heard.append(time.monotonic() - self._hall.asked_at)
                await self._vote(1, self._hall.question)
                return

    async def _vote(self, which: int, question: int) -> None:
        await asyncio.sleep(self._random.uniform(*THINKING))
        body = {
            "question": question, "round": 1, "answer": self.answers[which], "page": 1, "n": which,
        }  # fmt: skip
        began = time.monotonic()
        status, _, _ = await self._browser.ask("POST", f"/b/{self._hall.code}/vote?lang=en", body)
        assert status == 200, status
        self._hall.told.voted[which].append(time.monotonic() - began)

    def close(self) -> None:
        self._browser.close()


class Hall:
    """A teacher and the phones of a class."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.told = Told()
        self.code, self.question, self.asked_at = "", 0, 0.0
        self._teacher = Browser(address)

    async def vote_twice(self) -> Told:
        """Ask two questions, collect the votes, and return the measurements."""
        told = self.told
        await self._teacher.ask("GET", "/", Accept="text/html", **{"Sec-Fetch-Dest": "document"})
        _, _, body = await self._teacher.ask("POST", "/room", {})
        self.code = json.loads(body)["code"]
        await self._ask()
        self.asked_at = 0.0
        await asyncio.sleep(SETTLE_SECONDS)
        began = time.monotonic()
        await asyncio.sleep(SECONDS)
        told.before = began, time.monotonic()

        began = time.monotonic()
        phones = [Phone(self, number) for number in range(PHONES)]
        # Open the phones early enough for the last phone to think and to vote.
        spread = SECONDS - THINKING[1]
        opening = [
            asyncio.create_task(phone.open(began + at * spread / PHONES))
            for at, phone in enumerate(phones)
        ]
        polling = asyncio.create_task(self._poll())
        await self._all(0, opening)
        await asyncio.sleep(max(0.0, began + SECONDS - time.monotonic()))
        told.during.append((began, time.monotonic()))
        await self._count(0, phones)

        await self._ask()
        began = time.monotonic()
        await asyncio.gather(*opening)
        await asyncio.sleep(max(0.0, began + SECONDS - time.monotonic()))
        told.during.append((began, time.monotonic()))
        await self._count(1, phones)
        polling.cancel()
        for phone in phones:
            phone.close()
        return told

    async def _all(self, which: int, tasks: list[asyncio.Task[None]]) -> None:
        """Wait until every phone has voted."""
        while len(self.told.voted[which]) < PHONES:
            for task in tasks:
                if task.done():
                    task.result()
            await asyncio.sleep(0.05)

    async def _poll(self) -> None:
        """Poll the votes once per second, as the teacher's page does during a question."""
        browser = Browser(self.address)
        browser.cookie = self._teacher.cookie
        while True:
            await browser.ask("GET", f"/room/{self.code}")
            await asyncio.sleep(1.0)

    async def _ask(self) -> None:
        text = f"Which one breaks? {secrets.token_hex(2)}"
        body = {"text": text, "answers": ANSWERS}
        _, _, answer = await self._teacher.ask("POST", f"/room/{self.code}/ask", body)
        self.question, self.asked_at = json.loads(answer)["question"]["id"], time.monotonic()

    async def _count(self, which: int, phones: list[Phone]) -> None:
        _, _, body = await self._teacher.ask("POST", f"/room/{self.code}/reveal", {})
        tally = json.loads(body)["question"]["tally"]
        sent = Counter(phone.answers[which] for phone in phones)
        self.told.lost.append(sum(abs(sent[at] - count) for at, count in enumerate(tally)))
