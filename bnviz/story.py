"""What the card of a network says: which sentences hold, and the numbers in them.

A sentence is a key of `assets/texts/<language>/story.toml` and its values; the reader's browser
puts them together, so that one run can be read in several languages. Every value is read off the
snapshot or the log of changes; nothing is assumed about a normalization.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from bnviz.config import RunConfig
from bnviz.records import Break, Change, NetworkRecord, Snapshot

Sentence = tuple[str, dict[str, Any]]

# A break this many steps after a live change is told together with the change.
STEPS_AFTER_CHANGE = 50
# Gradient norms further apart than this are worth naming the layer with the smallest one.
GRADIENT_SPREAD = 1e3
MOSTLY_SATURATED = 0.9


def tell(
    snapshot: Snapshot, config: RunConfig, changes: Sequence[Change] = ()
) -> dict[str, dict[str, Any]]:
    """The card of each network, keyed by norm name.

    Args:
        snapshot: the run now; probes that were not measured make fewer sentences.
        config: the run's config at the start, before any live change.
        changes: the live changes so far, in order.

    Returns:
        `{"headline": [key, values], "detail": [[key, values], …]}` for each network.
    """
    return {
        name: {
            "headline": list(_headline(snapshot.step, record)),
            "detail": [list(sentence) for sentence in _details(record, config, changes)],
        }
        for name, record in snapshot.networks.items()
    }


def _headline(step: int, record: NetworkRecord) -> Sentence:
    if record.paused is not None:
        return "paused", {}
    at = {"step": record.broke.step} if record.broke else {}
    if record.state == "learning":
        return ("ready" if step == 0 else "learning"), {}
    if record.state == "recovered":
        return ("recovered_at" if at else "recovered"), at
    if record.state == "diverged" and record.stopped is not None:
        return "diverged_at", {"step": record.stopped}
    if record.broke is None or (record.state == "stuck" and record.broke.layer is None):
        # A network that never left chance did not break at any step.
        return record.state, {}
    return f"broke_{record.state}", at


def _details(
    record: NetworkRecord, config: RunConfig, changes: Sequence[Change]
) -> Iterable[Sentence]:
    if record.paused is not None:
        yield "paused_why", {"reason": record.paused}
    if record.broke is not None:
        yield from _how_it_broke(record.broke, config, changes)
    saturated = _saturated_layers(record)
    if saturated is not None:
        yield saturated
    gradient = _gradients(record)
    if gradient is not None:
        yield gradient


def _how_it_broke(broke: Break, config: RunConfig, changes: Sequence[Change]) -> Iterable[Sentence]:
    where = {"layer": broke.layer, "reason": broke.reason}
    change = _change_before(broke.step, config, changes)
    if change is not None:
        name, old, new, step = change
        yield "after_change", {"steps": broke.step - step, "knob": name, "old": old, "new": new}
    yield ("first_layer" if broke.layer else "first_network"), where


def _change_before(
    step: int, config: RunConfig, changes: Sequence[Change]
) -> tuple[str, float, float, int] | None:
    """The last live change of one number before `step`: knob, old and new value, its step."""
    values: dict[str, Any] = config.model_dump()
    found = None
    for change in changes:
        if change.step > step:
            break
        for name, new in change.values.items():
            old = values.get(name)
            values[name] = new
            if isinstance(new, int | float) and isinstance(old, int | float) and old != new:
                found = (name, float(old), float(new), change.step)
    if found is None or step - found[3] > STEPS_AFTER_CHANGE:
        return None
    return found


def _saturated_layers(record: NetworkRecord) -> Sentence | None:
    values = record.probes.get("saturation", {})
    for key in ("saturated", "dead"):
        shares = np.asarray(values.get(key, ()), dtype=np.float64)
        high = [index for index, share in enumerate(shares) if share > MOSTLY_SATURATED]
        if high:
            lowest = math.floor(100 * float(shares[high].min())) / 100
            many = "many" if len(high) > 1 else "one"
            layers = ranges([index + 1 for index in high])
            return f"{key}_{many}", {"layers": layers, "share": lowest}
    return None


def _gradients(record: NetworkRecord) -> Sentence | None:
    norms = np.asarray(
        record.probes.get("gradients", {}).get("grad_weight_norm", ()), dtype=np.float64
    )
    if norms.size == 0:
        return None
    if not np.isfinite(norms).all():
        return "gradient_nonfinite", {}
    smallest = int(norms.argmin())
    layer = "output" if smallest == norms.size - 1 else f"layer {smallest + 1}"
    if norms[smallest] == 0:
        return ("gradient_zero", {"layer": layer}) if norms.any() else ("gradient_zero_all", {})
    spread = float(norms.max() / norms[smallest])
    if spread > GRADIENT_SPREAD:
        return "gradient_small", {"layer": layer, "value": float(norms[smallest])}
    return "gradient_even", {"factor": spread}


def ranges(numbers: Sequence[int]) -> str:
    """Ascending whole numbers as a person writes them: [1, 3, 4, 5] -> "1, 3–5"."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(f"{part[0]}–{part[-1]}" if len(part) > 1 else str(part[0]) for part in parts)
