"""Synchronization, memory and errors of the GPU in the one worker that uses it.

CUDA works in the background, and an error is raised by some later call. The process therefore waits
for the GPU at the end of each slice, so that an error or a hang is attributed to the right run.
"""

from __future__ import annotations

import gc
import os
from dataclasses import asdict

import torch

from bnviz.device import this_gpu
from bnviz.live import log
from bnviz.live.errors import LiveError
from bnviz.live.protocol.wire import Header
from bnviz.words.phrase import phrase

# CUDA's error code for out of memory, and the text by which this error is recognized if it comes
# from a CUDA library, because library errors have no exception class of their own.
OUT_OF_MEMORY = 2
LIBRARY_OUT_OF_MEMORY = "STATUS_ALLOC_FAILED"


class NoMemory(LiveError):
    """Not enough GPU memory for a request."""


def facts() -> Header | None:
    """Return the properties of the GPU for a message, or None if torch cannot use a GPU."""
    gpu = this_gpu()
    return None if gpu is None else asdict(gpu)


def settle() -> None:
    """Wait until the GPU has finished all work given to it."""
    if torch.cuda.is_initialized():
        torch.cuda.synchronize()


def new_pool() -> object | None:
    """Return a memory pool for one map's recorded steps, or None without a GPU.

    The caller frees the previous map's pool first.
    """
    if not torch.cuda.is_initialized():
        return None
    torch.cuda.empty_cache()
    return torch.cuda.MemPool()


def explained(problem: Exception) -> Exception:
    """Return the exception with which to answer the request that caused `problem`.

    After an out-of-memory error, other runs keep their GPU data. After any other GPU error, this
    process cannot use the GPU any more. It exits within the slice that is to blame, and is
    replaced.
    """
    if _out_of_memory(problem):
        # Collect garbage, because the traceback may keep GPU memory in a reference cycle.
        gc.collect()
        if torch.cuda.is_initialized():
            torch.cuda.empty_cache()
        return NoMemory(phrase("errors.gpu_memory"))
    if isinstance(problem, torch.AcceleratorError):
        log.event("gpu failed", exc_info=True)
        os._exit(1)
    return problem


def _out_of_memory(problem: Exception) -> bool:
    """Return whether there was not enough GPU memory for a tensor, a graph or a library."""
    if isinstance(problem, torch.AcceleratorError):
        return getattr(problem, "error_code", None) == OUT_OF_MEMORY
    by_library = isinstance(problem, RuntimeError) and LIBRARY_OUT_OF_MEMORY in str(problem)
    return isinstance(problem, torch.OutOfMemoryError) or by_library
