"""The judge of many networks agrees with the monitor, which judges step by step."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from bnviz.config import RunConfig
from bnviz.data.base import load
from bnviz.networks.activations import ACTIVATIONS
from bnviz.networks.build import build_network
from bnviz.networks.mlp import MLP
from bnviz.pieces import run_to_end
from bnviz.records import AT_CHANCE, BLOWN_UP, DEAD, LARGE, NONFINITE, SATURATED
from bnviz.training.batches import Batches
from bnviz.training.device_stack import DeviceData, DeviceStack, Facts
from bnviz.training.judge import BreakVerdict, JudgedStack, judge
from bnviz.training.monitor import Monitor
from bnviz.training.optimizers import OPTIMIZERS
from bnviz.training.rules import Rules

STEPS, LAYERS, WIDTH, CLASSES = 260, 3, 20, 10
NAMES = tuple(f"layer {number + 1}" for number in range(LAYERS))
# Phases of a network: loss, and accuracy on the mini-batch.
PHASES = [(2.3, 0.1), (0.4, 0.8), (0.5, 0.76), (1.9, 0.2), (2.2, 0.15), (60.0, 0.1), (6.0, 0.6)]


def by_monitor(
    case: JudgedStack, facts: Facts, batch: np.ndarray, spoilt: list[str]
) -> list[BreakVerdict]:
    """Return the verdicts that the monitor gives with the rules documented in `Rules`."""
    dies, found = case.activation.can_die, []
    names = (*case.layer_names, "output")
    for k, size in enumerate(batch.tolist()):
        rules = Rules(case.layer_names, case.activation)
        monitor = Monitor(rules, case.classes, case.chance_loss)
        limit, bound = rules.limits(facts.square[0, :, k].astype(np.float64))
        for step in range(len(facts.loss)):
            if facts.nonfinite[step, k] < len(names):
                monitor.diverge(step, names[facts.nonfinite[step, k]])
                break
            fired = None
            for layer in reversed(range(len(names) - 1)):
                square = float(facts.square[step, layer, k])
                share = facts.saturated[step, layer, k] / (case.width * (1 if dies else size))
                if not dies and square > bound and share > 0.9:
                    fired = names[layer], SATURATED
                elif square > limit[layer]:
                    fired = names[layer], LARGE
                elif dies and share > 0.9:
                    fired = names[layer], DEAD
            accuracy = float(facts.right[step, k] / size)
            monitor.observe(step, float(facts.loss[step, k]), accuracy, fired, size)
            if facts.overflow[step, k] >= 0:
                monitor.diverge(step + 1, spoilt[k])
                break
        found.append(BreakVerdict(monitor.state, monitor.broke, monitor.stopped_at))
    return found


def made_up(
    count: int, activation: str, seed: int
) -> tuple[JudgedStack, Facts, np.ndarray, list[str]]:
    """Return facts of made-up networks that go from one phase to another at random."""
    choose = np.random.default_rng(seed)
    case = JudgedStack(NAMES, ACTIVATIONS[activation], WIDTH, CLASSES, math.log(CLASSES))
    batch = choose.choice([2, 4, 20, 25, 60], count)
    loss, share = np.zeros((2, STEPS, count))
    square = choose.uniform(0.5, 1.5, (STEPS, LAYERS, count))
    flat = np.zeros((STEPS, LAYERS, count))
    for k in range(count):
        samples = WIDTH * (1 if activation == "relu" else batch[k])
        step = 0
        while step < STEPS:
            part = slice(step, step + int(choose.choice([1, 3, 8, 30, 60, 110, 130])))
            loss[part, k], share[part, k] = PHASES[choose.integers(len(PHASES))]
            if choose.random() < 0.2:
                square[part, choose.integers(LAYERS), k] = choose.choice([50.0, 1e3])
            if choose.random() < 0.3:
                layer = choose.integers(LAYERS)
                flat[part, layer, k] = round(samples * choose.choice([0.9, 0.91, 1.0]))
                # In one of five cases, the mean square is too small for this many saturated values,
                # but the judge must still agree with the monitor.
                square[part, layer, k] = 1.0 if choose.random() < 0.2 else 9.0
            step = part.stop
    noise = choose.random(count) < 0.5
    loss *= np.where(noise, choose.uniform(0.8, 1.25, (STEPS, count)), 1)
    right = np.where(
        noise, choose.binomial(batch, np.broadcast_to(share, loss.shape)), np.rint(share * batch)
    )
    nonfinite, overflow = np.full((STEPS, count), LAYERS + 1), np.full((STEPS, count), -1)
    spoilt = [""] * count
    for k in np.flatnonzero(choose.random(count) < 0.3).tolist():
        step = int(choose.integers(STEPS))
        if choose.random() < 0.5:
            nonfinite[step, k] = choose.integers(LAYERS + 1)
        else:
            overflow[step, k], spoilt[k] = 0, "layer 2"
    facts = Facts(loss.astype(np.float32), right.astype(np.int32), square.astype(np.float32),
                  flat.astype(np.int32), nonfinite, overflow)  # fmt: skip
    return case, facts, batch, spoilt


def trained(
    norm: str, knobs: dict[str, object]
) -> tuple[JudgedStack, Facts, np.ndarray, list[str]]:
    """Return facts of real networks. At the highest of the rates, every network breaks."""
    config = RunConfig.model_validate({"norms": (norm,), "depth": LAYERS, "width": WIDTH} | knobs)
    data, device = load(config), torch.device("cpu")
    network = build_network(config, norm, data.features, data.classes)
    assert isinstance(network, MLP)
    rates = np.geomspace(0.003, 100, 25).tolist()
    stack = DeviceStack(
        network, OPTIMIZERS[config.optimizer], DeviceData.of(data, torch.float32, device),
        members=len(rates), batch=config.batch_size, steps=STEPS,
    )  # fmt: skip
    order = Batches(len(data.train_labels), 0).take(STEPS * config.batch_size)
    own = [0] * len(rates)
    updates = [config.replace(learning_rate=rate).step_settings(norm) for rate in rates]
    stack.load(network.flat[None], own, updates, order.reshape(1, STEPS, -1), own)
    for _ in range(STEPS):
        stack.step()
    facts = stack.facts.to_host()
    places = facts.overflow.max(0).tolist()
    spoilt = [network.layer_at(place) if place >= 0 else "" for place in places]
    chance = network.loss.at_chance(data.classes)
    case = JudgedStack(network.layer_names, network.activation, WIDTH, data.classes, chance)
    return case, facts, np.full(len(rates), config.batch_size), spoilt


KNOBS: list[tuple[str, dict[str, object]]] = [
    ("none", {"activation": "tanh", "batch_size": 8}),
    ("batch", {"activation": "sigmoid", "batch_size": 4}),
    ("none", {"activation": "relu", "init": "he", "batch_size": 8}),
    ("batch", {"activation": "relu", "batch_size": 2}),
    ("none", {"activation": "linear", "loss": "squared", "batch_size": 8}),
    ("layer", {"activation": "relu", "batch_size": 8}),
    ("none", {"activation": "relu", "init": "he", "optimizer": "adam", "batch_size": 4}),
    ("batch", {"activation": "gelu", "loss": "squared", "batch_size": 8, "momentum": 0.9}),
]


def assert_as_the_monitor(
    case: JudgedStack, facts: Facts, batch: np.ndarray, spoilt: list[str]
) -> set:
    """Check that the judge and the monitor give equal verdicts. Return their states and their
    reasons for breaks.
    """
    found = run_to_end(judge(case, facts, batch, spoilt))
    expected = by_monitor(case, facts, batch, spoilt)
    wrong = [k for k, pair in enumerate(zip(found, expected, strict=True)) if pair[0] != pair[1]]
    assert not wrong, (len(wrong), wrong[0], found[wrong[0]], expected[wrong[0]])
    return {verdict.state for verdict in found} | {
        verdict.broke.key for verdict in found if verdict.broke is not None
    }


STATES = {"learning", "blown_up", "recovered", "stuck", "diverged"}
ALL = STATES | {LARGE, SATURATED, DEAD, NONFINITE, BLOWN_UP, AT_CHANCE}


def fuzzed(count: int, seed: int) -> set:
    return {
        word for activation in ("tanh", "relu")
        for word in assert_as_the_monitor(*made_up(count, activation, seed))
    }  # fmt: skip


def test_made_up_runs_reach_every_state_and_rule_and_are_judged_as_by_the_monitor() -> None:
    assert fuzzed(300, seed=1) == ALL


def planted(
    batch: int, *parts: tuple[int, float, float]
) -> tuple[JudgedStack, Facts, np.ndarray, list]:
    """Return facts of a network whose layers break no rule. Each of `parts` is (steps, loss,
    accuracy).
    """
    case = JudgedStack(NAMES, ACTIVATIONS["tanh"], WIDTH, CLASSES, math.log(CLASSES))
    loss, share = (np.repeat([part[n] for part in parts], [part[0] for part in parts])[:, None]
                   for n in (1, 2))  # fmt: skip
    calm, none = np.ones((len(loss), LAYERS, 1)), np.full(loss.shape, LAYERS + 1)
    right = np.rint(share * batch).astype(int)
    facts = Facts(loss, right, calm, 0 * calm, none, np.full(loss.shape, -1))
    return case, facts, np.array([batch]), [""]


def test_a_recovery_by_the_last_digit_is_decided_as_the_monitor_does() -> None:
    """0.57 is 95 % of 0.6, but not with the rounding of the monitor's sums."""
    runs = [(60, 0.5, 0.6), (5, 60.0, 0.1), (80, 0.5, 0.57)]
    assert "recovered" not in assert_as_the_monitor(*planted(100, *runs))
    runs[2] = (80, 0.5, 0.58)
    assert "recovered" in assert_as_the_monitor(*planted(100, *runs))


