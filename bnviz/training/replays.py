"""Steps that are recorded once and then replayed: as a CUDA graph, or by calling them again."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Protocol

import torch

from bnviz.pieces import Pieces

Step = Callable[[], None]
# Most milliseconds of queued work on the device, so that other work does not wait longer.
MOST_QUEUED_MS = 50.0
# Stacks beyond this number share branches: a device works on a few kernels at once.
MOST_BRANCHES = 16


class Replays(Protocol):
    """Records steps of several stacks and replays all of them together."""

    def record(self, steps: Sequence[Step]) -> Pieces[None]:
        """Record one step of each stack; their tensors must stay where they are from now on.

        Each is called once before, to let libraries allocate what they need.
        """

    def replay(self, times: int) -> Pieces[None]:
        """Take that many steps with every stack; all are done at the end."""

    def finish(self) -> Pieces[None]:
        """Wait for other work on the device that was given to it after the steps."""


class CalledAgain:
    """On the CPU, the steps themselves are called."""

    _steps: Sequence[Step] = ()

    def record(self, steps: Sequence[Step]) -> Pieces[None]:
        """See `Replays`."""
        for step in steps:
            step()
            yield
        self._steps = steps

    def replay(self, times: int) -> Pieces[None]:
        """See `Replays`."""
        for _ in range(times):
            for step in self._steps:
                step()
            yield

    def finish(self) -> Pieces[None]:
        """See `Replays`; all is done."""
        yield


@cache
def _streams(device: torch.device) -> tuple[torch.cuda.Stream, list[torch.cuda.Stream]]:
    """A stream for graphs, and one for each branch: libraries keep memory for each of them."""
    return torch.cuda.Stream(device), [torch.cuda.Stream(device) for _ in range(MOST_BRANCHES)]


class CudaGraph:
    """One CUDA graph, in which each stack has a branch, so that small kernels run side by side."""

    def __init__(self, device: torch.device, pool: Any | None) -> None:
        """Get ready to record.

        Args:
            device: a GPU.
            pool: a `torch.cuda.MemPool` for what steps allocate, or None.
        """
        # In this order they are freed, too: a pool must outlive its graphs.
        self._graph = torch.cuda.CUDAGraph()
        self._pool = pool
        self._device = device
        self._stream, self._branches = _streams(device)

    def record(self, steps: Sequence[Step]) -> Pieces[None]:
        """See `Replays`; the recording itself is one piece: nothing else may come between."""
        self._stream.wait_stream(torch.cuda.current_stream(self._device))
        self._fork(len(steps))
        try:
            for number, step in enumerate(steps):
                with torch.cuda.stream(self._branch(number)):
                    step()
                yield
        finally:
            # Where this work is given up, memory must not be freed under running kernels.
            self._join(len(steps))
            self._stream.synchronize()
        with torch.cuda.stream(self._stream):
            # While a graph is recorded, the allocator cannot take back what it has cached.
            torch.cuda.empty_cache()
            # A collection could free another graph, which is not allowed while one is recorded.
            collects = gc.isenabled()
            gc.disable()
            try:
                self._record(steps)
            finally:
                if collects:
                    gc.enable()

    def _record(self, steps: Sequence[Step]) -> None:
        # Other threads of this process may go on calling CUDA.
        pool = None if self._pool is None else self._pool.id
        self._graph.capture_begin(pool=pool, capture_error_mode="thread_local")
        self._fork(len(steps))
        try:
            for number, step in enumerate(steps):
                with torch.cuda.stream(self._branch(number)):
                    step()
        finally:
            # Also where memory ran out: a recording that is not ended would hinder the allocator.
            try:
                self._join(len(steps))
            finally:
                self._graph.capture_end()

    def _branch(self, number: int) -> torch.cuda.Stream:
        return self._branches[number % MOST_BRANCHES]

    def _fork(self, count: int) -> None:
        for branch in self._branches[:count]:
            branch.wait_stream(self._stream)

    def _join(self, count: int) -> None:
        for branch in self._branches[:count]:
            self._stream.wait_stream(branch)

    def replay(self, times: int) -> Pieces[None]:
        """See `Replays`; waits for the device between `yield`s only."""
        self._stream.wait_stream(torch.cuda.current_stream(self._device))
        done, many = 0, 1
        while done < times:
            count = min(many, times - done)
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            with torch.cuda.stream(self._stream):
                start.record()
                for _ in range(count):
                    self._graph.replay()
                end.record()
            try:
                while not end.query():
                    yield
            finally:
                end.synchronize()  # as above
            done += count
            many = max(1, int(MOST_QUEUED_MS / max(start.elapsed_time(end) / count, 0.01)))

    def finish(self) -> Pieces[None]:
        """See `Replays`."""
        end = torch.cuda.Event()
        end.record(torch.cuda.current_stream(self._device))
        while not end.query():
            yield


def replays_on(device: torch.device, pool: Any | None) -> Replays:
    """Choose how to record and replay steps on a device."""
    return CudaGraph(device, pool) if device.type == "cuda" else CalledAgain()
