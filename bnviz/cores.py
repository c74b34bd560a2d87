"""How many cores this process may use."""

import os


def usable_cores() -> int:
    """The cores that it is allowed to run on; all where the system does not tell, as macOS."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
