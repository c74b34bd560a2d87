"""Synchronization, memory and errors of the GPU in the one worker that uses it.

CUDA runs in the background, and an error appears at some later call. The process therefore waits
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

# CUDA's error code for out of memory, and the text of library errors of this kind that have no
# class.
OUT_OF_MEMORY = 2
LIBRARY_OUT_OF_MEMORY = "STATUS_ALLOC_FAILED"


class NoMemory(LiveError):
    """Not enough GPU memory for a request."""


def facts() -> Header | None:
    """Return the GPU for a message, or None if torch cannot use one."""
    gpu = this_gpu()
    return None if gpu is None else asdict(gpu)


def settle() -> None:
    """Wait until the GPU has finished its work."""
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
    """Convert an error of the GPU into an answer to the request.

    After an out-of-memory error, other runs keep their GPU data. After any other error, the GPU is
    unusable for this process. It then exits at once, within the slice to blame, and is replaced.
    """
    if _out_of_memory(problem):
        # A traceback may hold memory in a reference cycle.
        gc.collect()
        if torch.cuda.is_initialized():
            torch.cuda.empty_cache()
        return NoMemory(phrase("errors.gpu_memory"))
    if isinstance(problem, torch.AcceleratorError):
        log.event("gpu failed", exc_info=True)
        os._exit(1)
    return problem


def _out_of_memory(problem: Exception) -> bool:
    """Return whether the GPU had no memory left for a tensor, a graph or a library."""
    if isinstance(problem, torch.AcceleratorError):
        return getattr(problem, "error_code", None) == OUT_OF_MEMORY
    by_library = isinstance(problem, RuntimeError) and LIBRARY_OUT_OF_MEMORY in str(problem)
    return isinstance(problem, torch.OutOfMemoryError) or by_library
