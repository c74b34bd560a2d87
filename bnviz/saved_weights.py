"""Weights of chosen steps of a run, for probes that compare a network with its earlier weights.

The weights include γ and β, but no running averages. At a chosen step, they are saved before any
action (`bnviz.actions`). Nothing writes to the copies, so frozen runs and forks of a run may share
them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bnviz.networks.base import Network

# Type of a mapping from a step to a copy of the network's `flat` at that step.
SavedByStep = Mapping[int, Tensor]


class SavedWeights:
    """Parameters of every network of a run at chosen steps."""

    def __init__(self, steps: Collection[int], networks: Mapping[str, Network]) -> None:
        self._steps = frozenset(steps)
        self._networks = networks
        self._kept: dict[str, dict[int, Tensor]] = {norm: {} for norm in networks}

    def note(self, step: int) -> None:
        """Save the weights if `step` is a chosen step."""
        if step in self._steps:
            for norm, network in self._networks.items():
                self._kept[norm][step] = network.flat.clone()

    def of(self, norm: str) -> SavedByStep:
        """Return the weights saved for one network so far. Later steps do not change the result."""
        return dict(self._kept[norm])

    @property
    def size(self) -> int:
        """Size of all saved weights in bytes."""
        return sum(flat.nbytes for kept in self._kept.values() for flat in kept.values())

    def to_tree(self) -> dict[str, Any]:
        """For a checkpoint."""
        return {
            norm: [[step, flat.cpu().numpy()] for step, flat in kept.items()]
            for norm, kept in self._kept.items()
        }

    def load_tree(self, tree: Mapping[str, Any]) -> None:
        """Restore the weights from the result of `to_tree`."""
        for norm, network in self._networks.items():
            like = network.flat
            self._kept[norm] = {
                step: torch.from_numpy(np.array(flat)).to(dtype=like.dtype, device=like.device)
                for step, flat in tree.get(norm, [])
            }
