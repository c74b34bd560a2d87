"""Reference implementations of every norm: torch's own layers, or a few simple formulas.

Each function takes the norm (for its parameters, buffers and options) and x. Autograd
differentiates the function.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from bnviz.norms.base import Norm
from bnviz.norms.dropout import Dropout
from bnviz.norms.ghost import GhostBatchNorm
from bnviz.norms.group import GroupNorm
from bnviz.norms.noisy import draw_noise
from bnviz.norms.renorm import limits

Reference = Callable[[Norm, Tensor, bool], Tensor]


def column(values: Tensor | None, x: Tensor) -> Tensor | float:
    """Reshape γ, β or statistics so that they broadcast over the units of x."""
    return 1.0 if values is None else values.view(1, -1, *[1] * (x.dim() - 2))


def affine(norm: Norm, normalized: Tensor) -> Tensor:
    shift = 0.0 if norm.beta is None else column(norm.beta, normalized)
    return normalized * column(norm.gamma, normalized) + shift


def by_unit(x: Tensor) -> Tensor:
    """Return all values of each unit, [D, M]."""
    return x.transpose(0, 1).flatten(1)


def none(norm: Norm, x: Tensor, training: bool) -> Tensor:
    return x * 1.0


def batch(norm: Norm, x: Tensor, training: bool) -> Tensor:
    mean, var = norm.buffers["running_mean"].clone(), norm.buffers["running_var"].clone()
    return functional.batch_norm(x, mean, var, norm.gamma, norm.beta, training, 0.1, norm.eps)


def ghost(norm: Norm, x: Tensor, training: bool) -> Tensor:
    assert isinstance(norm, GhostBatchNorm)
    if not training:
        return batch(norm, x, False)
    parts = torch.tensor_split(x, max(len(x) // norm.ghost_size, 1))
    return torch.cat([batch(norm, part, True) for part in parts])


def layer(norm: Norm, x: Tensor, training: bool) -> Tensor:
    return affine(norm, functional.layer_norm(x, x.shape[1:], eps=norm.eps))


def rms(norm: Norm, x: Tensor, training: bool) -> Tensor:
    return affine(norm, functional.rms_norm(x, x.shape[1:], eps=norm.eps))


def group(norm: Norm, x: Tensor, training: bool) -> Tensor:
    assert isinstance(norm, GroupNorm)
    return functional.group_norm(x, norm.groups, norm.gamma, norm.beta, norm.eps)


def instance(norm: Norm, x: Tensor, training: bool) -> Tensor:
    return functional.instance_norm(x, weight=norm.gamma, bias=norm.beta, eps=norm.eps)


def noisy(norm: Norm, x: Tensor, training: bool) -> Tensor:
    y = batch(norm, x, training)
    if not training:
        return 1.125 * y
    stretch, shift = draw_noise(norm.random(), tuple(x.shape))
    return y * torch.from_numpy(stretch).to(x.dtype) + torch.from_numpy(shift).to(x.dtype)


def moment_noise(norm: Norm, x: Tensor, training: bool) -> Tensor:
    if not training:
        return batch(norm, x, False)
    e_mean, e_std = torch.from_numpy(
        norm.random().standard_normal((2, norm.width), dtype=np.float32)
    ).to(x.dtype)
    m = len(x)
    std = torch.sqrt(norm.buffers["running_var"] + norm.eps)
    mean = norm.buffers["running_mean"] + std / m**0.5 * e_mean
    std = torch.maximum(std * (1 + e_std / (2 * m) ** 0.5), std / 10)
    return affine(norm, (x - column(mean, x)) / column(std, x))


def renorm(norm: Norm, x: Tensor, training: bool) -> Tensor:
    mean, std = norm.buffers["running_mean"], norm.buffers["running_std"]
    if not training:
        return affine(norm, (x - column(mean, x)) / column(std, x))
    var, center = torch.var_mean(by_unit(x), dim=1, correction=0)
    spread = (var + norm.eps).sqrt()
    max_r, max_d = limits(norm.step)
    with torch.no_grad():
        r = torch.clip(spread / std, 1 / max_r, max_r)
        d = torch.clip((center - mean) / std, -max_d, max_d)
    hat = (x - column(center, x)) / column(spread, x)
    return affine(norm, hat * column(r, x) + column(d, x))


def l1(norm: Norm, x: Tensor, training: bool) -> Tensor:
    return lengths(norm, x, training, lambda centred: centred.abs().mean(1))


def linf(norm: Norm, x: Tensor, training: bool) -> Tensor:
    return lengths(norm, x, training, lambda centred: torch.linalg.vector_norm(
        centred, torch.inf, dim=1))  # fmt: skip


def lengths(norm: Norm, x: Tensor, training: bool, measure: Callable[[Tensor], Tensor]) -> Tensor:
    mean, length = norm.buffers["running_mean"], norm.buffers["running_length"]
    if training:
        values = by_unit(x)
        mean = values.mean(1)
        length = measure(values - mean[:, None])
    return affine(norm, (x - column(mean, x)) / (column(length, x) ** 2 + norm.eps) ** 0.5)


def iternorm(norm: Norm, x: Tensor, training: bool) -> Tensor:
    def matrix(covariance: Tensor, count: int) -> Tensor:
        identity = torch.eye(len(covariance), dtype=x.dtype)
        covariance = covariance + norm.eps * identity
        scaled = covariance / covariance.trace()
        power = identity
        for _ in range(5):
            power = (3 * power - torch.linalg.matrix_power(power, 3) @ scaled) / 2
        return power / covariance.trace().sqrt()

    return whiten(norm, x, training, matrix)


def zca(norm: Norm, x: Tensor, training: bool) -> Tensor:
    def matrix(covariance: Tensor, count: int) -> Tensor:
        size = -(-x.shape[1] // -(-x.shape[1] // 16))
        share = min(max((size / count) ** 3, 1e-4), 1)
        identity = torch.eye(len(covariance), dtype=x.dtype)
        floor = share * covariance.diagonal().mean() + norm.eps
        moved = (1 - share) * covariance + floor * identity
        # Use the iteration of Denman & Beavers 1976, because autograd cannot differentiate the
        # eigenvectors of equal eigenvalues.
        scale = moved.trace()
        root, inverse = moved / scale, identity
        for _ in range(25):
            root, inverse = (root + inverse.inverse()) / 2, (inverse + root.inverse()) / 2
        return inverse / scale.sqrt()

    return whiten(norm, x, training, matrix)


def whiten(
    norm: Norm, x: Tensor, training: bool, matrix: Callable[[Tensor, int], Tensor]
) -> Tensor:
    """Whiten groups of neighbouring units, at most 16 units per group."""
    values = by_unit(x)  # [D, M]
    size = -(-len(values) // -(-len(values) // 16))
    parts = []
    for index, start in enumerate(range(0, len(values), size)):
        part = values[start : start + size]
        mean = norm.buffers["running_mean"][start : start + size]
        whitening = norm.buffers["running_whitening"][index][: len(part), : len(part)]
        if training:
            mean = part.mean(1)
            centred = part - mean[:, None]
            count = part.shape[1]
            whitening = matrix(centred @ centred.T / count, count)
        parts.append(whitening @ (part - mean[:, None]))
    shape = (x.shape[1], x.shape[0], *x.shape[2:])
    return affine(norm, torch.cat(parts).reshape(shape).transpose(0, 1))


def dropout(norm: Norm, x: Tensor, training: bool) -> Tensor:
    assert isinstance(norm, Dropout)
    if not training:
        return x * 1.0
    kept = norm.random().random(tuple(x.shape), dtype="float32") >= norm.rate
    return torch.where(torch.from_numpy(kept), x / (1 - norm.rate), 0.0)


REFERENCES: dict[str, Reference] = {
    "none": none,
    "batch": batch,
    "layer": layer,
    "rms": rms,
    "group": group,
    "instance": instance,
    "ablated": batch,
    "batch_scale": batch,
    "batch_shift": batch,
    "batch_bare": batch,
    "ghost": ghost,
    "batch_dropout": batch,
    "noisy": noisy,
    "moment_noise": moment_noise,
    "renorm": renorm,
    "iternorm": iternorm,
    "zca": zca,
    "l1": l1,
    "linf": linf,
    "dropout": dropout,
}
