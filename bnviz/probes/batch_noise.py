"""How much the statistics of a mini-batch wander from one mini-batch to the next."""

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
# So many examples at most stand for the training set, and are drawn in all mini-batches together.
POPULATION = 4096
MOST_EXAMPLES = 8192
# Multiplications, and passes through one layer, that a measurement may take: networks of many
# weights or layers see fewer mini-batches.
AFFORDABLE = 4e9
PASSES = 1600


def measure(context: ProbeContext) -> ProbeValues:
    """How much a mini-batch's mean and standard deviation wander, and how much they should.

    Over up to 32 mini-batches of the run's size, each drawn from the training set (from 4,096 of
    its examples where it is larger) without replacement and passed through the network in training
    mode; of each unit's or feature map's pre-activation W h + b. σ is that of the unit over all
    these mini-batches together. A layer's value is the root mean square over its units; units that
    do not vary are left out. A mini-batch larger than the training set counts as the whole of it.

    Expected for independent Gaussian values of which m out of N are drawn: σ/√m and σ/√(2m), each
    times √((N − m)/(N − 1)). In upper layers of a network with BN less is to be seen, because the
    layers below have normalized the same mini-batch already. In a convolution m counts examples:
    the places of one are far from independent.

    Returns:
        float32 [L] each: `mean`, std(μ_B)/σ; `std`, std(σ_B)/σ; `mean_expected`, `std_expected`.
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
    """std(μ_B)/σ and std(σ_B)/σ of each layer, float64 [L] both.

    Args:
        means: of mini-batches [K, L, H].
        variances: biased, of the same.
    """
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
    """Mean and biased variance of every layer's pre-activations by unit, float64 [2, L, H]."""
    layers = network.forward(inputs, training=training).layers
    values = torch.stack([unit_rows(layer.pre_activation) for layer in layers])
    variance, mean = torch.var_mean(values, dim=1, correction=0)
    return np.asarray(torch.stack([mean, variance]).double().cpu().numpy())
