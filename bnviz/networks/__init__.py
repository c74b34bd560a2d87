"""The kinds of networks, one file each. A new one is a file and a line in `NETWORKS`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bnviz.data import DATASETS
from bnviz.registry import Entry, registry


@dataclass(frozen=True, kw_only=True)
class NetworkEntry(Entry):
    """A kind of network: `where` names `build(config, features, classes, parts) -> Network`.

    Attributes:
        defaults: knobs whose default differs from that of the fully connected network.
        max_depth: the most hidden layers.
        max_width: the most units, or feature maps, a layer.
        side_factor: a factor of the side of the square images that it needs; None: any inputs do.
        skips: whether it can have skip connections.
        suits_gpu: whether a GPU makes large ones faster and repeats them bit for bit.
    """

    defaults: Mapping[str, int] = field(default_factory=dict)
    max_depth: int = 50
    max_width: int = 512
    side_factor: int | None = None
    skips: bool = False
    suits_gpu: bool = True

    def takes(self, dataset: str) -> bool:
        """Whether it can learn a data set."""
        side = DATASETS[dataset].side
        return not self.side_factor or (side is not None and side % self.side_factor == 0)


# The side of the grid that a convolutional network works on, whatever the size of the image.
GRID = 4
# The side of its filters, but for those of the first layer.
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
