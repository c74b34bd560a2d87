"""Attacks with the bodies of requests: large, deep, endless."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import suppress

from starlette.routing import Route

from benchmarks.phones import Browser
from bnviz.live.app import routes
from tests.red_team.attack import at_rate, attack
from tests.red_team.target import Target, read_answer
from tests.red_team.visitor import Visitor, visitor

MEGABYTE = 2**20
UPLOAD, PIECE = 200 * MEGABYTE, 65_536
BODIES = {
    "deep": b"[" * 100_000,
    "deep and closed": b"[" * 8_000 + b"]" * 8_000,
    "deep objects": b'{"a":' * 3_000 + b"1" + b"}" * 3_000,
    "large": b'{"text":"' + b"a" * 2 * MEGABYTE + b'"}',
    "a long number": b"9" * 16_000,
    "no text": b"\xff\xfe" * 4_000,
    "no object": b"[1]",
}


def changing_routes(**parts: str) -> Iterator[tuple[str, str]]:
    """Yield the method and path of each route that changes something.

    Args:
        parts: values of path parameters by name. Other parameters become `x`.
    """
    for route in routes():
        if isinstance(route, Route):
            names = {name: parts.get(name, "x") for name in route.param_convertors}
            path = str(route.url_path_for(route.name, **names)) if names else route.path
            for method in sorted((route.methods or set()) - {"GET", "HEAD", "OPTIONS"}):
                yield method, path


async def open_class(teacher: Visitor) -> str:
    """Open a class as a visitor, and return its code."""
    browser = Browser(teacher.target.url)
    browser.cookie = teacher.cookie
    try:
        status, _, content = await browser.ask("POST", "/room", {})
    finally:
        browser.close()
    assert status == 200, f"opening a class returned {status}, not 200"
    code: str = json.loads(content)["code"]
    return code


@attack
async def uploads(target: Target) -> str:
    """Upload files of 200 MB, four at once, until they are refused."""

    async def upload(number: int) -> tuple[int | None, int]:
        """Return the response's status, and the number of bytes sent."""
        method, sent = ("PUT", "POST")[number % 2], 0
        reader, writer = await target.open()
        answering = asyncio.create_task(read_answer(reader))
        try:
            writer.write(target.head(f"/_stcore/upload_file/a/{number}", method, UPLOAD))
            while sent < UPLOAD and not answering.done():
                writer.write(b"\0" * PIECE)
                sent += PIECE
                with suppress(ConnectionError, TimeoutError):
                    async with asyncio.timeout(1):
                        await writer.drain()
                await asyncio.sleep(0.002)
            with suppress(ConnectionError, EOFError):
                return (await answering).status, sent
            return None, sent
        finally:
            answering.cancel()
            writer.close()

    answers = [answer for answer in await at_rate(10, upload, at_once=4) if answer is not None]
    taken = [status for status, sent in answers if sent >= UPLOAD or status not in (403, None)]
    assert not taken, f"{len(taken)} files were accepted"
    assert any(status == 403 for status, _ in answers), "no upload was refused with status 403"
    most = max(sent for _, sent in answers) / MEGABYTE
    return f"{len(answers)} files, refused after {most:.1f} MB at most"


@attack
async def hostile_bodies(target: Target) -> str:
    """Send deep, large and broken JSON to each route that changes something."""
    async with visitor(target) as teacher:
        code = await open_class(teacher)
        headers = {"Cookie": teacher.cookie, "Origin": target.url,
                   "Content-Type": "application/json"}  # fmt: skip
        # Leave out the request that ends the class, which would make the later requests fail early.
        asked = [each for each in changing_routes(code=code) if each[0] != "DELETE"]

        async def send(number: int) -> tuple[str, int]:
            (method, path), kind = asked[number % len(asked)], [*BODIES][number // len(asked)]
            answer = await target.ask(path, method, BODIES[kind], headers)
            return f"{method} {path.replace(code, '…')}: {kind}", answer.status

        answers = await at_rate(25, send, count=len(asked) * len(BODIES))
        wrong = [each for each in answers if each is not None and not 400 <= each[1] < 500]
        assert not wrong, f"{len(wrong)} bodies were not refused, such as {wrong[0]}"
        state = await target.ask(f"/room/{code}", headers=headers)
        assert state.status == 200, "the class no longer exists"
    return f"{len(answers)} bodies to {len(asked)} routes"
