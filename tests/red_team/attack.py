"""The list of attacks, and the rate at which they act."""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from websockets.exceptions import WebSocketException

from tests.red_team.target import Target

# Files of this package with attacks, in the order in which they run: last those that leave work.
ATTACK_FILES = ("cookies", "bodies", "origins", "messages", "addresses", "processes", "crowds")
# An attack that has no end of its own goes on for so long.
SECONDS = 3.0
# What a server that refuses may do to a connection.
CUT = (OSError, EOFError, TimeoutError, WebSocketException)

Result = TypeVar("Result")
Act = Callable[[Target], Awaitable[str]]


@dataclass(frozen=True)
class Attack:
    """One attack.

    Attributes:
        name: its name.
        sentence: what it does.
        act: attacks a server, and says with how much. An AssertionError says what the server
            should not have done.
    """

    name: str
    sentence: str
    act: Act


ATTACKS: dict[str, Attack] = {}


def attack(act: Act) -> Act:
    """Add a function to the attacks."""
    name = act.__name__
    ATTACKS[name] = Attack(name, (act.__doc__ or "").strip().split("\n")[0], act)
    return act


def load_attacks() -> dict[str, Attack]:
    """All attacks by name."""
    for file in ATTACK_FILES:
        importlib.import_module(f"tests.red_team.{file}")
    return ATTACKS


async def at_rate(
    per_second: float, act: Callable[[int], Awaitable[Result]], *, count: int | None = None,
    at_once: int = 12,
) -> list[Result | None]:  # fmt: skip
    """Act again and again at a bounded rate.

    Args:
        per_second: how often `act` is called.
        act: gets 0, 1, 2, ….
        count: how many times; None: for `SECONDS`.
        at_once: how many calls may be under way.

    Returns:
        What the calls returned, in order; None for each whose connection the server cut.
    """
    places, began = asyncio.Semaphore(at_once), time.monotonic()

    async def one(number: int) -> Result | None:
        try:
            return await act(number)
        except CUT:
            return None
        finally:
            places.release()

    number, tasks = 0, []
    async with asyncio.TaskGroup() as group:
        while number != count and (count is not None or time.monotonic() - began < SECONDS):
            await asyncio.sleep(began + number / per_second - time.monotonic())
            await places.acquire()
            tasks.append(group.create_task(one(number)))
            number += 1
    return [task.result() for task in tasks]
