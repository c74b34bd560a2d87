"""Progress bar on stderr, for long commands."""

from __future__ import annotations

import sys
import time
from typing import Literal

from bnviz.commands.parser import columns, words_of

WIDTH = 30
# Width in columns to which a text is padded, so that it covers the previous text.
LINE = 90
# Seconds between updates of the bar in a terminal, and between lines elsewhere.
BAR_EVERY, LINE_EVERY = 0.1, 10.0


class ProgressBar:
    """Progress bar in a terminal, or a line every ten seconds elsewhere, such as in a log."""

    def __init__(
        self, what: Literal["networks", "steps"], total: int | None, done: int = 0
    ) -> None:
        self._what, self._total = what, total
        self._first, self._done = done, done
        self._start = self._drawn = time.monotonic()
        self._live = sys.stderr.isatty()

    def draw(self, done: int) -> None:
        """Show the number of finished items, if enough time has passed since the last update."""
        now = time.monotonic()
        self._done = done
        if now - self._drawn < (BAR_EVERY if self._live else LINE_EVERY):
            return
        self._drawn = now
        self._print("" if self._live else "\n")

    def end(self) -> None:
        """Show the number of finished items and end the line."""
        self._print("\n")

    def _print(self, after: str) -> None:
        seconds = max(time.monotonic() - self._start, 1e-9)
        rate = (self._done - self._first) / seconds
        words = words_of("progress")
        values = {"done": self._done, "counted": words[self._what], "rate": rate}
        if self._total is None:
            text = words["so_many"].format(**values)
        else:
            filled = WIDTH * self._done // self._total
            values["total"] = self._total
            if rate:
                values["seconds"] = (self._total - self._done) / rate
            told = words["of_all_left" if rate else "of_all"].format(**values)
            text = f"[{'#' * filled}{'.' * (WIDTH - filled)}] {told}"
        covering = " " * (LINE - columns(text))
        before = "\r" if self._live else ""
        print(f"{before}{text}{covering}", end=after, file=sys.stderr, flush=True)
