"""Values of a unit in the first mini-batches of a run, compared with the engine's network."""

import itertools

import numpy as np
import torch

from bnviz.config import RunConfig
from bnviz.data.base import load
from bnviz.experiment import Experiment
from bnviz.lessons.first_batches import BATCHES, UNIT, first_batches
from bnviz.training.batches import Batches
from tests.every_case import every_case
from tests.lessons.observing import lesson


@every_case(
    "config",
    [
        lesson("scale-and-shift").config(0), lesson("scale-and-shift").config(7),
        RunConfig(seed=2, width=20, init="normal", init_std=0.3, norms=("none",), batch_size=33),
    ],
)  # fmt: skip
def test_they_are_what_the_engines_network_gives_that_unit(config):
    found, data = first_batches(config), load(config)
    network = Experiment(config, dtype=torch.float64).networks[config.norms[0]]
    stream = Batches(len(data.train_labels), config.seed)
    assert found.shape == (BATCHES, config.batch_size)
    for row in found:
        inputs = torch.from_numpy(data.train_inputs[stream.take(config.batch_size)]).double()
        expected = network.forward(inputs, training=True).layers[0].pre_activation[:, UNIT]
        np.testing.assert_allclose(row, expected.detach().numpy(), rtol=1e-6, atol=1e-9)


@every_case("seed", range(20))
def test_no_two_of_the_lessons_batches_have_the_same_mean_and_spread(seed):
    """If two successive mini-batches agreed, γ and β would fit the next mini-batch as well, and the
    widget would show nothing.
    """
    rows = first_batches(lesson("scale-and-shift").config(seed))
    spreads = rows.std(axis=1)
    assert (spreads > 0.05).all()
    assert (spreads < 5).all()
    for one, other in itertools.pairwise(rows):
        apart = abs(one.mean() - other.mean()) + abs(one.std() - other.std())
        assert apart > 0.01 * one.std()
