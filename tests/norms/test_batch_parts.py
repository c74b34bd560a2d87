"""Batch normalization that learns γ alone, β alone, or neither."""

import torch

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.norms.base import NormLayers
from bnviz.norms.batch_kernels import BatchKernels
from tests.every_case import every_case
from tests.norms.making import make

# For each norm, the parameters that it lacks, with the constants used instead.
FROZEN = {
    "batch_scale": {"beta": 0.0},
    "batch_shift": {"gamma": 1.0},
    "batch_bare": {"gamma": 1.0, "beta": 0.0},
}
STEPS = 40


def resetting(config: RunConfig, frozen: dict[str, float]) -> Experiment:
    """Train with batch normalization, and reset the `frozen` parameters after each step."""
    experiment = Experiment(config)
    for _ in range(STEPS):
        experiment.step()
        for name, value in experiment.networks["batch"].parameters().items():
            if name.rpartition(".")[2] in frozen:
                value.fill_(frozen[name.rpartition(".")[2]])
    return experiment


@every_case("place", ["before", "after"])
@every_case("name", FROZEN)
def test_leaving_one_out_is_setting_it_back_after_each_step(name: str, place: str) -> None:
    knobs = {
        "dataset": "moons", "depth": 2, "width": 16, "activation": "sigmoid",
        "learning_rate": 0.3, "norm_position": place,
    }  # fmt: skip
    left_out = Experiment(RunConfig(**knobs, norms=(name,)))
    for _ in range(STEPS):
        left_out.step()
    set_back = resetting(RunConfig(**knobs, norms=("batch",)), FROZEN[name])
    own, theirs = left_out.networks[name], set_back.networks["batch"]
    parameters, others = own.parameters(), theirs.parameters()
    missing = others.keys() - parameters.keys()
    assert {each.rpartition(".")[2] for each in missing} == FROZEN[name].keys()
    assert parameters.keys() <= others.keys()
    for each, value in parameters.items():
        assert torch.equal(value, others[each]), each
    for each, value in own.buffers().items():
        assert torch.equal(value, theirs.buffers()[each]), each


def test_what_is_learned_moves_where_it_is_learned() -> None:
    """Parameters that are learned must move. Otherwise the test above would pass for networks that
    do not learn.
    """
    experiment = Experiment(RunConfig(dataset="moons", depth=2, width=16, learning_rate=0.3))
    for _ in range(STEPS):
        experiment.step()
    for name, value in experiment.networks["batch"].parameters().items():
        initial = {"gamma": 1.0, "beta": 0.0}.get(name.rpartition(".")[2])
        if initial is not None:
            assert float((value - initial).abs().max()) > 0.01, name


@every_case("name", FROZEN)
def test_no_bias_is_kept_before_it(name: str) -> None:
    network = Experiment(RunConfig(depth=2, norms=(name,))).networks[name]
    biases = [each for each in network.parameters() if each.endswith("bias")]
    assert biases == ["output.bias"]


@every_case("name", FROZEN)
def test_it_trains_by_the_fast_pass_of_batch_normalization(name: str) -> None:
    norm = make(name)
    gradients = [{key: torch.empty_like(value) for key, value in norm.parameters.items()}]
    buffers = {key: value[None] for key, value in norm.buffers.items()}
    layers = NormLayers([norm], 4, gradients, buffers)
    assert isinstance(type(norm).kernels(layers), BatchKernels)
    assert norm.stackable
