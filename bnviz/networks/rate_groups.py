"""Groups of parameters whose learning rates may differ: see `RATE_GROUPS`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor

from bnviz.config import RATE_GROUPS


class RateGroups:
    """Tells which group each element of a network's `flat` belongs to."""

    def __init__(self, names: Iterable[str], sizes: Iterable[int], learned: Iterable[str]) -> None:
        """Put every parameter into a group.

        Args:
            names: of the parameters in their order in `flat`: "layer 1.weight", "output.bias", ….
            sizes: how many elements of `flat` each has.
            learned: what norms call their own parameters: "gamma", "beta".
        """
        learned = set(learned)
        self._groups = torch.tensor([_group(name, learned) for name in names])
        self._sizes = torch.tensor(list(sizes))

    def expand(self, values: Sequence[float], like: Tensor) -> Tensor:
        """One value per group as a value per parameter, [P] of the dtype and device of `like`."""
        each = torch.tensor(values, dtype=like.dtype)[self._groups]
        return each.repeat_interleave(self._sizes).to(like.device)


def _group(name: str, learned: set[str]) -> int:
    layer, _, own = name.rpartition(".")
    if layer == "output":
        return RATE_GROUPS.index("output")
    return RATE_GROUPS.index("norms" if own in learned else "weights")
