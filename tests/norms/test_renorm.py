"""Batch renormalization (Ioffe 2017)."""

import pytest
import torch

from bnviz.norms.renorm import BatchRenorm, limits
from tests.every_case import every_case
from tests.norms.making import MAP, TIGHT, make, values


@every_case(
    ("step", "expected"),
    [
        (0, (1, 0)),
        (100, (1, 0)),
        (300, (1 + 2 * 200 / 700, 2.5)),
        (500, (1 + 2 * 400 / 700, 5)),
        (800, (3, 5)),
        (10_000, (3, 5)),
    ],
)
def test_limits_loosen_with_the_steps(step: int, expected: tuple[float, float]) -> None:
    assert limits(step) == pytest.approx(expected)


@every_case("positions", [(), MAP])
def test_it_begins_as_batch_normalization(positions: tuple[int, ...]) -> None:
    renorm, batch = make("renorm"), make("batch")
    renorm.parameters = batch.parameters
    renorm.step = 100
    x, dy = values(6, positions), values(6, positions, seed=2)
    y, cache = renorm.forward(x, training=True)
    expected, twin = batch.forward(x, training=True)
    torch.testing.assert_close(y, expected, **TIGHT)
    torch.testing.assert_close(renorm.backward(dy, cache), batch.backward(dy, twin), **TIGHT)


def test_within_the_limits_training_computes_what_inference_does() -> None:
    norm = make("renorm")
    norm.step = 800
    x = values(200)
    norm.buffers["running_mean"].copy_(x.mean(0) + 0.5)
    norm.buffers["running_std"].copy_(x.std(0) * 1.5)
    y, _ = norm.forward(x, training=True)
    torch.testing.assert_close(y, norm.forward(x, training=False)[0], rtol=1e-9, atol=1e-9)


def test_beyond_the_limits_the_correction_is_clipped() -> None:
    norm = make("renorm", width=2, affine=False, eps=0.0)
    norm.step = 800
    x = torch.tensor([[-1.0, 99.0], [1.0, 101.0]], dtype=torch.float64)  # deviation 1
    norm.buffers["running_mean"].copy_(torch.tensor([0.0, 0.0]))
    norm.buffers["running_std"].copy_(torch.tensor([0.1, 10.0]))  # r would be 10 and 1/10
    y, _ = norm.forward(x, training=True)
    expected = torch.tensor([[-3.0, 5 - 1 / 3], [3.0, 5 + 1 / 3]], dtype=torch.float64)
    torch.testing.assert_close(y, expected, **TIGHT)


def test_the_correction_is_not_differentiated() -> None:
    norm = make("renorm", affine=False)
    norm.step = 800
    x, dy = values(30), values(30, seed=2)
    _, cache = norm.forward(x, training=True)
    dx = norm.backward(dy, cache)
    batch = make("batch", affine=False)
    plain = batch.backward(dy, batch.forward(x, training=True)[1])
    r = (x.var(0, correction=0) + norm.eps).sqrt() / norm.buffers["running_std"]
    assert float(r.max()) < 3
    torch.testing.assert_close(dx, plain * r, **TIGHT)


def test_the_deviation_runs_not_the_variance() -> None:
    norm = BatchRenorm(3, momentum=0.25, eps=1e-3, dtype=torch.float64)
    x = values(9, width=3)
    norm.update_statistics(norm.forward(x, training=True)[1])
    deviation = (x.var(0, correction=0) + 1e-3).sqrt()
    torch.testing.assert_close(norm.buffers["running_mean"], 0.25 * x.mean(0), **TIGHT)
    torch.testing.assert_close(norm.buffers["running_std"], 0.75 + 0.25 * deviation, **TIGHT)
