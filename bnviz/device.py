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
# Share of a GPU's memory that one run may use, and the most bytes on a large GPU.
GPU_SHARE, MOST_GPU_BYTES = 1 / 8, 6 * 2**30
# Files that the driver of a GPU makes: Linux, Windows' Linux, and boards with a GPU on the chip.
DRIVER_FILES = ("/dev/nvidiactl", "/dev/dxg", "/dev/nvmap")


class Knobs(Structure, Protocol):
    """The knobs that decide the device; `RunConfig` has them."""

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
    """Limits on the cost of a run, for one device.

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
    """Limits for a GPU. An H200, step by step, does 2.8e12 operations per second."""
    return Limits(2e12, 0.25, min(MOST_GPU_BYTES, int(gpu.memory * GPU_SHARE)))


def choose(config: Knobs, gpu: Gpu | None) -> Choice:
    """Choose the device for a whole run, on a machine with this GPU."""
    if config.device != "auto":
        return Choice(config.device, "asked")
    if gpu is None:
        return Choice("cpu", "no_gpu")
    if not NETWORKS[config.network].suits_gpu:
        return Choice("cpu", "network")
    if flops_per_step(config) > AUTO_SECONDS * CPU_LIMITS.flops_per_second:
        return Choice("cuda", "large")
    # Steps on a small mini-batch are short even in a network too large for the CPU.
    if bytes_per_run(config) > CPU_LIMITS.bytes_per_run:
        return Choice("cuda", "memory")
    return Choice("cpu", "small")


def limits_of(device: Device) -> Limits:
    """Limits for a device of this machine; without a GPU, always those for the CPU."""
    gpu = this_gpu()
    return CPU_LIMITS if device == "cpu" or gpu is None else gpu_limits(gpu)


# The GPU of this machine.

_told: list[Gpu | None] = []


def tell(gpu: Gpu | None) -> None:
    """Set the GPU of this process, as another process has found it."""
    _told[:] = [gpu]


def this_gpu() -> Gpu | None:
    """The GPU that this process can use, or that `tell` has set."""
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
    # Import by name, because pages import this file without torch.
    torch = import_module("torch")
    if not torch.cuda.is_available():
        return None
    facts = torch.cuda.get_device_properties(0)
    return Gpu(facts.name, facts.total_memory)
