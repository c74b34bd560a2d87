"""Headline of a network's card: one sentence about the last 50 steps (`LATELY`).

`State` describes the whole run. A headline describes the last steps, and must not contradict the
numbers beside it. `recent_state` returns one of the keys below, in these terms:

    now        test accuracy at this step;
    tests      accuracies on 256 fixed test examples in the last 50 steps, and the last accuracy
               before them: measured every 25 steps, or every 5 while they vary;
    at chance  accuracy of at most 1 / classes + 0.05.

    not_started          No step was taken.
    unsteady             A test is below 3/4 of an earlier test, and of a later test or now, except
                         at a break. Now is at least 3/4 of the lowest such test.
    falling              Now is below 3/4 of the highest test.
    falling_in_training  Mini-batch accuracy (mean of five) is below 3/4 of its highest in the last
                         50 steps, by more than mini-batches of this size vary at random.
    at_chance            Now is at chance, and the network was never clearly above chance.
    back_at_chance       Now is at chance again.
    chance_in_test       Now is at chance, but mini-batches of the last 50 steps are not.
    chance_in_training   Mini-batches of the last 50 steps are at chance, but now and tests are not.
    not_finite           Outputs on the test set are not finite.
    leaving_chance       Now is above chance, but the mean of the tests is not; or a test was at
                         chance, and mini-batch accuracy is not clearly above it.
    no_gradient          Now is above chance, but all gradients are zero although the loss is not.
    learning             Anything else.

So the headline of a network that was at chance in the last 50 steps, or lost over a quarter of its
accuracy, is never `learning`. After a break, only the `State` says whether it has recovered.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import numpy as np

from bnviz.break_limits import BLOWN_UP_FACTOR, CHANCE_MARGIN, KEPT, LATELY
from bnviz.records import CONSTANT, AccuracyTrace, NetworkRecord, reached
from bnviz.words.filling import capitalized
from bnviz.words.joining import percent
from bnviz.words.texts import texts

TEST_ERROR = 0.02
# Number of steps after the start of a dip in which the headline reports the dip. Later, the network
# counts as settled.
STEPS_DIPPING = 100
# Largest loss at which a mini-batch counts as solved, so that a zero gradient is normal.
SOLVED = 1e-3
ALL_AT_CHANCE = ("at_chance", "at_chance_one", "back_at_chance")


class Headline(NamedTuple):
    """Key of `story.headline`, and the values of its placeholders."""

    key: str
    values: dict[str, Any] = {}  # noqa: RUF012 (nobody changes it)


def headline(step: int, record: NetworkRecord) -> Headline:
    """Return a network's headline. Without an accuracy trace, it reflects only the state."""
    if record.undefined_norm is not None:
        return Headline("undefined_norm")
    if record.state == "diverged":
        if record.broke is not None and record.broke.key == CONSTANT:
            return Headline("zero_by_zero", {"step": record.broke.step})
        if record.stopped is not None:
            return Headline("diverged_at", {"step": record.stopped})
        return Headline("diverged" if record.broke is None else "broke_diverged")
    now = recent_state(step, record)
    if record.broke is not None:
        return _broke(record, now, record.broke.step)
    if record.state == "blown_up" and _far_above(record):
        return Headline("blown_up")
    if record.state == "learning" and record.dip is not None:
        if record.dip.over is None and step - record.dip.step <= STEPS_DIPPING:
            return Headline("dipping", {"step": record.dip.step, "accuracy": record.test_accuracy})
        if record.dip.over is not None and _learns_since(step, record, now):
            return Headline("dipped", {"step": record.dip.step})
    return now


def _broke(record: NetworkRecord, now: Headline, step: int) -> Headline:
    """Return the headline after a break at `step`."""
    if record.state == "blown_up" and _far_above(record):
        return Headline("broke_blown_up", {"step": step})
    if now.key == "learning":
        if record.state == "recovered":
            return Headline("recovered_at", {"step": step})
        return Headline("broke_learning", {"step": step, "accuracy": record.test_accuracy})
    if now.key == "not_started":
        return now  # the initial weights are broken, before any step
    if now.key in ALL_AT_CHANCE:
        key = "broke_stuck" if record.state == "stuck" else "broke_at_chance"
        return Headline(key, {"step": step})
    return Headline(f"broke_{now.key}", {**now.values, "step": step})


def _learns_since(step: int, record: NetworkRecord, now: Headline) -> bool:
    """Return whether the network has been learning since its dip, without a second fall."""
    if now.key != "unsteady":
        return now.key == "learning"
    assert record.accuracy_trace is not None
    assert record.dip is not None
    assert record.dip.over is not None
    fallen_again = _fall(record.accuracy_trace, record.test_accuracy) is not None
    return step - record.dip.over <= LATELY and not fallen_again


def _far_above(record: NetworkRecord) -> bool:
    return record.accuracy_trace is None or record.accuracy_trace.loss_ratio > BLOWN_UP_FACTOR


