"""Grouping of cells that differ only in `VARY_WITHIN` into stacks, which train together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bnviz.config import RunConfig
from bnviz.data.base import noise_of
from bnviz.device import choose, this_gpu
from bnviz.norms import NORMS
from bnviz.sizes import flops_per_step, size_of
from bnviz.sweeps.cells import Cell

VARY_WITHIN = (
    "learning_rate", "learning_rates", "rate_factors", "init", "init_std", "branch_start", "seed",
    "momentum", "weight_decay",
)  # fmt: skip
# Maximum number of bytes that one pass of a stack reads and writes, so that the data stay in a
# core's cache, and maximum number of networks in a stack. Larger stacks were not faster (measured).
STACK_BYTES = 4 << 20
MOST_MEMBERS = 64
# Smallest ε for training on a GPU: float32's smallest normal number. With a smaller ε, a norm
# divides 0 by 0 at a constant unit.
SMALLEST_EPS = 2.0**-126


def into_stacks(cells: Iterable[Cell], *, at_least: int = 1) -> list[list[Cell]]:
    """Group cells into stacks. Make about `at_least` stacks if possible, so that no core is
    idle.
    """
    groups = of_one_shape(cells)
    found = []
    count = sum(map(len, groups))
    for group in groups:
        # Use as few stacks as possible, of about equal size.
        parts = max(
            -(-len(group) // members_of(group[0].config)),
            min(len(group), -(-at_least * len(group) // count)),
        )
        size = -(-len(group) // parts)
        found += [group[first : first + size] for first in range(0, len(group), size)]
    return found


def of_one_shape(cells: Iterable[Cell]) -> list[list[Cell]]:
    """Group all cells that could train together, in the order of their first cells."""
    shapes: dict[tuple[object, ...], list[Cell]] = {}
    for cell in cells:
        config = cell.config
        fixed = config.model_dump(exclude=set(VARY_WITHIN))
        # All networks of a stack share one data set. Noisy data sets depend on the seed, so
        # networks with noisy data share a stack only if their seeds are equal.
        data = config.seed if noise_of(config) else None
        shapes.setdefault((cell.steps, data, *map(str, fixed.values())), []).append(cell)
    return list(shapes.values())


def members_of(config: RunConfig) -> int:
    """Return the number of networks that a stack of this shape should have."""
    if config.network != "mlp" or choose(config, this_gpu()).device != "cpu":
        return 1
    size = size_of(config)
    # Each network needs three arrays of hidden values, one of weights and one of gradients.
    each = 4 * (3 * config.batch_size * size.values + 2 * size.parameters)
    return max(1, min(MOST_MEMBERS, STACK_BYTES // each))


def fits_device(config: RunConfig) -> bool:
    """Return whether a single-norm network can train in a stack on a GPU, if there is one."""
    norm = NORMS[config.norms[0]]
    return (
        config.network == "mlp"
        and norm.replays
        and config.batch_size >= norm.fewest_examples(fixed_statistics=config.fixed_statistics)
        # Only the CPU engine reports the unit at which a norm divided 0 by 0.
        and config.norm_eps >= SMALLEST_EPS
    )


def runs_on_gpu(config: RunConfig) -> bool:
    """Return whether a sweep on this machine runs a config's network on a GPU."""
    gpu = this_gpu()
    if gpu is None or config.device == "cpu":
        return False
    return fits_device(config) or choose(config, gpu).device == "cuda"


def longest_first(stacks: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
    """Sort stacks by amount of work, largest first, so that no worker starts a long stack last."""
    return sorted(map(list, stacks), key=_work, reverse=True)


def _work(stack: Sequence[Cell]) -> float:
    return flops_per_step(stack[0].config) * stack[0].steps * len(stack)
