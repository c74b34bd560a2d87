"""Steps on a device, tested on the CPU: the results equal those of the plain step, and the host
waits only once per step.
"""

import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.norms import norms_for
from bnviz.training.step import DeviceStepper, PlainStepper
from tests.every_case import every_case

# Operations that make the host wait for the device.
WAITS = {"_local_scalar_dense", "nonzero", "equal", "is_nonzero", "masked_select", "unique"}


class Calls(TorchDispatchMode):
    """Count the operations called within its context, by name."""

    def __init__(self) -> None:
        super().__init__()
        self.by_name: Counter[str] = Counter()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        self.by_name[func._schema.name.removeprefix("aten::")] += 1
        return func(*args, **(kwargs or {}))


def with_stepper(kind: type[PlainStepper], **knobs: Any) -> Experiment:
    """Return an experiment on the CPU whose networks step with the class `kind`."""
    experiment = Experiment(RunConfig(device="cpu", **knobs))
    for learner in experiment.learners.values():
        learner.stepper = kind(learner.network, learner.optimizer, learner.monitor)
    return experiment


def state_of(experiment: Experiment, norm: str) -> list[np.ndarray]:
    """Return copies of the parameters, the running averages and the optimizer's tensors."""
    learner = experiment.learners[norm]
    remembered = [v for v in learner.optimizer.state.values() if isinstance(v, Tensor)]
    network = learner.network
    return [v.numpy().copy() for v in (network.flat, *network.buffers().values(), *remembered)]


def same(one: Experiment, other: Experiment) -> None:
    """Check that both runs have the same states, breaks and tensors, bit for bit."""
    assert one.states() == other.states()
    assert one.breaks() == other.breaks()
    for norm in one.networks:
        for here, there in zip(state_of(one, norm), state_of(other, norm), strict=True):
            assert here.tobytes() == there.tobytes(), norm


@every_case("network", ["mlp", "conv", "recurrent"])
def test_steps_are_the_plain_ones(network: str) -> None:
    norms = norms_for(network)
    for at in range(0, len(norms), 4):
        knobs: dict[str, Any] = {
            "network": network, "depth": 1 if network == "recurrent" else 2, "width": 20,
            "norms": norms[at : at + 4], "optimizer": "adam", "momentum": 0.9,
        }  # fmt: skip
        plain, device = (with_stepper(kind, **knobs) for kind in (PlainStepper, DeviceStepper))
        for experiment in (plain, device):
            experiment.advance(4)
        same(plain, device)


@every_case(
    "knobs",
    [
        {"activation": "tanh", "learning_rate": 20.0},  # saturated
        {"activation": "relu", "learning_rate": 50.0},  # dead units, or values that are too large
        {"activation": "gelu", "learning_rate": 100.0},
        {"activation": "linear", "learning_rate": 100.0, "momentum": 0.9},  # diverges
    ],
)
def test_breaks_are_the_plain_ones(knobs: dict[str, Any]) -> None:
    plain, device = (with_stepper(kind, depth=4, **knobs) for kind in (PlainStepper, DeviceStepper))
    for experiment in (plain, device):
        experiment.advance(60)
    same(plain, device)
    assert plain.breaks()["none"] is not None


@every_case("optimizer", ["sgd", "adam"])
def test_a_step_that_was_not_finite_is_put_back(optimizer: str) -> None:
    experiment = with_stepper(DeviceStepper, optimizer=optimizer, momentum=0.9, depth=3)
    experiment.advance(3)
    experiment.networks["batch"].parameters()["layer 2.weight"][1, 1] = torch.inf
    before = state_of(experiment, "batch")
    remembered = dict(experiment.learners["batch"].optimizer.state)
    experiment.step()
    for now, then in zip(state_of(experiment, "batch"), before, strict=True):
        assert now.tobytes() == then.tobytes()
    assert experiment.learners["batch"].optimizer.state.get("steps") == remembered.get("steps")
    assert experiment.learners["batch"].monitor.stopped_at == 3


def test_an_update_that_overflows_diverges_at_the_next_step() -> None:
    plain, device = (
        with_stepper(kind, depth=2, momentum=0.9, learning_rate=10.0)
        for kind in (PlainStepper, DeviceStepper)
    )
    for experiment in (plain, device):
        experiment.advance(2)
        velocity = experiment.learners["none"].optimizer.state["velocity"]
        velocity[0] = 3e38
        experiment.step()
    same(plain, device)
    assert device.learners["none"].monitor.stopped_at == 3


@every_case("norm", norms_for("mlp"))
def test_statistics_of_all_layers_at_once_are_those_of_each(norm: str) -> None:
    one, other = (with_stepper(DeviceStepper, norms=(norm,), depth=3) for _ in range(2))
    for experiment, update in ((one, "update_statistics"), (other, "_update_at_once")):
        network = experiment.networks[norm]
        trace = network.forward(experiment._examples.test[0][:40], training=True)
        if network.stacked_buffers:
            getattr(network, update)(trace)
    for here, there in zip(state_of(one, norm), state_of(other, norm), strict=True):
        np.testing.assert_allclose(here, there, rtol=1e-6, atol=1e-7)


@every_case("network", ["mlp", "conv", "recurrent"])
@every_case("activation", ["tanh", "relu"])
@every_case("loss", ["cross_entropy", "squared"])
def test_the_host_waits_once_per_step_and_network(
    network: str, activation: str, loss: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # ZCA is excluded, because the host must wait to read whether the eigendecomposition converged.
    for norm in (each for each in norms_for(network) if each != "zca"):
        experiment = with_stepper(
            DeviceStepper, network=network, activation=activation, norms=(norm,), width=20,
            depth=1 if network == "recurrent" else 2, loss=loss,
        )  # fmt: skip
        experiment.advance(1)
        knobs = experiment.config.step_settings(norm)
        inputs, labels = experiment._examples.batch(experiment.batches.take(60))
        copies: list[Tensor] = []
        with monkeypatch.context() as patch, Calls() as calls, torch.no_grad():
            compute_with_torch(patch)
            patch.setattr(Tensor, "cpu", counted(copies))
            experiment.learners[norm].stepper.step(1, inputs, labels, knobs)
        layers = len(experiment.networks[norm].layer_names)
        assert [each.shape for each in copies] == [(4 + 3 * layers,)], norm
        assert not WAITS & set(calls.by_name), norm


def compute_with_torch(patch: pytest.MonkeyPatch) -> None:
    """Disable NumPy computations, as on a device."""
    for name, module in list(sys.modules.items()):
        if name.startswith("bnviz.") and hasattr(module, "on_numpy"):
            patch.setattr(module, "on_numpy", lambda *tensors: False)


def counted(copies: list[Tensor]) -> Callable[[Tensor], Tensor]:
    """Return a replacement for `Tensor.cpu` that records the copied tensors."""
    copy = Tensor.cpu

    def noted(tensor: Tensor) -> Tensor:
        copies.append(tensor)
        return copy(tensor)

    return noted