def recent_state(step: int, record: NetworkRecord) -> Headline:
    """Return the headline for the last 50 steps, by the rules at the top of this file."""
    if step == 0:
        return Headline("not_started")
    trace = record.accuracy_trace
    if trace is None:
        known = {"stuck": "stuck", "blown_up": "blown_up"}
        return Headline(known.get(record.state, "learning"))
    now = record.test_accuracy
    chance = trace.chance + CHANCE_MARGIN
    broke = record.broke.step if record.broke else None
    fall = _unsteady(trace, now, broke) or _fall(trace, now)
    if fall is not None:
        return fall
    if not now > chance:
        return _at_chance(step, trace, now)
    if _mean(trace, now, step) <= chance + TEST_ERROR:
        return Headline("leaving_chance")
    unsure = any(not last > chance for at, last in trace.test_accuracies if at >= step - LATELY)
    if trace.batches <= chance and not unsure:
        return Headline("chance_in_training", {"accuracy": trace.batches})
    # A single test accuracy may be high by luck. So if one test was at chance, the mini-batch
    # accuracy must be clearly above chance.
    if trace.batches <= chance + (CHANCE_MARGIN if unsure else TEST_ERROR):
        return Headline("leaving_chance")
    if _no_gradient(step, record):
        return Headline("no_gradient")
    return Headline("learning")


def _mean(trace: AccuracyTrace, now: float, step: int) -> float:
    """Mean test accuracy over the last 50 steps; between two tests, the lower accuracy counts."""
    seen = [*trace.test_accuracies, (step, now)]
    spans = [
        (end - max(at, step - LATELY), min(reached(accuracy), reached(then)))
        for (at, accuracy), (end, then) in itertools.pairwise(seen)
        if end > step - LATELY
    ]
    steps = sum(count for count, _ in spans)
    return sum(count * accuracy for count, accuracy in spans) / steps if steps else now


def _unsteady(trace: AccuracyTrace, now: float, broke: int | None) -> Headline | None:
    tests = trace.test_accuracies
    if broke is not None and tests and tests[0][0] <= broke:
        # The fall at a break and the rise after it do not count as unsteadiness, so start at the
        # first low after the break.
        tests = tuple(test for test in tests if test[0] >= broke)
        while len(tests) > 1 and reached(tests[1][1]) <= reached(tests[0][1]):
            tests = tests[1:]
    seen = [reached(accuracy) for accuracy in (*(last for _, last in tests), now)]
    lows = []
    for at, low in enumerate(seen[1:-1], 1):
        before, after = max(seen[:at]), max(seen[at + 1 :])
        if low < KEPT * min(before, after) and before > trace.chance + CHANCE_MARGIN:
            lows.append(low)
    # Below three quarters of the lowest dip, the accuracy is falling, not unsteady.
    if lows and seen[-1] >= KEPT * min(lows):
        return Headline("unsteady", {"low": min(*lows, seen[-1]), "high": max(seen)})
    return None


def _fall(trace: AccuracyTrace, now: float) -> Headline | None:
    last = reached(now)
    before = max(
        (accuracy for _, accuracy in trace.test_accuracies if accuracy == accuracy), default=0.0
    )
    if last < KEPT * before and before > trace.chance + CHANCE_MARGIN:
        return Headline("falling", {"before": before, "now": last})
    if trace.fell is None:
        return None
    highest, latest = trace.fell
    if latest < KEPT * highest:
        return Headline("falling_in_training", {"before": highest, "now": latest})
    return None


def _at_chance(step: int, trace: AccuracyTrace, now: float) -> Headline:
    if math.isnan(now):
        return Headline("not_finite")
    if trace.batches > trace.chance + 2 * CHANCE_MARGIN:
        return Headline("chance_in_test", {"accuracy": trace.batches})
    if not trace.left_chance:
        return Headline("at_chance" if step > 1 else "at_chance_one", {"steps": step})
    return Headline("back_at_chance", {"since": min(trace.at_chance_since, step)})


def _no_gradient(step: int, record: NetworkRecord) -> bool:
    norms = np.asarray(record.probes.get("gradients", {}).get("grad_weight_norm", ()))
    measured = record.measured_at.get("gradients", step) == step
    return bool(measured and norms.size and not norms.any() and record.loss > SOLVED)


def headline_text(label: str, found: Headline, language: str | None = None) -> str:
    """Return a headline as text, for the command line and for pages that the server fills in."""
    key, values = found
    template: str = texts("story", language)["headline"][key]
    sentence = template.replace(":percent}", "}").format(
        label=label,
        **{
            name: percent_plain(value, language) if isinstance(value, float) else value
            for name, value in values.items()
        },
    )
    return capitalized(sentence)


def percent_plain(share: float, language: str | None = None) -> str:
    """Format a share as a whole percentage, without the no-break space that only pages need."""
    return percent(f"{100 * share:.0f}", language).replace("\u00a0", " ")
