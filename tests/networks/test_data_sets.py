"""Data sets that each kind of network accepts."""

import numpy as np
import pytest

from bnviz.config import ConfigError, RunConfig
from bnviz.data import DATASETS, DatasetEntry
from bnviz.data.base import RawData
from bnviz.data.mnist import FOLDER_VARIABLE
from bnviz.experiment import Experiment
from bnviz.networks import NETWORKS
from tests.every_case import every_case


def ten_inputs() -> RawData:
    return _random(10)


def image_of_9x9() -> RawData:
    return _random(81)


def _random(features: int) -> RawData:
    inputs = np.random.default_rng(1).normal(size=(40, features)).astype(np.float32)
    labels = np.arange(40) % 3
    return RawData(inputs[:30], labels[:30], inputs[30:], labels[30:], None)


MADE_UP = {
    "ten_inputs": DatasetEntry(where=f"{__name__}:ten_inputs", features=10, classes=3, examples=30),
    "image_of_9x9": DatasetEntry(
        where=f"{__name__}:image_of_9x9", features=81, classes=3, examples=30, side=9
    ),
}


@pytest.fixture
def made_up(monkeypatch, tmp_path):
    """Add two artificial data sets, and hide MNIST so that the digits replace it."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    for name, entry in MADE_UP.items():
        monkeypatch.setitem(DATASETS, name, entry)


@every_case("network", NETWORKS)
@every_case("dataset", [*DATASETS, *MADE_UP])
def test_every_network_takes_a_step_on_a_data_set_or_refuses_it(dataset, network, made_up):
    knobs = {"dataset": dataset, "network": network, "depth": 1, "width": 4}
    if not NETWORKS[network].takes(dataset):
        with pytest.raises(ConfigError, match=f"`network` must be .*, got '{network}'"):
            RunConfig(**knobs)
        return
    run = Experiment(RunConfig(**knobs))
    run.step()
    assert set(run.breaks().values()) == {None}


@every_case("dataset, network, allowed", [
    ("moons", "conv", "mlp"), ("moons", "recurrent", "mlp"), ("ten_inputs", "conv", "mlp"),
    ("ten_inputs", "recurrent", "mlp"), ("image_of_9x9", "conv", "mlp, recurrent"),
])  # fmt: skip
def test_a_network_for_images_names_those_that_take_other_data(dataset, network, allowed, made_up):
    with pytest.raises(ConfigError) as refused:
        RunConfig(dataset=dataset, network=network)
    assert refused.value.allowed == f"{allowed} for the data set {dataset}"
