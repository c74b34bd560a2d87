"""BN with dropout after the nonlinearity, tested in whole networks, because the norm itself
is BN.
"""

from typing import Any

import pytest
import torch
from torch import Tensor

from bnviz.config import ConfigError, RunConfig
from bnviz.experiment import Experiment
from bnviz.networks.base import Network
from bnviz.networks.build import build_network
from tests.every_case import every_case
from tests.norms.making import make, values

SIZES = {"mlp": {"depth": 3, "width": 8}, "conv": {"depth": 2, "width": 4}}


def network(kind: str = "mlp", norm: str = "batch_dropout", **knobs: Any) -> Network:
    config = RunConfig(network=kind, norms=(norm,), dropout=0.4, **SIZES[kind], **knobs)
    made = build_network(config, norm, 64, 10, dtype=torch.float64)
    generator = torch.Generator().manual_seed(4)
    for value in made.parameters().values():
        value += 0.2 * torch.randn(value.shape, generator=generator, dtype=value.dtype)
    made.step = 3
    return made


def inputs() -> Tensor:
    generator = torch.Generator().manual_seed(5)
    return torch.randn(6, 64, generator=generator, dtype=torch.float64)


@every_case("kind", SIZES)
def test_with_relu_dropout_before_it_is_dropout_after_it(kind: str) -> None:
    made = network(kind, activation="relu")
    below = made.forward(inputs(), training=True).layers
    for layer in below:
        assert layer.mask is not None
        before = torch.relu(layer.normalized * layer.mask)
        torch.testing.assert_close(layer.output, before, rtol=1e-12, atol=0)
    curved = network(kind, activation="tanh").forward(inputs(), training=True).layers[0]
    assert not torch.allclose(curved.output, torch.tanh(curved.normalized * curved.mask))


@every_case("position", ["before", "after"])
def test_what_a_layer_sends_on_is_dropped_after_norm_and_nonlinearity(position: str) -> None:
    made = network(norm_position=position, activation="sigmoid")
    first, second = made.forward(inputs(), training=True).layers[:2]
    result = first.activation if position == "before" else first.normalized
    gone = first.output == 0
    assert 0.2 < float(gone.double().mean()) < 0.6
    torch.testing.assert_close(first.output[~gone], result[~gone] / 0.6)
    weight, bias = (made.parameters().get(f"layer 2.{name}") for name in ("weight", "bias"))
    expected = torch.nn.functional.linear(first.output, weight, bias)
    torch.testing.assert_close(second.pre_activation, expected)


def test_it_drops_what_dropout_alone_would_drop_in_that_step() -> None:
    own, alone = (network(norm=norm).norms for norm in ("batch_dropout", "dropout"))
    x = torch.ones(9, 8, dtype=torch.float64)
    for one, other in zip(own, alone, strict=True):
        assert one.mask(x).equal(other.forward(x, training=True)[0])
    assert not own[0].mask(x).equal(own[1].mask(x))
    assert float(own[0].mask(x).max()) == pytest.approx(1 / (1 - own[0].rate))


@every_case("kind", SIZES)
def test_in_inference_mode_it_is_batch_norm(kind: str) -> None:
    made, plain = network(kind), network(kind, "batch")
    found, expected = (each.forward(inputs(), training=False) for each in (made, plain))
    assert all(layer.mask is None for layer in found.layers)
    assert found.logits.equal(expected.logits)
    assert (
        make("batch_dropout")
        .forward(values(5), training=False)[0]
        .equal(make("batch").forward(values(5), training=False)[0])
    )


def test_a_rate_of_nothing_is_batch_norm_to_the_bit() -> None:
    runs = [Experiment(RunConfig(depth=2, width=8, dropout=0.0, norms=(norm,)))
            for norm in ("batch_dropout", "batch")]  # fmt: skip
    for _ in range(5):
        for run in runs:
            run.step()
    flats = [next(iter(run.networks.values())).flat for run in runs]
    assert flats[0].equal(flats[1])


@every_case(
    ("knobs", "field"),
    [({"skip": 2}, "skip"), ({"network": "recurrent"}, "norms")],
)
def test_where_it_has_no_place_the_field_is_named(knobs: dict[str, Any], field: str) -> None:
    with pytest.raises(ConfigError) as error:
        RunConfig(norms=("batch_dropout",), **knobs)
    assert error.value.field == field
