"""Recording and replay of training steps, as a CUDA graph or by repeated calls on the CPU."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Protocol

import torch

from bnviz.pieces import Pieces

Step = Callable[[], None]
# Maximum amount of queued work in milliseconds, so that other work on the GPU does not wait longer.
MOST_QUEUED_MS = 50.0
# Maximum number of parallel branches, because a GPU runs few kernels at once. If there are more
# stacks, several stacks share a branch.
MOST_BRANCHES = 16


class Replays(Protocol):
    """Recorder that captures one step per stack, and replays the steps of all stacks together."""

    def record(self, steps: Sequence[Step]) -> Pieces[None]:
        """Record one step per stack; afterwards, the tensors of a step must keep their addresses.

        Every step is called once before the recording, so that libraries can allocate memory.
        """

    def replay(self, times: int) -> Pieces[None]:
        """Run `times` steps of every stack and wait until the last one has finished."""

    def finish(self) -> Pieces[None]:
        """Wait for work that was queued on the GPU after the steps."""


class CalledAgain:
    """Replays on the CPU without a recording: every replay calls the steps again."""

    _steps: Sequence[Step] = ()

    def record(self, steps: Sequence[Step]) -> Pieces[None]:
        for step in steps:
            step()
            yield
        self._steps = steps

    def replay(self, times: int) -> Pieces[None]:
        for _ in range(times):
            for step in self._steps:
                step()
            yield

    def finish(self) -> Pieces[None]:
        yield


@cache
def _streams(device: torch.device) -> tuple[torch.cuda.Stream, list[torch.cuda.Stream]]:
    """Return cached streams, one for graphs and one per branch; new streams would cost memory."""
    return torch.cuda.Stream(device), [torch.cuda.Stream(device) for _ in range(MOST_BRANCHES)]


class CudaGraph:
    """CUDA graph with one branch per stack, so that small kernels run in parallel."""

    def __init__(self, device: torch.device, pool: Any | None) -> None:
        """Prepare a recording; `pool` is a `torch.cuda.MemPool` for the steps' memory, or None."""
        # Attributes are freed in the order of these assignments, and a pool must outlive its
        # graphs.
        self._graph = torch.cuda.CUDAGraph()
        self._pool = pool
        self._device = device
        self._stream, self._branches = _streams(device)

    def record(self, steps: Sequence[Step]) -> Pieces[None]:
        """See `Replays`; the recording itself must not be interrupted, so it runs in one piece."""
        self._stream.wait_stream(torch.cuda.current_stream(self._device))
        self._fork(len(steps))
        try:
            for number, step in enumerate(steps):
                with torch.cuda.stream(self._branch(number)):
                    step()
                yield
        finally:
            # If the work is cancelled, running kernels must finish before memory is freed.
            self._join(len(steps))
            self._stream.synchronize()
        with torch.cuda.stream(self._stream):
            # The allocator cannot release cached memory during a recording, so release it
            # beforehand.
            torch.cuda.empty_cache()
            # Garbage collection could free another graph, which is forbidden during a recording, so
            # disable it.
            collects = gc.isenabled()
            gc.disable()
            try:
                self._record(steps)
            finally:
                if collects:
                    gc.enable()

    def _record(self, steps: Sequence[Step]) -> None:
        # `thread_local` lets other threads of the process call CUDA during the recording.
        pool = None if self._pool is None else self._pool.id
        self._graph.capture_begin(pool=pool, capture_error_mode="thread_local")
        self._fork(len(steps))
        try:
            for number, step in enumerate(steps):
                with torch.cuda.stream(self._branch(number)):
                    step()
        finally:
            # End the recording even if memory runs out: an open recording would block the
            # allocator.
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
        """See `Replays`; the process waits for the GPU only at the yields."""
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
        end = torch.cuda.Event()
        end.record(torch.cuda.current_stream(self._device))
        while not end.query():
            yield


def replays_on(device: torch.device, pool: Any | None) -> Replays:
    """Return the recorder for a device."""
    return CudaGraph(device, pool) if device.type == "cuda" else CalledAgain()
