"""What a trained batch normalization becomes: Algorithm 2 of Ioffe & Szegedy 2015.

Statistics of the whole population take the place of each mini-batch's; then the norm is affine, and
goes into the linear map before it.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from bnviz.norms.base import Norm


def population_statistics(batches: Iterable[tuple[Tensor, Tensor, int]]) -> tuple[Tensor, Tensor]:
    """Mean and variance of the population, from those of mini-batches.

    E[x] = E[μ_B] and Var[x] = E[m/(m − 1) · σ²_B], each mini-batch counted once.

    Args:
        batches: mean [D], biased variance [D] and number of values m of each mini-batch.

    Returns:
        E[x] and Var[x] [D].

    Raises:
        ValueError: there are no mini-batches, or one has a single value.
    """
    means, variances = [], []
    for mean, var, count in batches:
        if count < 2:
            raise ValueError(f"A mini-batch needs at least 2 values for each unit, got {count}.")
        means.append(mean)
        variances.append(var * (count / (count - 1)))
    if not means:
        raise ValueError("Population statistics need at least one mini-batch, got none.")
    return torch.stack(means).mean(0), torch.stack(variances).mean(0)


def fold_linear(weight: Tensor, bias: Tensor | None, norm: Norm) -> tuple[Tensor, Tensor]:
    """A linear layer followed by a norm in inference mode, as one linear layer.

    γ/√(Var + ε) · (W x + b) + (β − γ E/√(Var + ε)).

    Args:
        weight: [fan_out, fan_in].
        bias: [fan_out]; None for 0.
        norm: of fan_out units, affine in inference mode.

    Returns:
        Weight [fan_out, fan_in] and bias [fan_out].

    Raises:
        ValueError: this norm is not affine in inference mode.
    """
    return _fold(weight, bias, norm)


def fold_convolution(weight: Tensor, bias: Tensor | None, norm: Norm) -> tuple[Tensor, Tensor]:
    """A convolution followed by a norm in inference mode, as one convolution.

    Args:
        weight: filters [C_out, C_in, height, width].
        bias: [C_out]; None for 0.
        norm: of C_out feature maps, affine in inference mode.

    Returns:
        Filters, of the shape of `weight`, and bias [C_out].

    Raises:
        ValueError: this norm is not affine in inference mode.
    """
    return _fold(weight, bias, norm)


def _fold(weight: Tensor, bias: Tensor | None, norm: Norm) -> tuple[Tensor, Tensor]:
    affine = norm.inference_affine()
    if affine is None:
        raise ValueError(
            f"A norm can be folded if it scales and shifts each unit in inference mode; "
            f"{norm.name} does not."
        )
    scale, shift = affine
    folded = weight * scale.reshape(-1, *[1] * (weight.ndim - 1))
    return folded, shift if bias is None else shift + bias * scale
