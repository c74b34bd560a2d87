"""Cells trained on a GPU: stacks of all shapes take each step together, as one recorded graph.

An outcome is that of the CPU up to rounding: a GPU sums in another order, and chooses how by the
number of networks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch

from bnviz.config import RunConfig, UpdateKnobs
from bnviz.data import DATASETS
from bnviz.data.base import Data, load
from bnviz.device import this_gpu
from bnviz.networks.build import build_network
from bnviz.networks.mlp import MLP
from bnviz.pieces import Pieces
from bnviz.sizes import size_of
from bnviz.sweeps.cells import Cell, Outcome
from bnviz.sweeps.stack_sizes import of_one_shape
from bnviz.sweeps.stacks import Build, at_once
from bnviz.training import machine
from bnviz.training.batches import Batches
from bnviz.training.device_stack import CHUNK, DeviceData, DeviceStack, Facts, TestResult
from bnviz.training.hills import hill_from
from bnviz.training.judge import Case, Verdict, judge_all
from bnviz.training.optimizers import OPTIMIZERS
from bnviz.training.replays import replays_on

# Of a GPU's memory, the part that stacks which train together may have: live runs have the rest.
GPU_SHARE = 1 / 6
# Arrays of hidden values, and of parameters, that a network has at once during a step.
VALUE_ARRAYS, PARAMETER_ARRAYS = 12, 10
# The same while networks are tested, which one stack at a time is.
TESTED_ARRAYS = 6


def run_on_device(
    cells: Sequence[Cell], build: Build = at_once, *, pool: Any | None = None
) -> Pieces[list[Outcome]]:
    """Run cells to their last step; their outcomes, in their order.

    Args:
        cells: of any shapes, mini-batch sizes and seeds; `fits_device` holds for each.
        build: loads the data and makes the networks.
        pool: a `torch.cuda.MemPool` for what recorded steps allocate, which outlives this work;
            None: each graph has memory of its own.
    """
    machine.use_one_thread()
    device = machine.torch_device("cuda")
    done: dict[Cell, Outcome] = {}
    for job in jobs_of(cells):
        found = yield from _run_job(job, build, device, pool)
        for stack, outcomes in zip(job, found, strict=True):
            done.update(zip(stack, outcomes, strict=True))
    return [done[cell] for cell in cells]


def jobs_of(cells: Sequence[Cell]) -> list[list[list[Cell]]]:
    """Jobs, each a list of stacks that train together: of equally many steps, within memory."""
    gpu = this_gpu()
    room = (gpu.memory if gpu else 0) * GPU_SHARE
    jobs: list[list[list[Cell]]] = []
    left: dict[int, float] = {}  # of the last job with so many steps
    last: dict[int, list[list[Cell]]] = {}
    for group in of_one_shape(cells):
        steps, each = group[0].steps, _bytes_of(group)
        tested = 4.0 * TESTED_ARRAYS * CHUNK * size_of(group[0].config).values
        most = max(1, int(room / max(each, tested)))
        for first in range(0, len(group), most):
            stack = group[first : first + most]
            if left.get(steps, 0.0) < each * len(stack):
                last[steps], left[steps] = [], room
                jobs.append(last[steps])
            last[steps].append(stack)
            left[steps] -= each * len(stack)
    return jobs


def _bytes_of(group: Sequence[Cell]) -> float:
    """About how many bytes a network of a group takes."""
    config, steps = group[0].config, group[0].steps
    size, seeds = size_of(config), len({cell.config.seed for cell in group})
    hidden = VALUE_ARRAYS * config.batch_size * size.values
    if seeds > 1:
        hidden += config.batch_size * DATASETS[config.dataset].features
    # Numbers that are logged per step, and the order of the mini-batches, which a seed has.
    logged = steps * (4 + 2 * config.depth + config.batch_size * seeds / len(group))
    return 4.0 * (hidden + PARAMETER_ARRAYS * size.parameters + logged)


@dataclass
class _Ready:
    """A stack at step 0, to be loaded once its steps are recorded."""

    stack: DeviceStack
    network: MLP
    case: Case
    config: RunConfig
    starts: torch.Tensor
    which: list[int]
    knobs: list[UpdateKnobs]
    order: np.ndarray
    own: list[int]

    def load(self) -> None:
        self.stack.load(self.starts, self.which, self.knobs, self.order, self.own)


class _Start(NamedTuple):
    """What decides the initial parameters of the networks of a stack."""

    init: str
    init_std: float | None
    branch_start: float
    seed: int


def _make_all(job: Sequence[Sequence[Cell]], device: torch.device) -> list[_Ready]:
    data_there: dict[int, tuple[Data, DeviceData]] = {}
    made = []
    for cells in job:
        data = load(cells[0].config)
        # The data set itself is kept as well: another one could get its id.
        there = data_there.setdefault(
            id(data), (data, DeviceData.of(data, torch.float32, device))
        )  # fmt: skip
        made.append(_make(cells, data, there[1], device))
    return made


def _make(cells: Sequence[Cell], data: Data, there: DeviceData, device: torch.device) -> _Ready:
    config, norm, steps = cells[0].config, cells[0].norm, cells[0].steps
    networks: dict[_Start, MLP] = {}
    which, rows = [], []
    for cell in cells:
        asked = cell.config
        start = _Start(asked.init, asked.init_std, asked.branch_start, asked.seed)
        if start not in networks:
            made = build_network(asked, norm, data.features, data.classes, device=device)
            assert isinstance(made, MLP)
            networks[start] = made
            rows.append(start)
        which.append(rows.index(start))
    seeds = sorted({cell.config.seed for cell in cells})
    size = config.batch_size
    order = np.stack([
        Batches(len(data.train_labels), seed).take(steps * size).reshape(steps, size)
        for seed in seeds
    ])  # fmt: skip
    network = networks[rows[0]]
    stack = DeviceStack(
        network, OPTIMIZERS[config.optimizer], there,
        members=len(cells), batch=size, steps=steps, seeds=len(seeds),
    )  # fmt: skip
    case = Case(
        network.layer_names, network.activation, config.width, data.classes,
        network.loss.at_chance(data.classes),
    )  # fmt: skip
    return _Ready(
        stack, network, case, config, torch.stack([networks[each].flat for each in rows]), which,
        [cell.config.update_knobs(norm) for cell in cells], order,
        [seeds.index(cell.config.seed) for cell in cells],
    )  # fmt: skip


def _run_job(
    job: Sequence[Sequence[Cell]], build: Build, device: torch.device, pool: Any | None
) -> Pieces[list[list[Outcome]]]:
    ready: list[_Ready] = yield from build(lambda: _make_all(job, device))
    replays = replays_on(device, pool)
    replays.record([each.stack.step for each in ready])
    yield
    for each in ready:
        each.load()
    yield from replays.replay(job[0][0].steps)
    results = []
    for each in ready:
        results.append((yield from each.stack.test()))
    yield from replays.finish()
    facts = [each.stack.facts.to_host() for each in ready]
    return _outcomes(ready, facts, results)


def _outcomes(
    ready: Sequence[_Ready], facts: Sequence[Facts], results: Sequence[TestResult]
) -> list[list[Outcome]]:
    verdicts = _judged(ready, facts)
    found = []
    for judged, result in zip(verdicts, results, strict=True):
        loss, accuracy, bins = (each.cpu().numpy() for each in result)
        found.append([
            Outcome(
                state, broke, stopped, float(accuracy[k]), float(loss[k]), device="cuda",
                hills=None if stopped is not None else hill_from(bins[k]),
            )
            for k, (state, broke, stopped) in enumerate(judged)
        ])  # fmt: skip
    return found


def _judged(ready: Sequence[_Ready], facts: Sequence[Facts]) -> list[list[Verdict]]:
    """The verdicts of each stack; stacks that differ in nothing that counts are judged as one."""
    alike: dict[Case, list[int]] = {}
    for number, each in enumerate(ready):
        alike.setdefault(each.case, []).append(number)
    found: dict[int, list[Verdict]] = {}
    for case, numbers in alike.items():
        sizes = [facts[number].loss.shape[1] for number in numbers]
        joined = Facts(*(
            np.concatenate(parts, axis=-1)
            for parts in zip(*(facts[number] for number in numbers), strict=True)
        ))  # fmt: skip
        batch = np.repeat([ready[number].config.batch_size for number in numbers], sizes)
        networks = [ready[n].network for n, size in zip(numbers, sizes, strict=True)
                    for _ in range(size)]  # fmt: skip
        spoilt = [
            network.layer_at(place) if place >= 0 else ""
            for network, place in zip(networks, joined.overflow.max(0).tolist(), strict=True)
        ]
        verdicts = iter(judge_all(case, joined, batch, spoilt))
        for number, size in zip(numbers, sizes, strict=True):
            found[number] = [next(verdicts) for _ in range(size)]
    return [found[number] for number in range(len(ready))]
