"""Networks for widgets: trained as in the lab, and packed in a format that a browser can read."""

import json
import struct
import subprocess
import sys

import numpy as np

from bnviz.experiment import Experiment
from bnviz.trained import RECIPES, Recipe
from bnviz.trained.packed import pack, trained
from tests.every_case import every_case

SHORT = Recipe(knobs={"norms": ("none", "batch"), "depth": 2, "width": 8}, steps=3)


def read(written):
    """Return the header of a packed file, and all of its arrays by name."""
    (length,) = struct.unpack("<I", written[:4])
    assert length % 4 == 0, "a browser reads the rest as float32"
    head = json.loads(written[4 : 4 + length])
    numbers = np.frombuffer(written[4 + length :], "<f4")
    arrays = {
        name: numbers[given["at"] : given["at"] + np.prod(given["shape"], dtype=int)].reshape(
            given["shape"]
        )
        for name, given in head["arrays"].items()
    }
    assert sum(array.size for array in arrays.values()) == len(numbers)
    return head, arrays


def test_a_recipe_is_trained_as_a_run_of_its_config_is():
    run, other = trained(SHORT), Experiment(SHORT.config())
    assert run.step_number == SHORT.steps
    for _ in range(SHORT.steps):
        other.step()
    for norm, network in run.networks.items():
        assert network.flat.equal(other.networks[norm].flat)


def test_what_is_written_is_every_weight_every_statistic_and_every_image():
    run = trained(SHORT)
    head, arrays = read(pack(run))
    assert (head["steps"], head["seed"]) == (3, 0)
    about = {"depth": 2, "activation": "tanh", "eps": 1e-5}
    assert head["networks"] == {"none": about, "batch": about}
    for norm, network in run.networks.items():
        parts = {**network.parameters(), **network.buffers()}
        assert parts
        for name, part in parts.items():
            assert np.array_equal(arrays.pop(f"{norm}/{name}"), part.numpy())
    raw = arrays["images"] * arrays["input_std"] + arrays["input_mean"]
    assert np.allclose(raw * 16, np.round(raw * 16), atol=1e-4)
    assert np.array_equal(arrays["images"], run.data.test_inputs)
    assert np.array_equal(arrays["labels"], run.data.test_labels)
    assert arrays.keys() == {"images", "labels", "input_mean", "input_std"}


@every_case("name", RECIPES)
def test_every_recipe_is_of_networks_that_a_browser_can_compute(name):
    config = RECIPES[name].config()
    assert (config.network, config.activation, config.norm_position) == ("mlp", "tanh", "before")
    assert set(config.norms) <= {"none", "batch"}
    assert (config.dataset, config.device) == ("digits", "cpu")


def test_the_process_writes_the_same_and_nothing_else():
    found = subprocess.run(
        [sys.executable, "-m", "bnviz.trained", "compose-batch"], capture_output=True, timeout=300,
        check=True,
    )  # fmt: skip
    assert found.stdout == pack(trained(RECIPES["compose-batch"]))
