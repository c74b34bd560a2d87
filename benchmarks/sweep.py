"""Compare the training speed of a sweep with a plain PyTorch loop over the same networks.

The networks (4×64, tanh, digits) have 16 learning rates × 7 batch sizes × 2 norms, and train for
200 steps each. The sweep has one process per core, and its time includes everything: building
networks, judging every step, evaluating the test set. The loop trains one network after the other
in one process and measures nothing. Two other variants are `torch.func.vmap` over 16 networks
without norms, and the matrix products alone. All variants alternate, and the results are median
ratios over the rounds.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.func import functional_call, grad, stack_module_state, vmap

from benchmarks.engine import bare_loop, bare_network
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.host import this_host
from bnviz.sizes import flops_per_step
from bnviz.sweeps.cells import Cell
from bnviz.sweeps.pool import Pool
from bnviz.sweeps.refine import FINEST
from bnviz.sweeps.stack_sizes import into_stacks
from bnviz.sweeps.survey import Survey
from bnviz.sweeps.sweep import grid, planes
from bnviz.training.batches import Batches

RATES = tuple(float(rate) for rate in np.geomspace(0.01, 10, 16))
BATCH_SIZES = (4, 8, 16, 32, 64, 128, 256)
STEPS = 200
CONFIG = RunConfig(depth=4, width=64, norms=("none", "batch"))
SIDE = 256  # rows and columns of the square matrices whose product gives the peak speed


def seconds_of_sweep(pool: Pool, cells: Sequence[Cell]) -> float:
    """Return the seconds of a whole sweep, in processes that are already running."""
    start = time.perf_counter()
    found = sum(len(done) for done in pool.run(into_stacks(cells)))
    assert found == len(cells)
    return time.perf_counter() - start


def seconds_of_loop(cells: Sequence[Cell]) -> float:
    """Return the seconds that a plain loop needs to train the networks of these cells."""
    total = 0.0
    for cell in cells:
        loop = bare_loop(cell.config, Experiment(cell.config))
        next(loop)
        start = time.perf_counter()
        for _ in range(cell.steps):
            next(loop)
        total += time.perf_counter() - start
    return total


def seconds_of_vmap(config: RunConfig) -> float:
    """Return the seconds to train 16 networks without a norm with `torch.func.vmap`.

    The seconds are summed over all batch sizes.
    """
    experiment = Experiment(config.replace(norms=("none",)))
    networks = [bare_network(config, "none", experiment) for _ in RATES]
    rates = torch.tensor(RATES)
    inputs = torch.from_numpy(experiment.data.train_inputs)
    labels = torch.from_numpy(experiment.data.train_labels)

    def loss(parameters: dict[str, Tensor], x: Tensor, y: Tensor) -> Tensor:
        logits = functional_call(networks[0], parameters, (x,))
        return torch.nn.functional.cross_entropy(logits, y)

    gradient = vmap(grad(loss), in_dims=(0, None, None))
    total = 0.0
    for size in BATCH_SIZES:
        parameters, _ = stack_module_state(list(networks))
        parameters = {name: value.detach() for name, value in parameters.items()}
        batches = Batches(len(labels), config.seed)
        start = time.perf_counter()
        for _ in range(STEPS):
            indices = torch.from_numpy(batches.take(size))
            found = gradient(parameters, inputs[indices], labels[indices])
            for name, value in found.items():
                shape = (-1, *[1] * (value.dim() - 1))
                parameters[name] = parameters[name] - rates.view(shape) * value
        total += time.perf_counter() - start
    return total


def steps_left_out(pool: Pool, cells: Sequence[Cell]) -> float:
    """Return the share of all steps that were skipped because a network had diverged."""
    stopped = [
        outcome.stopped
        for found in pool.run_cells(cells)
        for _, outcome in found
    ]  # fmt: skip
    taken = sum(STEPS if step is None else step for step in stopped)
    return 1 - taken / (STEPS * len(cells))


def refined(pool: Pool) -> tuple[int, int]:
    """Return how many networks a refined map trains, and how many its full lattice has.

    The lattice is the grid of the finest cells.
    """
    maps = planes(CONFIG, learning_rates=RATES, batch_sizes=BATCH_SIZES, steps=STEPS)
    survey = Survey(maps)
    while stacks := survey.next_stacks():
        for found in pool.run(stacks):
            survey.take(found)
    lattice = (FINEST * (len(RATES) - 1) + 1) * (FINEST * (len(BATCH_SIZES) - 1) + 1)
    return len(survey.done), lattice * len(maps)


def flops_per_second() -> float:
    """Return the FLOP/s of NumPy's matrix product on one core, the best of 20 runs."""
    a = np.ones((SIDE, SIDE), np.float32)
    out, best = np.empty_like(a), 0.0
    for _ in range(20):
        start = time.perf_counter()
        for _ in range(20):
            np.matmul(a, a, out=out)
        best = max(best, 20 * 2 * SIDE**3 / (time.perf_counter() - start))
    return best


def main() -> None:
    """Run all rounds, and print the median ratios."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    torch.set_num_threads(1)
    cores = this_host().cores
    cells = grid(CONFIG, learning_rates=RATES, batch_sizes=BATCH_SIZES, steps=STEPS)
    steps = len(cells) * STEPS
    work = sum(flops_per_step(cell.config) * cell.steps for cell in cells)
    found: dict[str, list[float]] = {"sweep": [], "loop": [], "vmap": [], "limit": []}
    with Pool(cores) as pool:
        seconds_of_sweep(pool, grid(CONFIG, learning_rates=RATES, batch_sizes=(4, 8), steps=2))
        for _ in range(rounds):
            found["sweep"].append(steps / seconds_of_sweep(pool, cells))
            found["loop"].append(steps / seconds_of_loop(cells))
            found["vmap"].append(steps / 2 / seconds_of_vmap(CONFIG))
            found["limit"].append(cores * steps * flops_per_second() / work)
    median = {name: statistics.median(values) for name, values in found.items()}
    print(f"networks × steps per second, {len(cells)} networks × {STEPS} steps, {cores} processes")
    for name, words in (
        ("loop", "a plain PyTorch loop, one process"),
        ("vmap", "torch.func.vmap over 16 networks, no norm, one process"),
        ("limit", f"the matrix products alone, {cores} cores"),
    ):
        ratios = [one / other for one, other in zip(found["sweep"], found[name], strict=True)]
        print(f"sweep ÷ {words}: {statistics.median(ratios):.2f} "
              f"({median['sweep']:,.0f} ÷ {median[name]:,.0f})")  # fmt: skip
    with Pool(cores) as pool:
        print(f"share of steps skipped after divergence: {steps_left_out(pool, cells):.2f}")
        trained, lattice = refined(pool)
    print(f"refined map, networks trained ÷ finest lattice: {trained / lattice:.3f} "
          f"({trained:,} ÷ {lattice:,})")  # fmt: skip


if __name__ == "__main__":
    main()
