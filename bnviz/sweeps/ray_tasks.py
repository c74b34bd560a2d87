"""Calls that run on the cores of a Ray cluster; each is answered once, whatever is lost on the way.

Ray is imported only when somebody joins a cluster.
"""

from __future__ import annotations

import os
import shlex
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from bnviz.sweeps.backend import BackendError
from bnviz.sweeps.ray_address import host_and_port
from bnviz.words.phrase import phrase

ROOT = Path(__file__).resolve().parents[2]
# What a task imports and reads; all else of a checkout stays at home.
TRAVELS = ("bnviz", "assets")
# Of a cluster's cores: one task is run, one waits beside it. More would only fill its memory.
TASKS_PER_CORE = 2
# A task that took so many processes down with it will not be done by the next one.
MOST_LOSSES = 5
# Ray itself asks an address that does not answer for minutes.
ANSWER_SECONDS = 5.0
# How often it is asked how many cores there are: machines come and go.
LOOK_SECONDS = 1.0
# What Ray reports where a process, or a machine, ended with a task in it, or with its result.
LOST = ("WorkerCrashedError", "NodeDiedError", "OutOfMemoryError", "ObjectLostError")


class NoRayError(BackendError):
    """Ray is not installed."""


class NoClusterError(BackendError):
    """No cluster can be joined; says why, as a part of a sentence."""


class LostForGoodError(BackendError):
    """A task that took `MOST_LOSSES` processes with it."""


@dataclass
class Call:
    """A call, and what became of it.

    Attributes:
        key: that it was asked for with.
        function, arguments: what is called.
        losses: how often it was lost.
        value: what it gave.
        problem: what it raised; None: nothing.
    """

    key: Any
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    losses: int = 0
    value: Any = None
    problem: Exception | None = None


class RayTasks:
    """A cluster, and what is under way there, one core a call.

    A call whose process or machine was lost is made again. Ray is told not to do so by itself: what
    is answered is counted here, and here alone.

    Attributes:
        lost: how many calls were lost so far, and made again.
    """

    def __init__(self, address: str | None, workers: int | None = None) -> None:
        """Get ready.

        Args:
            address: "HOST:PORT" of a cluster, "auto" for the one of which this machine is a part;
                None starts Ray on this machine, until it is left.
            workers: cores that Ray has, where it is started here; None for all.
        """
        self._address, self._workers = address, workers
        self._ray: Any = None
        self._cores, self._looked = 0, 0.0
        self._remote: dict[Callable[..., Any], Any] = {}
        self._under_way: dict[Any, Call] = {}
        self.lost = 0

    def join(self) -> None:
        """Join the cluster.

        Raises:
            NoRayError: see there.
            NoClusterError: see there.
        """
        if self._address not in (None, "auto"):
            # Before Ray is imported, which takes seconds.
            _knock(str(self._address))
        try:
            self._ray = import_module("ray")
        except ImportError as error:
            raise NoRayError(str(error)) from error
        local = self._address is None
        stays = [f"/{path.name}" for path in ROOT.iterdir() if path.name not in TRAVELS]
        there: dict[str, Any] = {"working_dir": str(ROOT), "excludes": [*stays, "__pycache__"]}
        if local:
            # A Ray that was started for itself alone tells nobody about it.
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
            # Ray hands this to a shell as it is.
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
        """Leave the cluster, which ends what still runs there."""
        self._ray.shutdown()
        self._under_way.clear()

    @property
    def cores(self) -> int:
        """Of all its machines, as of a second ago."""
        now = time.monotonic()
        if not self._cores or now - self._looked > LOOK_SECONDS:
            self._cores, self._looked = int(self._ray.cluster_resources().get("CPU", 0)), now
        return self._cores

    @property
    def under_way(self) -> int:
        """How many calls are not answered yet."""
        return len(self._under_way)

    @property
    def has_room(self) -> bool:
        """Whether a core will soon have nothing to do."""
        return len(self._under_way) < max(1, TASKS_PER_CORE * self.cores)

    def submit(self, key: Any, function: Callable[..., Any], *arguments: Any) -> None:
        """Ask for a call; `collect` gives its answer, with the key."""
        self._start(Call(key, function, arguments))

    def collect(self, seconds: float) -> list[Call]:
        """The calls that have been answered, after waiting so long for it.

        Raises:
            BackendError: the cluster is gone.
        """
        if not self._under_way:
            return []
        done, _ = self._ray.wait(list(self._under_way), num_returns=1, timeout=seconds)
        return [call for call in map(self._answer, done) if call is not None]

    def give_up(self, unwanted: Callable[[Any], bool] = lambda key: True) -> None:
        """Forget the calls of some keys, and end them where they are."""
        # After the cluster was left its tasks are gone, and to ask Ray would join it again.
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
        """A call that is done; None where it was lost, and is made again."""
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


def _knock(address: str) -> None:
    """See whether anybody answers at "HOST:PORT"."""
    try:
        socket.create_connection(host_and_port(address), ANSWER_SECONDS).close()
    except OSError as error:
        raise NoClusterError(_first_line(error)) from error


def _first_line(error: BaseException) -> str:
    """The first line of what an error says, as a part of a sentence."""
    return str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
