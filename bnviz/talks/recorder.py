"""Runs a talk from its first station to its last and measures what its recording shows.

The engine trains with the changes that the talk names, and is measured at its steps.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import numpy as np

from bnviz.experiment import Experiment, train
from bnviz.records import Snapshot
from bnviz.talks.talk import Talk

# Steps between frames, and around a change one by one: from so many before it to so many after it.
EVERY, BEFORE, AFTER = 5, 4, 36
# The share of a bin that is drawn at full height, and is 255 in the recording's bytes.
FULL = 0.4
PROBES = ("histogram", "gradients")
VERSION = 2


def steps_of(talk: Talk) -> int:
    """How many optimization steps all chapters of a talk's recording take together."""
    return sum(talk.last[chapter.number] for chapter in talk.chapters())


def record(
    name: str, talk: Talk, progress: Callable[[int], None] = lambda steps: None
) -> dict[str, Any]:
    """What the recording of a talk shows, as plain values.

    Args:
        name: of the talk.
        talk: the talk.
        progress: called after each frame with how many of `steps_of` have been taken.
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
        # A network that stopped, because it became non-finite, has no gradients.
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
    """Five digits of a number; None where it is not finite, since JSON has no such numbers."""
    return float(f"{value:.5g}") if np.isfinite(value) else None
