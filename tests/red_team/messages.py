"""Attacks with the messages of a socket: large, deep, endless, too many."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.exceptions import ConnectionClosed

from tests.red_team.attack import at_rate, attack
from tests.red_team.target import STREAM, Target
from tests.red_team.visitor import messages, trigger_id, visitor

MEGABYTE = 2**20
LARGE, PIECE = 24 * MEGABYTE, 256 * 1_024
# Maximum seconds until the server closes a socket.
PATIENCE = 8.0
# Messages per second that each socket sends, and number of bursts per second in which it sends
# them.
FLOOD, BURSTS = 1_500, 20


async def pieces() -> AsyncIterator[bytes]:
    """Yield the fragments of a message that is never finished."""
    for _ in range(LARGE // PIECE):
        yield b"\0" * PIECE
        await asyncio.sleep(0.005)
    await asyncio.sleep(PATIENCE)


def widget_state(size: int) -> bytes:
    """Return a Streamlit message with widget states of this total size in bytes."""
    asked = BackMsg()
    for number in range(8):
        state = asked.rerun_script.widget_states.widgets.add(id=f"widget-{number}")
        state.string_value = "a" * (size // 8)
    return bytes(asked.SerializeToString())


def deep_json(component: str) -> bytes:
    """Return a Streamlit message with a deeply nested component value."""
    asked = BackMsg()
    asked.rerun_script.page_name = "talks"
    asked.rerun_script.widget_states.widgets.add(
        id=trigger_id(component), json_trigger_value="[" * 100_000 + "]" * 100_000
    )
    return bytes(asked.SerializeToString())


@attack
async def large_messages(target: Target) -> str:
    """Send 24 MB of widget state, and fragments of a message that is never finished."""
    async with visitor(target) as own:
        run = (await own.open()).run
        state = widget_state(LARGE)

        async def send(number: int) -> str:
            """Return a description of the message if it was accepted, or an empty string if the
            socket was closed.
            """
            path, whole = (STREAM, f"/live/{run}")[number % 2], number // 2 % 2
            try:
                async with asyncio.timeout(PATIENCE), target.socket(path, own.cookie) as socket:
                    await socket.send(state if whole else pieces())
                    while True:
                        await socket.recv()
            except ConnectionClosed:
                return ""
            except TimeoutError:
                return f"{'24 MB' if whole else 'fragments'} to {path[:6]}"

        answers = await at_rate(3, send, at_once=4)
        wrong = sorted({taken for taken in answers if taken})
        assert not wrong, f"accepted: {wrong}"
    return f"{len(answers)} messages"


@attack
async def deep_messages(target: Target) -> str:
    """Send deeply nested JSON to a run, and to the component of a page."""
    levels = ("[" * 4_000, "[" * 900 + "]" * 900, '{"type":' * 400 + "1" + "}" * 400)
    async with visitor(target) as own:
        run = (await own.open()).run

        async def send(number: int) -> str:
            """Return the start of a message that the server did not reject, or an empty string."""
            if number % 4 == 0:
                tab = await own.open("talks", "")
                await tab.connection.send(deep_json(tab.ids["own_talk"]))
                await tab.run_script("talks", "")
                return ""
            async with target.socket(f"/live/{run}") as socket:
                await socket.send(levels[number % 3])
                async for message in messages(socket):
                    if message["type"] == "error":
                        return ""
            return levels[number % 3][:12]

        answers = await at_rate(8, send)
        wrong = sorted({taken for taken in answers if taken})
        assert not wrong, f"not refused: {wrong}"
        assert None not in answers, "one message closed a socket"
    return f"{len(answers)} messages"


@attack
async def many_messages(target: Target) -> str:
    """Send 1,500 messages per second on each of four sockets of a run."""
    beat = json.dumps({"type": "beat"})
    async with visitor(target) as own:
        run = (await own.open()).run

        async def flood(number: int) -> int | None:
            """Return the close code of the socket, or 0 if it stayed open."""
            try:
                async with asyncio.timeout(PATIENCE), target.socket(f"/live/{run}") as socket:
                    while True:
                        for _ in range(FLOOD // BURSTS):
                            await socket.send(beat)
                        await asyncio.sleep(1 / BURSTS)
            except ConnectionClosed as closed:
                return closed.rcvd.code if closed.rcvd else None
            except TimeoutError:
                return 0

        codes = await at_rate(2, flood, at_once=4)
        assert set(codes) == {1008}, f"sockets were closed with codes {set(codes)}, not 1008"
    return f"{len(codes)} sockets"
