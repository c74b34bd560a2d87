"""What the engine runs on: one device, and one thread for all of it.

Networks of this size gain nothing from more threads, a worker shares its machine with others, and
the number of threads can change the last bits of a matrix product: results must not depend on the
number of cores.
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
    """Limit torch and NumPy's BLAS to one thread, in this process, for good."""
    torch.set_num_threads(1)
    # On a Linux without /proc nobody finds NumPy's BLAS. It then has as many threads as the
    # environment says: in a worker one.
    with suppress(OSError):
        threadpool_limits(1, user_api="blas")


def device_for(config: RunConfig) -> torch.device:
    """The device of a run that begins with this config.

    Raises:
        ConfigError: it asks for a GPU, and there is none.
    """
    gpu = this_gpu()
    if config.device == "cuda" and gpu is None:
        raise ConfigError("device", config.device, phrase("errors.no_cuda"))
    return torch_device(choose(config, gpu).device)


def torch_device(device: Device) -> torch.device:
    """A device as torch has it, set to repeat its bits; on one machine there is one GPU at most."""
    if device == "cuda":
        repeat_bits()
    return torch.device(device)


@cache
def repeat_bits() -> None:
    """Have a GPU compute the same bits each time, in float32 throughout, in this process, for good.

    Else the library for convolutions adds up gradients in whatever order its threads come, and
    chooses its algorithm by a timing; the products of both libraries may have ten bits.
    """
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_tf32 = False
