"""Batch normalization in JavaScript, compared with the engine and with autograd."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from bnviz.norms.batch import batch_norm_backward, batch_norm_forward

ASK = """async (cases) => {
  const m = await import("/assets/v1/widgets/by_hand/batch_norm.js");
  // What is not finite has a word on its way back.
  const plain = (found) => JSON.parse(JSON.stringify(found, (_, value) =>
    typeof value === "number" && !Number.isFinite(value) ? String(value) : value));
  return cases.map(({ x, gamma, beta, eps, g, paths }) => {
    const forward = m.batchNormForward(x, { gamma, beta, eps });
    return plain({ forward, backward: m.batchNormBackward(forward, g, paths) });
  });
}"""
CLOSE = 1e-12
PATHS = [(True, True), (True, False), (False, True), (False, False)]


def inputs(rng: np.random.Generator, case: int) -> np.ndarray:
    """Return random inputs of one unit, of the kind selected by the case number."""
    count = int(rng.integers(1, 9))
    values = rng.normal(size=count) + rng.choice([0, 1, -7, 100])
    kind = case % 8
    if kind == 0:
        return np.full(count, values[0])
    if kind == 1:
        return values[:1]
    if kind == 2:  # squares close to overflow, and squares that overflow
        return values * 10.0 ** rng.choice([6, 100, 150, 160, 300])
    if kind == 3:  # squares close to underflow, and squares that underflow
        return values * 10.0 ** rng.choice([-6, -100, -150, -180])
    return values * 10.0 ** rng.uniform(-2, 2)


def cases() -> list[dict[str, Any]]:
    rng = np.random.default_rng(0)
    found = []
    for case in range(200):
        x = inputs(rng, case)
        mean, variance = PATHS[int(rng.integers(4))]
        found.append({
            "x": x.tolist(), "gamma": float(rng.uniform(-3, 3)), "beta": float(rng.uniform(-3, 3)),
            "eps": float(rng.choice([0, 1e-5, 1e-3, 0.1])), "g": rng.normal(size=len(x)).tolist(),
            "paths": {"throughMean": mean, "throughVariance": variance},
        })  # fmt: skip
    return found


@pytest.fixture(scope="module")
def answered(blank):
    asked = cases()
    return list(zip(asked, numbers(blank.evaluate(ASK, asked)), strict=True))


def numbers(found: Any) -> Any:
    """Convert the strings that stand for non-finite numbers back to floats."""
    if isinstance(found, dict):
        return {name: numbers(value) for name, value in found.items()}
    if isinstance(found, list):
        return [numbers(value) for value in found]
    return float(found) if isinstance(found, str) else found


def column(values: list[float]) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)[:, None]


def same(found: Any, expected: torch.Tensor, terms: torch.Tensor) -> bool:
    """Return whether values agree up to 1e-12 times the largest term, and are non-finite at the
    same places.
    """
    expected, found = expected.detach().numpy().ravel(), np.ravel(found)
    finite = np.isfinite(expected)
    size = np.nan_to_num(np.abs(terms.detach().numpy()).max(), nan=0, posinf=0)
    return np.array_equal(np.isfinite(found), finite) and np.allclose(
        found[finite], expected[finite], rtol=CLOSE, atol=CLOSE * size
    )


def equal(case: dict[str, Any]) -> bool:
    return len(set(case["x"])) == 1


def test_the_forward_pass_is_the_engines(answered):
    for case, found in answered:
        if equal(case) and not case["eps"]:
            continue  # below
        gamma, beta = (
            torch.tensor([case[name]], dtype=torch.float64) for name in ("gamma", "beta")
        )
        y, cache = batch_norm_forward(column(case["x"]), gamma, beta, case["eps"])
        forward = found["forward"]
        sizes = column(case["x"])
        assert same(forward["mean"], cache.mean, sizes), case
        assert same(forward["variance"], cache.var, sizes**2), case
        assert same(forward["inverseStd"], cache.inverse_std, cache.inverse_std), case
        terms = sizes * cache.inverse_std
        assert same(forward["normalized"], cache.normalized, terms), case
        assert same(forward["y"], y, gamma * terms), case


def test_the_gradient_is_the_engines(answered):
    compared = 0
    for case, found in answered:
        if case["paths"] != {"throughMean": True, "throughVariance": True} or (
            equal(case) and not case["eps"]
        ):
            continue
        compared += 1
        gamma = torch.tensor([case["gamma"]], dtype=torch.float64)
        _, cache = batch_norm_forward(column(case["x"]), gamma, None, case["eps"])
        g = column(case["g"])
        dx, dgamma, dbeta = batch_norm_backward(g, cache)
        backward = found["backward"]
        assert same(backward["x"], dx, g * gamma * cache.inverse_std), case
        assert same(backward["gamma"], dgamma, g * column(case["x"]) * cache.inverse_std), case
        assert same(backward["beta"], dbeta, g), case
    assert compared > 30


def test_all_six_results_are_those_of_autograd_with_paths_left_out_or_not(answered):
    for case, found in answered:
        values = np.abs(case["x"])
        if (equal(case) and not case["eps"]) or not 1e-7 < values.max() < 1e9:
            continue  # for these inputs, autograd of elementary operations loses digits
        x = column(case["x"]).requires_grad_()
        gamma, beta = (
            torch.tensor([case[name]], dtype=torch.float64, requires_grad=True)
            for name in ("gamma", "beta")
        )
        mean = x.mean(0)
        mean.requires_grad_()
        used = mean if case["paths"]["throughMean"] else mean.detach()
        variance = ((x - used) ** 2).mean(0)
        spread = variance if case["paths"]["throughVariance"] else variance.detach()
        spread.requires_grad_()
        normalized = (x - used) / (spread + case["eps"]).sqrt()
        y, g = gamma * normalized + beta, column(case["g"])
        at = (normalized, spread, x, gamma, beta)
        found_at = torch.autograd.grad(y, at, g, retain_graph=True)
        backward = found["backward"]
        inverse = (spread + case["eps"]).rsqrt()
        slope = gamma * g
        for name, expected, terms in zip(
            ("normalized", "variance", "x", "gamma", "beta"), found_at,
            (slope, slope * x * inverse**3, slope * inverse, g * x * inverse, g),
            strict=True,
        ):  # fmt: skip
            assert same(backward[name], expected, terms), (name, case)
        if case["paths"]["throughMean"]:
            (by_mean,) = torch.autograd.grad(y, mean, g)
            assert same(backward["mean"], by_mean, slope * inverse), case
        parts = [backward[part] for part in ("direct", "byVariance", "byMean")]
        assert np.allclose(np.sum(parts, axis=0), backward["x"])


def test_equal_values_without_epsilon_are_not_defined_in_either(answered):
    exact = 0
    for case, found in answered:
        if not equal(case) or case["eps"]:
            continue
        assert np.isnan(found["forward"]["normalized"]).all()
        assert np.isnan(found["forward"]["y"]).all()
        # All inputs are equal. Rounding may shift the engine's mean, so its variance may exceed 0.
        y, cache = batch_norm_forward(column(case["x"]), None, None, 0.0)
        if not cache.var.any():
            exact += 1
            assert torch.isnan(y).all()
    assert exact > 3


def test_the_course_s_numbers(blank):
    def ask(x, g=(1, 0, 0, 0), **paths):
        case = {"x": x, "gamma": 1, "beta": 0, "eps": 0, "g": list(g)[: len(x)], "paths": paths}
        return numbers(blank.evaluate(ASK, [case]))[0]

    four = ask([2.1, 3.5, 1.8, 4.2])
    forward, backward = four["forward"], four["backward"]
    assert [forward["mean"], forward["variance"]] == pytest.approx([2.9, 0.975])
    assert 1 / forward["inverseStd"] == pytest.approx(0.98742, abs=5e-6)
    assert forward["normalized"] == pytest.approx([-0.8102, 0.6076, -1.1140, 1.3166], abs=5e-5)
    assert backward["variance"] == pytest.approx(0.4155, abs=5e-5)
    assert backward["mean"] == pytest.approx(-1.0127, abs=5e-5)
    assert backward["x"] == pytest.approx([0.5934, -0.1285, -0.4817, 0.0169], abs=5e-5)
    assert [backward["gamma"], backward["beta"]] == pytest.approx([-0.8102, 1], abs=5e-5)
    bare = ask([2.1, 3.5, 1.8, 4.2], throughMean=False, throughVariance=False)["backward"]
    assert bare["x"] == pytest.approx([1.0127, 0, 0, 0], abs=5e-5)
    for g in ([1, 1, 1, 1], forward["normalized"]):
        assert ask([2.1, 3.5, 1.8, 4.2], g)["backward"]["x"] == pytest.approx([0] * 4, abs=1e-15)
    far = ask([2.1, 3.5, 1.8, 1000])["forward"]["normalized"]
    assert far == pytest.approx([-0.578, -0.575, -0.579, 1.732], abs=5e-4)
