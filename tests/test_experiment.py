"""A run is a function of its config and its live changes, whoever looks on."""

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
import torch

from bnviz.config import ConfigError, RunConfig
from bnviz.experiment import Experiment, run
from bnviz.norms import NORMS
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
        for name in (field.name for field in dataclasses.fields(record) if field.name != "probes"):
            np.testing.assert_equal(getattr(record, name), getattr(twin, name))
        assert set(record.probes) == set(twin.probes)
        for probe, values in record.probes.items():
            for name, value in values.items():
                np.testing.assert_array_equal(value, twin.probes[probe][name], err_msg=probe)


def go(experiment: Experiment, steps: int) -> Experiment:
    for _ in range(steps):
        experiment.step()
    return experiment


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("activation", ["sigmoid", "tanh", "relu", "gelu", "linear"])
def test_every_norm_and_activation_learns(norm: str, activation: str) -> None:
    # Sigmoid without a norm needs a higher rate to begin at all at this size.
    rate = 1.0 if activation == "sigmoid" else 0.1
    config = RunConfig(norms=(norm,), activation=activation, learning_rate=rate, **SMALL | {
        "depth": 2
    })  # fmt: skip
    experiment = go(Experiment(config), 300)
    record = experiment.snapshot(probes=()).networks[norm]
    assert record.test_accuracy > 0.85
    assert record.state == "learning"
    assert record.broke is None


@pytest.mark.parametrize(
    "knobs",
    [
        {"norms": ("none", "batch", "layer", "rms")},
        {"optimizer": "adam", "momentum": 0.9, "learning_rate": 0.01},
        {"momentum": 0.9, "weight_decay": 0.001, "batch_size": 33},
        {"activation": "relu", "norm_position": "after"},
        {"dataset": "moons", "seed": 3},
    ],
)
def test_snapshots_disturb_nothing(knobs: dict[str, Any]) -> None:
    config = RunConfig(**SMALL | knobs)
    watched, alone = Experiment(config), Experiment(config)
    state = torch.random.get_rng_state()
    for step in range(25):
        if step % 3 == 0:
            watched.snapshot(probes="all")
            watched.snapshot()
        watched.step()
        alone.step()
    assert_same(watched, alone)
    assert torch.random.get_rng_state().equal(state)


def test_a_snapshot_repeats_itself() -> None:
    experiment = go(Experiment(RunConfig(**SMALL)), 5)
    probes = [name for name in PROBES if name != "drift"]  # drift remembers the last frame
    assert_same_records(experiment.snapshot(probes), experiment.snapshot(probes))


def test_loss_is_that_of_the_batch_about_to_be_used() -> None:
    experiment = go(Experiment(RunConfig(**SMALL), dtype=torch.float64), 5)
    expected = {n: r.loss for n, r in experiment.snapshot(probes=()).networks.items()}
    experiment.step()
    for norm, learner in experiment.learners.items():
        assert learner.monitor.to_tree()["losses"][-1] == pytest.approx(expected[norm], rel=1e-9)


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
            14: {"learning_rates": (0.1, 0.7)}, 20: {"batch_size": 200}}  # fmt: skip
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
    assert first.snapshot(probes=()).networks["batch"].learning_rate == 0.7


def test_a_live_change_acts_from_the_next_step_on() -> None:
    config = RunConfig(**SMALL)
    changed, plain = go(Experiment(config), 5), go(Experiment(config), 5)
    changed.update(learning_rate=0.01)
    np.testing.assert_array_equal(weights(changed)["none"], weights(plain)["none"])
    changed.step()
    plain.step()
    assert not np.array_equal(weights(changed)["none"], weights(plain)["none"])


@pytest.mark.parametrize(
    "knobs",
    [
        {},
        {"optimizer": "adam", "momentum": 0.9, "learning_rate": 0.01},
        {"momentum": 0.9, "dataset": "xor"},
        {"norms": ("none", "batch", "layer", "rms"), "activation": "relu"},
    ],
)
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


def test_a_checkpoint_of_another_run_is_refused() -> None:
    data = Experiment(RunConfig(**SMALL)).checkpoint()
    with pytest.raises(ValueError, match="another config"):
        Experiment.restore(RunConfig(seed=5, **SMALL), data)
    with pytest.raises(ValueError, match="no checkpoint"):
        Experiment.restore(RunConfig(**SMALL), data[:100])


def test_the_default_pair_fits_in_half_a_megabyte() -> None:
    assert len(go(Experiment(RunConfig(device="cpu")), 1).checkpoint()) < 600_000


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"depth": 3}, "`depth` must be left alone during a run"),
        ({"learning_rate": 0}, "`learning_rate` must be a number between 1e-05 and 100, got 0."),
        ({"nonsense": 1}, "`nonsense` must be left alone"),
        ({"batch_size": 0}, "`batch_size` must be a whole number between 1 and 1024"),
        ({"learning_rates": (0.1,)}, "`learning_rates` must be one rate for each of the 2"),
    ],
)
def test_update_refuses(changes: dict[str, Any], message: str) -> None:
    experiment = go(Experiment(RunConfig(**SMALL)), 2)
    with pytest.raises(ConfigError, match=message.replace(".", r"\.")):
        experiment.update(**changes)
    assert experiment.changes == []
    assert experiment.config == RunConfig(**SMALL)


