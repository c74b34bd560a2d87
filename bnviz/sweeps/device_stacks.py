"""Training of cells on a GPU: stacks of different shapes take each step together, as one recorded
graph.

Outcomes equal the CPU's up to rounding, because a GPU's order of summation depends on the number of
networks that train together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import torch

from bnviz.config import UNIT_FACTORS
from bnviz.data import DATASETS
from bnviz.data.base import Data, load
from bnviz.device import this_gpu
from bnviz.networks.build import build_network
from bnviz.networks.mlp import MLP
from bnviz.pieces import Pieces
from bnviz.sizes import size_of
from bnviz.sweeps.cells import Cell, CellOutcome
from bnviz.sweeps.stack_sizes import of_one_shape
from bnviz.sweeps.stacks import Build, at_once
from bnviz.training import machine
from bnviz.training.batches import Batches
from bnviz.training.device_stack import CHUNK, DeviceData, DeviceStack, Facts, TestResult
from bnviz.training.hills import hills_from
from bnviz.training.judge import BreakVerdict, JudgedStack, judge
from bnviz.training.optimizers import OPTIMIZERS
from bnviz.training.replays import replays_on

# Share of a GPU's memory for stacks that train together; the rest is for live runs.
GPU_SHARE = 1 / 6
# Maximum number of hidden layers over all stacks that train together. Recording a step cannot be
# interrupted, and takes up to a few milliseconds per layer.
MOST_LAYERS = 500
# Number of arrays that a step needs per network: arrays of hidden values, and arrays of parameters.
VALUE_ARRAYS, PARAMETER_ARRAYS = 12, 12
# Number of additional parameter arrays per network if parameters have their own learning rates.
RATE_ARRAYS = 4
# Number of arrays of hidden values per network during the test. One stack is tested at a time.
TESTED_ARRAYS = 6


def run_on_device(
    cells: Sequence[Cell], build: Build = at_once, *, pool: Any | None = None
) -> Pieces[list[CellOutcome]]:
    """Run cells to their last step and return their outcomes, in the order of `cells`.

    Args:
        cells: Cells of any shape, mini-batch size and seed for which `fits_device` is True.
        build: Function that calls the given function, which loads the data and makes networks.
        pool: A `torch.cuda.MemPool` that outlives this call; None for separate memory per graph.
    """
    machine.use_one_thread()
    device = machine.torch_device("cuda")
    done: dict[Cell, CellOutcome] = {}
    for job in jobs_of(cells):
        found = yield from _run_job(job, build, device, pool)
        for stack, outcomes in zip(job, found, strict=True):
            done.update(zip(stack, outcomes, strict=True))
    return [done[cell] for cell in cells]


def jobs_of(cells: Sequence[Cell]) -> list[list[list[Cell]]]:
    """Group cells into jobs: lists of stacks that take equally many steps and fit on the GPU."""
    gpu = this_gpu()
    room = (gpu.memory if gpu else 0) * GPU_SHARE
    jobs: list[list[list[Cell]]] = []
    last: dict[int, _Open] = {}  # last job for each number of steps
    for group in of_one_shape(cells):
        steps, each, depth = group[0].steps, _bytes_of(group), group[0].config.depth
        tested = 4.0 * TESTED_ARRAYS * CHUNK * size_of(group[0].config).values
        most = max(1, int(room / max(each, tested)))
        for first in range(0, len(group), most):
            stack = group[first : first + most]
            job = last.get(steps)
            if job is None or job.room < each * len(stack) or job.layers < depth:
                job = last[steps] = _Open([], room, MOST_LAYERS)
                jobs.append(job.stacks)
            job.stacks.append(stack)
            job.room -= each * len(stack)
            job.layers -= depth
    return jobs


@dataclass
class _Open:
    """Job to which stacks may be added, with the bytes and hidden layers left for them."""

    stacks: list[list[Cell]]
    room: float
    layers: int


def _bytes_of(group: Sequence[Cell]) -> float:
    config, steps = group[0].config, group[0].steps
    size, seeds = size_of(config), len({cell.config.seed for cell in group})
    hidden = VALUE_ARRAYS * config.batch_size * size.values
    if seeds > 1:
        hidden += config.batch_size * DATASETS[config.dataset].features
    # Numbers logged per step, and the order of the mini-batches, which is stored once per seed.
    logged = steps * (4 + 2 * config.depth + config.batch_size * seeds / len(group))
    arrays = PARAMETER_ARRAYS + (RATE_ARRAYS if _own_rates(group) else 0)
    return 4.0 * (hidden + arrays * size.parameters + logged)


class _Ready(NamedTuple):
    """Stack whose steps can be recorded. `load` then resets its networks to step 0."""

    stack: DeviceStack
    network: MLP
    case: JudgedStack
    batch: int
    load: Callable[[], None]


class _Start(NamedTuple):
    """Knobs that determine the initial parameters of a network within its stack."""

    init: str
    init_std: float | None
    branch_start: float
    seed: int


def _make_all(job: Sequence[Sequence[Cell]], device: torch.device) -> list[_Ready]:
    there: dict[int, DeviceData] = {}
    made, kept = [], []
    for cells in job:
        data = load(cells[0].config)
        if id(data) not in there:
            there[id(data)] = DeviceData.of(data, torch.float32, device)
            kept.append(data)  # keep the data alive, so that its id stays unique
        made.append(_make(cells, data, there[id(data)], device))
    return made


def _make(cells: Sequence[Cell], data: Data, there: DeviceData, device: torch.device) -> _Ready:
    config, norm, steps = cells[0].config, cells[0].norm, cells[0].steps
    rows: dict[_Start, int] = {}
    which, networks = [], []
    for cell in cells:
        asked = cell.config
        start = _Start(asked.init, asked.init_std, asked.branch_start, asked.seed)
        if start not in rows:
            made = build_network(asked, norm, data.features, data.classes, device=device)
            assert isinstance(made, MLP)
            networks.append(made)
        which.append(rows.setdefault(start, len(rows)))
    seeds = sorted({cell.config.seed for cell in cells})
    orders = [_order(len(data.train_labels), seed, steps, config.batch_size) for seed in seeds]
    network = networks[0]
    stack = DeviceStack(
        network, OPTIMIZERS[config.optimizer], there,
        members=len(cells), batch=config.batch_size, steps=steps, seeds=len(seeds),
        own_rates=_own_rates(cells),
    )  # fmt: skip
    case = JudgedStack(
        network.layer_names, network.activation, config.width, data.classes,
        network.loss.at_chance(data.classes),
    )  # fmt: skip
    put = partial(
        stack.load, torch.stack([each.flat for each in networks]), which,
        [cell.config.step_settings(norm) for cell in cells], np.stack(orders),
        [seeds.index(cell.config.seed) for cell in cells],
    )  # fmt: skip
    return _Ready(stack, network, case, config.batch_size, put)


def _own_rates(cells: Iterable[Cell]) -> bool:
    return any(cell.config.rate_factors != UNIT_FACTORS for cell in cells)


def _order(examples: int, seed: int, steps: int, batch: int) -> np.ndarray:
    """Return the example indices of a run's mini-batches [T, N]."""
    return Batches(examples, seed).take(steps * batch).reshape(steps, batch)


