"""Fake of the part of Ray that a sweep uses. It runs in one process and can lose tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import ModuleType, SimpleNamespace
from typing import Any


class RayError(Exception):
    """Base class of Ray's errors."""


class RayTaskError(RayError):
    """Error raised inside a task."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


def _error(name: str) -> type[RayError]:
    return type(name, (RayError,), {})


LOST = ("WorkerCrashedError", "NodeDiedError", "OutOfMemoryError", "ObjectLostError")


class Task:
    """A call that has not run yet."""

    def __init__(self, number: int, call: Callable[[], Any]) -> None:
        self.number, self.call = number, call


class FakeRay(ModuleType):
    """Stand-in for the module `ray`.

    Args:
        cores: number of cores of the cluster.
        fate: function that returns, for a task's number, the name of an error, or None if the task
            succeeds. Tasks are numbered from 0 in the order of requests.

    Attributes:
        asked: stacks in the order of requests.
        most_under_way: highest number of tasks that were unfinished at the same time.
        cancelled: numbers of the cancelled tasks.
        options: arguments of `init`.
    """

    def __init__(self, cores: int, fate: Callable[[int], str | None]) -> None:
        super().__init__("ray")
        self.cores, self.fate = cores, fate
        self.asked: list[Any] = []
        self.most_under_way = 0
        self.cancelled: list[int] = []
        self.options: dict[str, Any] = {}
        errors = {name: _error(name) for name in (*LOST, "RaySystemError")}
        self.exceptions = SimpleNamespace(RayError=RayError, RayTaskError=RayTaskError, **errors)

    def init(self, **options: Any) -> None:
        self.options = options

    def shutdown(self) -> None:
        self.options = {}

    def is_initialized(self) -> bool:
        return bool(self.options)

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": float(self.cores)}

    def remote(self, **options: Any) -> Callable[[Callable[..., Any]], Any]:
        assert options == {"max_retries": 0, "num_cpus": 1}

        def asking(function: Callable[..., Any]) -> SimpleNamespace:
            def ask(*arguments: Any) -> Task:
                self.asked.append(arguments[0])
                return Task(len(self.asked) - 1, lambda: function(*arguments))

            return SimpleNamespace(remote=ask)

        return asking

    def wait(
        self, tasks: list[Task], *, num_returns: int, timeout: float
    ) -> tuple[list[Task], list[Task]]:
        assert num_returns == 1
        self.most_under_way = max(self.most_under_way, len(tasks))
        # The last requested task finishes first, so that no code can rely on an order.
        return tasks[-1:], tasks[:-1]

    def get(self, task: Task) -> Any:
        if error := self.fate(task.number):
            raise getattr(self.exceptions, error)("the end")
        try:
            return task.call()
        except Exception as error:
            raise RayTaskError(error) from error

    def cancel(self, task: Task, *, force: bool) -> None:
        assert force
        self.cancelled.append(task.number)


def numbers(found: Iterable[Any]) -> list[Any]:
    """Return the cells of all results."""
    return [cell for part in found for cell, _ in part]
