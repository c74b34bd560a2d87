"""Sweep backend that runs stacks on the machines of a Ray cluster, one core per stack.

The machines need the same Python and the packages of `requirements.txt` and
`requirements-cluster.txt`. They receive this checkout's code.
"""

from __future__ import annotations

import socket
import time
import zlib
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bnviz.config import ConfigError, RunConfig
from bnviz.data.base import Data, load_patiently
from bnviz.sweeps.backend import BackendError, run_stack_here
from bnviz.sweeps.cells import Cell, Done
from bnviz.sweeps.ray_address import host_and_port
from bnviz.sweeps.ray_tasks import (
    MOST_LOSSES,
    Call,
    LostForGoodError,
    NoClusterError,
    NoRayError,
    RayTasks,
)
from bnviz.sweeps.stack_sizes import into_stacks, longest_first
from bnviz.words.phrase import Phrase, phrase

# Maximum duration of one wait for results, in seconds. It is short, so that Ctrl-C takes effect
# quickly.
WAIT_SECONDS = 1.0

Fingerprint = tuple[int, int]


class Ran(NamedTuple):
    """Cells of a stack with their outcomes, and the seconds of core time that they took."""

    done: Done
    seconds: float


class RayCluster:
    """Sweep backend like `Pool` that uses the cores of a Ray cluster. Lost stacks run again."""

    def __init__(self, address: str | None, workers: int | None = None) -> None:
        self._address = address
        self._tasks = RayTasks(address, workers)

    def __enter__(self) -> RayCluster:
        """Join the cluster; raise `ConfigError` if Ray is missing or the cluster does not
        answer.
        """
        if self._address not in (None, "auto"):
            try:
                host_and_port(str(self._address))
            except ValueError:
                allowed = phrase("command.sweep.allowed.address")
                raise ConfigError("--address", self._address, allowed) from None
        try:
            self._tasks.join()
        except NoRayError as error:
            raise ConfigError("--backend", "ray", phrase("command.sweep.allowed.no_ray")) from error
        except NoClusterError as error:
            raise _no_cluster(self._address, error) from error
        return self

    def __exit__(self, *error: object) -> None:
        """Leave the cluster, which ends the remaining stacks of this sweep."""
        self._tasks.leave()

    @property
    def cores(self) -> int:
        return self._tasks.cores

    def run_cells(self, cells: Sequence[Cell]) -> Iterator[Done]:
        """Yield the cells of each stack with their outcomes, as soon as the stack is done.

        Raises:
            BackendError: If a stack is lost too often, or the cluster is gone.
            ConfigError: If a machine has different data, or cannot run a cell's config.
        """
        tasks = self._tasks
        waiting = deque(longest_first(into_stacks(cells, at_least=self.cores)))
        try:
            while waiting or tasks.under_way:
                while waiting and tasks.has_room:
                    stack = waiting.popleft()
                    config = data_of(stack)
                    tasks.submit(stack, run_there, stack, fingerprint(load_patiently(config)))
                yield from map(_done, tasks.collect(WAIT_SECONDS))
        finally:
            tasks.give_up()


def _done(call: Call) -> Done:
    """Return the result of a stack's call, or raise its exception."""
    if isinstance(call.problem, LostForGoodError):
        raise BackendError(_lost_for_good(call.key)) from call.problem
    if call.problem is not None:
        raise call.problem
    ran: Ran = call.value
    return ran.done


def run_there(stack: Sequence[Cell], expected: Fingerprint) -> Ran:
    """Run a stack on a cluster machine; raise `ConfigError` if the machine's data differ."""
    config = data_of(stack)
    if fingerprint(load_patiently(config)) != expected:
        allowed = phrase("command.sweep.allowed.same_data", machine=socket.gethostname())
        raise ConfigError("dataset", config.dataset, allowed)
    began = time.thread_time()
    done = run_stack_here(stack)
    return Ran(done, time.thread_time() - began)


def data_of(stack: Sequence[Cell]) -> RunConfig:
    """Return a default config with the stack's data set."""
    return RunConfig(dataset=stack[0].config.dataset)


def fingerprint(data: Data) -> Fingerprint:
    """Return the number of features of a data set, and a checksum of its labels. They differ if a
    stand-in replaces missing data.
    """
    labels = zlib.crc32(data.train_labels.tobytes())
    return data.features, zlib.crc32(data.test_labels.tobytes(), labels)


def _no_cluster(address: str | None, error: Exception) -> ConfigError:
    option, given, key = (
        ("--backend", "ray", "starts") if address is None else ("--address", address, "answers")
    )
    return ConfigError(option, given, phrase(f"command.sweep.allowed.{key}", problem=str(error)))


def _lost_for_good(stack: Sequence[Cell]) -> Phrase:
    config = stack[0].config
    return phrase(
        "command.sweep.lost", losses=MOST_LOSSES, count=len(stack), depth=config.depth,
        width=config.width, batch_size=config.batch_size,
    )  # fmt: skip
