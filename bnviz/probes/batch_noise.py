"""Probe of how much batch statistics vary from one mini-batch to the next."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from bnviz.networks.base import Network
from bnviz.networks.trace import unit_rows
from bnviz.probes.context import ProbeContext, as_floats
from bnviz.records import ProbeValues

BATCHES = 32
FEWEST_BATCHES = 4
# Maximum number of training examples to draw from, and maximum number of examples in all
# mini-batches together.
POPULATION = 4096
MOST_EXAMPLES = 8192
# Maximum number of multiplications, and maximum number of layer passes (layers × forward passes).
# Networks with many weights or layers get fewer mini-batches.
AFFORDABLE = 4e9
PASSES = 1600


def measure(context: ProbeContext) -> ProbeValues:
    """Measure how much batch means and standard deviations vary, and the expected variation.

    Up to 32 mini-batches of the run's size are drawn without replacement from the training set
    (from 4,096 of its examples if it is larger). The statistics are of the pre-activations W h + b
    of each unit in training mode. σ is the unit's standard deviation over all these mini-batches.
    The value of a layer is the root mean square over its units that vary.

    For m of N independent Gaussian values, the expectations are σ/√m and σ/√(2m), each times
    √((N − m)/(N − 1)). Above a BN layer the variation is smaller, because the mini-batch is already
    normalized. In a convolution m counts examples: positions of an example are not independent.

    Returns:
        `mean`, `mean_expected`: [L], std(μ_B)/σ.
        `std`, `std_expected`: [L], std(σ_B)/σ.
    """
    size = len(context.data.train_labels)
    generator = context.generator(context.step)
    population = np.arange(size)
    if size > POPULATION:
        population = np.sort(generator.choice(size, POPULATION, replace=False))
    m = min(context.config.batch_size, len(population))
    drawn = [
        np.sort(generator.choice(population, m, replace=False)) for _ in range(_batches(context, m))
    ]
    inputs = (context.as_input(context.data.train_inputs[rows]) for rows in drawn)
    means, variances = np.stack(
        [statistics_by_layer(context.network, each, training=True) for each in inputs], axis=1
    )
    mean, std = wander(means, variances)
    left = (len(population) - m) / max(len(population) - 1, 1)
    layers = np.ones(len(mean))
    return as_floats(
        mean=mean,
        std=std,
        mean_expected=np.sqrt(left / m) * layers,
        std_expected=np.sqrt(left / (2 * m)) * layers,
    )


def wander(means: np.ndarray, variances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return std(μ_B)/σ and std(σ_B)/σ per layer, from means and biased variances [K, L, H]."""
    with np.errstate(all="ignore"):
        total = variances.mean(axis=0) + means.var(axis=0)
        varies = ~(total == 0)
        shares = [
            np.where(varies, found.var(axis=0, ddof=1) / total, 0)
            for found in (means, np.sqrt(variances))
        ]
        mean, std = (np.sqrt(share.sum(axis=1) / varies.sum(axis=1)) for share in shares)
    return mean, std


def _batches(context: ProbeContext, m: int) -> int:
    examples = min(MOST_EXAMPLES, AFFORDABLE // context.products)
    most = min(examples // m, PASSES // context.config.layer_count)
    return int(np.clip(most, FEWEST_BATCHES, BATCHES))


def statistics_by_layer(network: Network, inputs: Tensor, *, training: bool) -> np.ndarray:
    """Return mean and biased variance of each unit's pre-activation, float64 [2, L, H]."""
    layers = network.forward(inputs, training=training).layers
    values = torch.stack([unit_rows(layer.pre_activation) for layer in layers])
    variance, mean = torch.var_mean(values, dim=1, correction=0)
    return np.asarray(torch.stack([mean, variance]).double().cpu().numpy())
