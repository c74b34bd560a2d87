"""Number of cores this process may use."""

import os


def usable_cores() -> int:
    """Count the cores this process may use, or all cores if the system reports no limit (macOS)."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
