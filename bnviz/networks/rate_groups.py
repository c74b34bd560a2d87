"""Groups of parameters that can have separate learning rates; see `RATE_GROUPS`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor

from bnviz.config import RATE_GROUPS


class RateGroups:
    """Map from each element of a network's `flat` to its learning-rate group."""

    def __init__(self, names: Iterable[str], sizes: Iterable[int], learned: Iterable[str]) -> None:
        """Assign every parameter to a group.

        Args:
            names: parameter names in the order of `flat`: "layer 1.weight", "output.bias", ….
            sizes: number of elements of `flat` per parameter.
            learned: names of the parameters of norms: "gamma", "beta".
        """
        learned = set(learned)
        self._groups = torch.tensor([_group(name, learned) for name in names])
        self._sizes = torch.tensor(list(sizes))

    def expand(self, values: Sequence[float], like: Tensor) -> Tensor:
        """Expand values per group to values per element [P], with dtype and device of `like`."""
        each = torch.tensor(values, dtype=like.dtype)[self._groups]
        return each.repeat_interleave(self._sizes).to(like.device)


def _group(name: str, learned: set[str]) -> int:
    layer, _, own = name.rpartition(".")
    if layer == "output":
        return RATE_GROUPS.index("output")
    return RATE_GROUPS.index("norms" if own in learned else "weights")
