"""Extra duties of the one worker that uses the GPU.

CUDA works on in the background, and an error shows at some later call. So the process waits for the
GPU at the end of every slice: whose work has failed, or hangs, is then known.
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

# CUDA's number for it; and what its libraries call it, in errors that have no class of their own.
OUT_OF_MEMORY = 2
LIBRARY_OUT_OF_MEMORY = "STATUS_ALLOC_FAILED"


class NoMemory(LiveError):
    """The GPU has no memory left for what was asked for."""


def facts() -> Header | None:
    """The GPU for a message; None: torch can use none."""
    gpu = this_gpu()
    return None if gpu is None else asdict(gpu)


def settle() -> None:
    """Wait until the GPU has done what it was given."""
    if torch.cuda.is_initialized():
        torch.cuda.synchronize()


def new_pool() -> object | None:
    """Memory for recorded steps of one map; None where there is no GPU.

    That of the map before is free by now.
    """
    if not torch.cuda.is_initialized():
        return None
    torch.cuda.empty_cache()
    return torch.cuda.MemPool()


def explained(problem: Exception) -> Exception:
    """Turn an error of the GPU into the answer for whoever asked for the work.

    Out of memory is an answer: what other runs have on the GPU stays. After an error of the GPU
    itself nothing works there any more: this process then ends, in the slice that is to blame, and
    is replaced.
    """
    if _out_of_memory(problem):
        # A traceback may hold memory in a reference cycle.
        gc.collect()
        if torch.cuda.is_initialized():
            torch.cuda.empty_cache()
        return NoMemory(phrase("errors.gpu_memory"))
    if isinstance(problem, torch.AcceleratorError):
        log.event("gpu lost", exc_info=True)
        os._exit(1)
    return problem


def _out_of_memory(problem: Exception) -> bool:
    """Whether the GPU had no memory left: for a tensor, for a graph, or for a library."""
    if isinstance(problem, torch.AcceleratorError):
        return getattr(problem, "error_code", None) == OUT_OF_MEMORY
    by_library = isinstance(problem, RuntimeError) and LIBRARY_OUT_OF_MEMORY in str(problem)
    return isinstance(problem, torch.OutOfMemoryError) or by_library
