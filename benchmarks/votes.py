"""Measure a class that votes while everyone watches a run.

Within ten seconds, 300 ballots open and vote in the app while 320 sockets watch a run at the pace
`fast`. The results are the response times, the lost votes, and the frame rate during the vote
relative to the frame rate before it. Then the teacher asks the next question. The results of this
question also include the delay until the phones show it. The phones poll like the ballot page.

The phones, the viewers, the server and its workers share this machine's cores.
"""

from __future__ import annotations

import asyncio
import statistics
import urllib.request

from benchmarks.opening import served
from benchmarks.phones import PHONES, Hall, Told
from benchmarks.viewers import VIEWERS, per_second, watched

SOON = 1.0
AIM_SOON, AIM_FRAMES = 95, 0.5


def main() -> None:
    with served("opening_app.py") as address:
        request = urllib.request.Request(f"{address}/start?pace=fast", method="POST")
        with urllib.request.urlopen(request) as answer:
            run = answer.read().decode()
        with watched(address, run) as frames:
            told = asyncio.run(Hall(address).vote_twice())
    report(told, frames)


def report(told: Told, frames: list[tuple[float, int]]) -> None:
    """Print the results, ratios first."""
    before = per_second(frames, *told.before)
    for which, (name, window) in enumerate(
        zip(("open and vote", "next question"), told.during, strict=True)
    ):
        during = per_second(frames, *window)
        took = told.voted[which] + (told.opened if which == 0 else [])
        soon = 100 * sum(each <= SOON for each in took) / len(took)
        print(
            f"{name}: {soon:.1f} % answered within {SOON:g} s (wanted: {AIM_SOON} or more);"
            f" lost votes: {told.lost[which]} (wanted: 0); frames ÷ before:"
            f" {during / before:.2f} (wanted: {AIM_FRAMES} or more)"
        )
        print(
            f"    vote: {median_and_range(told.voted[which])}; {PHONES} ballots in"
            f" {window[1] - window[0]:.1f} s; {VIEWERS} viewers, {during:.1f} frames/s each"
            f" ({before:.1f} before)"
        )
    print(f"    opening a ballot ({told.bytes_opened} bytes): {median_and_range(told.opened)}")
    print(f"    showing the next question: {median_and_range(told.heard)}")


def median_and_range(seconds: list[float]) -> str:
    """Format the median, 95th percentile and maximum of durations."""
    ordered = sorted(seconds)
    most = ordered[int(0.95 * (len(ordered) - 1))]
    middle = statistics.median(ordered)
    longest = f"longest {1000 * ordered[-1]:.0f} ms"
    return f"median {1000 * middle:.0f} ms, 95 % {1000 * most:.0f} ms, {longest}"


if __name__ == "__main__":
    main()
