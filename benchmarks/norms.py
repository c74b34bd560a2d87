"""Measure the training time of each normalization, relative to the network without normalization.

All networks train in this process on one thread, with the same mini-batches, in alternating rounds.
Each ratio compares two networks in the same round.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import torch

from benchmarks.engine import steps_per_second
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.norms import norms_for

WARM_UP_STEPS = 20
# Networks to compare, at learning rates at which none of them diverges.
SETTINGS: dict[str, dict[str, Any]] = {
    "fully connected 3×100": {"depth": 3, "learning_rate": 0.05},
    "convolutional 4×16": {"network": "conv", "learning_rate": 0.05},
    "recurrent 64, 8 rows": {"network": "recurrent", "learning_rate": 0.05},
}


def measure_setting(
    name: str, seconds_per_round: float, rounds: int
) -> tuple[float, dict[str, float]]:
    """Return the steps per second without a norm, and each norm's relative step time.

    A norm's step time is divided by the step time without a norm.
    """
    knobs = SETTINGS[name]
    norms = norms_for(RunConfig(**knobs).network)
    steps: dict[str, Callable[[], None]] = {}
    for norm in norms:
        experiment = Experiment(RunConfig(norms=(norm,), device="cpu", **knobs))
        for _ in range(WARM_UP_STEPS):
            experiment.step()
        steps[norm] = experiment.step
    rates: dict[str, list[float]] = {norm: [] for norm in norms}
    for _ in range(rounds):
        for norm, step in steps.items():
            rates[norm].append(steps_per_second(step, seconds_per_round, time.perf_counter))
    plain = rates["none"]
    ratios = {
        norm: statistics.median(base / rate for base, rate in zip(plain, found, strict=True))
        for norm, found in rates.items()
    }
    return statistics.median(plain), ratios


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.5, help="seconds per norm and round")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    torch.set_num_threads(1)
    print("time per step with each norm ÷ time without a norm, digits, batch 60")
    for name in SETTINGS:
        plain, ratios = measure_setting(name, options.seconds, options.rounds)
        print(f"{name}: without a norm {plain:.0f} steps/s")
        print("  " + ", ".join(f"{norm} {ratio:.2f}" for norm, ratio in ratios.items()))


if __name__ == "__main__":
    main()
