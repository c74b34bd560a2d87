"""Attacks by pages of other sites, which a visitor's browser opens with the visitor's cookies."""

from __future__ import annotations

import json

from websockets.exceptions import InvalidStatus

from benchmarks.phones import ANSWERS
from tests.red_team.attack import at_rate, attack
from tests.red_team.bodies import changing_routes, open_class
from tests.red_team.target import STREAM, Target
from tests.red_team.visitor import visitor


def foreign(target: Target) -> list[str]:
    """Return origins of other sites. Several of them look like the server's own origin."""
    address, port = target.host.split(":")
    return [
        "null", "http://evil.example", "HTTP://EVIL.EXAMPLE",
        f"http://{target.host}.evil.example", f"http://{address}.evil.example:{port}",
        f"http://{address}:{int(port) % 65_535 + 1}", f"http://{target.host}@evil.example",
        f"http://evil.example@{target.host}", f"http://localhost:{port}",
    ]  # fmt: skip


@attack
async def sockets_of_other_sites(target: Target) -> str:
    """Open the sockets of pages and of a run from the pages of nine other sites."""
    origins = foreign(target)
    async with visitor(target) as victim:
        run = (await victim.open()).run
        paths = STREAM, f"/live/{run}"

        async def connect(number: int) -> str | None:
            """Return the origin and path that the server accepts, or an empty string otherwise."""
            origin, path = origins[number % 9], paths[number // 9 % 2]
            try:
                async with target.socket(path, victim.cookie, origin):
                    return f"{origin} to {path[:6]}"
            except InvalidStatus:
                return ""

        answers = await at_rate(40, connect, at_once=20)
        wrong = sorted({let_in for let_in in answers if let_in})
        assert not wrong, f"accepted: {wrong}"
        assert None not in answers, "a handshake got no response"
        async with target.socket(STREAM, victim.cookie):
            pass
    return f"{len(answers)} handshakes"


@attack
async def forms_of_other_sites(target: Target) -> str:
    """Send requests from pages of nine other sites to each route that changes something."""
    origins = foreign(target)
    async with visitor(target) as teacher:
        code = await open_class(teacher)
        asked = [*changing_routes(code=code)]
        body = json.dumps({"text": "Which one?", "answers": ANSWERS[:2]}).encode()

        async def send(number: int) -> tuple[str, int]:
            method, path = asked[number % len(asked)]
            origin = origins[number // len(asked) % 9]
            headers = {"Cookie": teacher.cookie, "Origin": origin,
                       "Content-Type": "text/plain"}  # fmt: skip
            answer = await target.ask(path, method, body, headers)
            return f"{method} {path.replace(code, '…')} from {origin}", answer.status

        answers = await at_rate(50, send, count=len(asked) * len(origins))
        wrong = [each for each in answers if each is None or each[1] not in (400, 403, 404, 405)]
        assert not wrong, f"{len(wrong)} requests were not refused, such as {wrong[0]}"
        own = {"Cookie": teacher.cookie, "Origin": target.url}
        assert (await target.ask(f"/room/{code}", headers=own)).json["question"] is None
        answer = await target.ask(f"/room/{code}/ask", "POST", body, own)
        assert answer.status == 200, f"the teacher's own page got {answer.status}, not 200"
    return f"{len(answers)} requests to {len(asked)} routes"
