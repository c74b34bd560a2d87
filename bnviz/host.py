"""Cores and memory that this process may use, and the number of processes that fit."""

from __future__ import annotations

import math
import os
import platform
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bnviz.cgroups import SYSTEM, cgroup_limits

MEGABYTE = 2**20
# Limit that decides a number of processes: the cores of this process, the quota of its control
# group, or the memory.
Limit = Literal["affinity", "quota", "memory"]


@dataclass(frozen=True)
class Host:
    """Cores and memory that this process may use.

    Attributes:
        cores_limited_by: whether the cores or the quota are the smaller number.
        memory: bytes, the smaller of the machine's memory and the limit of the control group;
            infinity if neither is known.
    """

    cores: int
    memory: float = math.inf
    cores_limited_by: Limit = "affinity"

    def processes(self, *, bytes_each: float, bytes_apart: float) -> tuple[int, Limit]:
        """Return how many processes fit, at least one, and what limits their number.

        `bytes_apart` is memory that these processes cannot have.
        """
        if math.isinf(self.memory):
            return self.cores, self.cores_limited_by
        most = max(1, int((self.memory - bytes_apart) // bytes_each))
        return min(self.cores, most), "memory" if most < self.cores else self.cores_limited_by


def this_host(system: Path = SYSTEM) -> Host:
    """Return what this process may use.

    `system` is the folder that contains `proc` and the mount points of control groups.
    """
    limits = cgroup_limits(system)
    cores = _whole_cores(limits.cores)
    memory = min(limits.memory, _machine_memory(system))
    return Host(cores, memory, "quota" if cores < _allowed_cores() else "affinity")


def processor_name(system: Path = SYSTEM) -> str:
    """Return the model of the processor, or its architecture if the system does not report it."""
    with suppress(OSError):
        text = (system / "proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        if model := re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE):
            return model[1]
    return platform.processor() or platform.machine()


def _whole_cores(quota: float) -> int:
    """Return the number of cores for a quota, which may be infinite.

    Round a fraction down, but not to 0. With two busy processes and a quota of 1.5 cores, the
    kernel would stop all processes of the group for a quarter of the time, also the server, which
    needs the half core.
    """
    cores = _allowed_cores()
    return cores if math.isinf(quota) else min(cores, max(1, int(quota)))


def _allowed_cores() -> int:
    """Count the cores this process may run on, or all if the system reports no limit (macOS)."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _machine_memory(system: Path) -> float:
    """Return the bytes of the machine's memory, or infinity if the system does not report it."""
    with suppress(OSError):
        text = (system / "proc/meminfo").read_text(encoding="utf-8", errors="replace")
        if total := re.search(r"^MemTotal:\s*([0-9]+) kB", text, re.MULTILINE):
            return 1024.0 * int(total[1])
    with suppress(ValueError, OSError):
        pages, size = (os.sysconf(f"SC_{name}") for name in ("PHYS_PAGES", "PAGE_SIZE"))
        if min(pages, size) > 0:
            return float(pages * size)
    return math.inf
