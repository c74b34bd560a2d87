"""Probes as on other devices, but run on the CPU: layers are computed together, and results are
copied to the host once.
"""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from bnviz.pieces import run_to_end
from bnviz.probes import PROBES
from bnviz.probes.context import ProbeContext
from bnviz.probes.jacobian import pooled, pooled_there
from bnviz.probes.sorting import distribution_in_pieces, sorted_there
from tests.every_case import every_case
from tests.probes.contexts import make_context

DEFAULT = [name for name, probe in PROBES.items() if probe.default]


def matrices(*shape: int, zero_rows: int = 0, seed: int = 0) -> Tensor:
    """Return random float64 matrices [E, m, n]. The first matrix has `zero_rows` rows of zeros."""
    found = np.random.default_rng(seed).normal(size=shape)
    found[0, :zero_rows] = 0
    return torch.from_numpy(found)


def singular() -> Tensor:
    """Return singular matrices, whose Gram matrix cannot separate zeros from small values."""
    low = matrices(2, 12, 3)
    return low @ low.mT


def lost() -> Tensor:
    """Return two matrices, one of which contains NaN."""
    found = matrices(2, 12, 12)
    found[1, 3, 3] = torch.nan
    return found


LAYERS = [
    matrices(2, 12, 5), matrices(2, 12, 12), matrices(2, 12, 12, zero_rows=4, seed=1), singular(),
    lost(), torch.zeros(2, 12, 12, dtype=torch.float64), matrices(2, 12, 12, seed=2) * 1e200,
    matrices(2, 5, 12, zero_rows=1, seed=3), matrices(2, 12, 5, zero_rows=9, seed=4),
]  # fmt: skip


def test_singular_values_of_all_layers_together_are_those_of_each() -> None:
    together = pooled_there(LAYERS)
    for index, (layer, found) in enumerate(zip(LAYERS, together, strict=True)):
        expected, _ = pooled(layer.numpy())
        largest = np.nanmax(expected) if not np.isnan(expected).all() else 1.0
        np.testing.assert_allclose(
            found, expected, rtol=1e-6, atol=1e-13 * largest, err_msg=str(index)
        )


def test_rows_of_zeros_do_not_need_the_exact_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """About half of all ReLU units are inactive, so rows of zeros are common and must not need the
    slow exact algorithm.
    """
    monkeypatch.setattr("bnviz.probes.jacobian._exact_there", None)
    layer = matrices(2, 12, 12, zero_rows=4, seed=1)
    (found,) = pooled_there([layer])
    np.testing.assert_allclose(found, pooled(layer.numpy())[0], rtol=1e-6, atol=1e-12)


def test_values_sorted_on_their_device_are_those_sorted_here() -> None:
    values = matrices(3, 20, 30).float()
    values[1] = 2.0  # all equal
    values[2, 3, 3], values[2, 4, 4] = torch.nan, torch.inf
    here, there = (
        run_to_end(distribution_in_pieces(values.flatten(1).numpy())),
        sorted_there(values),
    )
    assert there.ordered.tobytes() == here.ordered.tobytes()
    assert there.dtype == here.dtype
    np.testing.assert_allclose(there.mean[:2], here.mean[:2], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(there.std[:2], here.std[:2], rtol=1e-6, atol=1e-8)
    assert not np.isfinite(there.std[2])


@every_case("network", ["mlp", "conv", "recurrent"])
@every_case("activation", ["tanh", "relu"])
@every_case("norm", ["none", "batch"])
def test_default_probes_give_the_values_of_the_cpu(
    network: str, activation: str, norm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    knobs: dict[str, Any] = {"network": network, "activation": activation}
    for name in DEFAULT:
        here = run_to_end(make_context(norm, **knobs).values(name))
        with monkeypatch.context() as patch:
            patch.setattr(ProbeContext, "on_cpu", False)
            there = run_to_end(make_context(norm, **knobs).values(name))
        assert here.keys() == there.keys()
        # The tolerance is wide, because on the CPU, probes round many values before they sort them.
        for key, value in here.items():
            scale = np.nanmax(np.abs(value), initial=0)
            np.testing.assert_allclose(
                there[key], value, rtol=1e-4, atol=2e-3 * scale, err_msg=f"{name} {key}"
            )
