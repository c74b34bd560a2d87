"""`python -m bnviz rates`: measures what pages show about the default run before it starts.

This includes the painted tracks of the learning-rate sliders, step 0, and a lesson's comparison of
nine learning rates.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import orjson

from bnviz.commands.arguments import measured_file
from bnviz.commands.parser import add_command
from bnviz.commands.progress_bar import ProgressBar
from bnviz.config import RunConfig
from bnviz.planned_runs import compared_rates, first_frame
from bnviz.planned_runs.compared_rates import ComparedRates
from bnviz.planned_runs.first_frame import FirstNetwork
from bnviz.planned_runs.plan import FASTEST, Plan
from bnviz.planned_runs.started_rates import (
    BATCH_SIZES,
    BROKEN,
    LEARNED,
    PATH,
    RUNGS,
    SEEDS,
    STEPS,
    STUCK,
)
from bnviz.records import NetworkRecord, reached
from bnviz.sweeps.pool import fitting_processes
from bnviz.sweeps.sweep import sweep


def add_rates(commands: Any) -> None:
    add_command(commands, "rates", _rates)


def _rates(options: argparse.Namespace) -> int:
    for path in (PATH, first_frame.PATH, compared_rates.PATH):
        measured_file("rates", path)
    bar = ProgressBar("networks", 2 * len(RUNGS) * len(BATCH_SIZES) * SEEDS)
    found = measure(workers=fitting_processes(), progress=lambda done, _: bar.draw(done))
    bar.end()
    PATH.write_bytes(orjson.dumps(found) + b"\n")
    first = {norm: network._asdict() for norm, network in measure_first_frame().items()}
    first_frame.PATH.write_bytes(orjson.dumps(first) + b"\n")
    bar = ProgressBar("networks", 2 * len(compared_rates.RATES) * compared_rates.SEEDS)
    compared_rates.PATH.write_bytes(measure_compared(progress=bar.draw).to_json())
    bar.end()
    return 0


def measure_first_frame() -> dict[str, FirstNetwork]:
    """Measure the default networks at step 0, by norm."""
    from bnviz.experiment import Experiment  # imports torch, which other commands do not need

    snapshot = Experiment(RunConfig(device="cpu")).snapshot(("histogram", "saturation"))
    return {
        norm: FirstNetwork(
            [int(digit) for digit in network.predictions],
            float(network.test_accuracy),
            network.probes["histogram"]["nonlinearity_input"].tolist(),
            network.probes["saturation"]["saturated"].tolist(),
        )
        for norm, network in snapshot.networks.items()
    }


def measure_compared(
    rates: Sequence[float] = compared_rates.RATES, seeds: Sequence[int] | None = None, *,
    progress: Callable[[int], None] | None = None,
) -> ComparedRates:  # fmt: skip
    """Train the default networks at each learning rate and compare their final states."""
    # imports torch, which other commands do not need
    from bnviz.planned_runs.execution import run_plan

    steps, seeds = compared_rates.STEPS, seeds or range(compared_rates.SEEDS)
    plan = Plan(
        rates=((steps, FASTEST),), last_step=steps, shown=(0, steps), probes=("weights",)
    )  # fmt: skip
    norms = RunConfig().norms
    accuracies: dict[str, list[list[float]]] = {norm: [] for norm in norms}
    lengths: dict[str, list[list[float | None]]] = {norm: [] for norm in norms}
    for place, rate in enumerate(rates):
        for norm in norms:
            accuracies[norm].append([])
            lengths[norm].append([])
        for done, seed in enumerate(seeds, start=1):
            config = RunConfig(learning_rate=rate, seed=seed, device="cpu")
            first, *_, last = run_plan(config, plan, probes=("weights",), every=steps)
            for norm in norms:
                accuracies[norm][-1].append(round(reached(last.networks[norm].test_accuracy), 4))
                lengths[norm][-1].append(_grown(first.networks[norm], last.networks[norm]))
            if progress:
                progress(len(norms) * (place * len(seeds) + done))
    return ComparedRates(
        rates=list(rates), steps=steps, seeds=len(seeds), accuracies=accuracies, lengths=lengths
    )


def _grown(first: NetworkRecord, last: NetworkRecord) -> float | None:
    """Median growth of the weights' norms over the hidden layers, or None if it is not finite."""
    if "weights" not in last.probes:
        return None
    before, after = (each.probes["weights"]["norm"][:-1] for each in (first, last))
    grown = float(np.median(after / before))
    return round(grown, 3) if math.isfinite(grown) else None


def measure(
    rates: Sequence[float] = RUNGS, batch_sizes: Sequence[int] = BATCH_SIZES, *,
    seeds: int = SEEDS, workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Train the default networks at each learning rate.

    Returns:
        `rates`, `steps`, `seeds`, and `kinds`: by network and batch size, one text per rate with
            one letter per seed (`LEARNED`, `STUCK` or `BROKEN`, see `bnviz.sweeps.cells`).
    """
    config = RunConfig()
    result = sweep(
        config, learning_rates=rates, batch_sizes=batch_sizes, steps=STEPS, seeds=seeds,
        workers=workers, progress=progress,
    )  # fmt: skip
    letters = {"learned": LEARNED, "stuck": STUCK, "broken": BROKEN}
    found = result.by_seed(lambda outcome: letters[outcome.kind])
    return {
        "rates": list(rates), "steps": STEPS, "seeds": seeds,
        "kinds": {
            norm: {
                str(size): ["".join(seeds) for seeds in found[place][:, column]]
                for column, size in enumerate(batch_sizes)
            }
            for place, norm in enumerate(config.norms)
        },
    }  # fmt: skip
