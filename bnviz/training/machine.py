"""Device and threads of the engine.

The engine uses one thread. Small networks gain nothing from more threads, and other processes share
the machine. Moreover, results must not depend on the number of threads, which can change the last
bits of a matrix product.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache

import torch
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from bnviz.config import ConfigError, RunConfig
from bnviz.device import Device, choose, this_gpu
from bnviz.words.phrase import phrase


@cache
def use_one_thread() -> None:
    """Limit torch and NumPy's BLAS to one thread for the lifetime of the process."""
    torch.set_num_threads(1)
    # On Linux without /proc, `threadpool_limits` cannot find NumPy's BLAS. The number of its
    # threads then follows the environment variables, which set one thread in worker processes.
    with suppress(OSError):
        threadpool_limits(1, user_api="blas")


def device_for(config: RunConfig) -> torch.device:
    """Return the device of a run, or raise `ConfigError` if it requires a missing GPU."""
    gpu = this_gpu()
    if config.device == "cuda" and gpu is None:
        raise ConfigError("device", config.device, phrase("errors.no_cuda"))
    return torch_device(choose(config, gpu).device)


def torch_device(device: Device) -> torch.device:
    """Return the torch device, in deterministic mode on a GPU; a machine has at most one GPU."""
    if device == "cuda":
        repeat_bits()
    return torch.device(device)


@cache
def repeat_bits() -> None:
    """Make GPU results reproducible and use full float32, for the lifetime of the process.

    By default cuDNN adds gradients in the order of its threads and selects algorithms by timing,
    and matrix products and convolutions may use TF32 with a 10-bit mantissa.
    """
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_tf32 = False
