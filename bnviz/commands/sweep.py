"""`python -m bnviz sweep …`."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, Any

from bnviz.arguments import assignments, numbers, whole_number
from bnviz.config import ConfigError, RunConfig
from bnviz.sweep import MOST_CELLS, MOST_STEPS, grid, planes
from bnviz.sweeps.cells import Cell, Done, Outcome
from bnviz.sweeps.plane import known_kinds, refine
from bnviz.sweeps.pool import Pool
from bnviz.sweeps.rows import from_saved, in_order, to_csv, to_line, to_saved

MAX_WORKERS = 256
INTERRUPTED = 130
# The bar is drawn so often where there is a terminal; elsewhere a line is printed so seldom.
BAR_WIDTH, BAR_EVERY, LINE_EVERY = 30, 0.1, 10.0


def add_sweep(commands: Any) -> None:
    """Add the command to the others."""
    sweep = commands.add_parser(
        "sweep",
        help="run networks at every learning rate and batch size",
        description="Run every network at every learning rate and batch size; print a row for "
        "each: what became of it, and what broke first. Ctrl-C prints what is done.",
    )
    for flag, default, metavar, text in (
        ("--learning-rates", "0.01,0.1,1", "NUMBERS", "comma-separated (default 0.01,0.1,1)"),
        ("--batch-sizes", "8,64", "NUMBERS", "comma-separated (default 8,64)"),
        ("--steps", "200", "N", "steps of each network (default 200)"),
        ("--seeds", "1", "N", "runs of each cell, from the seed that is set upwards (default 1)"),
        ("--workers", None, "N", "processes (default: one for each core)"),
        ("--resume", None, "FILE", "keep what is done there, and leave out what stands there"),
    ):
        sweep.add_argument(flag, default=default, metavar=metavar, help=text)
    sweep.add_argument(
        "--set", action="append", default=[], metavar="KNOB=VALUE",
        help="set another knob; may be given again",
    )  # fmt: skip
    sweep.add_argument(
        "--refine", action="store_true",
        help="where neighbours differ, look more closely, down to an eighth of a step",
    )  # fmt: skip
    sweep.add_argument(
        "--format", choices=("csv", "json"), default="csv",
        help="CSV (default), or one JSON object a line",
    )  # fmt: skip
    sweep.set_defaults(run=_sweep, parser=sweep)


def _sweep(options: argparse.Namespace) -> int:
    asked: dict[str, Any] = {
        "config": RunConfig.from_query(assignments(options.set, "--set")),
        "learning_rates": numbers("--learning-rates", options.learning_rates, float),
        "batch_sizes": numbers("--batch-sizes", options.batch_sizes, int),
        "steps": whole_number("--steps", options.steps, 1, MOST_STEPS),
        "seeds": whole_number("--seeds", options.seeds, 1, MOST_CELLS),
    }
    work: _Grid | _Maps = _Maps(**asked) if options.refine else _Grid(**asked)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    workers = whole_number("--workers", options.workers or str(cores), 1, MAX_WORKERS)
    done: dict[Cell, Outcome] = {}
    saved: AbstractContextManager[IO[bytes] | None] = nullcontext()
    if options.resume is not None:
        done, saved = _earlier(options.resume)
    bar, status = _Bar(work.total, work.count(done)), 0
    with saved as file, Pool(workers) as pool:
        try:
            for found in work.run(pool, done):
                if file is not None:
                    file.writelines(to_saved(cell, outcome) for cell, outcome in found)
                    file.flush()
                bar.draw(work.count(done))
        except KeyboardInterrupt:
            status = INTERRUPTED
    bar.end()
    rows = in_order(work.cells(done), done)
    if options.format == "csv":
        sys.stdout.write(to_csv(rows))
    else:
        sys.stdout.buffer.writelines(map(to_line, rows))
    return status


class _Grid:
    """Every network at every rate and batch size, and nothing between."""

    def __init__(self, config: RunConfig, **axes: Any) -> None:
        self._cells = grid(config, **axes)
        self.total: int | None = len(self._cells)

    def cells(self, done: Mapping[Cell, Outcome]) -> Sequence[Cell]:
        return self._cells

    def count(self, done: Mapping[Cell, Outcome]) -> int:
        return sum(cell in done for cell in self._cells)

    def run(self, pool: Pool, done: dict[Cell, Outcome]) -> Iterator[Done]:
        for found in pool.run_cells([cell for cell in self._cells if cell not in done]):
            done.update(found)
            yield found


class _Maps:
    """The same, and what lies between where neighbours differ; nobody knows how many beforehand."""

    total: int | None = None

    def __init__(self, config: RunConfig, **axes: Any) -> None:
        self._planes = planes(config, **axes)

    def cells(self, done: Mapping[Cell, Outcome]) -> Sequence[Cell]:
        found: dict[Cell, None] = {}
        for plane in self._planes:
            for point in sorted(known_kinds(plane, done)):
                found |= dict.fromkeys(plane.cells(point))
        return list(found)

    def count(self, done: Mapping[Cell, Outcome]) -> int:
        return len(done)

    def run(self, pool: Pool, done: dict[Cell, Outcome]) -> Iterator[Done]:
        yield from refine(self._planes, pool.run_cells, done)


def _earlier(name: str) -> tuple[dict[Cell, Outcome], IO[bytes]]:
    """What a file says has been done, and the file, open for more.

    Raises:
        ConfigError: it cannot be written, or is none of a sweep's.
    """
    path = Path(name)
    try:
        text = path.read_bytes() if path.exists() else b""
        done = from_saved(text, name)
        file = path.open("ab")
    except OSError as error:
        raise ConfigError("--resume", name, "a file that can be read and written") from error
    # A line that was being written when the sweep was stopped is no line.
    file.truncate(text.rfind(b"\n") + 1)
    return done, file


class _Bar:
    """How far the sweep is, on stderr."""

    def __init__(self, total: int | None, done: int) -> None:
        self._total, self._first, self._done = total, done, done
        self._start = self._drawn = time.monotonic()
        self._live = sys.stderr.isatty()

    def draw(self, done: int) -> None:
        now = time.monotonic()
        self._done = done
        if now - self._drawn < (BAR_EVERY if self._live else LINE_EVERY):
            return
        self._drawn = now
        self._print("\r" if self._live else "", "" if self._live else "\n")

    def end(self) -> None:
        self._print("\r" if self._live else "", "\n")

    def _print(self, before: str, after: str) -> None:
        seconds = max(time.monotonic() - self._start, 1e-9)
        rate = (self._done - self._first) / seconds
        text = f"{self._done} networks, {rate:.3g} a second"
        if self._total is not None:
            filled = BAR_WIDTH * self._done // self._total
            left = f", {(self._total - self._done) / rate:.0f} s left" if rate else ""
            bar = f"[{'#' * filled}{'.' * (BAR_WIDTH - filled)}]"
            text = f"{bar} {self._done} of {self._total} networks, {rate:.3g} a second{left}"
        print(f"{before}{text:<{BAR_WIDTH + 60}}", end=after, file=sys.stderr, flush=True)