def _run_job(
    job: Sequence[Sequence[Cell]], build: Build, device: torch.device, pool: Any | None
) -> Pieces[list[list[CellOutcome]]]:
    ready: list[_Ready] = yield from build(lambda: _make_all(job, device))
    replays = replays_on(device, pool)
    yield from replays.record([each.stack.step for each in ready])
    for each in ready:
        each.load()
        yield
    yield from replays.replay(job[0][0].steps)
    results = []
    for each in ready:
        results.append((yield from each.stack.test()))
    yield from replays.finish()
    verdicts = yield from _judge(ready)
    return [
        _outcomes(judged, result) for judged, result in zip(verdicts, results, strict=True)
    ]  # fmt: skip


def _outcomes(verdicts: Sequence[BreakVerdict], result: TestResult) -> list[CellOutcome]:
    losses, accuracies, bins = (each.cpu().numpy() for each in result)
    columns = (verdicts, accuracies.tolist(), losses.tolist(), hills_from(bins))
    return [
        CellOutcome(
            state, broke, stopped, accuracy, loss, "cuda", hill if stopped is None else None
        )
        for (state, broke, stopped), accuracy, loss, hill in zip(*columns, strict=True)
    ]  # fmt: skip


def _judge(ready: Sequence[_Ready]) -> Pieces[list[list[BreakVerdict]]]:
    """Return the verdicts of each stack; stacks with equal `JudgedStack` are judged together."""
    alike: dict[JudgedStack, list[int]] = {}
    for number, each in enumerate(ready):
        alike.setdefault(each.case, []).append(number)
    found: dict[int, list[BreakVerdict]] = {}
    for case, numbers in alike.items():
        parts = []
        for number in numbers:
            parts.append(ready[number].stack.facts.to_host())
            yield
        sizes = [part.loss.shape[1] for part in parts]
        batch = np.repeat([ready[number].batch for number in numbers], sizes)
        spoilt = [
            ready[number].network.layer_at(place) if place >= 0 else ""
            for number, part in zip(numbers, parts, strict=True)
            for place in part.overflow.max(0).tolist()
        ]
        joined = Facts(*(np.concatenate(each, axis=-1) for each in zip(*parts, strict=True)))
        verdicts = iter((yield from judge(case, joined, batch, spoilt)))
        found |= {
            number: list(islice(verdicts, size))
            for number, size in zip(numbers, sizes, strict=True)
        }
    return [found[number] for number in range(len(ready))]
