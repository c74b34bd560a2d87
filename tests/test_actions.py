"""Weights multiplied during a run: effects, invariants and replay."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import torch

from bnviz.__main__ import main
from bnviz.actions import SCALE_WEIGHTS, scaling_from_text, scaling_to_text
from bnviz.change_log import ChangeLog, plain_change, read_change
from bnviz.config import ConfigError, RunConfig
from bnviz.experiment import Experiment, run
from bnviz.planned_runs.plan import Plan
from bnviz.records import Change
from tests.every_case import every_case
from tests.test_same_bits import SMALL, go, weights

CONFIG = RunConfig(**SMALL)
EXACT = CONFIG.replace(norms=("batch",), norm_eps=0.0)


def scaled(factor: float, layer: int | None = None) -> dict[str, Any]:
    return {SCALE_WEIGHTS: (factor, layer)}


def forward_trace(experiment: Experiment, norm: str = "batch"):
    """Return the loss and the named gradients for the next mini-batch."""
    network = experiment.networks[norm]
    inputs, labels = experiment.freeze().batch
    loss, gradients = network.backward(network.forward(inputs, training=True), labels)
    return float(loss), {k: v.clone() for k, v in network.named_gradients(gradients).items()}


@every_case("layer", [None, 1, 2, 3])
@every_case("factor", [0.1, 0.7, 10.0])
def test_with_bn_the_loss_stays_and_the_gradient_is_divided_by_the_factor(
    factor: float, layer: int | None
) -> None:
    experiment = go(Experiment(EXACT, dtype=torch.float64), 5)
    loss, before = forward_trace(experiment)
    assert experiment.update(**scaled(factor, layer))
    after_loss, after = forward_trace(experiment)
    assert after_loss == pytest.approx(loss, rel=1e-12)
    for name, gradient in before.items():
        touched = name.endswith(".weight") and name in (
            [f"layer {layer}.weight"] if layer else [f"layer {n}.weight" for n in (1, 2, 3)]
        )
        expected = gradient / factor if touched else gradient
        scale = float(expected.abs().max())
        assert float((after[name] - expected).abs().max()) <= 1e-10 * scale, name


def test_only_the_hidden_weights_are_multiplied() -> None:
    config = CONFIG.replace(momentum=0.9, norms=("none", "batch", "layer"))
    experiment = go(Experiment(config), 4)
    before = {n: {k: v.clone() for k, v in net.parameters().items()}
              for n, net in experiment.networks.items()}  # fmt: skip
    buffers = {n: {k: v.clone() for k, v in net.buffers().items()}
               for n, net in experiment.networks.items()}  # fmt: skip
    velocity = {n: learner.optimizer.state["velocity"].clone()
                for n, learner in experiment.learners.items()}  # fmt: skip
    experiment.update(**scaled(3.0, 2))
    for norm, network in experiment.networks.items():
        for name, value in network.parameters().items():
            expected = before[norm][name] * (3.0 if name == "layer 2.weight" else 1.0)
            assert torch.equal(value, expected), (norm, name)
        assert all(torch.equal(v, buffers[norm][k]) for k, v in network.buffers().items())
        kept = experiment.learners[norm].optimizer.state["velocity"]
        assert torch.equal(kept, velocity[norm])  # type: ignore[arg-type]
    assert experiment.config == config
    assert experiment.changes == [Change(4, scaled(3.0, 2))]


@every_case("network", ["conv", "recurrent"])
def test_other_networks_have_all_their_hidden_weights_multiplied(network: str) -> None:
    config = RunConfig(network=network, width=8, batch_size=16)
    experiment = go(Experiment(config), 1)
    before = {k: v.clone() for k, v in experiment.networks["batch"].parameters().items()}
    experiment.update(**scaled(0.5))
    changed = {
        name for name, value in experiment.networks["batch"].parameters().items()
        if not torch.equal(value, before[name])
    }  # fmt: skip
    hidden = {name for name in before if name.endswith(".weight") and name != "output.weight"}
    assert changed == hidden
    assert len(hidden) >= 2


def test_it_acts_at_once_and_a_frame_of_the_same_step_shows_it() -> None:
    experiment = go(Experiment(CONFIG), 3)
    before = experiment.snapshot("all").networks["batch"].probes["weights"]["norm"]
    experiment.update(**scaled(10.0, 1))
    after = experiment.snapshot("all").networks["batch"].probes["weights"]["norm"]
    np.testing.assert_allclose(after[0], 10 * before[0], rtol=1e-6)
    np.testing.assert_array_equal(after[1:], before[1:])


def test_multiplying_by_one_is_no_change() -> None:
    experiment = go(Experiment(CONFIG), 3)
    assert not experiment.update(**scaled(1.0))
    assert experiment.changes == []


LOG = [
    Change(3, scaled(10.0)),
    Change(5, {"learning_rate": 0.3, **scaled(0.5, 2)}),
    Change(5, scaled(0.5, 2)),
    Change(7, {"momentum": 0.5}),
]


def replay(experiment: Experiment, until: int, log: list[Change]) -> Experiment:
    """Continue to a step, applying the log's changes from the present step on."""
    for step in range(experiment.step_number, until + 1):
        for change in log:
            if change.step == step:
                experiment.update(drag=change.drag, **change.values)
        if step < until:
            experiment.step()
    return experiment


