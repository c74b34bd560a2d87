"""Control group (version 1) that limits the memory of the processes that a test starts in it."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

MOUNT = Path("/sys/fs/cgroup/memory")
# Seconds to wait for the processes of a group to end.
PATIENCE = 30.0


class MemoryGroup:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def command(self) -> Sequence[str]:
        """Command that runs its arguments as a command in this group."""
        enter = f"echo $$ > '{self.folder}/cgroup.procs' && exec \"$@\""
        return ("sh", "-c", enter, "sh")

    def number(self, file: str) -> int:
        return int((self.folder / f"memory.{file}").read_text("utf-8"))

    @property
    def kills(self) -> int:
        """Number of processes that the kernel killed because memory ran out."""
        text = (self.folder / "memory.oom_control").read_text("utf-8")
        found = re.search(r"^oom_kill ([0-9]+)$", text, re.MULTILINE)
        assert found is not None, "this kernel does not count kills"
        return int(found[1])

    @property
    def stat(self) -> dict[str, int]:
        lines = (self.folder / "memory.stat").read_text("utf-8").splitlines()
        return {name: int(value) for name, value in map(str.split, lines)}

    def processes(self) -> list[int]:
        return [int(pid) for pid in (self.folder / "cgroup.procs").read_text("utf-8").split()]


@contextmanager
def memory_group(limit: int) -> Iterator[MemoryGroup]:
    """Make a group below the group of this process. Raise `OSError` if that is not possible."""
    text = Path("/proc/self/cgroup").read_text("utf-8")
    own = re.search(r"^[0-9]+:memory:/(.*)$", text, re.MULTILINE)
    if own is None:
        raise FileNotFoundError("no memory control group of version 1")
    folder = MOUNT / own[1] / f"bnviz-{os.getpid()}"
    folder.mkdir()
    try:
        (folder / "memory.limit_in_bytes").write_text(str(limit), encoding="utf-8")
        yield MemoryGroup(folder)
    finally:
        pause = threading.Event()
        for _ in range(round(PATIENCE / 0.1)):
            with suppress(OSError):
                folder.rmdir()
                break
            pause.wait(0.1)


def can_limit_memory() -> bool:
    try:
        with memory_group(2**30) as group:
            return group.kills == 0 and group.number("limit_in_bytes") == 2**30
    except (OSError, AssertionError):
        return False
