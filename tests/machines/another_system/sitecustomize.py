"""Makes of Linux a system without `/proc`, as macOS is, that lacks what that lacks, with one core.

Python runs this first in every process that has this folder on its `PYTHONPATH`: in the server, and
in the workers that it starts.
"""

import errno
import os
import sys

for _name in ("sched_getaffinity", "memfd_create", "pidfd_open"):
    if hasattr(os, _name):
        delattr(os, _name)
os.cpu_count = lambda: 1


def _refuse(event: str, arguments: tuple) -> None:
    if event in ("open", "os.listdir", "os.scandir"):
        path = arguments[0]
        if isinstance(path, str | os.PathLike) and f"{os.fspath(path)}/".startswith("/proc/"):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)


sys.addaudithook(_refuse)
print(f"without /proc: {' '.join(sys.orig_argv)}", file=sys.stderr, flush=True)
