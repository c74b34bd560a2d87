"""Recorder of talks: trains the runs of a talk with their live changes, and measures frames."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import numpy as np

from bnviz.experiment import Experiment, train
from bnviz.records import Snapshot
from bnviz.talks.talk import Talk

# Number of steps from one frame to the next. Around a change, every step has a frame, from `BEFORE`
# steps before the change to `AFTER` steps after it.
EVERY, BEFORE, AFTER = 5, 4, 36
# Share of all values in one bin at which the bin is drawn at full height and stored as 255.
FULL = 0.4
PROBES = ("histogram", "gradients")
VERSION = 2


def steps_of(talk: Talk) -> int:
    """Return the number of optimization steps in a talk's recording."""
    return sum(talk.last[chapter.number] for chapter in talk.chapters())


def record(
    name: str, talk: Talk, progress: Callable[[int], None] = lambda steps: None
) -> dict[str, Any]:
    """Train the runs of a talk, and return their recording as plain values.

    Call `progress` after each frame with the number of steps taken so far.
    """
    chapters, before = [], 0
    for number, config, changes, stops in talk.chapters():
        last, frames = talk.last[number], []
        shown = {*range(0, last, EVERY), last}
        for change in changes:
            shown |= {*range(change.step - BEFORE, change.step + AFTER + 1)} & {*range(last)}
        for snapshot in train(Experiment(config), sorted(shown), PROBES, changes):
            frames.append(_frame(snapshot))
            progress(before + snapshot.step)
        before += last
        chapters.append(
            {
                "norms": list(config.norms),
                "activation": config.activation,
                "layers": config.layer_count,
                "begins": {"learning_rate": config.learning_rate, "batch_size": config.batch_size},
                "changes": [{"step": change.step, "values": change.values} for change in changes],
                "stops": [list(stop) for stop in stops],
                "frames": frames,
            }
        )
    return {"version": VERSION, "talk": name, "chapters": chapters}


def _frame(snapshot: Snapshot) -> dict[str, Any]:
    networks = {}
    for norm, record in snapshot.networks.items():
        counts = record.probes["histogram"]["nonlinearity_input"].astype(np.float64)
        shares = counts / 65535 / FULL
        packed = np.clip(np.rint(255 * shares), 0, 255).astype(np.uint8)
        # A network that stopped because a value was not finite has no gradients.
        gradients = record.probes.get("gradients", {"grad_weight_norm": np.array([])})
        networks[norm] = {
            "loss": _number(record.test_loss), "accuracy": _number(record.test_accuracy),
            "broke": record.broke.step if record.broke else None, "stopped": record.stopped,
            "layer": record.broke.layer if record.broke else None,
            "gradients": [_number(norm) for norm in gradients["grad_weight_norm"]],
            "rows": base64.b64encode(packed.tobytes()).decode(),
        }  # fmt: skip
    return {"step": snapshot.step, "networks": networks}


def _number(value: float) -> float | None:
    """Round to five digits; return None for a non-finite number, which JSON does not have."""
    return float(f"{value:.5g}") if np.isfinite(value) else None
