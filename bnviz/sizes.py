"""Estimates of a run's parameters, operations per step and memory, without building the run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isqrt
from typing import Any, Protocol

from bnviz.data import DATASETS
from bnviz.networks import GRID, KERNEL
from bnviz.networks.skips import block_count


class Structure(Protocol):
    """Knobs of `RunConfig` that determine the size of a run."""

    dataset: str
    network: str
    sequence: Any
    norms: tuple[str, ...]
    depth: int
    width: int
    skip: int
    batch_size: int


@dataclass(frozen=True)
class Size:
    """Size of one network.

    Attributes:
        parameters: number of weights and biases, without γ and β.
        products: number of multiplications in a forward pass of one example.
        values: number of hidden values of one example in all layers, including the sums at the ends
            of residual blocks.
    """

    parameters: int
    products: int
    values: int


def size_of(config: Structure) -> Size:
    return _SIZES[config.network](config)


def layer_count(config: Structure) -> int:
    """Number of rows in measurements per layer: hidden layers, or time steps."""
    if config.network != "recurrent":
        return config.depth
    features = DATASETS[config.dataset].features
    return features if config.sequence == "pixels" else isqrt(features)


def flops_per_step(config: Structure) -> float:
    """FLOPs of all networks per step: 2 forward and 4 backward for each multiplication."""
    return 6.0 * size_of(config).products * config.batch_size * len(config.norms)


def bytes_per_run(config: Structure) -> float:
    """Bytes of a run's weights, gradients, two optimizer states, a checkpoint and hidden values."""
    size = size_of(config)
    values = 5 * size.parameters + 8 * config.batch_size * size.values
    return 4.0 * values * len(config.norms)


def weight_bytes(config: Structure) -> float:
    """Bytes of the weights of all networks."""
    return 4.0 * size_of(config).parameters * len(config.norms)


def _mlp(config: Structure) -> Size:
    data, width = DATASETS[config.dataset], config.width
    hidden = (config.depth - 1) * (width + 1) * width
    count = (data.features + 1) * width + hidden + (width + 1) * data.classes
    return Size(count, count, width * (config.depth + block_count(config.depth, config.skip)))


def _conv(config: Structure) -> Size:
    data, width, places = DATASETS[config.dataset], config.width, GRID**2
    first = (isqrt(data.features) // GRID + 2) ** 2 * width
    filters = first + (config.depth - 1) * (KERNEL * width) ** 2
    output = places * width * data.classes
    values = places * width * config.depth
    biases = config.depth * width + data.classes
    return Size(filters + output + biases, places * filters + output, values)


def _recurrent(config: Structure) -> Size:
    data, width, steps = DATASETS[config.dataset], config.width, layer_count(config)
    matrices = (data.features // steps + width + 1) * width
    output = (width + 1) * data.classes
    return Size(matrices + output, steps * matrices + output, 2 * steps * width)


_SIZES: dict[str, Callable[[Structure], Size]] = {
    "mlp": _mlp, "conv": _conv, "recurrent": _recurrent,
}  # fmt: skip
