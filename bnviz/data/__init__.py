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
        noise: standard deviation of the noise added when `RunConfig.noise` is None.
        plane: the inputs are points of the plane, so decision boundaries can be drawn.
    """

    features: int
    classes: int
    noise: float = 0.0
    plane: bool = False


DATASETS: dict[str, DatasetEntry] = {
    "digits": DatasetEntry(
        label="digits",
        help="1,797 real handwritten digits, 8×8 pixels (UCI). Comes with the app.",
        where="bnviz.data.digits:load",
        features=64,
        classes=10,
    ),
    "mnist": DatasetEntry(
        label="MNIST",
        help="Real handwritten digits, 28×28 pixels, read from a folder or downloaded once.",
        where="bnviz.data.mnist:load",
        features=784,
        classes=10,
    ),
    "spirals": DatasetEntry(
        label="spirals",
        help="Two interleaved spirals in the plane.",
        where="bnviz.data.plane:spirals",
        features=2,
        classes=2,
        noise=0.1,
        plane=True,
    ),
    "moons": DatasetEntry(
        label="moons",
        help="Two interleaved half circles in the plane.",
        where="bnviz.data.plane:moons",
        features=2,
        classes=2,
        noise=0.1,
        plane=True,
    ),
    "circles": DatasetEntry(
        label="circles",
        help="A circle inside a circle in the plane.",
        where="bnviz.data.plane:circles",
        features=2,
        classes=2,
        noise=0.1,
        plane=True,
    ),
    "xor": DatasetEntry(
        label="XOR",
        help="Four clouds in the plane; opposite ones share a class.",
        where="bnviz.data.plane:xor",
        features=2,
        classes=2,
        noise=0.3,
        plane=True,
    ),
}

# What a run learns from where its data set cannot be had.
STAND_IN = "digits"
