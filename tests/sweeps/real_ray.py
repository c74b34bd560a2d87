"""Real Ray cluster of two machines, simulated on this machine."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

SECONDS = 60
# Environment variables that give Ray an authentication token. Without them, Ray would save a token
# in the user's home folder. A process keeps the first token that it reads.
TOKEN = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}


@contextmanager
def two_machines(environment: Mapping[str, str]) -> Iterator[Any]:
    """Yield a cluster of two machines with one core each, with the variables `environment` set."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**TOKEN, "RAY_USAGE_STATS_ENABLED": "0", **environment}.items():
            patch.setenv(name, value)
        # Import Ray only now, because it reads its environment variables on import.
        from ray.cluster_utils import Cluster

        cluster = Cluster(
            initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
        )
        cluster.add_node(num_cpus=1)
        yield cluster
        cluster.shutdown()


def busy(machines: Any) -> list[int]:
    """Wait until processes of this cluster are working on a stack, and return their ids."""
    session = machines.head_node.get_session_dir_path()
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes()
                at_work = words.startswith(b"ray::run_there")
                if at_work and os.readlink(process / "cwd").startswith(session):
                    found.append(int(process.name))
            except OSError:
                continue  # it has just ended
        if found:
            return found
    raise AssertionError("nobody works")
