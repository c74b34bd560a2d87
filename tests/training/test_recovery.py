"""The state "recovered": as good as before the break, in random runs and the app's networks."""

from collections import Counter

import numpy as np

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.words.headline import headline
from tests.every_case import every_case
from tests.training.test_monitor_rules import CHANCE, START, Told

STEPS = 50
DEAD = ("layer 3", "dead")


def random_run(seed: int) -> list[tuple[float, float, tuple[str, str] | None]]:
    """Return loss, accuracy and fired rule per step, with random phases."""
    rng = np.random.default_rng(seed)
    level, steps = CHANCE, []
    for _ in range(rng.integers(3, 8)):
        kind = rng.choice(["learns", "stays", "breaks", "falls"], p=[0.4, 0.2, 0.3, 0.1])
        count = int(rng.integers(10, 130))
        aim = {"learns": rng.uniform(0.3, 1), "stays": level, "falls": rng.uniform(0.2, level)}
        end = aim.get(kind, CHANCE)
        loss = 4 * START if kind == "breaks" else 1.0
        fires = DEAD if kind == "breaks" and rng.random() < 0.7 else None
        for at in range(count):
            mean = level + (end - level) * min(1, at / 20)
            steps.append((loss, rng.binomial(64, min(mean, 1)) / 64, fires))
        level = end
    return steps


def means(values: list[float], steps: int) -> np.ndarray:
    """Return the mean of the last `steps` values at each step, with NaN if there are fewer."""
    sums = np.concatenate([[0.0], np.cumsum(values)])  # multiples of 1/64, so sums are exact
    return np.concatenate([np.full(steps - 1, np.nan), (sums[steps:] - sums[:-steps]) / steps])


def test_recovered_obeys_its_definition():
    seen: Counter[str] = Counter()
    for seed in range(200):
        told, states, run = Told(accuracy=1.0), ["learning"], random_run(seed)
        states += [told.tell(loss, accuracy=accuracy, fired=fired) for loss, accuracy, fired in run]
        accuracies = [1.0, *(accuracy for _, accuracy, _ in run)]
        blown_up = means([START, *(loss for loss, _, _ in run)], 5) > 3 * START
        stuck = means(accuracies, 100) <= CHANCE + 0.05
        expected = np.zeros(len(states), dtype=bool)
        if told.broke is not None:
            of_fifty = means(accuracies, STEPS)
            best = np.nanmax([0.0, *of_fifty[: told.broke.step]])
            expected = (best > CHANCE + 0.1) & (of_fifty >= 0.95 * best) & ~blown_up & ~stuck
            expected[: told.broke.step + STEPS] = False
            seen.update(states[told.broke.step :])
        assert [state == "recovered" for state in states] == expected.tolist(), f"seed {seed}"
    assert min(seen[state] for state in ("learning", "recovered", "blown_up", "stuck")) > 300


@every_case(("now", "state"), [(0.752, "learning"), (0.768, "recovered")])
def test_nineteen_twentieths_of_the_best_fifty_steps_are_needed(now, state):
    told = Told(accuracy=0.8)
    told.tell(*[1.0] * 60, accuracy=0.8)
    told.tell(*[99.0] * 20, accuracy=0.3, fired=DEAD)
    told.tell(*[1.0] * 49, accuracy=now)
    assert told.monitor.state == "learning"
    assert told.tell(*[1.0] * 5, accuracy=now) == state


def test_what_was_good_again_and_falls_is_no_longer_called_so():
    told = Told()
    told.tell(*[1.0] * 60)
    told.tell(*[99.0] * 20, accuracy=0.3, fired=DEAD)
    assert told.tell(*[1.0] * 60) == "recovered"
    assert told.tell(*[1.0] * 40, accuracy=0.6) == "learning"


@every_case(("learned", "state"), [(0.35, "learning"), (0.36, "recovered")])
def test_who_had_learned_nothing_has_nothing_to_recover(learned, state):
    told = Told(accuracy=learned)
    told.tell(*[1.0] * 60, accuracy=learned)
    told.tell(*[99.0] * 20, accuracy=0.3, fired=DEAD)
    assert told.tell(*[1.0] * 60, accuracy=0.9) == state


def test_a_network_that_broke_at_once_is_not_called_recovered_at_a_low_accuracy():
    """With rate 1 and batch size 4 from the start, the network with BN breaks at once."""
    experiment = Experiment(RunConfig(learning_rate=1, batch_size=4))
    found = []
    for step in range(1, 401):
        experiment.step()
        if step % 20 == 0:
            record = experiment.snapshot(probes=()).networks["batch"]
            found.append((record.state, headline(step, record)[0]))
    print(found)
    assert all(state != "recovered" for state, _ in found)
