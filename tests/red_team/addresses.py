"""Attacks with addresses: path traversal, and texts that are slow to draw or parse."""

from __future__ import annotations

import base64
import secrets
import zlib
from urllib.parse import quote

from starlette.routing import Route

from benchmarks.phones import Browser
from bnviz.live.app import routes
from bnviz.live.classroom.classrooms import ALPHABET
from bnviz.live.contract import MOST_QR_CHARACTERS
from bnviz.live.web.assets import VERSION
from bnviz.own_talks.talk_cache import pack
from tests.red_team.attack import at_rate, attack
from tests.red_team.bodies import open_class
from tests.red_team.target import Target
from tests.red_team.visitor import visitor

# Spellings of the parent folder and of the separator after it.
ABOVE = ("..", "%2e%2e", ".%2e", "%252e%252e", "..;", "....", "%c0%ae%c0%ae", "%ef%bc%8e%ef%bc%8e")
SLASHES = ("/", "%2f", "%5c")
# Files that must not be served: a system file and a project file. For each file, the number of
# folders to climb and a text that the file contains.
SECRETS = {"etc/passwd": (12, b"root:"), "pyproject.toml": (3, b"[tool.ruff]")}
# Folders that Streamlit serves.
FOLDERS = ("/static/", "/media/", "/component/bnviz/", "/app/static/", "/_stcore/bidi-components/")


def served_folders() -> list[tuple[str, str]]:
    """Return, for each path to attack, the text before and the text after its last parameter."""
    found = [(folder, "") for folder in FOLDERS]
    for route in routes():
        if isinstance(route, Route) and route.param_convertors and "GET" in (route.methods or ()):
            path = route.path.replace("{version}/", f"{VERSION}/")
            before, _, rest = path.rpartition("{")
            found.append((before.replace("{", "").replace("}", ""), rest.partition("}")[2]))
    return found


@attack
async def paths_out_of_folders(target: Target) -> str:
    """Ask each route for files outside its folder, in 24 spellings."""
    paths = [
        (f"{before}{(above + slash) * deep}{file.replace('/', slash)}{after}", secret)
        for before, after in served_folders() for above in ABOVE for slash in SLASHES
        for file, (deep, secret) in SECRETS.items()
    ]  # fmt: skip

    async def read(number: int) -> str:
        """Return the path if the response contains the file or is a server error, otherwise an
        empty string.
        """
        path, secret = paths[number]
        answer = await target.ask(path)
        return path if secret in answer.content or answer.status >= 500 else ""

    answers = await at_rate(250, read, count=len(paths))
    wrong = [path for path in answers if path]
    assert not wrong, f"{len(wrong)} paths exposed a file or failed, such as {wrong[0]}"
    return f"{len(answers)} paths"


@attack
async def long_qr_codes(target: Target) -> str:
    """Ask for QR codes of the longest texts, and of longer ones, many at once."""

    async def draw(number: int) -> tuple[bool, int]:
        """Return whether the text was too long, and the response's status."""
        long = number % 4 == 3
        text = secrets.token_hex(3_500 if long else MOST_QR_CHARACTERS // 2)
        return long, (await target.ask(f"/qr.svg?data={text}")).status

    answers = await at_rate(15, draw, at_once=24)
    expected = {True: (400,), False: (200, 429, 503)}
    wrong = [each for each in answers if each is not None and each[1] not in expected[each[0]]]
    assert not wrong, f"{len(wrong)} responses had a wrong status, such as {wrong[0]}"
    return f"{len(answers)} codes"


@attack
async def links_that_unpack(target: Target) -> str:
    """Open talks whose links unpack into 32 kB of dotted names, or into megabytes."""
    bomb = base64.urlsafe_b64encode(zlib.compress(b"0" * 30_000_000, 9)).decode().rstrip("=")
    links = (pack("a." * 15_990 + "b = 1"), pack('title = "T"\n' + "a . " * 8_000 + "b=1"), bomb)
    async with visitor(target) as own:
        tab = await own.open("talks", "")

        async def give(number: int) -> bool:
            packed = links[number % len(links)]
            await tab.run_script("talks", "", own_talk={"given": {"packed": packed}})
            return True

        answers = await at_rate(8, give, at_once=1)
        assert all(answers), "the page's socket was closed, or its script did not end"
        await target.ask(f"/talks?{quote(links[0])}", headers={"Accept": "text/html"})
        await tab.run_script("talks", "")
        assert "own_talk" in tab.data, "the page of talks is no longer drawn"
    return f"{len(answers)} links, the shortest of {min(map(len, links))} characters"


@attack
async def wrong_codes(target: Target) -> str:
    """Type sixty wrong codes of classes; then another phone types the right one."""
    async with visitor(target) as teacher:
        code = await open_class(teacher)

        async def type_code(number: int) -> int:
            typed = "".join(secrets.choice(ALPHABET) for _ in code)
            return (await target.ask(f"/b/{typed}", headers={"Accept": "text/html"})).status

        answers = await at_rate(20, type_code, count=60)
        taken = [status for status in answers if status not in (404, 429)]
        assert not taken, f"the statuses of wrong codes were {set(taken)}"
        phone = Browser(target.url)
        try:
            status, _, _ = await phone.ask("GET", f"/b/{code}", Accept="text/html")
        finally:
            phone.close()
        assert status == 200, f"the status of the right code was {status}, not 200"
    return f"{answers.count(404)} answered with 404, {answers.count(429)} with 429"
