"""Attacks with forged cookies and with cookies that are slow to parse."""

from __future__ import annotations

import json

from websockets.exceptions import InvalidStatus

from bnviz.live.web.owner import COOKIE
from tests.red_team.attack import at_rate, attack
from tests.red_team.target import STREAM, Target
from tests.red_team.visitor import LIGHT, messages, no_run, visitor

SIZES = (8_000, 60_000)
# Timeout of a handshake in seconds. A handshake with too long a header gets no response.
UNANSWERED = 2.0


@attack
async def backslashes_in_cookies(target: Target) -> str:
    """Send cookies of 8 and 60 kB of backslashes and quotes, twelve at once."""
    sockets = STREAM, f"/live/{no_run()}"
    paths = ("/", "/status", *sockets)

    async def send(number: int) -> int:
        size, name = SIZES[number // 4 % 2], ("other", COOKIE)[number // 8 % 2]
        cookie = f'{name}="' + '\\"' * (size // 2) + '"'
        path = paths[number % 4]
        if path not in sockets:
            headers = {"Cookie": cookie, "Accept": "text/html"}
            return (await target.ask(path, headers=headers)).status
        try:
            async with target.socket(path, cookie, open_timeout=UNANSWERED):
                return 101
        except InvalidStatus as refused:
            return refused.response.status_code

    answers = await at_rate(40, send)
    wrong = [status for status in answers if status is not None and status >= 500]
    assert not wrong, f"{len(wrong)} responses had a wrong status: {set(wrong)}"
    return f"{len(answers)} requests, {answers.count(None)} without a response"


def forged(own: str, other: str) -> dict[str, str]:
    """Return forged cookies that must not be accepted as the run owner's.

    Args:
        own: the owner's cookie.
        other: another visitor's cookie.
    """
    name, _, signature = own.partition("=")[2].partition(".")
    stranger, _, strangers = other.partition("=")[2].partition(".")
    changed = signature[:-1] + ("0" if signature[-1] != "0" else "1")
    values = {
        "another signature": f"{name}.{changed}", "another one's": f"{stranger}.{strangers}",
        "another one's signature": f"{name}.{strangers}", "no signature": name,
        "an empty signature": f"{name}.", "empty": "", "upper case": f"{name}.{signature}".upper(),
        "very long": f"{name}.{signature}" + "0" * 4_000, "two dots": f"{name}..{signature}",
        "in quotes": f'"{name}.{signature}"',
    }  # fmt: skip
    return {kind: f"{COOKIE}={value}" for kind, value in values.items()}


@attack
async def forged_cookies(target: Target) -> str:
    """Set a knob of somebody else's run with cookies whose signature, name or length is wrong."""
    async with visitor(target) as victim, visitor(target) as other:
        run = (await victim.open("lab", LIGHT)).run
        cookies = forged(victim.cookie, other.cookie)
        kinds = list(cookies)

        async def steer(cookie: str) -> bool:
            """Return whether the knob was set."""
            async with target.socket(f"/live/{run}", cookie) as socket:
                knob = {"type": "knob", "n": 1, "drag": 0, "knob": "learning_rate", "value": 0.3}
                await socket.send(json.dumps(knob))
                async for message in messages(socket):
                    if message["type"] in ("knob", "refused"):
                        return bool(message["type"] == "knob")
            raise EOFError

        async def attempt(number: int) -> str | None:
            kind = kinds[number % len(kinds)]
            return kind if await steer(cookies[kind]) else ""

        answers = await at_rate(15, attempt)
        wrong = {kind for kind in answers if kind}
        assert not wrong, f"forged cookies could set a knob: {sorted(wrong)}"
        assert None not in answers, "a viewer was disconnected"
        assert await steer(victim.cookie), "the owner cannot set a knob of the run"
    return f"{len(answers)} attempts"
