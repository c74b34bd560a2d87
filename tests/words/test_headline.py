"""Headlines agree with the measurements of the last 50 steps, in runs that cover each case."""

import dataclasses
import random

import pytest

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.records import AccuracyTrace, NetworkRecord
from bnviz.words.headline import headline, headline_text
from bnviz.words.story import tell_story
from bnviz.words.texts import ENGLISH, texts
from tests.every_case import every_case

# Headlines for a network that learns.
LEARNING = {"learning", "dipped", "recovered_at", "broke_learning"}
OPENING = {"learning_rate": 0.1, "device": "cpu"}
SEEDS = (0, *(pytest.param(seed, marks=pytest.mark.verify) for seed in range(1, 12)))


def told(config, steps, changes=None, at=None):
    """Return the cards of the network without BN by step, for all steps or the steps in `at`."""
    experiment = Experiment(RunConfig(norms=("none",), **config))
    said = {}
    for step in range(steps + 1):
        if step:
            experiment.step()
        experiment.update(**(changes or {}).get(step, {}))
        if at is not None and step not in at:
            continue
        snapshot = experiment.snapshot(("gradients",))
        said[step] = tell_story(snapshot, experiment.initial_config, experiment.changes)["none"]
        words = headline_text("without BN", headline(step, snapshot.networks["none"]), ENGLISH)
        assert snapshot.networks["none"].headline == words
    return said


def test_a_network_that_learns_comes_off_chance_and_is_learning():
    said = {step: card["headline"][0] for step, card in told(OPENING, 40).items()}
    assert said[0] == "not_started"
    # Which of these two headlines the first steps get depends on the mini-batches.
    assert {"leaving_chance", "chance_in_training"} & set(said.values())
    assert {said[step] for step in range(12, 41)} == {"learning"}


def test_one_that_never_learns_is_at_chance_with_how_long():
    """At depth 20 with sigmoid, the state is "learning" until step 100 and then "stuck"."""
    steps = (10, 99, 101, 120)
    said = told({"depth": 20, "activation": "sigmoid", **OPENING}, 120, at=steps)
    for step in steps:
        assert said[step]["headline"] == ["at_chance", {"steps": step}]


def test_one_whose_gradients_are_all_zero_is_not_learning():
    config = {"depth": 20, "activation": "relu", "init": "normal", "init_std": 1e-4, **OPENING}
    said = told(config, 30, at=(30,))
    assert ["gradient_zero_all", {}] in said[30]["detail"]
    assert said[30]["headline"] == ["at_chance", {"steps": 30}]
    # If the accuracy were above chance, the headline would also mention the zero gradients.
    gradients = {"gradients": {"grad_weight_norm": [0.0, 0.0]}}
    record = NetworkRecord(
        2.3,
        2.3,
        0.6,
        "learning",
        None,
        gradients,
        accuracy_trace=AccuracyTrace(0.1, ((0, 0.6),), 0.6),
    )
    assert headline(10, record)[0] == "no_gradient"


def test_one_that_collapses_is_falling_before_it_is_broken():
    said = told(OPENING, 130, {100: {"learning_rate": 0.55}})
    assert said[100]["headline"][0] == "learning"
    keys = [said[step]["headline"][0] for step in range(101, 131)]
    falls = [said[step]["headline"] for step in range(101, 131) if "falling" in keys[step - 101]]
    assert falls[0][1]["before"] > 0.85
    assert falls[0][1]["now"] < 3 / 4 * falls[0][1]["before"]
    assert "learning" not in keys[keys.index(falls[0][0]) :]


def accuracies_over(record_of, step):
    return [record_of[at].test_accuracy for at in sorted(record_of) if step - 50 <= at <= step]


@pytest.mark.parametrize("seed", SEEDS)
def test_none_is_called_learning_that_is_at_chance_or_fell_by_a_third(seed):
    chosen = random.Random(seed)
    config = RunConfig(
        seed=seed, norms=("none", "batch", "layer"), width=50, device="cpu",
        depth=chosen.choice([2, 6, 20]), activation=chosen.choice(["sigmoid", "tanh", "relu"]),
        batch_size=chosen.choice([2, 8, 60]), learning_rate=chosen.choice([0.01, 0.1, 1.0]),
        dataset=chosen.choice(["digits", "moons"]),
    )  # fmt: skip
    experiment = Experiment(config)
    seen = {norm: {} for norm in config.norms}
    for step in range(0, 251, 5):
        while experiment.step_number < step:
            experiment.step()
        if step in (100, 175):
            rate = chosen.choice([0.01, 0.3, 1.0, 3.0])
            experiment.update(learning_rate=rate, batch_size=chosen.choice([2, 8, 60]))
        for norm, record in experiment.snapshot(()).networks.items():
            seen[norm][step] = record
            if headline(step, record)[0] not in LEARNING:
                continue
            accuracies = accuracies_over(seen[norm], step)
            at_chance = 1 / experiment.data.classes + 0.05
            assert sum(accuracies) / len(accuracies) > at_chance, (norm, step, record.headline)
            assert accuracies[-1] > at_chance, (norm, step, record.headline)
            # Compare with the mean of the first three evaluations, because a single lucky
            # evaluation is not a level from which a network can fall.
            level = sum(accuracies[:3]) / len(accuracies[:3])
            assert accuracies[-1] >= 2 / 3 * level, (norm, step, record.headline)
    assert any("learning" in r.headline for records in seen.values() for r in records.values())


