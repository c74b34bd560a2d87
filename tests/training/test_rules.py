import numpy as np
import torch
from torch import Tensor

from bnviz.networks.activations import ACTIVATIONS
from bnviz.records import DEAD, LARGE, SATURATED
from bnviz.training.rules import LayerCounts, LayerValues, Rules, count_broken

NAMES = ("layer 1", "layer 2", "layer 3")


def judge(rules: Rules, z: Tensor) -> tuple[str, str] | None:
    """Return the rule that fires for inputs `z` [L, N, H]. Check that the same rule fires for the
    values and for the counts.
    """
    mean_square = (z.double() ** 2).mean((1, 2)).numpy()
    h = rules.activation.forward(z)
    layers = LayerValues(rules.activation, z, h)
    assert rules.nonfinite(mean_square, layers) is None
    fired = rules.first(mean_square, layers)
    counted = LayerCounts(np.full(len(z), True), *counts_of(rules, z, h))
    assert rules.first(mean_square, counted) == fired
    return fired


def counts_of(rules: Rules, z: Tensor, h: Tensor) -> tuple[np.ndarray, int]:
    """Return the counts that a device sends to the host."""
    broken, of = count_broken(rules.activation, z, h)
    return broken.double().numpy(), of


def normal(scale: float = 1.0) -> Tensor:
    return scale * torch.from_numpy(np.random.default_rng(0).normal(size=(3, 40, 50))).float()


def test_nothing_fires_at_the_start() -> None:
    for name, activation in ACTIVATIONS.items():
        assert judge(Rules(NAMES, activation), normal()) is None, name


def test_saturation_needs_over_ninety_percent() -> None:
    for name, edge in (("tanh", 1.4722), ("sigmoid", 2.9445)):
        rules = Rules(NAMES, ACTIVATIONS[name])
        z = normal(0.1)
        assert judge(rules, z) is None
        z[1].flatten()[:1800] = edge + 0.001  # exactly 90 % of the values are just beyond the edge
        assert judge(rules, z) is None
        z[1].flatten()[1800] = -edge - 0.001
        assert judge(rules, z) == ("layer 2", SATURATED)


def test_saturation_counts_values_and_says_so() -> None:
    rules = Rules(NAMES, ACTIVATIONS["tanh"])
    judge(rules, normal(0.1))
    z = normal(0.1)
    z[1] = 2.0
    z[1, 0] = 0.0  # one example of 40 is unsaturated in every unit
    assert judge(rules, z) == ("layer 2", SATURATED)


def test_one_huge_value_is_no_saturation() -> None:
    rules = Rules(NAMES, ACTIVATIONS["tanh"])
    z = normal(0.1)
    assert judge(rules, z) is None
    z[0, 0, 0] = 400.0
    assert judge(rules, z) is None


def test_the_lowest_layer_is_named() -> None:
    rules = Rules(NAMES, ACTIVATIONS["tanh"])
    judge(rules, normal())
    z = normal()
    z[2], z[1] = 50.0, 2.0
    assert judge(rules, z) == ("layer 2", SATURATED)


def test_dead_units_count_by_unit() -> None:
    rules = Rules(NAMES, ACTIVATIONS["relu"])
    z = normal()
    z[0, :, :45] = -1.0  # 90 % of 50 units
    assert judge(rules, z) is None
    z[0, :, 45] = -1.0
    assert judge(rules, z) == ("layer 1", DEAD)
    z[0, 3, 45] = 0.1
    assert judge(rules, z) is None


def test_a_large_input_is_ten_times_the_start_and_ten() -> None:
    for name in ("linear", "gelu", "relu"):
        rules = Rules(NAMES, ACTIVATIONS[name])
        judge(rules, normal(0.1))
        assert judge(rules, normal(9.0)) is None, name
        assert judge(rules, normal(11.0)) == ("layer 1", LARGE), name
    rules = Rules(NAMES, ACTIVATIONS["linear"])
    judge(rules, normal(5.0))
    assert judge(rules, normal(49.0)) is None
    assert judge(rules, normal(51.0)) == ("layer 1", LARGE)


def test_a_non_finite_value_is_found_in_its_lowest_layer() -> None:
    rules = Rules(NAMES, ACTIVATIONS["relu"])
    z = normal()
    z[2, 0, 0], z[1, 3, 3] = torch.nan, torch.inf
    mean_square = (z**2).mean((1, 2)).numpy()
    assert rules.nonfinite(mean_square, LayerValues(rules.activation, z, z)) == "layer 2"


def test_an_overflowing_square_is_large_not_infinite() -> None:
    rules = Rules(NAMES, ACTIVATIONS["relu"])
    judge(rules, normal())
    z = normal()
    z[1] = 1e30
    mean_square = (z**2).mean((1, 2)).numpy()
    assert np.isinf(mean_square[1])
    layers = LayerValues(rules.activation, z, torch.relu(z))
    assert rules.nonfinite(mean_square, layers) is None
    assert rules.first(mean_square, layers) == ("layer 2", LARGE)
