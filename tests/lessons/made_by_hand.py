"""Synthetic runs, whose values are given by a test instead of training.

Values that a test does not give are random from 0.4 to 0.6. They differ for every step, network,
row, layer and unit, so that a rule that reads the wrong place finds another number. Tests can give
values below and above this range.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from bnviz.config import RunConfig
from bnviz.lessons.lesson import Value
from bnviz.lessons.observation import Observation
from bnviz.lessons.words import Filling
from bnviz.planned_runs.plan import Plan
from bnviz.probes.axis import (
    BATCH_VALUES,
    PERCENTILES,
    SINGULAR_VALUE_PERCENTILES,
    UNIT_COUNT,
    normalized_values,
)
from bnviz.records import Break, Change, NetworkRecord, Snapshot
from bnviz.words.texts import texts
from tests.lessons.observing import PROBES, lesson

# Values given by a test, by step and network: record fields ("accuracy", "state", "paused" and so
# on) and probe values ("saturation.dead"), as whole arrays or as single numbers by index.
Told = Mapping[tuple[int, str], Mapping[str, Any]]

NUMBER = re.compile(r"[−<>]*\d[\d.,\u202f]*(?:e-?\d+)?(?:\u00a0%)?(?<![.,])")


def made(
    name: str, told: Told, of: str | None = None, *, changes: Sequence[Change] | None = None,
    ended: bool = False, **knobs: Any,
) -> Observation:  # fmt: skip
    """Make a run of a lesson, or of its try-it experiment `of`.

    The run has records at the shown steps of the plan and at the steps in `told`, with the values
    of the plan's probes and of `PROBES`.
    """
    found = lesson(name)
    plan = found.plan_of_try(of) if of else found.plan
    config = (found.config_of_try(of) if of else found.config()).replace(**knobs)
    draw = np.random.default_rng(18)
    steps = sorted({*plan.shown, *(step for step, _ in told)})
    snapshots = [
        Snapshot(step, {norm: _record(config, plan, told.get((step, norm), {}), draw)
                        for norm in config.norms})
        for step in steps
    ]  # fmt: skip
    changed = plan.changes if changes is None else changes
    return Observation(snapshots=snapshots, config=config, changes=changed, ended=ended)


def but(told: Told, step: int, network: str, **fields: Any) -> Told:
    """Add values of one network at one step; the keyword `a__b` stands for the key "a.b"."""
    named = {field.replace("__", "."): value for field, value in fields.items()}
    return {**told, (step, network): {**told.get((step, network), {}), **named}}


def _record(
    config: RunConfig, plan: Plan, told: Mapping[str, Any], draw: np.random.Generator
) -> NetworkRecord:
    test_loss, loss, accuracy, seconds = draw.uniform(0.4, 0.6, 4)
    broke = Break(int(draw.integers(plan.last_step)), "layer 6", "")
    probes: dict[str, dict[str, np.ndarray]] = {}
    shapes = _shapes(config, plan)
    assert {each for each in told if "." in each} <= shapes.keys()
    for place, shape in shapes.items():
        values, given = draw.uniform(0.4, 0.6, shape), told.get(place, {})
        if isinstance(given, Mapping):
            for index, value in given.items():
                values[index] = value
        else:
            values = np.array(given, dtype=np.float64)
            assert values.shape == shape, (place, shape)
        probe, key = place.split(".")
        probes.setdefault(probe, {})[key] = values
    if "cut" in probes:
        probes["cut"]["steps"] = np.array(plan.keep, dtype=np.float64)
    return NetworkRecord(
        loss=told.get("loss", loss), test_loss=told.get("test_loss", test_loss),
        test_accuracy=told.get("accuracy", accuracy), broke=told.get("broke", broke), probes=probes,
        state=told.get("state", "recovered"),
        stopped=told.get("stopped"), undefined_norm=told.get("undefined_norm"),
        seconds_per_step=told.get("seconds", seconds),
        training_seconds=told.get("training_seconds", 0.0),
    )  # fmt: skip


def _shapes(config: RunConfig, plan: Plan) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the values that rules may read, for the plan's probes and for
    `PROBES`.
    """
    layers, kept, ranks = config.layer_count, len(plan.keep), len(PERCENTILES)
    batch, square = (layers, UNIT_COUNT, normalized_values(layers)), (layers - 1, kept, kept)
    every = {
        "saturation.saturated": (layers,), "saturation.dead": (layers,),
        "gradients.grad_weight_norm": (layers + 1,),
        "gradients.grad_pre_activation_rms": (layers + 1,),
        "spread_between.spread": (layers,),
        "percentiles.layer": (layers, ranks), "percentiles.unit": (layers, UNIT_COUNT, ranks),
        "weights.norm": (layers + 1,), "weights.bias": (layers + 1,),
        "weights.effective_rate": (layers + 1,), "weights.update_ratio": (layers + 1,),
        "unit_batch.x": batch, "unit_batch.normalized": batch, "unit_batch.y": batch,
        "cut.accuracy": square, "cut.random": square, "cut.wander": square,
        "cut.from_start": (2, layers), "cut.from_start_units": (layers, UNIT_COUNT),
        "drift.w1_start": (2, layers),
        "amplify.change": (layers,), "amplify.amplified": (layers,),
        "jacobian.percentiles": (layers, len(SINGULAR_VALUE_PERCENTILES)),
        "rank.participation": (layers,),
        "affine.gamma": (layers, 3), "affine.beta": (layers, 3),
        "shape.distance": (layers, 3), "shape.zeros": (layers, 3),
        "before_change.loss": (1,), "before_change.grad_weight_norm": (layers + 1,),
        "before_change.gradient_ratio": (layers + 1,),
        "mode_gap.batch": (), "mode_gap.running": (), "mode_gap.population": (),
        "unit_batch.mean": (layers, UNIT_COUNT), "unit_batch.var": (layers, UNIT_COUNT),
        "unit_batch.running_mean": (layers, UNIT_COUNT),
        "rank.correlation": (layers,), "spectrum.zeros": (layers,),
        "fit.accuracy": (), "fit.loss": (), "fit.test_accuracy": (), "fit.gap": (),
        "batch_values.values": (layers, UNIT_COUNT, BATCH_VALUES),
        "batch_noise.mean": (layers,), "batch_noise.mean_expected": (layers,),
        "median_step.change": (), "median_step.relative": (), "ics.change": (layers + 1,),
    }  # fmt: skip
    measured = {*PROBES, *plan.probes}
    return {place: shape for place, shape in every.items() if place.split(".")[0] in measured}


