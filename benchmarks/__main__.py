"""`make bench`: every benchmark in turn, ratios first, absolute figures beside them.

Each part can run alone: `python -m benchmarks.engine`, `.sweep`, `.norms`, `.dashboard`,
`.latency`, `.live`, `.maps`, `.load`, `.votes`.
`make soak` (an hour of visitors) is a target of its own.
"""

import os
import platform
import subprocess
import sys

PARTS = ("engine", "sweep", "norms", "dashboard", "latency", "live", "maps", "load", "votes")


def main() -> int:
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    failed = []
    for part in sys.argv[1:] or PARTS:
        print(f"\n== {part}", flush=True)
        # A process each: one part's threads, caches and browsers must not weigh on the next.
        if subprocess.run([sys.executable, "-m", f"benchmarks.{part}"], check=False).returncode:
            failed.append(part)
    if failed:
        print(f"\nnot measured: {', '.join(failed)}")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
