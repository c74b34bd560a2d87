"""`python -m bnviz sweep …`: trains networks at many learning rates and batch sizes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from pathlib import Path
from typing import IO, Any

from bnviz.commands.arguments import assignments, numbers, whole_number
from bnviz.commands.parser import add_command, words_of
from bnviz.commands.progress_bar import ProgressBar
from bnviz.config import ConfigError, RunConfig
from bnviz.data.base import load_patiently
from bnviz.sweeps.backend import BackendError
from bnviz.sweeps.cells import Cell, CellOutcome, Done
from bnviz.sweeps.pool import Pool, fitting_processes
from bnviz.sweeps.ray_cluster import RayCluster
from bnviz.sweeps.rows import from_saved, in_order, to_csv, to_line, to_saved
from bnviz.sweeps.setting import Span
from bnviz.sweeps.survey import Survey
from bnviz.sweeps.sweep import MOST_CELLS, MOST_STEPS, grid, planes
from bnviz.words.phrase import error_text, one_of, phrase

# Places where a sweep can run: context managers with `cores`, the number of stacks that run at
# once, and `run_cells`. Leaving the context cancels unfinished work.
Backend = Pool | RayCluster
BACKENDS = ("processes", "ray")
MAX_WORKERS = 256
INTERRUPTED, BROKEN = 130, 1


def add_sweep(commands: Any) -> None:
    add_command(commands, "sweep", _sweep, {
        "--learning-rates": {"default": "0.01,0.1,1", "metavar": "{numbers}"},
        "--batch-sizes": {"default": "8,64", "metavar": "{numbers}"},
        "--steps": {"default": "200", "metavar": "{number}"},
        "--seeds": {"default": "1", "metavar": "{number}"},
        "--workers": {"metavar": "{number}"},
        "--resume": {"metavar": "{file}"},
        "--address": {"metavar": "{address}|auto"},
        "--backend": {"default": "processes", "metavar": "|".join(BACKENDS)},
        "--set": {"action": "append", "default": [], "metavar": "{knob}={value}"},
        "--refine": {"action": "store_true"},
        "--format": {"choices": ("csv", "json"), "default": "csv"},
    })  # fmt: skip


def _sweep(options: argparse.Namespace) -> int:
    asked: dict[str, Any] = {
        "config": RunConfig.from_query(assignments(options.set, "--set")),
        "learning_rates": _values("--learning-rates", options.learning_rates, float),
        "batch_sizes": _values("--batch-sizes", options.batch_sizes, int),
        "steps": whole_number("--steps", options.steps, 1, MOST_STEPS),
        "seeds": whole_number("--seeds", options.seeds, 1, MOST_CELLS),
    }
    survey = Survey(planes(**asked), refined=True) if options.refine else None
    cells = grid(**asked) if survey is None else []
    backend = _backend(options)
    stand_in = load_patiently(asked["config"]).note
    if stand_in:
        print(error_text(stand_in), file=sys.stderr)
    done: dict[Cell, CellOutcome] = {}
    saved: AbstractContextManager[IO[bytes] | None] = nullcontext()
    if options.resume is not None:
        done, saved = _earlier(options.resume)
    if survey is None:
        done = {cell: done[cell] for cell in cells if cell in done}
    else:
        survey.take(done.items())
    bar = ProgressBar("networks", len(cells) if survey is None else None, len(done))
    status, broken = 0, None
    # Redirect stdout, because Ray prints messages about lost machines there, and stdout is reserved
    # for rows.
    with saved as file, redirect_stdout(sys.stderr), backend:
        if isinstance(backend, RayCluster):
            print(words_of("sweep")["cores"].format(cores=backend.cores), file=sys.stderr)
        try:
            for found in _run(backend, cells, survey, done):
                if file is not None:
                    file.writelines(to_saved(cell, outcome) for cell, outcome in found)
                    file.flush()
                bar.draw(len(done))
        except KeyboardInterrupt:
            status = INTERRUPTED
        except BackendError as error:
            status, broken = BROKEN, error
    bar.end()
    if broken is not None:
        print(error_text(broken), file=sys.stderr)
    rows = in_order(cells if survey is None else survey.cells(), done)
    if options.format == "csv":
        sys.stdout.write(to_csv(rows))
    else:
        sys.stdout.buffer.writelines(map(to_line, rows))
    return status


def _run(
    backend: Backend, cells: Sequence[Cell], survey: Survey | None, done: dict[Cell, CellOutcome]
) -> Iterator[Done]:
    """Run the missing cells, or the cells that a survey requests, and yield their outcomes."""

    def missing() -> list[Cell]:
        if survey is None:
            return [cell for cell in cells if cell not in done]
        return [cell for stack in survey.next_stacks() for cell in stack]

    while asked := missing():
        for found in backend.run_cells(asked):
            done.update(found)
            if survey is not None:
                survey.take(found)
            yield found


def _values(option: str, text: str, kind: type[int] | type[float]) -> list[Any]:
    """Parse the values of an axis: a list, or low:high:count. Raise ConfigError otherwise."""
    if ":" not in text:
        return numbers(option, text, kind)
    knob = "batch_size" if kind is int else "learning_rate"
    try:
        low, high, count = text.split(":")
        ends = kind(low), kind(high), int(count)
    except ValueError:
        raise ConfigError(option, text, phrase("command.sweep.allowed.axis")) from None
    return list(Span(knob, *ends).rungs)


def _backend(options: argparse.Namespace) -> Backend:
    """Create the backend. Raise ConfigError if it is unknown or two options conflict."""
    fitting = min(fitting_processes(), MAX_WORKERS)
    workers = whole_number("--workers", options.workers or str(fitting), 1, MAX_WORKERS)
    name, address = options.backend, options.address
    if address is not None:
        if name != "ray":
            allowed = phrase("command.sweep.allowed.no_address")
            raise ConfigError("--address", address, allowed)
        if options.workers is not None:
            allowed = phrase("command.sweep.allowed.no_workers")
            raise ConfigError("--workers", options.workers, allowed)
    if name not in BACKENDS:
        raise ConfigError("--backend", name, one_of(BACKENDS))
    return RayCluster(address, workers) if name == "ray" else Pool(workers)


def _earlier(name: str) -> tuple[dict[Cell, CellOutcome], IO[bytes]]:
    """Return the outcomes in a file, and the file opened for appending.

    Raises:
        ConfigError: if the file cannot be read and written, or does not belong to a sweep.
    """
    path = Path(name)
    try:
        text = path.read_bytes() if path.exists() else b""
        done = from_saved(text, name)
        file = path.open("ab")
    except OSError as error:
        raise ConfigError("--resume", name, phrase("command.sweep.allowed.resume")) from error
    # Drop an incomplete last line, which is left by a sweep that was stopped while writing.
    file.truncate(text.rfind(b"\n") + 1)
    return done, file
