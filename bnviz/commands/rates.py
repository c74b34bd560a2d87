"""`python -m bnviz rates`: measures what home paints on the track of its learning rate."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

import orjson

from bnviz.commands.parser import add_command
from bnviz.commands.progress_bar import ProgressBar
from bnviz.config import RunConfig
from bnviz.cores import usable_cores
from bnviz.planned_runs.started_rates import PATH, RUNGS, SEEDS, STEPS
from bnviz.sweeps.sweep import sweep


def add_rates(commands: Any) -> None:
    """Add the command to the others."""
    add_command(commands, "rates", _rates)


def _rates(options: argparse.Namespace) -> int:
    bar = ProgressBar("networks", 2 * len(RUNGS) * SEEDS)
    found = measure(workers=usable_cores(), progress=lambda done, _: bar.draw(done))
    bar.end()
    PATH.write_bytes(orjson.dumps(found) + b"\n")
    return 0


def measure(
    rates: Sequence[float] = RUNGS, *, seeds: int = SEEDS, workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Run the usual networks from step 0 at each rate.

    Args:
        rates: learning rates.
        seeds: runs at each, from the usual seed upwards.
        workers: processes.
        progress: called as progress(networks done, networks in all).

    Returns:
        `rates`, `steps`, `seeds`, and in `kinds` by network a list for each rate: what became of
        each seed, "learned", "stuck" or "broken" (`bnviz.sweeps.cells`).
    """
    config = RunConfig()
    result = sweep(
        config, learning_rates=rates, batch_sizes=(config.batch_size,), steps=STEPS, seeds=seeds,
        workers=workers, progress=progress,
    )  # fmt: skip
    found = result.by_seed(lambda outcome: outcome.kind)[:, :, 0].tolist()
    return {
        "rates": list(rates), "steps": STEPS, "seeds": seeds,
        "kinds": dict(zip(config.norms, found, strict=True)),
    }  # fmt: skip