def test_batch_of_one_pauses_batch_norm_alone() -> None:
    experiment = Experiment(RunConfig(batch_size=1, norms=("none", "batch", "layer"), **SMALL))
    before = weights(experiment)
    go(experiment, 5)
    after = weights(experiment)
    np.testing.assert_array_equal(before["batch"], after["batch"])
    assert not np.array_equal(before["none"], after["none"])
    records = experiment.snapshot(probes="all").networks
    assert records["none"].paused is records["layer"].paused is None
    assert records["batch"].paused == "batch size 1: this normalization needs at least 2"
    experiment.update(batch_size=2)
    go(experiment, 3)
    assert not np.array_equal(before["batch"], weights(experiment)["batch"])
    assert experiment.snapshot(probes=()).networks["batch"].paused is None


def test_a_diverged_network_stops_and_the_others_go_on() -> None:
    config = RunConfig(activation="linear", learning_rates=(100.0, 0.01), **SMALL)
    experiment = go(Experiment(config), 60)
    assert experiment.states()["none"] == "diverged"
    found = experiment.breaks()["none"]
    assert found is not None
    assert found.layer is not None
    before = weights(experiment)
    go(experiment, 3)
    np.testing.assert_array_equal(before["none"], weights(experiment)["none"])
    assert not np.array_equal(before["batch"], weights(experiment)["batch"])
    record = experiment.snapshot(probes="all").networks["none"]
    assert record.state == "diverged"
    assert record.stopped is not None
    assert found.step <= record.stopped <= 60
    assert math.isnan(record.test_loss)
    assert math.isnan(record.test_accuracy)
    other = experiment.snapshot(probes=()).networks["batch"]
    assert other.stopped is None
    assert math.isfinite(other.test_accuracy)
    restored = Experiment.restore(config, experiment.checkpoint())
    assert_same(restored, experiment)
    assert restored.snapshot(probes=()).networks["none"].stopped == record.stopped


@pytest.mark.parametrize(
    "knobs",
    [
        {"depth": 50, "width": 10},
        {"depth": 1, "width": 2},
        {"depth": 1, "width": 512},
        {"batch_size": 1024},
        {"dataset": "xor", "batch_size": 1024},
    ],
)
def test_extreme_sizes(knobs: dict[str, Any]) -> None:
    experiment = Experiment(RunConfig(**{"device": "cpu", **knobs}))
    for size in (3, 1024, 60):
        experiment.step()
        experiment.snapshot()
        experiment.update(batch_size=size)
    experiment.step()
    assert math.isfinite(experiment.snapshot(probes=()).networks["batch"].test_loss)


def test_run_yields_at_the_beginning_every_and_the_end() -> None:
    config = RunConfig(**SMALL)
    assert [s.step for s in run(config, steps=7, every=3, probes=())] == [0, 3, 6, 7]
    assert [s.step for s in run(config, steps=4, every=2, probes=())] == [0, 2, 4]
    assert [s.step for s in run(config, steps=0, probes=())] == [0]
    with pytest.raises(ConfigError, match="`every` must be a whole number of at least 1, got 0"):
        next(run(config, steps=3, every=0))
    with pytest.raises(ConfigError, match="`steps` must be a whole number of at least 0, got -1"):
        next(run(config, steps=-1))


def test_probes_are_chosen_by_name() -> None:
    experiment = Experiment(RunConfig(**SMALL))
    assert experiment.snapshot(probes=()).networks["none"].probes == {}
    record = experiment.snapshot(probes=("gradients", "saturation")).networks["none"]
    assert list(record.probes) == ["gradients", "saturation"]
    assert record.measured_at == {"gradients": 0, "saturation": 0}
    assert set(experiment.snapshot("histogram").networks["batch"].probes) == {"histogram"}
    costs: dict[str, float] = {}
    every = experiment.snapshot(probes="all", seconds=costs).networks["none"].probes
    assert set(every) == set(PROBES) - {"boundary"}
    assert set(costs) == {"base", *PROBES}
    with pytest.raises(ConfigError, match="`probes` must be all or names of histogram"):
        experiment.snapshot(probes=("nonsense",))


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_a_gpu_that_is_not_there_is_refused() -> None:
    with pytest.raises(ConfigError, match="`device` must be auto or cpu"):
        Experiment(RunConfig(device="cuda"))


@pytest.mark.gpu
@pytest.mark.parametrize("norm", NORMS)
def test_gpu_steps_follow_the_cpu(norm: str) -> None:
    knobs = {"norms": (norm,), **SMALL}
    cpu = go(Experiment(RunConfig(**knobs), dtype=torch.float64), 10)
    gpu = go(Experiment(RunConfig(**knobs | {"device": "cuda"}), dtype=torch.float64), 10)
    found = gpu.networks[norm].flat.cpu()
    torch.testing.assert_close(found, cpu.networks[norm].flat, rtol=1e-9, atol=1e-11)
    assert gpu.snapshot(probes="all").networks[norm].state == "learning"
