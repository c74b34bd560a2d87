"""Statistics with which norms train, and the mini-batches that count in their running averages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from bnviz.config import RunConfig
from bnviz.data.base import load
from bnviz.experiment import Experiment
from bnviz.networks.base import Network
from bnviz.networks.recurrent import RecurrentNet
from bnviz.norms import NORMS
from bnviz.pieces import run_to_end
from bnviz.probes.context import flatten
from bnviz.sweeps.cells import Cell
from bnviz.sweeps.stacks import run_stack
from bnviz.training.batches import Batches
from bnviz.training.stack import Member, Stack, new_member
from bnviz.training.step import DeviceStepper, FastStepper, PlainStepper, Stepper
from tests.every_case import every_case

# Every norm with running averages, in every kind of network that can have the norm.
AVERAGING = [
    (norm, network) for norm, entry in NORMS.items() if entry.minimum_batch > 1
    for network in entry.networks
]  # fmt: skip
FULLY_CONNECTED = [norm for norm, network in AVERAGING if network == "mlp"]
STEPPERS = [FastStepper, PlainStepper, DeviceStepper]
FIXED, BY_BATCH = {"norm_statistics": "running"}, {"norm_statistics": "batch"}


def small(norm: str, network: str = "mlp", **knobs: Any) -> RunConfig:
    shape = {"depth": 1} if network == "recurrent" else {"depth": 3}
    return RunConfig(**{"norms": (norm,), "network": network, "width": 12, **shape, **knobs})


def experiment_of(config: RunConfig, stepper: type[Stepper] | None = None) -> Experiment:
    experiment = Experiment(config, dtype=torch.float64)
    for learner in experiment.learners.values():
        if stepper is not None:
            learner.stepper = stepper(learner.network, learner.optimizer, learner.monitor)
    return experiment


def go(experiment: Experiment, steps: int) -> Experiment:
    experiment.advance(experiment.step_number + steps)
    return experiment


def next_batch(experiment: Experiment) -> tuple[Tensor, Tensor]:
    rows = experiment.batches.peek(experiment.config.batch_size)
    data = experiment.data
    inputs = torch.from_numpy(data.train_inputs[rows]).double()
    return inputs, torch.from_numpy(data.train_labels[rows])


def statistics(network: Network) -> dict[str, Tensor]:
    return {name: value.clone() for name, value in network.buffers().items()}


def assert_equal(one: dict[str, Tensor], other: dict[str, Tensor], **tolerance: float) -> None:
    assert one.keys() == other.keys()
    for name, value in one.items():
        torch.testing.assert_close(
            value, other[name], **tolerance, msg=lambda m, n=name: f"{n} {m}"
        )


@every_case(("norm", "network"), AVERAGING)
def test_the_update_with_fixed_statistics_is_autograds(norm: str, network: str) -> None:
    """The reference is autograd's gradient with the running averages and active dropout."""
    experiment = go(experiment_of(small(norm, network, learning_rate=0.05)), 5)
    experiment.update(**FIXED)
    go(experiment, 2)
    own = experiment.networks[norm]
    before, (inputs, labels) = statistics(own), next_batch(experiment)
    flat = own.flat.detach().clone().requires_grad_()
    twin = own.twin(flat)
    with torch.enable_grad():
        logits = twin.forward(inputs, training=True).logits
        (expected,) = torch.autograd.grad(twin.loss(logits, labels)[0], flat)
    found = flatten(own, own.backward(own.forward(inputs, training=True), labels)[1])
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-12)
    if not NORMS[norm].drops:
        logits, inference = (own.forward(inputs, training=each).logits for each in (True, False))
        assert torch.equal(logits, inference)
    start = own.flat.clone()
    experiment.step()
    torch.testing.assert_close(own.flat, start - 0.05 * expected, rtol=1e-9, atol=1e-12)
    assert_equal(statistics(own), before, rtol=0, atol=0)


def modules_of(network: Network, *, momentum: float | None = 0.1) -> nn.Sequential:
    """Return a fully connected network with BN and tanh, built from torch's modules."""
    parameters, modules = network.parameters(), list[nn.Module]()
    for name in network.layer_names:
        weight = parameters[f"{name}.weight"]
        linear = nn.Linear(*weight.shape[::-1], bias=False, dtype=torch.float64)
        linear.weight.data.copy_(weight)
        norm = nn.BatchNorm1d(len(weight), momentum=momentum, dtype=torch.float64)
        modules += [linear, norm, nn.Tanh()]
    output = nn.Linear(*parameters["output.weight"].shape[::-1], dtype=torch.float64)
    output.weight.data.copy_(parameters["output.weight"])
    output.bias.data.copy_(parameters["output.bias"])
    return nn.Sequential(*modules, output)


