"""Which device runs a config: decided by the config and by whether there is a GPU.

It is never decided by a timing: after a restart, or on the command line, the same config would then
run on another device and give other bits. torch is imported only to look for a GPU where a driver
is installed; the pages of a server are told by its hub.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from bnviz.networks import NETWORKS
from bnviz.sizes import Structure, bytes_per_run, flops_per_step

Device = Literal["cpu", "cuda"]

# A step that takes a core longer than this is worth a GPU: smaller steps are faster on a core.
AUTO_SECONDS = 0.01
# Of a GPU's memory, the part that one run may have, and the most that it may have of a large one.
GPU_SHARE, MOST_GPU_BYTES = 1 / 8, 6 * 2**30
# Files that the driver of a GPU makes: Linux, Windows' Linux, and boards with a GPU on the chip.
DRIVER_FILES = ("/dev/nvidiactl", "/dev/dxg", "/dev/nvmap")


class Knobs(Structure, Protocol):
    """What decides the device; `RunConfig` has it."""

    device: Any


@dataclass(frozen=True)
class Gpu:
    """A GPU that torch can use.

    Attributes:
        name: as its driver has it.
        memory: in bytes.
    """

    name: str
    memory: int


class Choice(NamedTuple):
    """The device of a run.

    Attributes:
        device: where it runs.
        why: a key of the lab's texts `device`; "asked": the config names it.
    """

    device: Device
    why: str


@dataclass(frozen=True)
class Limits:
    """What a run may cost on a device.

    Attributes:
        flops_per_second: floating point operations that it does in a second on layers of 100 to
            512 units, roughly; used only to turn a config's size into seconds.
        seconds_per_step: of all networks.
        bytes_per_run: as `bnviz.sizes.bytes_per_run` estimates them.
    """

    flops_per_second: float
    seconds_per_step: float
    bytes_per_run: int


CPU_LIMITS = Limits(3e10, 0.25, 256 * 2**20)


def gpu_limits(gpu: Gpu) -> Limits:
    """What a run may cost on a GPU: step by step, an H200 does 2.8e12 operations in a second."""
    return Limits(2e12, 0.25, min(MOST_GPU_BYTES, int(gpu.memory * GPU_SHARE)))


def choose(config: Knobs, gpu: Gpu | None) -> Choice:
    """The device that a run has from its first step to its last, on a machine with this GPU."""
    if config.device != "auto":
        return Choice(config.device, "asked")
    if gpu is None:
        return Choice("cpu", "no_gpu")
    if not NETWORKS[config.network].suits_gpu:
        return Choice("cpu", "network")
    if flops_per_step(config) > AUTO_SECONDS * CPU_LIMITS.flops_per_second:
        return Choice("cuda", "large")
    # With a small mini-batch a network that a core could not hold takes short steps.
    if bytes_per_run(config) > CPU_LIMITS.bytes_per_run:
        return Choice("cuda", "memory")
    return Choice("cpu", "small")


def limits_of(device: Device) -> Limits:
    """What a run on this device of this machine may cost; without a GPU, the CPU's limits."""
    gpu = this_gpu()
    return CPU_LIMITS if device == "cpu" or gpu is None else gpu_limits(gpu)


# The GPU of this machine.

_told: list[Gpu | None] = []


def tell(gpu: Gpu | None) -> None:
    """Let this process know the GPU that another process has found."""
    _told[:] = [gpu]


def this_gpu() -> Gpu | None:
    """The GPU of this machine, as far as this process may use it or was told of it."""
    return _told[0] if _told else _found()


@cache
def _found() -> Gpu | None:
    return look() if driver_present(os.environ) else None


def driver_present(environment: Mapping[str, str]) -> bool:
    """Whether a GPU is worth looking for: its driver is installed, and it is not hidden."""
    if environment.get("CUDA_VISIBLE_DEVICES", "0") in ("", "-1"):
        return False
    return sys.platform == "win32" or any(Path(file).exists() for file in DRIVER_FILES)


def look() -> Gpu | None:
    """The first GPU that torch can use, or None."""
    # By name: whoever imports this file must not import torch.
    torch = import_module("torch")
    if not torch.cuda.is_available():
        return None
    facts = torch.cuda.get_device_properties(0)
    return Gpu(facts.name, facts.total_memory)
