"""One thread for the whole engine.

Networks of this size gain nothing from more threads, a worker shares its machine with others, and
the number of threads can change the last bits of a matrix product: results must not depend on the
number of cores.
"""

from __future__ import annotations

from functools import cache

import torch
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]


@cache
def use_one_thread() -> None:
    """Limit torch and NumPy's BLAS to one thread, in this process, for good."""
    torch.set_num_threads(1)
    threadpool_limits(1, user_api="blas")