def printed(name: str, texts_of: Iterable[str], numbers: Mapping[str, Value]) -> list[list[str]]:
    """Return the numbers in each filled sentence, in order.

    Sentences whose numbers are missing in this run are left out.
    """
    told = Filling(lesson(name).named_values(), numbers).sentences(texts_of)
    # Remove explanations of terms, which come from the glossary.
    told = [re.sub(r'<span class="bnviz-says".*?</span>', "", text) for text in told]
    bare = (re.sub(r"<[^>]*>", "", text) for text in told)
    return [NUMBER.findall(text) for text in bare]


def judged(name: str, outcome: str, numbers: Mapping[str, Value]) -> list[list[str]]:
    """Return the numbers in each sentence of a lesson's verdict."""
    return printed(name, texts(f"lessons/{name}")["verdict"][outcome], numbers)


def seen(name: str, of: str, run: Observation) -> list[str]:
    """Return the sentences about a try-it experiment."""
    found = lesson(name)
    said = texts(f"lessons/{name}")["break"][of]["seen"]
    return Filling(found.named_values(), found.try_named(of).tell(run)).sentences(said)


def seen_numbers(name: str, of: str, run: Observation) -> list[list[str]]:
    """Return the numbers in each sentence about a try-it experiment."""
    said = texts(f"lessons/{name}")["break"][of]["seen"]
    return printed(name, said, lesson(name).try_named(of).tell(run))