def by_torch(model: nn.Sequential, network: Network) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield pairs of torch's tensor and our tensor, for all parameters and running averages."""
    parameters, buffers = network.parameters(), network.buffers()
    for name, linear, norm in zip(network.layer_names, model[::3], model[1::3], strict=False):
        assert isinstance(norm, nn.BatchNorm1d)
        yield linear.weight, parameters[f"{name}.weight"]
        yield norm.weight, parameters[f"{name}.gamma"]
        yield norm.bias, parameters[f"{name}.beta"]
        for key in ("running_mean", "running_var"):
            yield getattr(norm, key), buffers[f"{name}.{key}"]
    yield model[-1].weight, parameters["output.weight"]
    yield model[-1].bias, parameters["output.bias"]


def fix(model: nn.Sequential, *, fixed: bool) -> None:
    """Call `eval()` of the BN modules alone, as in fine-tuning, or `train()` if not `fixed`."""
    for module in model:
        if isinstance(module, nn.BatchNorm1d):
            module.train(not fixed)


@every_case("momentum", [0.1, None])
@every_case("stepper", STEPPERS)
def test_fifty_fixed_steps_and_what_follows_are_those_of_torch(
    stepper: type[Stepper], momentum: float | None
) -> None:
    """Twelve steps with mini-batch statistics come before the fixed steps, and twelve more after
    them.

    Torch's count of mini-batches, used with `momentum=None`, does not increase while BN is in
    `eval()`.
    """
    config = small("batch", norm_momentum=momentum, learning_rate=0.1)
    experiment = experiment_of(config, stepper)
    network = experiment.networks["batch"]
    model = modules_of(network, momentum=momentum)
    sgd = torch.optim.SGD(model.parameters(), lr=0.1)
    for count, values in ((12, BY_BATCH), (50, FIXED), (12, BY_BATCH)):
        experiment.update(**values)
        fix(model, fixed=values == FIXED)
        for _ in range(count):
            inputs, labels = next_batch(experiment)
            with torch.enable_grad():
                sgd.zero_grad()
                nn.functional.cross_entropy(model(inputs), labels).backward()
            sgd.step()
            experiment.step()
        for theirs, ours in by_torch(model, network):
            torch.testing.assert_close(ours, theirs.data, rtol=1e-8, atol=1e-9)


@every_case(("norm", "network"), AVERAGING)
def test_without_a_momentum_running_averages_are_means_of_all_mini_batches(
    norm: str, network: str
) -> None:
    experiment = experiment_of(small(norm, network, norm_momentum=None, learning_rate=0.05))
    own, found = experiment.networks[norm], list[dict[str, Tensor]]()
    for step in range(7):
        # The third and fourth steps are taken with fixed statistics, and do not count.
        experiment.update(**(FIXED if step in (2, 3) else BY_BATCH))
        if not own.fixed_statistics:
            trace = own.forward(next_batch(experiment)[0], training=True)
            found.append(new_statistics(own, trace.layers))
        experiment.step()
    expected = statistics(own) | {
        name: torch.stack([each[name] for each in found]).mean(0) for name in found[0]
    }
    assert_equal(statistics(own), expected, rtol=1e-10, atol=1e-12)
    assert own.taken_in == 5


def new_statistics(network: Network, layers: Any) -> dict[str, Tensor]:
    """Return the contribution of one training-mode pass to each running average."""
    found = {}
    for index, ((name, norm), layer) in enumerate(zip(network.named_norms(), layers, strict=False)):
        cache = layer.norm_cache
        if isinstance(network, RecurrentNet):
            assert name == f"time {index + 1}.input"
            cache = cache.input
        for key, value in norm.batch_statistics(cache).items():
            found[f"{name}.{key}"] = value.clone()
    return found


@every_case("momentum", [0.1, None])
@every_case("network", ["mlp", "conv", "recurrent"])
def test_a_run_goes_on_from_a_checkpoint_with_the_same_bits(
    network: str, momentum: float | None
) -> None:
    """One checkpoint is taken while statistics are fixed, and another one afterwards."""
    config = small("batch", network, norm_momentum=momentum, batch_size=16)
    run = go(Experiment(config), 5)
    for values in (FIXED, BY_BATCH):
        run.update(**values)
        go(run, 3)
        restored = Experiment.restore(config, run.checkpoint())
        assert restored.config == run.config
        for each in (go(restored, 4), run):
            each.advance(restored.step_number)
        for name, value in run.networks["batch"].buffers().items():
            assert torch.equal(restored.networks["batch"].buffers()[name], value), name
        assert torch.equal(restored.networks["batch"].flat, run.networks["batch"].flat)


