"""Process that runs one attack: `python -m tests.red_team.attacker NAME HOST PID`.

It prints "ready", waits for a line, attacks, and prints the result as JSON.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import traceback

from tests.red_team.attack import Attack, load_attacks
from tests.red_team.target import Target

# Timeout of an attack in seconds.
MOST_SECONDS = 60.0
# Niceness of the attacking process. Its priority is low, because a real attacker's work would run
# on another machine.
NICENESS = 10


async def ended(attack: Attack, target: Target) -> dict[str, str]:
    """Run an attack, and return its work (`did`) or its problem (`wrong`)."""
    try:
        async with asyncio.timeout(MOST_SECONDS):
            return {"did": await attack.act(target)}
    except AssertionError as problem:
        return {"wrong": str(problem)}
    except TimeoutError:
        return {"wrong": f"the attack did not end within {MOST_SECONDS:g} s"}
    except Exception as problem:
        traceback.print_exc()
        return {"wrong": f"the attack ended with {type(problem).__name__}: {problem}"}


def main(name: str, host: str, pid: int) -> None:
    os.nice(NICENESS)
    attack = load_attacks()[name]
    print("ready", flush=True)
    if sys.stdin.readline():
        print(json.dumps(asyncio.run(ended(attack, Target(host, pid)))), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
