"""Algorithm 2 of the BN paper: a trained norm is folded into the linear map before it."""

import pytest
import torch
from torch import nn
from torch.nn import functional

from bnviz.networks.inference import fold_norm
from bnviz.norms import norms_for
from bnviz.norms.base import Norm
from tests.every_case import every_case
from tests.norms.making import MAP, TIGHT, WIDTH, make, values
from tests.pairs import pairs

# Norms that must be foldable. Other norms may be foldable, too, if they are affine at inference.
FOLDABLE = {
    "batch", "ablated", "batch_scale", "batch_shift", "batch_bare", "noisy", "renorm", "l1", "linf",
    "dropout",
}  # fmt: skip
WAYS = pairs(sorted(norms_for("mlp")), [torch.float32, torch.float64], [True, False])


def trained(name: str, dtype: torch.dtype, positions: tuple[int, ...] = ()) -> Norm:
    norm = make(name, dtype=dtype)
    for seed in range(20):
        x = values(30, positions, seed=seed).to(dtype)
        norm.update_statistics(norm.forward(x, training=True)[1])
    return norm


@every_case(("name", "dtype", "biased"), WAYS)
def test_folded_into_a_linear_layer(name: str, dtype: torch.dtype, biased: bool) -> None:
    norm = trained(name, dtype)
    weight = values(WIDTH, width=5, seed=3).to(dtype)
    bias = values(1, seed=4)[0].to(dtype) if biased else None
    if norm.inference_affine() is None:
        assert name not in FOLDABLE
        with pytest.raises(ValueError, match=f"{name} does not"):
            fold_norm(weight, bias, norm)
        return
    x = values(50, width=5, seed=5).to(dtype)
    expected, _ = norm.forward(functional.linear(x, weight, bias), training=False)
    folded = functional.linear(x, *fold_norm(weight, bias, norm))
    scale = float(expected.abs().max())
    assert float((folded - expected).abs().max()) / scale < 1e-6


@every_case(("name", "dtype", "biased"), WAYS)
def test_folded_into_a_convolution(name: str, dtype: torch.dtype, biased: bool) -> None:
    norm = trained(name, dtype, MAP)
    if norm.inference_affine() is None:
        return
    weight = values(WIDTH, (3, 3), width=4, seed=3).to(dtype)
    bias = values(1, seed=4)[0].to(dtype) if biased else None
    x = values(10, (6, 5), width=4, seed=5).to(dtype)
    expected, _ = norm.forward(functional.conv2d(x, weight, bias, padding=1), training=False)
    folded = functional.conv2d(x, *fold_norm(weight, bias, norm), padding=1)
    scale = float(expected.abs().max())
    assert float((folded - expected).abs().max()) / scale < 1e-6


def test_folding_equals_torchs_own() -> None:
    norm = trained("batch", torch.float64)
    linear = nn.Linear(5, WIDTH).double()
    module = nn.BatchNorm1d(WIDTH, eps=norm.eps).double().eval()
    with torch.no_grad():
        for key in norm.buffers:
            getattr(module, key).copy_(norm.buffers[key])
        module.weight.copy_(norm.parameters["gamma"])
        module.bias.copy_(norm.parameters["beta"])
        fused = torch.nn.utils.fusion.fuse_linear_bn_eval(linear.eval(), module)
        weight, bias = fold_norm(linear.weight, linear.bias, norm)
    torch.testing.assert_close(weight, fused.weight, **TIGHT)
    torch.testing.assert_close(bias, fused.bias, **TIGHT)
