"""`make bench`: run every benchmark in turn; each prints ratios first, then absolute figures.

Each part can run alone: `python -m benchmarks.engine`, `.sweep`, `.norms`, `.dashboard`,
`.latency`, `.live`, `.maps`, `.load`, `.votes`.
The soak test (`make soak`, one hour of visitors) is a separate target.
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
        # Run each part in its own process, so that its threads, caches and browsers do not slow
        # down the next part.
        if subprocess.run([sys.executable, "-m", f"benchmarks.{part}"], check=False).returncode:
            failed.append(part)
    if failed:
        print(f"\nfailed, so not measured: {', '.join(failed)}")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