@every_case("optimizer", ["sgd", "adam"])
def test_a_checkpoint_before_at_and_after_it_gives_the_same_bits(optimizer: str) -> None:
    config = CONFIG.replace(optimizer=optimizer)
    whole = replay(Experiment(config), 12, LOG)
    for stop in (2, 3, 5, 6, 9):
        half = replay(Experiment(config), stop, LOG)
        other = Experiment.restore(config, half.checkpoint())
        assert other.changes == half.changes
        assert other.config == half.config
        replay(other, 12, [change for change in LOG if change.step > stop])
        for norm, found in weights(whole).items():
            np.testing.assert_array_equal(found, weights(other)[norm])
        assert other.states() == whole.states()
        assert other.breaks() == whole.breaks()


def test_measuring_around_it_does_not_change_the_run() -> None:
    watched = Experiment(CONFIG)
    for step in range(12):
        changes = [change for change in LOG if change.step == step]
        if changes:
            watched.snapshot("all")
        for change in changes:
            watched.update(**change.values)
            watched.snapshot("all")
        watched.step()
    plain = replay(Experiment(CONFIG), 12, LOG)
    for norm, found in weights(plain).items():
        np.testing.assert_array_equal(found, weights(watched)[norm])


def test_kept_weights_of_its_step_are_those_before_it() -> None:
    experiment = go(Experiment(CONFIG, keep=(0, 3)), 3)
    before = experiment.networks["none"].flat.clone()
    experiment.update(**scaled(2.0))
    kept = experiment.freeze().networks["none"].saved_weights
    assert list(kept) == [0, 3]
    assert torch.equal(kept[3], before)


def test_weights_without_end_are_a_divergence_and_no_error() -> None:
    experiment = go(Experiment(CONFIG.replace(norms=("none",))), 2)
    for _ in range(45):
        experiment.update(**scaled(10.0))
    assert experiment.states() == {"none": "diverged"}
    before = experiment.networks["none"].flat.clone()
    experiment.update(**scaled(0.1))
    assert torch.equal(experiment.networks["none"].flat.isinf(), before.isinf())
    assert experiment.snapshot().networks["none"].stopped == 2


def test_no_layer_moved_first_where_all_were_multiplied() -> None:
    config = RunConfig(norms=("none",), activation="relu", init="he")
    snapshots = list(run(config, steps=110, every=10, probes=(), changes=[Change(100, scaled(10))]))
    broke = snapshots[-1].networks["none"].broke
    assert broke is not None
    assert broke.step == 100, "its own step shows what it did"
    assert broke.first_mover is None


def test_the_log_tells_knobs_from_actions() -> None:
    log = ChangeLog(CONFIG.model_dump(), LOG)
    assert log.now == CONFIG.replace(learning_rate=0.3, momentum=0.5).model_dump()
    plain = json.loads(json.dumps([plain_change(change) for change in log]))
    assert [read_change(change) for change in plain] == log
    assert [gesture.values for gesture in log.gestures] == [change.values for change in LOG]


@every_case(
    "value",
    [
        10, None, "10", (10,), (10, 1, 1), (0, None), (0.09, None), (10.1, None), (-1, None),
        (float("nan"), None), (float("inf"), None), (True, None), ("10", None), (10, 0), (10, 4),
        (10, -1), (10, 1.0), (10, True), (10, "1"),
    ],
)  # fmt: skip
def test_wrong_values_are_refused_by_name_and_nothing_happens(value: Any) -> None:
    experiment = go(Experiment(CONFIG), 2)
    before = weights(experiment)
    message = r"`scale_weights` must be a factor between 0\.1 and 10 .* one of the layers 1 to 3"
    with pytest.raises(ConfigError, match=message):
        experiment.update(learning_rate=0.5, **{SCALE_WEIGHTS: value})
    assert experiment.config == CONFIG
    assert experiment.changes == []
    for norm, found in weights(experiment).items():
        np.testing.assert_array_equal(found, before[norm])
    plan = Plan(rates=((0, 30.0),), last_step=9, changes=(Change(3, {SCALE_WEIGHTS: value}),))
    with pytest.raises(ConfigError, match=message):
        plan.check(CONFIG)


