"""Norms with random numbers: distributions as in the papers, and equal numbers at equal steps."""

import numpy as np
import pytest
import torch

from bnviz.norms.noisy import draw_noise
from tests.every_case import every_case
from tests.norms.making import MAP, WIDTH, make, values

NOISY = ["noisy", "moment_noise", "dropout"]
SHAPES = [(), MAP]


@every_case("positions", SHAPES)
@every_case("name", NOISY)
def test_a_step_sees_the_same_noise_however_often(name: str, positions: tuple[int, ...]) -> None:
    norm, twin = make(name, seed=3), make(name, seed=3)
    x = values(9, positions)
    norm.step = twin.step = 5
    first = norm.forward(x, training=True)[0]
    norm.forward(values(4, positions), training=True)  # another batch in between
    assert norm.forward(x, training=True)[0].equal(first)
    assert twin.forward(x, training=True)[0].equal(first)


@every_case("positions", SHAPES)
@every_case("name", NOISY)
def test_other_steps_layers_and_seeds_see_other_noise(
    name: str, positions: tuple[int, ...]
) -> None:
    x = values(9, positions)
    results = []
    for seed, layer, step in [(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0)]:
        norm = type(make(name))(WIDTH, seed=seed, layer=layer, dtype=torch.float64)
        norm.step = step
        results.append(norm.forward(x, training=True)[0])
    for index, first in enumerate(results):
        assert not any(first.equal(other) for other in results[index + 1 :])


@every_case("name", NOISY)
def test_nobody_elses_random_numbers_are_touched(name: str) -> None:
    ours, numpys = torch.random.get_rng_state(), np.random.get_state()[1].copy()
    norm = make(name)
    norm.backward(values(9), norm.forward(values(9), training=True)[1])
    assert torch.random.get_rng_state().equal(ours)
    assert np.array_equal(np.random.get_state()[1], numpys)


def test_single_and_double_precision_see_the_same_noise() -> None:
    x = values(9)
    for name in NOISY:
        single, double = make(name, dtype=torch.float32), make(name)
        y = single.forward(x.float(), training=True)[0]
        torch.testing.assert_close(
            y.double(), double.forward(x, training=True)[0], rtol=1e-4, atol=1e-5
        )


@every_case("shape", [(4000, 300), (1000, 300, 2, 2)])
def test_noise_has_the_distribution_of_the_paper(shape: tuple[int, ...]) -> None:
    stretch, shift = draw_noise(np.random.default_rng(0), shape)
    assert stretch.shape == shift.shape == shape
    assert stretch.dtype == shift.dtype == np.float32
    axes = tuple(axis for axis in range(len(shape)) if axis != 1)
    unit_shift, unit_stretch = shift.mean(axes), stretch.mean(axes)
    # Noise per unit: U(-0.5, 0.5) and U(1, 1.25).
    for found, low, high in ((unit_shift, -0.5, 0.5), (unit_stretch, 1.0, 1.25)):
        assert low - 0.01 < found.min() < low + 0.05 * (high - low)
        assert high - 0.05 * (high - low) < found.max() < high + 0.01
        assert found.mean() == pytest.approx((low + high) / 2, abs=0.1 * (high - low))
        assert found.std() == pytest.approx((high - low) / 12**0.5, rel=0.1)
    # Noise of single values around their unit's mean noise: U(-0.1, 0.1) and N(0, 0.1).
    inner = shift - shift.mean(axes, keepdims=True)
    assert np.abs(inner).max() < 0.11
    assert inner.std() == pytest.approx(0.2 / 12**0.5, rel=0.01)
    inner = stretch - stretch.mean(axes, keepdims=True)
    assert inner.std() == pytest.approx(0.1, rel=0.01)
    assert (inner**4).mean() == pytest.approx(3 * 0.1**4, rel=0.05)


