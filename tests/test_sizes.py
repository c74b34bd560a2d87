"""Stated sizes of networks, compared with the built networks."""

import pytest

from bnviz.config import RunConfig
from bnviz.data import DATASETS
from bnviz.networks import GRID
from bnviz.networks.build import build_network
from bnviz.sizes import layer_count, size_of

WIDTH = 6


def built(config):
    data = DATASETS[config.dataset]
    network = build_network(config, "none", data.features, data.classes)
    return {name: value.numel() for name, value in network.parameters().items()}


@pytest.mark.parametrize(
    "knobs",
    [{"network": "mlp", "depth": 3}, {"network": "recurrent"},
     {"network": "recurrent", "sequence": "pixels"}],
    ids=["mlp", "rows", "pixels"],
)  # fmt: skip
def test_weights_and_biases_are_counted_and_multiplied_once_at_each_step_in_time(knobs):
    config = RunConfig(norms=("none",), width=WIDTH, **knobs)
    size, counts = size_of(config), built(config)
    assert size.parameters == sum(counts.values())
    output = (WIDTH + 1) * DATASETS[config.dataset].classes
    times = layer_count(config) if config.network == "recurrent" else 1
    assert size.products == times * (size.parameters - output) + output


def test_every_place_of_an_image_multiplies_a_filter_and_the_output_all_places_once():
    config = RunConfig(norms=("none",), width=WIDTH, network="conv", depth=3)
    size, counts = size_of(config), built(config)
    filters = sum(count for name, count in counts.items() if name.endswith(".weight"))
    output = GRID**2 * WIDTH * DATASETS[config.dataset].classes
    assert size.parameters == sum(counts.values())
    assert size.products == GRID**2 * (filters - output) + output
