"""The data sets, one file each. A new one is a file and a line in `DATASETS`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bnviz.registry import Entry, registry


@dataclass(frozen=True, kw_only=True)
class DatasetEntry(Entry):
    """A data set: `where` names a function `load() -> bnviz.data.base.RawData`.

    Attributes:
        features: number of inputs of one example.
        classes: number of classes.
        examples: in the training set.
        side: of the square images whose pixels are the inputs; None: they are no such images.
        noise: standard deviation of the noise added when `RunConfig.noise` is None. Pages offer
            that knob where it is not 0.
        wait: of a data set that is downloaded: names a function `wait(seconds)`.
    """

    features: int
    classes: int
    examples: int
    side: int | None = None
    noise: float = 0.0
    wait: str = ""

    @property
    def plane(self) -> bool:
        """Whether the decision boundary can be drawn: two classes of points in the plane."""
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

# What a run learns from where its data set cannot be had.
STAND_IN = "digits"
