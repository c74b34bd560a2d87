"""Cores and memory on all kinds of machines, and in control groups."""

from __future__ import annotations

import math
import os
import platform
from pathlib import Path

import pytest

from bnviz import __main__ as command_line
from bnviz.host import Host, processor_name, this_host
from bnviz.sweeps import pool

CORES = 16
GB = 2**30
MEMORY = 64 * GB
# The number that version 1 writes for "no limit".
NO_LIMIT = "9223372036854771712\n"
V1 = {"cpu": "/sys/fs/cgroup/cpu,cpuacct", "memory": "/sys/fs/cgroup/memory"}
V2 = "/sys/fs/cgroup"


def mount(point: str, kind: str, controllers: str = "", root: str = "/") -> str:
    options = f"rw,{controllers}" if controllers else "rw"
    return f"35 31 0:32 {root} {point} rw,nosuid shared:9 - {kind} {kind} {options}\n"


def v1(folder: str, *, root: str = "/", **files: str) -> dict[str, str]:
    """Files of a process in a group of version 1, which is `folder` in both hierarchies."""
    named = {"quota": "cpu/cpu.cfs_quota_us", "period": "cpu/cpu.cfs_period_us",
             "memory": "memory/memory.limit_in_bytes"}  # fmt: skip
    mounts = mount(V1["cpu"], "cgroup", "cpu,cpuacct", root)
    mounts += mount(V1["memory"], "cgroup", "memory", root)
    groups = f"5:cpu,cpuacct:{folder}\n4:memory:{folder}\n2:pids:/else\n"
    found = {"/proc/self/mountinfo": mounts, "/proc/self/cgroup": groups}
    folders = {"": folder.removeprefix(root.rstrip("/")), "top": ""}
    for name, text in files.items():
        kind, _, at = name.partition("_")
        controller, file = named[kind].split("/")
        inside = folders.get(at, f"/{at}")
        found[f"{V1[controller]}{inside}/{file}"] = text
    return found


def v2(folder: str, files: dict[str, str], *, root: str = "/", point: str = V2) -> dict[str, str]:
    return {
        "/proc/self/cgroup": f"0::{folder}\n",
        "/proc/self/mountinfo": mount(point.replace(" ", "\\040"), "cgroup2", root=root),
        **{f"{point}/{name}": text for name, text in files.items()},
    }


# Name -> files, cores and memory in bytes.
CASES: dict[str, tuple[dict[str, str], int, float]] = {
    "no control groups": ({}, CORES, MEMORY),
    "v1, limited": (v1("/a", quota="200000\n", period="100000\n", memory=f"{GB}\n"), 2, GB),
    "v1, no limit": (v1("/a", quota="-1\n", period="100000\n", memory=NO_LIMIT), CORES, MEMORY),
    "v1, a core and a half": (v1("/a", quota="150000\n", period="100000\n"), 1, MEMORY),
    "v1, half a core": (v1("/a", quota="50000\n", period="100000\n"), 1, MEMORY),
    "v1, an ancestor is the smaller": (
        v1("/a/b", quota="800000", period="100000", memory=str(8 * GB), quota_a="300000",
           period_a="100000", memory_a=str(2 * GB)), 3, 2 * GB,
    ),
    "v1, the top is the smaller": (
        v1("/a/b", quota_top="400000", period_top="100000", memory_top=str(GB)), 4, GB,
    ),
    "v1, a container whose group is the mounted one": (
        v1("/docker/x", root="/docker/x", quota="200000", period="100000", memory=str(GB)), 2, GB,
    ),
    "v1, a container whose group does not exist in the mount": (
        v1("/docker/x", quota_top="200000", period_top="100000", memory_top=str(GB)), 2, GB,
    ),
    "v1, nonsense": (v1("/a", quota="two\n", period="", memory="1 GB"), CORES, MEMORY),
    "v1, a period of 0": (v1("/a", quota="100000", period="0"), CORES, MEMORY),
    "v1, no files": (v1("/a"), CORES, MEMORY),
    "v2, limited": (v2("/a", {"a/cpu.max": "250000 100000\n", "a/memory.max": f"{GB}\n"}), 2, GB),
    "v2, max": (v2("/a", {"a/cpu.max": "max 100000\n", "a/memory.max": "max\n"}), CORES, MEMORY),
    "v2, nested": (
        v2("/a/b/c", {
            "a/b/c/cpu.max": "max 100000", "a/b/cpu.max": "500000 100000",
            "a/cpu.max": "300000 100000", "a/memory.max": str(GB), "a/b/c/memory.max": "max",
        }), 3, GB,
    ),
    "v2, slowed down above a size": (v2("/a", {"a/memory.high": str(GB)}), CORES, GB),
    "v2, a container with its own namespace": (
        v2("/", {"cpu.max": "200000 100000", "memory.max": str(GB)}), 2, GB,
    ),
    "v2, a group outside the namespace": (
        v2("/../../other", {"cpu.max": "200000 100000"}), 2, MEMORY,
    ),
    "v2, mounted in a folder with a space": (
        v2("/a", {"a/memory.max": str(GB)}, point="/my groups"), CORES, GB,
    ),
    "v2, nonsense": (v2("/a", {"a/cpu.max": "1 2 3", "a/memory.max": "-5"}), CORES, MEMORY),
    "v2, an empty file": (v2("/a", {"a/cpu.max": "", "a/memory.max": ""}), CORES, MEMORY),
    "v2, without a period": (v2("/a", {"a/cpu.max": "100000"}), CORES, MEMORY),
    "hybrid": (
        {
            **v1("/a", quota="200000", period="100000", memory=str(GB)),
            "/proc/self/cgroup": "5:cpu,cpuacct:/a\n4:memory:/a\n1:name=systemd:/a\n0::/a\n",
            "/proc/self/mountinfo": v1("/a")["/proc/self/mountinfo"]
            + mount("/sys/fs/cgroup/unified", "cgroup2"),
            "/sys/fs/cgroup/unified/a/cgroup.procs": "1",
        }, 2, GB,
    ),
    "nonsense in proc": (
        {"/proc/self/cgroup": "x\n::\n4:memory\n", "/proc/self/mountinfo": "- cgroup\n - \n"},
        CORES, MEMORY,
    ),
}  # fmt: skip


