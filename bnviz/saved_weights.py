"""Weights of some steps of a run, kept for probes that compare a network with what it was.

What is kept are the parameters, γ and β of the norms among them; running statistics are not. They
are those with which the step was left, before any action (`bnviz.actions`) at that step. They are
copies that nothing writes to, so moments and forks of a run may share them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bnviz.networks.base import Network

# Step -> the network's `flat` as it was at that step.
SavedByStep = Mapping[int, Tensor]


class SavedWeights:
    """The parameters of every network of a run at chosen steps.

    Args:
        steps: those to keep, as far as the run passes them.
        networks: of the run, by name of their norm.
    """

    def __init__(self, steps: Collection[int], networks: Mapping[str, Network]) -> None:
        self._steps = frozenset(steps)
        self._networks = networks
        self._kept: dict[str, dict[int, Tensor]] = {norm: {} for norm in networks}

    def note(self, step: int) -> None:
        """The run is at `step`: keep its weights if they are to be kept."""
        if step in self._steps:
            for norm, network in self._networks.items():
                self._kept[norm][step] = network.flat.clone()

    def of(self, norm: str) -> SavedByStep:
        """What is kept of one network by now; it stays as it is while the run goes on."""
        return dict(self._kept[norm])

    @property
    def size(self) -> int:
        """Bytes of all that is kept."""
        return sum(flat.nbytes for kept in self._kept.values() for flat in kept.values())

    def to_tree(self) -> dict[str, Any]:
        """For a checkpoint."""
        return {
            norm: [[step, flat.cpu().numpy()] for step, flat in kept.items()]
            for norm, kept in self._kept.items()
        }

    def load_tree(self, tree: Mapping[str, Any]) -> None:
        """Take back what `to_tree` gave."""
        for norm, network in self._networks.items():
            like = network.flat
            self._kept[norm] = {
                step: torch.from_numpy(np.array(flat)).to(dtype=like.dtype, device=like.device)
                for step, flat in tree.get(norm, [])
            }
