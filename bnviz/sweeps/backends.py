"""The places where a sweep can be run, by name."""

from __future__ import annotations

from bnviz.config import ConfigError
from bnviz.sweeps.pool import Pool
from bnviz.sweeps.ray_cluster import RayCluster
from bnviz.words.phrase import one_of

BACKENDS = ("processes", "ray")

# A context manager with `cores`, how many stacks it runs at once, and `run_cells`. Leaving it gives
# up what has not been done.
Backend = Pool | RayCluster


def choose_backend(name: str, *, workers: int, address: str | None) -> Backend:
    """The backend of a name.

    Args:
        name: one of `BACKENDS`.
        workers: processes on this machine; a cluster has its own.
        address: of a Ray cluster; None for this machine.

    Raises:
        ConfigError: there is none of that name.
    """
    if name == "processes":
        return Pool(workers)
    if name == "ray":
        return RayCluster(address, workers)
    raise ConfigError("--backend", name, one_of(BACKENDS))