def test_it_is_no_part_of_a_drag() -> None:
    experiment = go(Experiment(CONFIG), 2)
    message = "`drag` must be 0, because an action cannot be part of a drag"
    with pytest.raises(ConfigError, match=message):
        experiment.update(drag=1, **scaled(2.0))
    assert experiment.changes == []


def test_time_steps_share_their_weights_so_no_layer_can_be_named() -> None:
    config = RunConfig(network="recurrent", width=8, batch_size=16)
    with pytest.raises(ConfigError, match="here they share their weights"):
        Experiment(config).update(**scaled(2.0, 1))


@every_case(
    ("text", "value"),
    [("10", (10.0, None)), ("0.1", (0.1, None)), ("1e0", (1.0, None)), ("2.5@3", (2.5, 3))],
)
def test_a_command_line_names_factor_and_layer(text: str, value: Any) -> None:
    assert scaling_from_text(text, CONFIG) == value
    assert scaling_from_text(scaling_to_text(value), CONFIG) == value


@every_case(
    "text", ["", "@", "10@", "@3", "10@0", "10@4", "10@-1", "10@3.0", "11", "x", "1_0", "10@٣",
             "10,3", "nan", "10@99999999999999999999"],
)  # fmt: skip
def test_a_command_line_that_cannot_be_read_is_quoted(text: str) -> None:
    with pytest.raises(ConfigError, match="`scale_weights` must be a factor") as problem:
        scaling_from_text(text, CONFIG)
    assert problem.value.value == text


def trained(capfdbinary: Any, *arguments: str) -> tuple[int, list[Any], str]:
    known = [f"--set={name}={value}" for name, value in SMALL.items()]
    status = main(["train", *known, *arguments])
    out, err = capfdbinary.readouterr()
    return status, [json.loads(line) for line in out.splitlines()], err.decode()


def test_the_command_line_and_a_file_of_changes_give_the_engines_numbers(
    capfdbinary: Any, tmp_path: Any
) -> None:
    rate = Change(2, {"learning_rate": 0.5})
    changes = [rate, Change(2, scaled(10.0)), Change(4, scaled(0.5, 2))]
    expected = list(run(CONFIG, steps=6, every=6, probes=(), changes=changes))[-1]
    both = "--change=2:learning_rate=0.5,scale_weights=10"
    given = [both, "--change=4:scale_weights=0.5@2"]
    common = ["--steps", "6", "--every", "6", "--probes", "none"]
    (path := tmp_path / "log.json").write_text(
        json.dumps([{"step": change.step, "values": change.values} for change in changes])
    )
    for arguments in (given, ["--changes", str(path)]):
        status, lines, _ = trained(capfdbinary, *arguments, *common)
        assert status == 0
        for norm, record in expected.networks.items():
            assert lines[-1]["networks"][norm]["loss"] == record.loss


def test_two_layers_can_be_scaled_at_one_step(capfdbinary: Any) -> None:
    changes = [Change(2, scaled(10.0, 1)), Change(2, scaled(0.5, 3))]
    expected = list(run(CONFIG, steps=3, every=3, probes=(), changes=changes))[-1]
    given = ["--change", "2:scale_weights=10@1", "--change", "2:scale_weights=0.5@3"]
    _, lines, _ = trained(capfdbinary, *given, "--steps", "3", "--every", "3", "--probes", "none")
    for norm, record in expected.networks.items():
        assert lines[-1]["networks"][norm]["loss"] == record.loss


@every_case(
    ("text", "message"),
    [
        ("3:scale_weights=11", "`scale_weights` must be a factor between 0.1 and 10"),
        ("3:scale_weights=10@9", "for one of the layers 1 to 3 (10@1), got '10@9'"),
        ("3:scale_weight=10", "`scale_weight` must be one of the live knobs"),
        ("900:scale_weights=10", "must be a whole number between 0 and"),
    ],
)
def test_a_wrong_command_line_is_one_sentence(capfdbinary: Any, text: str, message: str) -> None:
    status, lines, errors = trained(capfdbinary, "--change", text, "--steps", "5")
    assert (status, lines) == (2, [])
    assert message in errors
    assert errors.count("\n") == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"step": 1, "values": {"scale_weights": 10}}, "`scale_weights` must be a factor"),
        ({"step": 1, "drag": 2, "values": {"scale_weights": [10, None]}}, "drag` must be 0"),
    ],
)
def test_a_wrong_file_is_one_sentence(
    capfdbinary: Any, tmp_path: Any, change: Any, message: str
) -> None:
    (path := tmp_path / "log.json").write_text(json.dumps([change]))
    status, _, errors = trained(capfdbinary, "--changes", str(path), "--steps", "5")
    assert status == 2
    assert message in errors
