"""Compare a GPU with one CPU core, for live runs and for maps.

The first table has one row per pair of networks: steps per second without frames, and milliseconds
per frame with the default probes. On a GPU, a row also has the number of kernels and of host waits
per step, and whether two runs end with the same bits. The second table is about maps of many small
networks. It has the seconds for the whole map, the seconds for its first 33 cells alone, whether
two maps have the same bits, and the share of sampled cells that end differently on the CPU.
Everything takes less than four minutes.

Without a GPU the benchmark says so and exits with status 1. With `--cpu` it runs the small rows on
the CPU.
"""

from __future__ import annotations

import argparse
import hashlib
import statistics
import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.profiler import ProfilerActivity, profile

from bnviz.config import ConfigError, RunConfig
from bnviz.device import this_gpu
from bnviz.experiment import Experiment
from bnviz.pieces import run_to_end
from bnviz.sweeps.cells import Cell, CellOutcome
from bnviz.sweeps.stack_sizes import into_stacks
from bnviz.sweeps.stacks import run_stack
from bnviz.sweeps.sweep import grid


class Pair(NamedTuple):
    """Run to measure; `small` runs are also measured on the CPU."""

    name: str
    knobs: dict[str, Any]
    small: bool


PAIRS = (
    Pair("default pair", {}, True),
    Pair("5×512, batch 256", {"depth": 5, "width": 512, "batch_size": 256}, True),
    Pair("20×512, batch 1,024", {"depth": 20, "width": 512, "batch_size": 1024}, False),
    Pair("50×512, batch 1,024", {"depth": 50, "width": 512, "batch_size": 1024}, False),
    Pair("convolutional pair", {"network": "conv", "depth": 3}, True),
    Pair("recurrent pair", {"network": "recurrent", "depth": 1}, True),
)
WARM_UP_STEPS, REPEATED_STEPS, FRAMES = 5, 20, 5

MAP_CONFIG = RunConfig(depth=4, width=64, norms=("none", "batch"))
MAP_STEPS = 200
# Number of learning rates and of mini-batch sizes per map. Sizes that are equal after rounding are
# merged, so the maps have 2,210 and 16,448 networks.
MAPS = ((65, 17), (257, 33))
# Approximate number of evenly spaced cells per map that also run on the CPU.
SAMPLED = 100
# Names of the CUDA calls in which the host waits for the device.
WAITS = ("cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize")


def wait_for(device: str) -> None:
    """Wait until the device has finished all pending work."""
    if device == "cuda":
        torch.cuda.synchronize()


def measure_pair(pair: Pair, device: str, seconds: float) -> dict[str, Any]:
    """Measure steps per second and milliseconds per frame.

    On a GPU, also count the kernel launches and host waits per step, and test whether a second run
    gives the same bits.

    Raises:
        ConfigError: The run is too large for the device.
    """
    config = RunConfig(**pair.knobs, device=device)
    experiment = Experiment(config)
    experiment.advance(WARM_UP_STEPS)
    wait_for(device)
    steps, start = 0, time.perf_counter()
    while steps < 2 or time.perf_counter() < start + seconds:
        experiment.step()
        steps += 1
    wait_for(device)
    found = {"steps_per_second": steps / (time.perf_counter() - start)}
    frames = []
    for _ in range(1 + FRAMES):
        experiment.step()
        wait_for(device)
        start = time.perf_counter()
        experiment.snapshot()
        frames.append(time.perf_counter() - start)
    # Skip the first frame, which takes longer.
    found["frame_milliseconds"] = 1000 * statistics.median(frames[1:])
    if device == "cuda":
        found |= calls_of_a_step(experiment)
        found["repeats"] = len({digest(config) for _ in range(2)}) == 1
        found["mebibytes"] = torch.cuda.max_memory_allocated() / 2**20
        torch.cuda.reset_peak_memory_stats()
    return found


def calls_of_a_step(experiment: Experiment) -> dict[str, int]:
    """Count the kernel launches and the host waits in one training step of all networks."""
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiled:
        experiment.step()
    calls = Counter({each.key: each.count for each in profiled.key_averages()})
    launches = sum(count for name, count in calls.items() if "LaunchKernel" in name)
    return {"launches": launches, "waits": sum(calls[name] for name in WAITS)}


def digest(config: RunConfig) -> str:
    """Return a hash of the weights and the default probes after `REPEATED_STEPS` steps."""
    experiment = Experiment(config)
    experiment.advance(REPEATED_STEPS)
    found = hashlib.sha256()
    for norm, record in experiment.snapshot().networks.items():
        found.update(experiment.networks[norm].flat.cpu().numpy().tobytes())
        for values in record.probes.values():
            for value in values.values():
                found.update(value.tobytes())
    return found.hexdigest()


