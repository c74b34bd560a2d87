"""Calls on the cores of a Ray cluster. Each call gives one result, even if processes are lost."""

from __future__ import annotations

import os
import shlex
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from bnviz.locations import locations
from bnviz.sweeps.backend import BackendError
from bnviz.sweeps.ray_address import host_and_port
from bnviz.words.phrase import phrase

# Parts of a clone that a task imports and reads; only these are sent to the cluster.
TRAVELS = ("bnviz", "assets")
# Maximum number of tasks per core: one runs and one is queued. More tasks would only fill the
# memory.
TASKS_PER_CORE = 2
# Number of lost processes after which a task fails, because the task would probably end the next
# process, too.
MOST_LOSSES = 5
# Maximum number of seconds to wait until an address answers. Ray itself tries for minutes.
ANSWER_SECONDS = 5.0
# Seconds between queries of the number of cores, which changes when machines join or leave.
CHECK_SECONDS = 1.0
# Names of the errors that Ray raises if a task or its result was lost with a process or machine.
LOST = ("WorkerCrashedError", "NodeDiedError", "OutOfMemoryError", "ObjectLostError")


class NoRayError(BackendError):
    """Missing Ray package."""


class NoClusterError(BackendError):
    """Failure to join a cluster; its message is a part of a sentence."""


class LostForGoodError(BackendError):
    """Failure of a task that was lost `MOST_LOSSES` times, each time with its process."""


@dataclass
class Call:
    """Call of a function, how often it was lost, and its return value or exception (`problem`)."""

    key: Any
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    losses: int = 0
    value: Any = None
    problem: Exception | None = None


class RayTasks:
    """Cluster and the calls in progress there, one core per call.

    This class, not Ray, repeats lost calls, so that each result counts once. `lost` is the total
    number of losses.
    """

    def __init__(self, address: str | None, workers: int | None = None) -> None:
        """Store which cluster `join` will join.

        Args:
            address: "HOST:PORT", "auto" for the cluster of this machine, or None to start Ray here.
            workers: Number of cores if Ray is started here, or None for all cores.
        """
        self._address, self._workers = address, workers
        self._ray: Any = None
        self._cores, self._looked = 0, 0.0
        self._remote: dict[Callable[..., Any], Any] = {}
        self._under_way: dict[Any, Call] = {}
        self.lost = 0

    def join(self) -> None:
        """Join the cluster; raise `NoRayError` or `NoClusterError` if that fails."""
        if self._address not in (None, "auto"):
            # Check the address before the import of Ray, which takes seconds.
            _knock(str(self._address))
        try:
            self._ray = import_module("ray")
        except ImportError as error:
            raise NoRayError(str(error)) from error
        local = self._address is None
        there = _travelling_code()
        if local:
            # Disable usage statistics if Ray is started only for this process.
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
            # Quote the path, because Ray passes it to a shell.
            there["py_executable"] = shlex.quote(sys.executable)
        try:
            self._ray.init(
                address="local" if local else self._address,
                num_cpus=self._workers if local else None,
                include_dashboard=False if local else None,
                runtime_env=there,
                log_to_driver=False,
                logging_level="error",
            )
        except (OSError, RuntimeError, ValueError, self._ray.exceptions.RayError) as error:
            raise NoClusterError(_first_line(error)) from error

    def leave(self) -> None:
        """Leave the cluster, which ends all calls that still run there."""
        self._ray.shutdown()
        self._under_way.clear()

    @property
    def cores(self) -> int:
        """Number of cores of the cluster; the value may be up to one second old."""
        now = time.monotonic()
        if not self._cores or now - self._looked > CHECK_SECONDS:
            self._cores, self._looked = int(self._ray.cluster_resources().get("CPU", 0)), now
        return self._cores

    @property
    def under_way(self) -> int:
        return len(self._under_way)

    @property
    def has_room(self) -> bool:
        """Return whether fewer calls than `TASKS_PER_CORE` per core are in progress."""
        return len(self._under_way) < max(1, TASKS_PER_CORE * self.cores)

    def submit(self, key: Any, function: Callable[..., Any], *arguments: Any) -> None:
        """Start a call; `collect` returns it with its key."""
        self._start(Call(key, function, arguments))

    def collect(self, seconds: float) -> list[Call]:
        """Wait up to `seconds` and return finished calls; raise `BackendError` if Ray is gone."""
        if not self._under_way:
            return []
        done, _ = self._ray.wait(list(self._under_way), num_returns=1, timeout=seconds)
        return [call for call in map(self._answer, done) if call is not None]

    def give_up(self, unwanted: Callable[[Any], bool] = lambda key: True) -> None:
        """Cancel and forget the calls for whose keys `unwanted` is true."""
        # After this process has left the cluster, its tasks are gone, and a call to Ray would join
        # the cluster again.
        here = self._ray.is_initialized()
        for task in [task for task, call in self._under_way.items() if unwanted(call.key)]:
            del self._under_way[task]
            if here:
                self._ray.cancel(task, force=True)

    def _start(self, call: Call) -> None:
        if call.function not in self._remote:
            self._remote[call.function] = self._ray.remote(max_retries=0, num_cpus=1)(call.function)
        self._under_way[self._remote[call.function].remote(*call.arguments)] = call

    def _answer(self, task: Any) -> Call | None:
        """Return a finished call, or None if it was lost and has been started again."""
        call, errors = self._under_way.pop(task), self._ray.exceptions
        try:
            call.value = self._ray.get(task)
        except tuple(getattr(errors, name) for name in LOST):
            self.lost += 1
            call.losses += 1
            if call.losses < MOST_LOSSES:
                self._start(call)
                return None
            call.problem = LostForGoodError()
        except errors.RayTaskError as error:
            call.problem = error.cause or error
        except errors.RayError as error:
            said = phrase("command.sweep.cluster_broke", problem=_first_line(error))
            raise BackendError(said) from error
        return call


def _travelling_code() -> dict[str, Any]:
    """Return the part of Ray's runtime environment that sends this code to the cluster."""
    here = locations()
    if not here.is_clone:
        # The folder that contains an installed package also contains all other packages.
        return {"py_modules": [str(here.code / "bnviz")], "excludes": ["__pycache__"]}
    stays = [f"/{path.name}" for path in here.code.iterdir() if path.name not in TRAVELS]
    return {"working_dir": str(here.code), "excludes": [*stays, "__pycache__"]}


def _knock(address: str) -> None:
    """Check that "HOST:PORT" answers; raise `NoClusterError` if it does not."""
    try:
        socket.create_connection(host_and_port(address), ANSWER_SECONDS).close()
    except OSError as error:
        raise NoClusterError(_first_line(error)) from error


def _first_line(error: BaseException) -> str:
    """Return the first line of an error message without its full stop, for use in a sentence."""
    return str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
