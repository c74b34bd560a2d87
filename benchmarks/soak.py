"""`make soak`: an hour of mixed visitors. Compare the server's resources early and late.

The resources are memory and file descriptors. Simulated visitors come and go the whole time: they
open pages, watch runs, turn knobs and leave. At the same time a class votes, ends and starts again.
Worker and measuring processes are children of the server, and their memory and descriptors are
counted separately. The exit status is 1 if the ratio of a late value to the early value is above
`MOST`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path

from websockets.exceptions import WebSocketException

from benchmarks.phones import ANSWERS, Browser
from bnviz.live.settings import Settings
from tests.browser.conftest import Server
from tests.red_team.measuring import descriptors, resident
from tests.red_team.target import Target
from tests.red_team.visitor import LIGHT, messages, visitor

MINUTES = 60
# Share of the total time that passes before the early window, and share that each of the two
# windows takes. Before the early window, the numbers of runs and sessions grow, because a run stays
# for ten minutes after its last viewer.
WARM_SHARE, WINDOW_SHARE = 1 / 4, 1 / 6
CHECK_SECONDS = 2.0
MOST = 1.1
VISITORS, PHONES, QUESTIONS = 8, 20, 3
# Pages with their queries, and the relative frequency of visits to each.
PAGES = {
    ("lab", LIGHT): 4, ("lab", ""): 3, ("lab", "preset=spirals"): 1, ("", ""): 2,
    ("lessons", ""): 1, ("lessons", "lesson=slow-start"): 2, ("map", "side=5&steps=50"): 1,
    ("claims", ""): 1, ("about", ""): 1, ("talks", ""): 1,
}  # fmt: skip
# Ranges in seconds: length of a visit to a page, and pause before the next visitor.
STAYS, PAUSES = (2.0, 20.0), (0.5, 4.0)
# Errors that end a visit, such as a busy server or a closed connection. They are counted, and the
# visitor comes again.
PROBLEMS = (OSError, EOFError, TimeoutError, WebSocketException, AssertionError)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--minutes", type=float, default=MINUTES, help="duration")
    minutes = parser.parse_args().minutes
    usual = Settings()
    server = Server(BNVIZ_GRACE_SECONDS=str(usual.grace_seconds),
                    BNVIZ_STARTS_PER_MINUTE=str(usual.starts_per_minute))  # fmt: skip
    try:
        target = Target(f"127.0.0.1:{server.port}", server.process.pid)
        samples, done = asyncio.run(soaked(target, 60 * minutes))
    finally:
        server.stop()
    print(", ".join(f"{count} {what}" for what, count in sorted(done.items())))
    worst = 0.0
    for name in samples[0]:
        early, late = (statistics.median(s[name] for s in part) for part in windows(samples))
        worst = max(worst, late / early)
        print(f"{name}: early {early:.0f}, late {late:.0f}, ratio {late / early:.3f}")
    print(f"largest ratio {worst:.3f} (at most {MOST})")
    return int(worst > MOST)


def windows(samples: list[dict[str, float]]) -> Iterator[list[dict[str, float]]]:
    """Yield the samples of the early window, then of the late window."""
    first, length = (int(share * len(samples)) for share in (WARM_SHARE, WINDOW_SHARE))
    yield samples[first : first + length]
    yield samples[-length:]


async def soaked(target: Target, seconds: float) -> tuple[list[dict[str, float]], Counter[str]]:
    """Run the visitors, and return samples of the server's resources and counts of events."""
    done: Counter[str] = Counter()
    ends = time.monotonic() + seconds
    coming = [again(done, one_visit, target, seed) for seed in range(VISITORS)]
    crowd = [asyncio.create_task(each) for each in [*coming, again(done, one_class, target, -1)]]
    samples = []
    try:
        while time.monotonic() < ends:
            await asyncio.sleep(CHECK_SECONDS)
            samples.append(look(target.pid))
            if len(samples) % round(60 / CHECK_SECONDS) == 0:
                print(json.dumps({**samples[-1], **done}), flush=True)
    finally:
        for task in crowd:
            task.cancel()
        await asyncio.gather(*crowd, return_exceptions=True)
    return samples, done


