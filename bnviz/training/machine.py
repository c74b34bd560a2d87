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

from bnviz.config import ConfigError
from bnviz.words.phrase import phrase


@cache
def use_one_thread() -> None:
    """Limit torch and NumPy's BLAS to one thread, in this process, for good."""
    torch.set_num_threads(1)
    # On a Linux without /proc nobody finds NumPy's BLAS. It then has as many threads as the
    # environment says: in a worker one.
    with suppress(OSError):
        threadpool_limits(1, user_api="blas")


def choose_device(name: str) -> torch.device:
    """The device that a config's `device` means here.

    Raises:
        ConfigError: "cuda" where there is no such GPU.
    """
    available = torch.cuda.is_available()
    if name == "cuda" and not available:
        raise ConfigError("device", name, phrase("errors.no_cuda"))
    return torch.device("cuda" if available and name != "cpu" else "cpu")
