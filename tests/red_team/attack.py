"""Registry of attacks, and a helper that limits their rate."""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from websockets.exceptions import WebSocketException

from tests.red_team.target import Target

# Files of this package with attacks, in running order. Attacks that leave work behind come last.
ATTACK_FILES = ("cookies", "bodies", "origins", "messages", "addresses", "processes", "crowds")
# Duration in seconds of an attack that does not end by itself.
SECONDS = 3.0
# Exceptions of a connection that the server refuses or drops.
CUT = (OSError, EOFError, TimeoutError, WebSocketException)

Result = TypeVar("Result")
Act = Callable[[Target], Awaitable[str]]


@dataclass(frozen=True)
class Attack:
    """An attack on the server.

    Attributes:
        sentence: description of the attack.
        act: coroutine function that attacks, and returns the amount of work done. It raises
            AssertionError if the server misbehaves.
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
    """Call a function repeatedly at a limited rate.

    Args:
        per_second: calls per second.
        act: function of the call number 0, 1, 2, ….
        count: number of calls, or None to call for `SECONDS`.
        at_once: maximum number of concurrent calls.

    Returns:
        The results in order, with None for each call whose connection the server dropped.
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
