"""Every norm on values that break careless formulas: constant, huge, tiny, not finite."""

from collections.abc import Callable
from itertools import product

import numpy as np
import torch

from bnviz.norms import NORMS
from bnviz.norms.base import NormLayers
from bnviz.norms.kernels import share
from tests.every_case import every_case
from tests.norms.making import KINDS, by_own_batch, make, values
from tests.norms.references import REFERENCES
from tests.pairs import pairs

SCALES = [1e-12, 1e-6, 1e6, 1e12, 1e18]
# Norms that normalize with statistics of their present input.
NORMALIZING = [
    (name, positions) for name, positions in KINDS
    if NORMS[name].shelf == "example" or by_own_batch(name)
]  # fmt: skip


def saying(case: str) -> Callable[[str], str]:
    return lambda message: f"{case}: {message}"


@every_case(("name", "positions"), KINDS)
def test_huge_and_tiny_values_match_the_reference(name: str, positions: tuple[int, ...]) -> None:
    norm = make(name, eps=1e-5)
    for scale, training in product(SCALES, [True, False]):
        x, dy = (scale * values(40, positions)).requires_grad_(), values(40, positions, seed=2)
        expected = REFERENCES[name](norm, x, training)
        (dx,) = torch.autograd.grad(expected, x, dy)
        y, cache = norm.forward(x.detach(), training=training)
        found = norm.backward(dy, cache)
        said = saying(f"values of {scale}, training {training}")
        torch.testing.assert_close(y, expected.detach(), rtol=1e-9, atol=1e-9, msg=said)
        # Gradients are inversely proportional to the values, so compare the gradients relative to
        # their size.
        size = float(dx.abs().max()) or 1.0
        torch.testing.assert_close(found / size, dx / size, rtol=1e-6, atol=1e-7, msg=said)


@every_case(("name", "positions"), KINDS)
def test_huge_and_tiny_values_stay_finite_in_single_precision(
    name: str, positions: tuple[int, ...]
) -> None:
    norm = make(name, eps=1e-5, dtype=torch.float32)
    exact = make(name, eps=1e-5)
    # for larger values, sums of squares are too large for a float32
    for scale in (*SCALES[:-1], 1e15):
        x, dy = values(40, positions) * scale, values(40, positions, seed=2)
        y, cache = norm.forward(x.float(), training=True)
        dx = norm.backward(dy.float(), cache)
        expected, cache = exact.forward(x.float().double(), training=True)
        said = saying(f"values of {scale}")
        torch.testing.assert_close(y.double(), expected, rtol=1e-3, atol=1e-3, msg=said)
        found, expected = dx.double(), exact.backward(dy, cache)
        assert torch.isfinite(found).all(), scale
        assert float((found - expected).norm()) <= 2e-3 * float(expected.norm()), scale


@every_case(("name", "positions"), NORMALIZING)
def test_size_does_not_matter_far_above_epsilon(name: str, positions: tuple[int, ...]) -> None:
    norm = make(name)
    norm.step = 0  # at step 0, batch renormalization equals batch normalization
    x = values(40, positions)
    once, twice, thrice = (norm.forward(scale * x, training=True)[0] for scale in (1e6, 1e12, 1e18))
    torch.testing.assert_close(once, twice, rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(once, thrice, rtol=1e-9, atol=1e-9)


@every_case(
    ("kind", "dtype", "level"), pairs(KINDS, [torch.float32, torch.float64], [0.0, 3.0, -1e6]),
)  # fmt: skip
def test_a_constant_feature(
    kind: tuple[str, tuple[int, ...]], dtype: torch.dtype, level: float
) -> None:
    name, positions = kind
    norm = make(name, eps=1e-5, dtype=dtype)
    norm.step = 0
    x, dy = values(40, positions), values(40, positions, seed=2)
    x[:, 2] = level
    x, dy = x.to(dtype), dy.to(dtype)
    y, cache = norm.forward(x, training=True)
    dx = norm.backward(dy, cache)
    assert torch.isfinite(y).all()
    assert torch.isfinite(dx).all()
    assert all(torch.isfinite(value).all() for value in norm.batch_statistics(cache).values())
    if by_own_batch(name) and name != "noisy":
        beta = torch.zeros(norm.width, dtype=dtype) if norm.beta is None else norm.beta
        # Only the rounding error of the mean remains, divided by √ε. Whitening adds the errors of
        # other units.
        loose = 0.1 if level else 1e-3
        torch.testing.assert_close(
            y[:, 2], beta[2].expand(y[:, 2].shape), rtol=0,
            atol=1e-6 if dtype == torch.float64 else loose,
        )  # fmt: skip


@every_case(("name", "positions"), KINDS)
def test_all_values_equal(name: str, positions: tuple[int, ...]) -> None:
    norm = make(name)
    x, dy = torch.full_like(values(6, positions), 0.7), values(6, positions, seed=2)
    y, cache = norm.forward(x, training=True)
    assert torch.isfinite(y).all()
    assert torch.isfinite(norm.backward(dy, cache)).all()


@every_case("bad", [torch.nan, torch.inf])
@every_case(("name", "positions"), KINDS)
def test_what_is_not_finite_is_passed_on_without_an_error(
    name: str, positions: tuple[int, ...], bad: float
) -> None:
    norm = make(name)
    x = values(6, positions)
    x[1, 2] = bad
    y, cache = norm.forward(x, training=True)
    dx = norm.backward(values(6, positions, seed=2), cache)
    assert y.shape == dx.shape == x.shape
    if name != "dropout":
        expected = REFERENCES[name](norm, x, True)
        assert torch.isfinite(y).all() == torch.isfinite(expected).all()


@every_case("width", [8, 20])
@every_case("name", [name for name, positions in KINDS if not positions])
def test_kernels_recover_from_what_is_not_finite(name: str, width: int) -> None:
    norm = make(name, width=width)
    gradients = [{key: torch.empty_like(value) for key, value in norm.parameters.items()}]
    buffers = {key: value[None] for key, value in norm.buffers.items()}
    kernels = type(norm).kernels(NormLayers([norm], 6, gradients, buffers))
    if kernels is None:
        return
    y, dx = share(torch.empty(6, width).double()), share(torch.empty(6, width).double())
    dy, good = share(values(6, width=width, seed=2)), share(values(6, width=width))
    bad = share(good.tensor.clone())
    bad.array[1, 2] = np.nan
    with np.errstate(all="ignore"):
        for x in (bad, good):
            kernels.forward(0, x, y)
            kernels.backward(0, dy, dx)
    expected, cache = norm.forward(good.tensor, training=True)
    torch.testing.assert_close(y.tensor, expected)
    torch.testing.assert_close(dx.tensor, norm.backward(dy.tensor, cache))
