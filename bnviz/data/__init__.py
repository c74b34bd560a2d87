"""The data sets, one file each. A new one is a file and a line in `DATASETS`."""

from __future__ import annotations

from dataclasses import dataclass

from bnviz.registry import Entry


@dataclass(frozen=True, kw_only=True)
class DatasetEntry(Entry):
    """A data set: `where` names a function `load(config) -> bnviz.data.base.RawData`.

    Attributes:
        features: number of inputs of one example.
        classes: number of classes.
        examples: in the training set.
        noise: standard deviation of the noise added when `RunConfig.noise` is None.
        plane: the inputs are points of the plane, so decision boundaries can be drawn.
    """

    features: int
    classes: int
    examples: int
    noise: float = 0.0
    plane: bool = False


DATASETS: dict[str, DatasetEntry] = {
    "digits": DatasetEntry(
        words="datasets.digits",
        where="bnviz.data.digits:load",
        features=64,
        classes=10,
        examples=1_438,
    ),
    "mnist": DatasetEntry(
        words="datasets.mnist",
        where="bnviz.data.mnist:load",
        features=784,
        classes=10,
        examples=60_000,
    ),
    "spirals": DatasetEntry(
        words="datasets.spirals",
        where="bnviz.data.plane:spirals",
        features=2,
        classes=2,
        examples=1_000,
        noise=0.1,
        plane=True,
    ),
    "moons": DatasetEntry(
        words="datasets.moons",
        where="bnviz.data.plane:moons",
        features=2,
        classes=2,
        examples=1_000,
        noise=0.1,
        plane=True,
    ),
    "circles": DatasetEntry(
        words="datasets.circles",
        where="bnviz.data.plane:circles",
        features=2,
        classes=2,
        examples=1_000,
        noise=0.1,
        plane=True,
    ),
    "xor": DatasetEntry(
        words="datasets.xor",
        where="bnviz.data.plane:xor",
        features=2,
        classes=2,
        examples=1_000,
        noise=0.3,
        plane=True,
    ),
}

# What a run learns from where its data set cannot be had.
STAND_IN = "digits"