def stack_of(configs: list[RunConfig], steps: int) -> tuple[Stack, list[Member]]:
    """Train a stack of networks with one seed, and return it with its initial members."""
    config, norm, data = configs[0], configs[0].norms[0], load(configs[0])
    members = [new_member(each, norm, data.features, data.classes) for each in configs]
    stack, batches = Stack(members), Batches(len(data.train_labels), config.seed)
    for _ in range(steps):
        rows = batches.take(config.batch_size)
        stack.step(data.train_inputs[rows], data.train_labels[rows])
    return stack, members


@every_case("knobs", [FIXED, {"norm_momentum": None}])
@every_case("norm", FULLY_CONNECTED)
def test_members_of_a_stack_have_the_bits_of_the_run_alone(
    norm: str, knobs: dict[str, Any]
) -> None:
    base = small(norm, **knobs)
    configs = [base.replace(learning_rate=rate) for rate in (0.02, 0.3)]
    for config, member in zip(configs, stack_of(configs, 8)[1], strict=True):
        alone = go(Experiment(config), 8).networks[norm]
        assert torch.equal(member.network.flat, alone.flat)
        assert_equal(statistics(member.network), statistics(alone), rtol=0, atol=0)


def test_who_stays_in_a_stack_goes_on_counting_when_another_member_leaves() -> None:
    base = small("batch", norm_momentum=None, activation="linear", loss="squared")
    configs = [base.replace(learning_rate=rate) for rate in (0.01, 30.0)]
    stack, members = stack_of(configs, 30)
    assert [member.monitor.stopped for member in members] == [False, True]
    assert stack.members == members[:1]
    alone = go(Experiment(configs[0]), 30).networks["batch"]
    assert_equal(statistics(members[0].network), statistics(alone), rtol=0, atol=0)


def test_with_fixed_statistics_a_mini_batch_of_one_will_do() -> None:
    run = go(Experiment(RunConfig(depth=2, width=8)), 3)
    run.update(batch_size=1)
    assert run.snapshot(()).networks["batch"].undefined_norm is not None
    run.update(**FIXED)
    before = run.networks["batch"].flat.clone()
    go(run, 2)
    assert run.snapshot(()).networks["batch"].undefined_norm is None
    assert not torch.equal(run.networks["batch"].flat, before)


@every_case("norm", ["batch", "ghost"])
def test_a_sweeps_network_with_fixed_statistics_learns_from_single_examples(norm: str) -> None:
    cell = Cell(small(norm, batch_size=1, learning_rate=0.01, **FIXED), 20)
    (found,) = run_to_end(run_stack([cell]))
    assert found.state != "paused"


@every_case("norm", [name for name, entry in NORMS.items() if entry.minimum_batch == 1])
def test_norms_without_running_averages_do_not_notice(norm: str) -> None:
    network = next(kind for kind in ("mlp", "conv") if kind in NORMS[norm].networks)
    plain, fixed = (
        go(Experiment(small(norm, network, **knobs)), 6).networks[norm] for knobs in ({}, FIXED)
    )
    assert torch.equal(plain.flat, fixed.flat)


def test_recomputed_statistics_are_those_of_mini_batches_while_statistics_are_fixed() -> None:
    run = go(Experiment(small("batch", width=30)), 6)
    by_batch = run.snapshot(["mode_gap"]).networks["batch"].probes["mode_gap"]
    run.update(**FIXED)
    fixed = run.snapshot(["mode_gap"]).networks["batch"].probes["mode_gap"]
    np.testing.assert_equal(fixed, by_batch)
    assert run.networks["batch"].fixed_statistics


@pytest.mark.parametrize("began", ["batch", "running"])
def test_what_is_compared_with_step_0_does_not_depend_on_when_statistics_were_fixed(
    began: str,
) -> None:
    """A chart that is opened late shows the same start as a chart that was open from step 0."""
    config = small("batch", norm_statistics=began)
    early, late = Experiment(config), Experiment(config)
    early.snapshot(["start_histogram"])
    found = []
    for run in (early, late):
        go(run, 2)
        run.update(**(FIXED if began == "batch" else BY_BATCH))
        go(run, 2)
        probes = run.snapshot(["start_histogram"]).networks["batch"].probes
        found.append(probes["start_histogram"])
    np.testing.assert_equal(found[0], found[1])
