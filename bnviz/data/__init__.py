"""Data sets, one file each. To add one, write a file and a line in `DATASETS`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bnviz.registry import Entry, registry


@dataclass(frozen=True, kw_only=True)
class DatasetEntry(Entry):
    """Data set. `where` names a function `load() -> bnviz.data.base.RawData`.

    Attributes:
        examples: number of training examples.
        side: side length of square images whose pixels are the inputs, or None for other data.
        noise: standard deviation of the noise if `RunConfig.noise` is None. Pages offer that knob
            only if this value is not 0.
        wait: path of a function `wait(seconds)` that waits for the download, or empty.
    """

    features: int
    classes: int
    examples: int
    side: int | None = None
    noise: float = 0.0
    wait: str = ""

    @property
    def plane(self) -> bool:
        """Return whether the decision boundary can be drawn: two classes of points in the plane."""
        return (self.features, self.classes) == (2, 2)


_POINTS = DatasetEntry(features=2, classes=2, examples=1_000, noise=0.1)

DATASETS = registry("bnviz.data", {
    "digits": DatasetEntry(features=64, classes=10, examples=1_438, side=8),
    "mnist": DatasetEntry(
        features=784, classes=10, examples=60_000, side=28, wait="bnviz.data.mnist:wait"
    ),
    "spirals": replace(_POINTS, where="plane:spirals"),
    "moons": replace(_POINTS, where="plane:moons"),
    "circles": replace(_POINTS, where="plane:circles"),
    "xor": replace(_POINTS, where="plane:xor", noise=0.3),
}, attribute="load", words="datasets.{}")  # fmt: skip

# Name of the data set that is used if the requested data set is not available.
STAND_IN = "digits"
