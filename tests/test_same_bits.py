"""Equal configs and changes give equal bits, whatever is observed, shared, stopped or restored."""

import dataclasses
from typing import Any

import numpy as np
import pytest
import torch

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.probes import PROBES
from bnviz.records import Change, Snapshot

SMALL = {"depth": 3, "width": 20, "device": "cpu"}


def weights(experiment: Experiment) -> dict[str, np.ndarray]:
    found = {norm: network.flat.numpy().copy() for norm, network in experiment.networks.items()}
    for norm, network in experiment.networks.items():
        for name, value in network.buffers().items():
            found[f"{norm} {name}"] = value.numpy().copy()
    return found


def assert_same(first: Experiment, second: Experiment) -> None:
    one, two = weights(first), weights(second)
    assert set(one) == set(two)
    for name, values in one.items():
        np.testing.assert_array_equal(values, two[name], err_msg=name)
    assert first.states() == second.states()
    assert first.breaks() == second.breaks()
    assert first.step_number == second.step_number
    assert first.config == second.config
    assert first.changes == second.changes


def assert_same_records(first: Snapshot, second: Snapshot) -> None:
    for norm, record in first.networks.items():
        twin = second.networks[norm]
        compared = [field.name for field in dataclasses.fields(record) if field.compare]
        for name in compared:
            if name == "probes":
                continue
            np.testing.assert_equal(getattr(record, name), getattr(twin, name))
        assert set(record.probes) == set(twin.probes)
        for probe, values in record.probes.items():
            for name, value in values.items():
                np.testing.assert_array_equal(value, twin.probes[probe][name], err_msg=probe)


def go(experiment: Experiment, steps: int) -> Experiment:
    for _ in range(steps):
        experiment.step()
    return experiment


@pytest.mark.parametrize(
    "knobs",
    [
        {
            "norms": ("none", "batch", "layer", "rms"), "optimizer": "adam", "momentum": 0.9,
            "learning_rate": 0.01, "dataset": "moons", "seed": 3,
        },
        {
            "momentum": 0.9, "weight_decay": 0.001, "batch_size": 33, "activation": "relu",
            "norm_position": "after",
        },
        {"skip": 1, "branch_start": 0.5, "activation": "relu"},
        {"norms": ("batch", "ghost", "renorm", "zca"), "norm_statistics": "running"},
        {"norms": ("batch", "noisy", "iternorm"), "norm_momentum": None},
    ],
)  # fmt: skip
def test_snapshots_disturb_nothing(knobs: dict[str, Any]) -> None:
    config = RunConfig(**SMALL | knobs)
    watched, alone = Experiment(config), Experiment(config)
    state = torch.random.get_rng_state()
    for step in range(7):
        if step % 4 == 0:
            watched.snapshot(probes="all")
            watched.snapshot()
        watched.step()
        alone.step()
    assert_same(watched, alone)
    assert torch.random.get_rng_state().equal(state)


def test_a_snapshot_repeats_itself() -> None:
    experiment = go(Experiment(RunConfig(**SMALL)), 5)
    probes = [name for name in PROBES if name != "drift"]  # drift depends on the last frame
    assert_same_records(experiment.snapshot(probes), experiment.snapshot(probes))


def test_same_config_same_bits() -> None:
    config = RunConfig(**SMALL)
    assert_same(go(Experiment(config), 30), go(Experiment(config), 30))
    other = go(Experiment(config.replace(seed=1)), 30)
    assert not np.array_equal(weights(other)["none"], weights(go(Experiment(config), 30))["none"])


def test_networks_do_not_depend_on_their_company() -> None:
    pair = go(Experiment(RunConfig(norms=("none", "batch"), **SMALL)), 30)
    alone = go(Experiment(RunConfig(norms=("batch",), **SMALL)), 30)
    np.testing.assert_array_equal(weights(pair)["batch"], weights(alone)["batch"])


def test_runs_that_take_turns_do_not_touch_each_other() -> None:
    configs = [RunConfig(**SMALL), RunConfig(seed=1, activation="relu", batch_size=9, **SMALL)]
    turns = [Experiment(config) for config in configs]
    for step in range(20):
        for experiment in turns[:: 1 if step % 2 else -1]:
            experiment.step()
            experiment.snapshot()
    for config, experiment in zip(configs, turns, strict=True):
        assert_same(experiment, go(Experiment(config), 20))


