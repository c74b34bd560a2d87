"""Kinds of networks, one file each. To add a kind, add a file and an entry in `NETWORKS`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bnviz.data import DATASETS
from bnviz.registry import Entry, registry


@dataclass(frozen=True, kw_only=True)
class NetworkEntry(Entry):
    """Kind of network. `where` names a function `build(config, features, classes, parts) ->
    Network`.

    Attributes:
        defaults: settings whose default differs from that of the fully connected network.
        side_factor: number that divides the side of the square input images; None allows any input.
        suits_gpu: whether a GPU speeds up large networks and gives bit-identical repeats.
    """

    defaults: Mapping[str, int] = field(default_factory=dict)
    max_depth: int = 50
    max_width: int = 512
    side_factor: int | None = None
    skips: bool = False
    suits_gpu: bool = True

    def takes(self, dataset: str) -> bool:
        """Return whether this kind of network can learn a data set."""
        side = DATASETS[dataset].side
        return not self.side_factor or (side is not None and side % self.side_factor == 0)


# Side length of the grid that a convolutional network works on, the same for every image size.
GRID = 4
# Side length of the filters in all convolutional layers after the first.
KERNEL = 3

NETWORKS = registry("bnviz.networks", {
    "mlp": NetworkEntry(skips=True),
    "conv": NetworkEntry(
        defaults={"depth": 4, "width": 16}, max_depth=12, max_width=64, side_factor=GRID,
        suits_gpu=False,
    ),
    "recurrent": NetworkEntry(
        defaults={"depth": 1, "width": 64}, max_depth=1, max_width=256, side_factor=1,
    ),
}, attribute="build", words="networks.{}")  # fmt: skip
