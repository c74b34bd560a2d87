"""Number of cores this process may use."""

import math
import os
from pathlib import Path

from bnviz.cgroups import SYSTEM, cgroup_limits


def usable_cores(system: Path = SYSTEM) -> int:
    """Return the smaller of the cores this process may run on and the quota of its control group.

    `system` is the folder that contains `proc` and the mount points of control groups.
    """
    return whole_cores(cgroup_limits(system).cores)


def whole_cores(quota: float) -> int:
    """Return the number of cores for a quota, which may be infinite.

    Round a fraction down, but not to 0. With two busy processes and a quota of 1.5 cores, the
    kernel would stop all processes of the group for a quarter of the time, also the server, which
    needs the half core.
    """
    cores = allowed_cores()
    return cores if math.isinf(quota) else min(cores, max(1, int(quota)))


def allowed_cores() -> int:
    """Count the cores this process may run on, or all if the system reports no limit (macOS)."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