def test_live_changes_replayed_give_the_same() -> None:
    config = RunConfig(**SMALL)
    first = Experiment(config)
    plan = {5: {"learning_rate": 0.5}, 9: {"batch_size": 17, "momentum": 0.5},
            14: {"learning_rates": (0.1, 0.7)}, 20: {"batch_size": 200},
            24: {"rate_factors": (10, 1, 0)}}  # fmt: skip
    for step in range(30):
        if step in plan:
            first.update(**plan[step])
        first.step()
        if step % 4 == 0:
            first.snapshot()
    replayed = Experiment(config)
    for step in range(30):
        for change in first.changes:
            if change.step == step:
                replayed.update(**change.values)
        replayed.step()
    assert_same(first, replayed)
    assert first.changes[0] == Change(5, {"learning_rate": 0.5})
    assert first.changes[2] == Change(14, {"learning_rates": (0.1, 0.7)})
    assert first.changes[4] == Change(24, {"rate_factors": (10.0, 1.0, 0.0)})
    assert first.snapshot(probes=()).networks["batch"].learning_rate == 0.7


def test_a_live_change_acts_from_the_next_step_on() -> None:
    config = RunConfig(**SMALL)
    changed, plain = go(Experiment(config), 5), go(Experiment(config), 5)
    changed.update(learning_rate=0.01)
    np.testing.assert_array_equal(weights(changed)["none"], weights(plain)["none"])
    changed.step()
    plain.step()
    assert not np.array_equal(weights(changed)["none"], weights(plain)["none"])


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
@pytest.mark.parametrize("network", [{}, {"network": "conv"}, {"network": "recurrent", "depth": 1}])
def test_a_group_whose_rate_factor_is_0_keeps_its_bits_and_goes_on_later(network, optimizer):
    config = RunConfig(**SMALL | network, optimizer=optimizer, momentum=0.5, weight_decay=0.01)
    first = go(Experiment(config), 2)
    for held, factors in enumerate(((0, 1, 3), (1, 0, 1), (2, 1, 0))):
        first.update(rate_factors=factors)
        before = {
            (norm, name): value.numpy().tobytes()
            for norm, net in first.networks.items() for name, value in net.parameters().items()
        }  # fmt: skip
        second = Experiment.restore(config, first.checkpoint())
        go(first, 3)
        assert_same(first, go(second, 3))
        for (norm, name), bits in before.items():
            own = name.rpartition(".")[2]
            group = 2 if name.startswith("output") else 1 if own in ("gamma", "beta") else 0
            now = first.networks[norm].parameters()[name].numpy().tobytes()
            assert (now == bits) == (group == held), (norm, name, factors)


@pytest.mark.parametrize(
    "knobs",
    [
        {"optimizer": "adam", "momentum": 0.9, "learning_rate": 0.01},
        {
            "momentum": 0.9, "dataset": "xor", "norms": ("none", "batch", "layer", "rms"),
            "activation": "relu",
        },
        {"skip": 2, "branch_start": 0},
    ],
)  # fmt: skip
def test_a_restored_run_continues_bit_identically(knobs: dict[str, Any]) -> None:
    config = RunConfig(**SMALL | knobs)
    first = go(Experiment(config), 10)
    first.snapshot(probes="all")
    first.update(batch_size=25)
    go(first, 7)
    first.update(learning_rates=(0.05,) * len(config.norms))
    second = Experiment.restore(config, first.checkpoint())
    assert_same(first, second)
    go(first, 10)
    go(second, 10)
    assert_same(first, second)
    assert_same_records(first.snapshot(probes="all"), second.snapshot(probes="all"))


def test_a_run_restored_in_a_drag_continues_it_bit_identically() -> None:
    """The drag remains one change, and the dip that it caused still belongs to it."""
    config = RunConfig(**SMALL)
    first = go(Experiment(config), 10)
    first.update(drag=3, learning_rate=0.5)
    go(first, 4)
    first.update(drag=3, learning_rate=1.5)
    second = Experiment.restore(config, first.checkpoint())
    for experiment in (first, second):
        experiment.update(drag=3, learning_rate=2.0)
        go(experiment, 3)
        experiment.update(drag=3, learning_rate=2.5)
        go(experiment, 3)
        (gesture,) = experiment.changes.gestures
        assert (gesture.step, gesture.last_step, gesture.before) == (10, 17, {"learning_rate": 0.1})
    assert [(change.step, change.drag) for change in first.changes] == [(10, 3), (14, 3), (17, 3)]
    assert_same(first, second)
    for norm, learner in first.learners.items():
        restored = second.learners[norm].monitor.dips
        assert learner.monitor.dips.to_tree() == restored.to_tree()


def test_a_checkpoint_of_another_run_is_refused() -> None:
    data = Experiment(RunConfig(**SMALL)).checkpoint()
    with pytest.raises(ValueError, match="different initial config"):
        Experiment.restore(RunConfig(seed=5, **SMALL), data)
    with pytest.raises(ValueError, match="not a checkpoint"):
        Experiment.restore(RunConfig(**SMALL), data[:100])


def test_the_default_pair_fits_in_half_a_megabyte() -> None:
    assert len(go(Experiment(RunConfig(device="cpu")), 1).checkpoint()) < 600_000
