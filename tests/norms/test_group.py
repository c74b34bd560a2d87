"""Group and instance normalization: special cases of each other, and where they are undefined."""

import pytest
import torch
from torch import nn

from bnviz.norms import NORMS
from bnviz.norms.instance import InstanceNorm
from tests.every_case import every_case
from tests.norms.making import MAP, TIGHT, WIDTH, make, values


@every_case("positions", [(), MAP])
def test_one_group_is_layer_normalization(positions: tuple[int, ...]) -> None:
    group, layer = make("group", groups=1), make("layer")
    x, dy = values(5, positions), values(5, positions, seed=2)
    y, cache = group.forward(x, training=True)
    expected, twin = layer.forward(x, training=True)
    torch.testing.assert_close(y, expected, **TIGHT)
    torch.testing.assert_close(group.backward(dy, cache), layer.backward(dy, twin), **TIGHT)


def test_a_group_for_each_map_is_instance_normalization() -> None:
    group, instance = make("group", groups=WIDTH), make("instance")
    x = values(5, MAP)
    expected = instance.forward(x, training=True)[0]
    torch.testing.assert_close(group.forward(x, training=True)[0], expected, **TIGHT)


@every_case("training", [True, False])
def test_instance_normalization_is_torchs_module(training: bool) -> None:
    norm = make("instance", affine=False)
    module = nn.InstanceNorm2d(WIDTH, eps=norm.eps).double().train(training)
    x = values(3, MAP)
    torch.testing.assert_close(norm.forward(x, training=training)[0], module(x), **TIGHT)


@every_case("training", [True, False])
@every_case("positions", [(), (1, 1)])
def test_a_map_without_positions_has_no_spread(positions: tuple[int, ...], training: bool) -> None:
    norm = make("instance")
    with pytest.raises(ValueError, match=r"needs feature maps \[N, C, H, W\] of at least 2 pos"):
        norm.forward(values(5, positions), training=training)


def test_instance_normalization_has_no_jacobian_for_units() -> None:
    norm = make("instance")
    assert isinstance(norm, InstanceNorm)
    with pytest.raises(ValueError, match=r"needs feature maps .* got \[1, 12\]"):
        norm.inference_jacobian(values(1)[0])


def test_a_group_of_one_unit_has_no_spread() -> None:
    norm = make("group", groups=WIDTH)
    with pytest.raises(ValueError, match=r"at least 2 values in each group .* got 1"):
        norm.forward(values(5), training=True)
    with pytest.raises(ValueError, match=r"at least 2 values in each group .* got 1"):
        norm.inference_jacobian(values(1)[0])


@every_case("groups", [0, -4, 5, 24])
def test_groups_must_divide_the_units(groups: int) -> None:
    with pytest.raises(
        ValueError, match=f"`groups` must be a divisor of the 12 units, got {groups}"
    ):
        make("group", groups=groups)


def test_examples_do_not_see_each_other() -> None:
    names = [
        n for n, entry in NORMS.items() if entry.shelf == "example" and "mlp" in entry.networks
    ]
    assert len(names) >= 3
    for name in names:
        norm = make(name)
        x = values(5)
        together = norm.forward(x, training=True)[0]
        torch.testing.assert_close(norm.forward(x[2:3], training=True)[0], together[2:3], **TIGHT)
