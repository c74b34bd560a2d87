"""Cells gathered into stacks, which train at once.

Learning rate and its factors, start (of weights and branches), seed, momentum and weight decay vary
within a stack; all else, and the number of steps, across stacks. So does the seed where the data
are noisy.
"""

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
# What a pass reads and writes should stay near a core: larger stacks gained nothing (measured).
STACK_BYTES = 4 << 20
MOST_MEMBERS = 64
# Where ε is smaller, a norm divides 0 by 0 at a constant unit: float32's smallest normal number.
SMALLEST_EPS = 2.0**-126


def into_stacks(cells: Iterable[Cell], *, at_least: int = 1) -> list[list[Cell]]:
    """Groups of cells that can train at once, in the order of their first cells.

    Args:
        cells: to be gathered.
        at_least: about so many stacks, where there are cells enough: cores that would else idle.
    """
    groups = of_one_shape(cells)
    found = []
    count = sum(map(len, groups))
    for group in groups:
        # As few stacks as may be, of about one size.
        parts = max(
            -(-len(group) // members_of(group[0].config)),
            min(len(group), -(-at_least * len(group) // count)),
        )
        size = -(-len(group) // parts)
        found += [group[first : first + size] for first in range(0, len(group), size)]
    return found


def of_one_shape(cells: Iterable[Cell]) -> list[list[Cell]]:
    """All cells that could train at once, in the order of their first cells."""
    shapes: dict[tuple[object, ...], list[Cell]] = {}
    for cell in cells:
        config = cell.config
        fixed = config.model_dump(exclude=set(VARY_WITHIN))
        # A stack has one data set; noise differs by the seed.
        data = config.seed if noise_of(config) else None
        shapes.setdefault((cell.steps, data, *map(str, fixed.values())), []).append(cell)
    return list(shapes.values())


def members_of(config: RunConfig) -> int:
    """How many networks of one norm a stack of this shape should have."""
    if config.network != "mlp" or choose(config, this_gpu()).device != "cpu":
        return 1
    size = size_of(config)
    # Three arrays of hidden values; weights, their gradients.
    each = 4 * (3 * config.batch_size * size.values + 2 * size.parameters)
    return max(1, min(MOST_MEMBERS, STACK_BYTES // each))


def fits_device(config: RunConfig) -> bool:
    """Whether the network of a config, which has one norm, can train in a stack on a GPU.

    Whether there is a GPU, and whether the config asks for one, is another question.
    """
    norm = NORMS[config.norms[0]]
    return (
        config.network == "mlp"
        and norm.replays
        and config.batch_size >= norm.fewest_examples(fixed_statistics=config.fixed_statistics)
        # Only the engine on the CPU names the unit at which a norm divided 0 by 0.
        and config.norm_eps >= SMALLEST_EPS
    )


def runs_on_gpu(config: RunConfig) -> bool:
    """Whether the GPU of this machine, if there is one, runs the network of a config in a sweep."""
    gpu = this_gpu()
    if gpu is None or config.device == "cpu":
        return False
    return fits_device(config) or choose(config, gpu).device == "cuda"


def longest_first(stacks: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
    """Stacks by the work in them, so that nobody is left with a long one in the end."""
    return sorted(map(list, stacks), key=_work, reverse=True)


def _work(stack: Sequence[Cell]) -> float:
    return flops_per_step(stack[0].config) * stack[0].steps * len(stack)