async def again(
    done: Counter[str],
    visit: Callable[[Target, random.Random, Counter[str]], Awaitable[None]],
    target: Target, seed: int,
) -> None:  # fmt: skip
    """Repeat visits, with random pauses, and count errors."""
    chance = random.Random(seed)
    while True:
        try:
            await visit(target, chance, done)
        except PROBLEMS as problem:
            done[f"{visit.__name__}: {type(problem).__name__} {str(problem)[:60]}"] += 1
        await asyncio.sleep(chance.uniform(*PAUSES))


async def one_visit(target: Target, chance: random.Random, done: Counter[str]) -> None:
    """Visit as a new browser: open some pages, watch their runs, and turn a knob."""
    async with visitor(target) as own:
        for _ in range(chance.randrange(1, 4)):
            page, query = chance.choices([*PAGES], [*PAGES.values()])[0]
            run = (await own.open(page, query)).run
            done["pages"] += 1
            stays = chance.uniform(*STAYS)
            if run is None:
                await asyncio.sleep(stays)
                continue
            with suppress(TimeoutError):
                async with (
                    asyncio.timeout(stays),
                    target.socket(f"/live/{run}", own.cookie) as socket,
                ):
                    frames = 0
                    async for message in messages(socket):
                        frames += message["type"] == "frame"
                        if message["type"] == "frame" and frames % 20 == 0:
                            rate = 10 ** chance.uniform(-2, 0)
                            knob = {"type": "knob", "n": frames, "drag": 0, "knob": "learning_rate",
                                    "value": rate}  # fmt: skip
                            await socket.send(json.dumps(knob))
                        if message["type"] in ("knob", "refused"):
                            done[f"answers {message['type']}"] += 1
                    done["runs that ended"] += 1


async def one_class(target: Target, chance: random.Random, done: Counter[str]) -> None:
    """Run one class: a teacher asks questions, and phones join, vote and leave."""
    browsers = [Browser(target.url) for _ in range(PHONES + 1)]
    teacher, *phones = browsers
    try:
        await teacher.ask("GET", "/", Accept="text/html", **{"Sec-Fetch-Dest": "document"})
        code = json.loads((await teacher.ask("POST", "/room", {}))[2])["code"]
        for phone in phones:
            await phone.ask("GET", f"/b/{code}", Accept="text/html")
        for asked in range(QUESTIONS):
            body = {"text": f"Which one breaks, {asked}?", "answers": ANSWERS}
            told = json.loads((await teacher.ask("POST", f"/room/{code}/ask", body))[2])
            for phone in phones:
                vote = {"question": told["question"]["id"], "round": 1,
                        "answer": chance.randrange(4), "page": 1, "n": asked}  # fmt: skip
                await asyncio.sleep(chance.uniform(0.1, 0.5))
                status, _, _ = await phone.ask("POST", f"/b/{code}/vote?lang=en", vote)
                assert status == 200, f"the response to a vote was {status}, not 200"
                done["votes"] += 1
            await teacher.ask("POST", f"/room/{code}/reveal", {})
        await teacher.ask("DELETE", f"/room/{code}")
        done["classes"] += 1
    finally:
        for browser in browsers:
            browser.close()


def look(pid: int) -> dict[str, float]:
    """Measure the memory (MB) and file descriptors of the server and of its child processes."""
    children = list(descendants(pid))
    return {
        "server, MB": resident(pid), "server, descriptors": descriptors(pid),
        "children, MB": sum(map(resident, children)),
        "children, descriptors": sum(map(descriptors, children)),
    }  # fmt: skip


def descendants(pid: int) -> Iterator[int]:
    """Yield the ids of all child processes of a process, recursively."""
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in map(int, (task / "children").read_text("utf-8").split()):
                yield child
                yield from descendants(child)


if __name__ == "__main__":
    sys.exit(main())