def test_a_unit_keeps_its_shift_within_a_step_and_loses_it_at_the_next() -> None:
    norm = make("noisy", affine=False)
    units = []
    for step in range(2):
        norm.step = step
        y = norm.forward(values(4000), training=True)[0]
        halves = y[:2000].mean(0), y[2000:].mean(0)
        torch.testing.assert_close(*halves, rtol=0, atol=0.15)
        units.append(y.mean(0))
    assert float((units[0] - units[1]).abs().mean()) > 0.1


def test_noise_is_replaced_by_its_mean_in_inference_mode() -> None:
    norm = make("noisy")
    x = values(7)
    plain = make("batch")
    plain.buffers = norm.buffers
    plain.parameters = norm.parameters
    expected = 1.125 * plain.forward(x, training=False)[0]
    torch.testing.assert_close(norm.forward(x, training=False)[0], expected)


def test_moment_noise_is_that_of_the_statistics_of_m_normal_values() -> None:
    """Compare the errors of the mean and the standard deviation with the errors in as many samples
    of m normal values.
    """
    m, units = 12, 20_000
    norm = make("moment_noise", width=units, affine=False, eps=0)
    mean, std = norm.buffers["running_mean"], norm.buffers["running_var"].sqrt()
    x = values(m, width=units)
    y = norm.forward(x, training=True)[0]
    # Solve y = (x − μ′)/σ′ for σ′ and μ′, using two examples.
    used_std = (x[0] - x[1]) / (y[0] - y[1])
    used_mean = x[0] - y[0] * used_std
    sample = torch.randn(m, units, generator=torch.Generator().manual_seed(3)).double()
    for found, drawn in (
        ((used_mean - mean) / std, sample.mean(0)), (used_std / std, sample.std(0)),
    ):  # fmt: skip
        assert float(found.std()) == pytest.approx(float(drawn.std()), rel=0.04)
        assert float(found.mean()) == pytest.approx(float(drawn.mean()), abs=0.03)
    assert abs(float(torch.corrcoef(torch.stack([used_mean, used_std]))[0, 1])) < 0.05


def test_moment_noise_stays_away_from_a_standard_deviation_of_zero() -> None:
    norm = make("moment_noise", width=20_000, affine=False, eps=0)
    x = values(2, width=20_000)
    y = norm.forward(x, training=True)[0]
    share = (x[0] - x[1]) / (y[0] - y[1]) / norm.buffers["running_var"].sqrt()
    assert float(share.min()) == pytest.approx(0.1)
    assert float(share.max()) > 2


def test_moment_noise_moves_its_averages_as_batch_norm_does() -> None:
    noisy, plain = make("moment_noise"), make("batch")
    plain.buffers = {name: value.clone() for name, value in noisy.buffers.items()}
    for seed in range(3):
        x = values(9, seed=seed)
        for norm in (noisy, plain):
            norm.update_statistics(norm.forward(x, training=True)[1])
    for name, value in plain.buffers.items():
        torch.testing.assert_close(noisy.buffers[name], value)


def test_recomputed_statistics_of_moment_noise_are_those_of_mini_batches() -> None:
    norm, plain = make("moment_noise"), make("batch")
    norm.use_batch_statistics()
    plain.parameters = norm.parameters
    x = values(9)
    (y, cache), (expected, _) = (each.forward(x, training=True) for each in (norm, plain))
    assert y.equal(expected)
    torch.testing.assert_close(norm.batch_statistics(cache)["running_mean"], x.mean(0))


@every_case("positions", SHAPES)
@every_case("rate", [0.0, 0.2, 0.9])
def test_dropout_drops_its_share_and_keeps_the_mean(
    rate: float, positions: tuple[int, ...]
) -> None:
    norm = make("dropout", rate=rate)
    x = torch.ones_like(values(4000, positions))
    y = norm.forward(x, training=True)[0]
    assert float((y == 0).double().mean()) == pytest.approx(rate, abs=0.01)
    assert float(y.mean()) == pytest.approx(1, abs=0.05)
    kept = y[y != 0]
    torch.testing.assert_close(kept, torch.full_like(kept, 1 / (1 - rate)))
    assert norm.forward(x, training=False)[0].equal(x)