def print_pairs(devices: Sequence[str], seconds: float, *, small_only: bool) -> None:
    """Print the first table, each row as soon as it is measured."""
    print(f"{'':24}{'device':8}{'steps/s':>10}{'frame':>12}{'launches':>10}{'waits':>7}"
          f"{'same bits':>11}{'memory':>11}")  # fmt: skip
    for pair in PAIRS:
        if small_only and not pair.small:
            continue
        for device in devices:
            if device == "cpu" and not pair.small:
                continue
            line = f"{pair.name:24}{device:8}"
            try:
                found = measure_pair(pair, device, seconds)
            except ConfigError as refused:
                print(f"{line}not allowed: {refused}", flush=True)
                continue
            line += f"{found['steps_per_second']:>10.1f}{found['frame_milliseconds']:>9.1f} ms"
            if device == "cuda":
                line += (f"{found['launches']:>10}{found['waits']:>7}"
                         f"{'yes' if found['repeats'] else 'NO':>11}"
                         f"{found['mebibytes']:>7.0f} MiB")  # fmt: skip
            print(line, flush=True)


def map_cells(rates: int, sizes: int) -> list[Cell]:
    """Return the cells of a map: `rates` learning rates, and at most `sizes` batch sizes."""
    whole = sorted({round(float(size)) for size in np.geomspace(4, 256, sizes)})
    ladder = [float(rate) for rate in np.geomspace(0.01, 100, rates)]
    return grid(MAP_CONFIG, learning_rates=ladder, batch_sizes=whole, steps=MAP_STEPS)


def on_the_cpu(cells: Sequence[Cell]) -> dict[Cell, CellOutcome]:
    """Run cells on one CPU core, and return the outcome of each."""
    own = {cell._replace(config=cell.config.replace(device="cpu")): cell for cell in cells}
    done: dict[Cell, CellOutcome] = {}
    for stack in into_stacks(list(own)):
        for cell, outcome in zip(stack, run_to_end(run_stack(stack)), strict=True):
            done[own[cell]] = outcome
    return done


def measure_map(cells: list[Cell]) -> dict[str, float]:
    """Return the seconds for a map, and for its first 33 cells alone.

    Also compare the results of the map with a second run and with the CPU.
    """
    from bnviz.sweeps.device_stacks import run_on_device

    first = [cell for cell in cells if same_stack(cell, cells[0])][:33]

    def timed(chosen: list[Cell]) -> tuple[float, list[CellOutcome]]:
        torch.cuda.synchronize()
        start = time.perf_counter()
        found = run_to_end(run_on_device(chosen, pool=torch.cuda.MemPool()))
        torch.cuda.synchronize()
        return time.perf_counter() - start, found

    timed(first)  # warm up, so that one-time costs of the process are not measured
    first_seconds, _ = timed(first)
    seconds, once = timed(cells)
    _, twice = timed(cells)
    sample = cells[:: max(1, len(cells) // SAMPLED)]
    expected, found = on_the_cpu(sample), dict(zip(cells, once, strict=True))
    differ = sum(found[cell].kind != expected[cell].kind for cell in sample)
    return {
        "seconds": seconds,
        "first": first_seconds,
        "repeats": repr(once) == repr(twice),
        "differ": differ,
        "sample": len(sample),
    }


def same_stack(one: Cell, other: Cell) -> bool:
    """Return whether two cells differ only in their learning rate."""
    return one.config.replace(learning_rate=other.config.learning_rate) == other.config


def print_maps() -> None:
    """Print the second table."""
    print(f"\n{'map, 4×64':34}{'total':>9}{'33 cells':>10}{'same bits':>11}  differ from the CPU")
    for rates, sizes in MAPS:
        cells = map_cells(rates, sizes)
        found = measure_map(cells)
        name = f"{len(cells):,} networks × {MAP_STEPS} steps"
        print(
            f"{name:34}{found['seconds']:>7.2f} s{found['first']:>8.2f} s"
            f"{'yes' if found['repeats'] else 'NO':>11}"
            f"  {found['differ']} of {found['sample']}",
            flush=True,
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print both tables, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="seconds per row and device")
    parser.add_argument("--cpu", action="store_true", help="run only the small rows, on the CPU")
    options = parser.parse_args(arguments)
    gpu = this_gpu()
    if gpu is None and not options.cpu:
        print("NOT MEASURED: torch finds no GPU. Use --cpu to run the small rows.",
              file=sys.stderr)  # fmt: skip
        return 1
    card = "no GPU" if options.cpu or gpu is None else f"{gpu.name}, CUDA {torch.version.cuda}"
    print(f"{card}; torch {torch.__version__}, NumPy {np.__version__}, "
          f"Python {sys.version.split()[0]}\n")  # fmt: skip
    devices = ("cpu",) if options.cpu else ("cpu", "cuda")
    print_pairs(devices, options.seconds, small_only=options.cpu)
    if not options.cpu:
        print_maps()
    return 0


if __name__ == "__main__":
    sys.exit(main())
