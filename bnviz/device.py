"""Choice of the device for a run, by its config and by whether there is a GPU.

The choice never depends on a timing. Otherwise the same config could run on another device after a
restart or on the command line, and give different bits. torch is imported only if a GPU driver is
installed. On a server, a worker process reports the GPU that it found to the hub.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from bnviz.networks import NETWORKS
from bnviz.sizes import Structure, bytes_per_run, flops_per_step

Device = Literal["cpu", "cuda"]

# Seconds per step on a CPU core above which a GPU is faster.
AUTO_SECONDS = 0.01
# Share of a GPU's memory that one run may use, and the upper limit in bytes for large GPUs.
GPU_SHARE, MOST_GPU_BYTES = 1 / 8, 6 * 2**30
# Files that a GPU driver creates: on Linux, on Linux under Windows, and on boards with an
# integrated GPU.
DRIVER_FILES = ("/dev/nvidiactl", "/dev/dxg", "/dev/nvmap")


class DeviceKnobs(Structure, Protocol):
    """Knobs of `RunConfig` that decide the device."""

    device: Any


@dataclass(frozen=True)
class Gpu:
    """GPU that torch can use, with its memory in bytes."""

    name: str
    memory: int


class Choice(NamedTuple):
    """Device of a run.

    Attributes:
        why: key of the lab's texts `device`, or "asked" if the config names the device.
    """

    device: Device
    why: str


@dataclass(frozen=True)
class Limits:
    """Limits on the cost of a run, for one device.

    `flops_per_second` is a rough speed on layers of 100 to 512 units. It only converts the size of
    a config to seconds.
    """

    flops_per_second: float
    seconds_per_step: float
    bytes_per_run: int


CPU_LIMITS = Limits(3e10, 0.25, 256 * 2**20)


def gpu_limits(gpu: Gpu) -> Limits:
    """Return limits for a GPU. An H200 does 2.8e12 operations per second, one step at a time."""
    return Limits(2e12, 0.25, min(MOST_GPU_BYTES, int(gpu.memory * GPU_SHARE)))


def choose(config: DeviceKnobs, gpu: Gpu | None) -> Choice:
    """Choose the device for a whole run, on a machine with this GPU."""
    if config.device != "auto":
        return Choice(config.device, "asked")
    if gpu is None:
        return Choice("cpu", "no_gpu")
    if not NETWORKS[config.network].suits_gpu:
        return Choice("cpu", "network")
    if flops_per_step(config) > AUTO_SECONDS * CPU_LIMITS.flops_per_second:
        return Choice("cuda", "large")
    # A run with small mini-batches can have short steps and still exceed the CPU's memory limit.
    if bytes_per_run(config) > CPU_LIMITS.bytes_per_run:
        return Choice("cuda", "memory")
    return Choice("cpu", "small")


def limits_of(device: Device) -> Limits:
    """Return limits for a device of this machine, or the limits for the CPU if there is no GPU."""
    gpu = this_gpu()
    return _cpu_limits[-1] if device == "cpu" or gpu is None else gpu_limits(gpu)


# Limits for the CPU in this process. The last entry applies.
_cpu_limits = [CPU_LIMITS]


@contextmanager
def smaller_runs(most: int) -> Iterator[None]:
    """Limit the bytes of a run on the CPU within the block, for a machine with little memory."""
    limits = replace(CPU_LIMITS, bytes_per_run=min(most, CPU_LIMITS.bytes_per_run))
    _cpu_limits.append(limits)
    try:
        yield
    finally:
        _cpu_limits.remove(limits)


# List with the GPU of this machine that another process reported. It is empty if there was no
# report.

_told: list[Gpu | None] = []


def tell(gpu: Gpu | None) -> None:
    """Set the GPU of this process to the GPU that another process found."""
    _told[:] = [gpu]


def this_gpu() -> Gpu | None:
    """The GPU that this process can use, or that `tell` has set."""
    return _told[0] if _told else _found()


@cache
def _found() -> Gpu | None:
    return probe_gpu() if driver_present(os.environ) else None


def driver_present(environment: Mapping[str, str]) -> bool:
    """Return whether to look for a GPU: its driver is installed, and it is not hidden."""
    if environment.get("CUDA_VISIBLE_DEVICES", "0") in ("", "-1"):
        return False
    return sys.platform == "win32" or any(Path(file).exists() for file in DRIVER_FILES)


def probe_gpu() -> Gpu | None:
    """The first GPU that torch can use, or None."""
    # Import by name, because pages import this file without torch.
    torch = import_module("torch")
    if not torch.cuda.is_available():
        return None
    facts = torch.cuda.get_device_properties(0)
    return Gpu(facts.name, facts.total_memory)