def place(system: Path, files: dict[str, str]) -> None:
    meminfo = f"MemTotal:       {MEMORY // 1024} kB\nMemFree: 1 kB\n"
    for name, text in {"/proc/meminfo": meminfo, **files}.items():
        file = system / name.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


@pytest.fixture
def sixteen(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(CORES)), raising=False)


def test_the_smallest_limit_of_all_groups_applies(tmp_path, sixteen):
    found = {}
    for number, (name, (files, _, _)) in enumerate(CASES.items()):
        place(tmp_path / str(number), files)
        host = this_host(tmp_path / str(number))
        found[name] = (host.cores, host.memory)
    assert found == {name: (cores, memory) for name, (_, cores, memory) in CASES.items()}


def test_files_that_cannot_be_read_set_no_limit(tmp_path, sixteen):
    place(tmp_path, v2("/a", {}))
    # A folder in place of a file cannot be read, whatever the rights of this process.
    for name in ("cpu.max", "memory.max"):
        (tmp_path / "sys/fs/cgroup/a" / name).mkdir(parents=True)
    assert this_host(tmp_path) == Host(CORES, MEMORY)


def test_the_machine_tells_its_memory_where_there_is_no_proc(tmp_path):
    assert 2**20 < this_host(tmp_path).memory <= math.inf


def test_only_the_cores_that_this_process_may_use_count(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {1, 3, 5}, raising=False)
    assert this_host(tmp_path).cores == 3


@pytest.mark.parametrize(("known", "cores"), [(6, 6), (None, 1)])
def test_where_the_system_does_not_tell_all_count(monkeypatch, tmp_path, known, cores):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: known)
    assert this_host(tmp_path).cores == cores


def test_the_processor_is_named_by_its_model_or_its_architecture(tmp_path):
    assert processor_name(tmp_path) == (platform.processor() or platform.machine())
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/cpuinfo").write_text("processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\n")
    assert processor_name(tmp_path) == "Some CPU @ 2 GHz"


def test_what_limits_the_number_of_processes_is_named():
    def processes(host: Host) -> tuple[int, str]:
        return host.processes(bytes_each=GB, bytes_apart=GB)

    assert processes(Host(4, 8 * GB)) == (4, "affinity")
    assert processes(Host(4, 8 * GB, "quota")) == (4, "quota")
    assert processes(Host(16, 4.5 * GB)) == (3, "memory")
    assert processes(Host(16, GB / 2)) == (1, "memory")
    assert processes(Host(16)) == (16, "affinity")


def test_a_sweep_takes_no_more_processes_than_fit_in_memory(monkeypatch):
    monkeypatch.setattr(pool, "this_host", lambda: Host(16, GB))
    assert pool.fitting_processes() == 3


def test_a_sweep_starts_on_a_machine_of_more_cores_than_it_takes(monkeypatch, capsys):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(512)), raising=False)
    axes = ["--learning-rates", "0.1", "--batch-sizes", "4"]
    assert command_line.main(["sweep", *axes, "--address", "head:6379"]) == 2
    assert capsys.readouterr().err.startswith("`--address` must be left out")
