"""Make Linux look like a system with one core and without `/proc`, such as macOS.

Python imports this module first in every process with this folder on its `PYTHONPATH`: in the
server and in its workers.
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