def test_a_fall_to_chance_right_after_a_short_blow_up_is_a_break_by_the_blow_up() -> None:
    runs = [(120, 2.0, 0.25), (37, 2.0, 0.0), (1, 60.0, 0.0), (30, 2.0, 0.0)]
    assert assert_as_the_monitor(*planted(100, *runs)) == {"stuck", BLOWN_UP}
    runs[2] = (1, 2.0, 0.0)
    assert assert_as_the_monitor(*planted(100, *runs)) == {"stuck", AT_CHANCE}


def test_a_network_that_has_recovered_is_no_longer_blown_up() -> None:
    runs = [(60, 2.0, 0.8), (5, 60.0, 0.1), (60, 4.0, 0.8), (20, 4.0, 0.5)]
    assert assert_as_the_monitor(*planted(100, *runs)) == {"learning", BLOWN_UP}


def test_real_runs_are_judged_as_by_the_monitor() -> None:
    assert {"learning", "stuck", "diverged"} < assert_as_the_monitor(*trained(*KNOBS[0])) | (
        assert_as_the_monitor(*trained(*KNOBS[2]))
    )


def spliced(facts: Facts) -> Facts:
    """Replace part of each run by part of another run. In half of the results, the original run
    then continues.
    """
    others = np.roll(np.arange(facts.loss.shape[1]), 11)

    def one(values: np.ndarray) -> np.ndarray:
        back = [values[:110], values[110:150][..., others], values[110:220]]
        gone = [values[:110], values[110:260][..., others]]
        return np.concatenate([np.concatenate(back), np.concatenate(gone)], axis=-1)

    return Facts(*map(one, facts))


@pytest.mark.verify
def test_two_hundred_real_runs_are_judged_as_by_the_monitor() -> None:
    """Spliced runs, which recover or fall back to chance, are also judged."""
    reached: set = set()
    for norm, knobs in KNOBS:
        case, facts, batch, spoilt = trained(norm, knobs)
        reached |= assert_as_the_monitor(case, facts, batch, spoilt)
        whole = facts._replace(overflow=np.full_like(facts.overflow, -1))
        reached |= assert_as_the_monitor(case, spliced(whole), np.tile(batch, 2), spoilt * 2)
    assert reached == ALL, ALL - reached


@pytest.mark.verify
def test_two_thousand_made_up_runs_are_judged_as_by_the_monitor() -> None:
    assert fuzzed(1000, seed=2) == ALL