def test_a_run_that_goes_on_from_a_checkpoint_says_the_same_whoever_looked():
    config = RunConfig(depth=3, width=30, batch_size=8, learning_rate=0.5, device="cpu")
    watched, alone = Experiment(config), Experiment(config)
    for step in range(63):
        watched.step()
        if step % 4 == 0:
            watched.snapshot(("gradients", "drift"))
        alone.step()
    rescued = Experiment.restore(config, alone.checkpoint())
    for step in range(64, 100):
        watched.step()
        rescued.step()
        if step % 7 == 0:
            theirs = watched.snapshot(("gradients",)).networks
            mine = rescued.snapshot(("gradients",)).networks
            for norm in config.norms:
                assert theirs[norm].headline == mine[norm].headline
                assert theirs[norm].accuracy_trace == mine[norm].accuracy_trace


TRACE = AccuracyTrace(0.1, ((25, 0.9), (50, 0.95)), 0.93, None, True, 0, 1.0)
RECORD = NetworkRecord(1.0, 1.0, 0.9, "learning", None, {}, accuracy_trace=TRACE)


@every_case(
    ("trace", "accuracy", "key"),
    [
        ({}, 0.9, "learning"),
        ({}, 0.7, "falling"),
        ({}, 0.12, "falling"),
        ({}, float("nan"), "falling"),
        ({"fell": (0.9, 0.6)}, 0.9, "falling_in_training"),
        (
            {"test_accuracies": ((50, 0.1),), "batches": 0.1, "left_chance": False},
            0.12,
            "at_chance",
        ),
        (
            {"test_accuracies": ((50, 0.1),), "batches": 0.1, "at_chance_since": 26},
            0.12,
            "back_at_chance",
        ),
        ({"test_accuracies": ((50, 0.1),), "batches": 0.8}, 0.12, "chance_in_test"),
        ({"test_accuracies": ((50, 0.1),), "batches": 0.8}, float("nan"), "not_finite"),
        ({"batches": 0.12}, 0.9, "chance_in_training"),
        ({"test_accuracies": ((10, 0.1), (55, 0.1)), "batches": 0.2}, 0.4, "leaving_chance"),
    ],
)
def test_each_word_is_said_where_it_holds(trace, accuracy, key):
    record = dataclasses.replace(
        RECORD, test_accuracy=accuracy, accuracy_trace=dataclasses.replace(TRACE, **trace)
    )
    assert headline(60, record)[0] == key


def test_every_headline_that_can_be_is_written_with_its_numbers():
    for key, template in texts("story", ENGLISH)["headline"].items():
        values = {
            name: 0.5 if f"{name}:percent" in template else 7
            for name in ("steps", "step", "since", "before", "now", "low", "high", "accuracy")
        }
        said = headline_text("with BN", (key, values), ENGLISH)
        assert said.startswith("With BN: ")
        assert "{" not in said


def test_a_loss_that_came_down_again_is_no_longer_called_far_above_its_start():
    low = dataclasses.replace(TRACE, loss_ratio=1.1, test_accuracies=((50, 0.1),), batches=0.1)
    record = dataclasses.replace(RECORD, state="blown_up", test_accuracy=0.1, accuracy_trace=low)
    assert headline(60, record)[0] == "back_at_chance"
    high = dataclasses.replace(record, accuracy_trace=dataclasses.replace(low, loss_ratio=5.0))
    assert headline(60, high)[0] == "blown_up"


@every_case(
    ("said", "words"),
    [
        (("falling", {"before": 0.996, "now": 0.005}), ("100 %", "0 %")),
        (("falling", {"before": 0.614, "now": 0.126}), ("61 %", "13 %")),
        (("at_chance", {"steps": 1234}), ("1234",)),
        (("recovered_at", {"step": 12}), ("12",)),
        (("chance_in_test", {"accuracy": 0.5}), ("50 %",)),
    ],
)
def test_a_share_is_written_in_whole_percent_and_a_step_as_it_is(said, words):
    text = headline_text("layer norm", said, ENGLISH)
    assert text.startswith("Layer norm: ")
    found = [text.index(word) for word in words]
    assert found == sorted(found)
    assert "{" not in text
