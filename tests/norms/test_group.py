"""Group and instance normalization, and the cases in which they are equal to other norms."""

import torch
from torch import nn

from bnviz.norms import NORMS
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
