"""Limits on cores and memory that Linux control groups set, as containers and systemd use them.

A process is in one group per hierarchy. Versions 1 and 2 of control groups may be mounted at the
same time. The limit of every ancestor of a group applies to the group, too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SYSTEM = Path("/")
VERSION_2 = "cgroup2"
# Files with a limit in bytes, by file system. Above `memory.high` the kernel slows the processes
# down so much that it counts as a limit. Version 1 writes a huge number for "no limit".
MEMORY_FILES = {"cgroup": ("memory.limit_in_bytes",), VERSION_2: ("memory.max", "memory.high")}


class Limits(NamedTuple):
    """Cores and bytes that the groups of this process may use; infinity if there is no limit."""

    cores: float = math.inf
    memory: float = math.inf


class Mount(NamedTuple):
    """Mounted hierarchy.

    Attributes:
        root: group that is mounted, which may be a subgroup in a container.
        point: folder in which it is mounted.
        controllers: options of the mount, which include the controllers of version 1.
    """

    root: str
    point: str
    kind: str
    controllers: frozenset[str]


def cgroup_limits(system: Path = SYSTEM) -> Limits:
    """Return the smallest limits of the groups of this process and of their ancestors.

    Ignore files that are missing, unreadable or malformed. `system` is the folder that contains
    `proc` and all mount points.
    """
    cores = memory = math.inf
    mounts = list(_mounts(_text(system / "proc/self/mountinfo")))
    for kind, controllers, group in _groups(_text(system / "proc/self/cgroup")):
        for mount in mounts:
            if mount.kind != kind or not (kind == VERSION_2 or controllers & mount.controllers):
                continue
            for folder in _folders(system, mount, group):
                cores = min(cores, _cores(folder, kind))
                memory = min(memory, *(_number(folder / name) for name in MEMORY_FILES[kind]))
    return Limits(cores, memory)


def _groups(text: str) -> Iterator[tuple[str, frozenset[str], str]]:
    """Yield the file system, controllers and path of each group in `/proc/self/cgroup`."""
    for line in text.splitlines():
        parts = line.split(":", 2)
        if len(parts) == 3:
            controllers = frozenset(filter(None, parts[1].split(",")))
            yield ("cgroup" if controllers else VERSION_2), controllers, parts[2]


def _mounts(text: str) -> Iterator[Mount]:
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        place, system = before.split(), after.split()
        if len(place) >= 5 and len(system) >= 3 and system[0] in MEMORY_FILES:
            root, point = map(_unescaped, place[3:5])
            yield Mount(root, point, system[0], frozenset(system[2].split(",")))


def _unescaped(path: str) -> str:
    """Replace octal escapes, such as `\\040` for a space."""
    return re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), path)


def _folders(system: Path, mount: Mount, group: str) -> Iterator[Path]:
    """Yield the folder of a group and of all its ancestors that are mounted.

    In a container, the path of the group may begin with the mounted group, may be relative to it,
    or may not exist there. Missing folders have no files, so they set no limit.
    """
    point = system / mount.point.lstrip("/")
    names = [name for name in group.split("/") if name]
    root = [name for name in mount.root.split("/") if name]
    if names[: len(root)] == root:
        names = names[len(root) :]
    if ".." in names:  # the group is outside the namespace of this process
        names = []
    for count in range(len(names), -1, -1):
        yield point.joinpath(*names[:count])


def _cores(folder: Path, kind: str) -> float:
    if kind == VERSION_2:
        quota, _, period = _text(folder / "cpu.max").partition(" ")
    else:
        quota, period = (_text(folder / f"cpu.cfs_{name}_us") for name in ("quota", "period"))
    cores = _positive(quota) / _positive(period)
    return cores if cores > 0 else math.inf  # without a period, the result is 0 or NaN


def _number(file: Path) -> float:
    return _positive(_text(file))


def _positive(text: str) -> float:
    """Return a positive integer, or infinity for any other text: "max", "-1", "" or nonsense."""
    text = text.strip()
    return float(text) if re.fullmatch(r"0*[1-9][0-9]{0,25}", text) else math.inf


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
