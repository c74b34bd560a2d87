"""With ε = 0, a norm divides 0 by 0 for a constant unit, and the break names that unit."""

import pytest
import torch

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.records import CONSTANT, NONFINITE, Break
from bnviz.words.story import tell_story

AFTER = {"norm_position": "after", "activation": "relu", "init": "he", "width": 10, "norm_eps": 0}
PIXELS = {"network": "recurrent", "sequence": "pixels", "norm_eps": 0}
STEPS = 60


def broken(**knobs) -> tuple[Experiment, Break]:
    experiment = Experiment(RunConfig(norms=("batch",), **knobs))
    for _ in range(STEPS):
        experiment.step()
        if broke := experiment.breaks()["batch"]:
            return experiment, broke
    pytest.fail(f"{STEPS} steps without a break")


@pytest.mark.parametrize(("seed", "batch_size"), [(0, 8), (1, 8), (2, 8)])
def test_the_first_unit_that_is_constant_is_named(seed, batch_size):
    _, broke = broken(**AFTER, seed=seed, batch_size=batch_size)
    assert (broke.key, broke.layer) == (CONSTANT, "layer 1")
    again = Experiment(RunConfig(norms=("batch",), **AFTER, seed=seed, batch_size=batch_size))
    for _ in range(broke.step):
        again.step()
    frozen, weights = again.freeze(), again.learners["batch"].network.parameters()
    inputs = frozen.batch[0] @ weights["layer 1.weight"].T + weights["layer 1.bias"]
    spread = torch.relu(inputs).std(0, correction=0)
    assert broke.unit == spread.eq(0).nonzero().flatten().tolist()[0] + 1


def test_of_a_recurrent_network_the_time_step_is_named():
    _, broke = broken(**PIXELS, width=10)
    assert (broke.key, broke.step, broke.layer) == (CONSTANT, 0, "time 1")


def test_the_card_says_it_in_words():
    experiment, broke = broken(**AFTER, batch_size=8)
    card = tell_story(experiment.snapshot(probes=()), experiment.config)["batch"]
    assert card["headline"] == ["zero_by_zero", {"step": broke.step}]
    layer = {"key": "story.place.layer", "values": {"number": 1}}
    assert ["constant_unit", {"layer": layer, "unit": broke.unit}] in card["detail"]
    kept = Experiment.restore(experiment.config, experiment.checkpoint()).breaks()["batch"]
    assert kept == broke


def test_with_an_epsilon_nothing_breaks_there():
    experiment = Experiment(
        RunConfig(norms=("batch",), **{**AFTER, "norm_eps": 1e-5}, batch_size=8)
    )
    for _ in range(STEPS):
        experiment.step()
    assert experiment.breaks() == {"batch": None}


def test_too_large_values_are_no_constant_unit():
    experiment = Experiment(RunConfig(norms=("batch",), width=10, norm_eps=0, batch_size=8))
    experiment.learners["batch"].network.parameters()["layer 1.weight"].fill_(3e38)
    experiment.step()
    broke = experiment.breaks()["batch"]
    assert (broke.key, broke.unit) == (NONFINITE, None)
