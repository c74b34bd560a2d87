"""The kinds of networks, one file each. A new one is a file and a line in `NETWORKS`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bnviz.registry import Entry, registry


@dataclass(frozen=True, kw_only=True)
class NetworkEntry(Entry):
    """A kind of network: `where` names `build(config, features, classes, kit) -> Network`.

    Attributes:
        defaults: knobs whose default differs from that of the fully connected network.
        max_depth: the most hidden layers.
        max_width: the most units, or feature maps, a layer.
        images_only: it needs inputs that are pixels.
        skips: whether it can have skip connections.
    """

    defaults: Mapping[str, int] = field(default_factory=dict)
    max_depth: int = 50
    max_width: int = 512
    images_only: bool = False
    skips: bool = False


NETWORKS = registry("bnviz.networks", {
    "mlp": NetworkEntry(skips=True),
    "conv": NetworkEntry(
        defaults={"depth": 4, "width": 16}, max_depth=12, max_width=64, images_only=True,
    ),
    "recurrent": NetworkEntry(
        defaults={"depth": 1, "width": 64}, max_depth=1, max_width=256, images_only=True,
    ),
}, attribute="build", words="networks.{}")  # fmt: skip

# The side of the grid that a convolutional network works on, whatever the size of the image.
GRID = 4
# The side of its filters, but for those of the first layer.
KERNEL = 3
