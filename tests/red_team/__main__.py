"""Run all attacks, or the named ones, against a server, and print a table of measurements.

The exit status is 1 if a limit was exceeded.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bnviz.live.settings import Settings
from tests.browser.conftest import Server
from tests.red_team.attack import Attack, load_attacks
from tests.red_team.attacker import MOST_SECONDS
from tests.red_team.measuring import WatchedRun, descriptors, measured, resident
from tests.red_team.table import HEAD, MOST_DESCRIPTORS, Row
from tests.red_team.target import STATUS_TOKEN, Target
from tests.red_team.visitor import visitor

# Seconds of measurement before an attack, and seconds to wait for freed descriptors after it.
BEFORE_SECONDS, SETTLE_SECONDS = 2.0, 8.0
# Number of workers, of which one remains if the other dies or stops; and seconds of silence after
# which a stopped worker is replaced.
WORKERS, SILENCE_SECONDS = 2, 6


def main() -> int:
    attacks = load_attacks()
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"default: all. {', '.join(attacks)}"
    )
    names = parser.parse_args().names or [*attacks]
    if unknown := set(names) - attacks.keys():
        parser.error(f"NAME must be one of {', '.join(attacks)}, got {', '.join(unknown)}")
    usual = Settings()
    server = Server(
        BNVIZ_WORKERS=str(WORKERS), BNVIZ_STARTS_PER_MINUTE=str(usual.starts_per_minute),
        BNVIZ_GRACE_SECONDS=str(usual.grace_seconds), BNVIZ_SILENCE_SECONDS=str(SILENCE_SECONDS),
        BNVIZ_STATUS_TOKEN=STATUS_TOKEN,
    )  # fmt: skip
    try:
        target = Target(f"127.0.0.1:{server.port}", server.process.pid)
        rows = asyncio.run(attacked(target, [attacks[name] for name in names]))
    finally:
        server.stop()
    missed = [row.name for row in rows if row.wrong]
    print(f"{len(rows)} attacks; failed checks or limits in: {', '.join(missed) or 'none'}")
    return bool(missed)


async def attacked(target: Target, attacks: list[Attack]) -> list[Row]:
    """Run the attacks in sequence against a server, and print the measurements of each."""
    first = descriptors(target.pid)
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    print(HEAD, flush=True)
    rows = []
    async with visitor(target) as owner:
        run = WatchedRun(owner)
        try:
            for attack in attacks:
                rows.append(await one_attack(target, run, attack, first + MOST_DESCRIPTORS))
                print(rows[-1], flush=True)
        finally:
            await run.leave()
    return rows


async def one_attack(target: Target, run: WatchedRun, attack: Attack, most: int) -> Row:
    """Measure before and during an attack, and check that a new visitor then gets a run.

    Args:
        run: run that is watched during the attack.
        most: maximum allowed number of the server's descriptors some time after the attack.
    """
    row = Row(attack.name, most_descriptors=most)
    try:
        await run.watch()
    except (AssertionError, OSError, EOFError) as problem:
        row.wrong.append(str(problem))
    async with _attacker(target, attack) as process:
        async with measured(target, run) as row.before:
            await asyncio.sleep(BEFORE_SECONDS)
        memory, opened = resident(target.pid), descriptors(target.pid)
        async with measured(target, run) as row.during:
            ended = await _end_of(process)
    row.did = ended.get("did", "")
    row.wrong += [ended["wrong"]] if "wrong" in ended else []
    began = time.monotonic()
    try:
        async with visitor(target) as new:
            await new.see_a_step((await new.open()).run)
    except (AssertionError, OSError, EOFError, TimeoutError) as problem:
        row.wrong.append(str(problem) or "a new visitor did not get a page")
    row.new_visitor = time.monotonic() - began
    while descriptors(target.pid) > most and time.monotonic() < began + SETTLE_SECONDS:
        await asyncio.sleep(0.2)
    row.memory, row.descriptors = (memory, resident(target.pid)), (opened, descriptors(target.pid))
    row.check()
    return row


@asynccontextmanager
async def _attacker(target: Target, attack: Attack) -> AsyncIterator[asyncio.subprocess.Process]:
    """Start a process that is ready to attack, and kill it afterwards."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.red_team.attacker", attack.name, target.host, str(target.pid),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        assert await process.stdout.readline() == b"ready\n", f"{attack.name} cannot start"
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _end_of(process: asyncio.subprocess.Process) -> dict[str, str]:
    """Start the attack of a ready process, and return its result."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"\n")
    async with asyncio.timeout(2 * MOST_SECONDS):
        said = await process.stdout.readline()
    return json.loads(said) if said else {"wrong": "the attacking process died"}


if __name__ == "__main__":
    sys.exit(main())
