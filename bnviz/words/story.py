"""Choice of the sentences on a network's card, and of the numbers in them.

A sentence is a key of `assets/texts/<language>/story.toml` and its values. The browser fills it in,
so that one run can be read in several languages. All values come from the snapshot or the log of
changes; no sentence assumes what a norm does.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from bnviz.actions import scaling_in
from bnviz.break_limits import BLOWN_UP_FACTOR, BLOWN_UP_STEPS, BROKEN_SHARE
from bnviz.change_log import ChangeLog
from bnviz.config import RATE_GROUPS, RunConfig
from bnviz.norms import NORMS
from bnviz.records import AT_CHANCE, Break, Change, NetworkRecord, Snapshot
from bnviz.words.headline import headline
from bnviz.words.phrase import Phrase, phrase

Sentence = tuple[str, dict[str, Any]]

# Prefix of the keys of the sentences below a card's headline.
DETAIL = "story.detail."

# Key of the sentence about a break at the step at which weights were multiplied.
AT_SCALING = "at_scaling"
# Maximum number of steps between a live change and a break that are reported together.
STEPS_AFTER_CHANGE = 50
# Limits of the ratio of the largest to the smallest gradient norm. Up to the first, gradients are
# even; above the second, the sentence names the smallest norm instead of the ratio.
GRADIENT_EVEN = 20.0
GRADIENT_SPREAD = 1e3
# Activation functions that output zero for some inputs by design. With these, a unit is dead only
# if it is zero for every example.
DYING = ("relu",)


def tell_story(
    snapshot: Snapshot, config: RunConfig, changes: Sequence[Change] = ()
) -> dict[str, dict[str, Any]]:
    """Return for each network `{"headline": [key, values], "detail": [[key, values], …]}`.

    `config` is the config at the start. Probes that were not measured give no sentence.
    """
    return {
        name: {
            "headline": list(headline(snapshot.step, record)),
            "detail": [
                list(sentence)
                for sentence in _details(name, snapshot.step, record, config, changes)
            ],
        }
        for name, record in snapshot.networks.items()
    }


def _details(
    norm: str, step: int, record: NetworkRecord, config: RunConfig, changes: Sequence[Change]
) -> Iterable[Sentence]:
    if record.undefined_norm is not None:
        yield "undefined_norm_why", {"needed": NORMS[norm].minimum_batch}
    if record.broke is not None:
        yield from _how_it_broke(record.broke, config, changes)
    if record.state == "learning" and record.dip is not None:
        yield "dip", {"before": record.dip.before, "lowest": record.dip.value}
    if record.state == "diverged":
        return  # the last measurements are from before it diverged
    measured = {
        "saturation": _saturated_layers(
            record, dying=config.activation in DYING, time=config.network == "recurrent"
        ),
        "gradients": _gradients(record, time=config.network == "recurrent"),
    }
    yield from (sentence for sentence in measured.values() if sentence is not None)
    since = [record.measured_at.get(probe, step) for probe, found in measured.items() if found]
    if since and min(since) < step:
        yield "measured_at", {"step": min(since)}


def _how_it_broke(broke: Break, config: RunConfig, changes: Sequence[Change]) -> Iterable[Sentence]:
    log = changes if isinstance(changes, ChangeLog) else ChangeLog(config.model_dump(), changes)
    found = _change_before(broke.step, log)
    if found is not None:
        yield found
    if found is not None and found[0] == AT_SCALING:
        return  # the large values result from the scaling, not from a fault of a layer
    first = first_break(broke)
    yield first.key.removeprefix(DETAIL), first.plain()["values"]
    if broke.first_mover is not None:
        yield (
            "moved_first",
            {"layer": _named(broke.first_mover).plain(), "step": broke.first_moved_at},
        )


def first_break(broke: Break) -> Phrase:
    """Return the sentence that names the layer that broke first, and how."""
    if broke.layer is None:
        if broke.key == AT_CHANCE:
            return phrase(f"{DETAIL}fell_to_chance")
        limit = {"steps": BLOWN_UP_STEPS, "factor": BLOWN_UP_FACTOR}
        return phrase(f"{DETAIL}first_network", **limit)
    if broke.unit is not None:
        return phrase(f"{DETAIL}constant_unit", layer=_named(broke.layer), unit=broke.unit)
    reason = phrase(f"story.reason.{broke.key}") if broke.key else broke.reason
    return phrase(f"{DETAIL}first_layer", layer=_named(broke.layer), reason=reason)


def _named(layer: str) -> Phrase:
    """Return the name of a layer ("layer 3", "time 2" or "output") as part of a sentence."""
    kind, _, number = layer.partition(" ")
    values = {"number": int(number)} if number else {}
    return phrase(f"story.place.{kind}", **values)


def _change_before(step: int, log: ChangeLog) -> Sentence | None:
    """Return the sentence about the last live change or scaling before `step`, or None.

    If a slider was dragged, the old value is the value before the drag, and the new value is the
    last value before `step`.
    """
    for change, gesture in log.backwards(step - STEPS_AFTER_CHANGE, step):
        steps = step - change.step
        scaling = scaling_in(change.values)
        if scaling is not None:
            key = "after_scaling" if steps > 1 else "after_scaling_one" if steps else AT_SCALING
            place = "weights" if scaling.layer is None else "weights_of"
            weights = phrase(f"story.place.{place}", layer=scaling.layer or 0).plain()
            return key, {"steps": steps, "weights": weights, "factor": scaling.factor}
        # A knob that is set at this step affects only the next update.
        for name, new in reversed(change.values.items()) if steps else ():
            old = gesture.before.get(name)
            if isinstance(new, tuple) and isinstance(old, tuple) and name == "rate_factors":
                name, old, new = _one_factor(old, new)
            if isinstance(new, int | float) and isinstance(old, int | float) and old != new:
                key = "after_change" if steps > 1 else "after_change_one"
                return key, {"steps": steps, "knob": name, "old": float(old), "new": float(new)}
            if name == "norm_statistics" and old != new:
                key = "after_change" if steps > 1 else "after_change_one"
                was, now = (phrase(f"story.statistics.{each}").plain() for each in (old, new))
                return key, {"steps": steps, "knob": name, "old": was, "new": now}
    return None


def _one_factor(old: Sequence[Any], new: Sequence[Any]) -> tuple[str, Any, Any]:
    """Return the name, old and new value of the last rate factor that changed."""
    found: tuple[str, Any, Any] = "rate_factors", None, None
    for group, was, now in zip(RATE_GROUPS, old, new, strict=True):
        if was != now:
            found = f"rate_factors.{group}", was, now
    return found


def _saturated_layers(record: NetworkRecord, *, dying: bool, time: bool) -> Sentence | None:
    key = "dead" if dying else "saturated"
    values = record.probes.get("saturation", {}).get(key, ())
    shares = np.asarray(values, dtype=np.float64)
    high = [index for index, share in enumerate(shares) if share > BROKEN_SHARE]
    if not high:
        return None
    many = ("many" if len(high) > 1 else "one") + ("_time" if time else "")
    layers = ranges([index + 1 for index in high])
    lowest = float(shares[high].min())
    if lowest == 1:
        return f"{key}_all_{many}", {"layers": layers}
    # Largest whole percentage below the smallest share. The tolerance is for float32, in which 0.91
    # is 0.91000003.
    below = math.ceil(100 * lowest - 1e-4) - 1
    return f"{key}_{many}", {"layers": layers, "share": below / 100}


def _gradients(record: NetworkRecord, *, time: bool) -> Sentence | None:
    norms = np.asarray(
        record.probes.get("gradients", {}).get("grad_weight_norm", ()), dtype=np.float64
    )
    if norms.size == 0:
        return None
    if not np.isfinite(norms).all():
        return "gradient_nonfinite", {}
    smallest = int(norms.argmin())
    kind = "time" if time else "layer"
    layer = _named("output" if smallest == norms.size - 1 else f"{kind} {smallest + 1}").plain()
    if norms[smallest] == 0:
        return ("gradient_zero", {"layer": layer}) if norms.any() else ("gradient_zero_all", {})
    spread, value = float(norms.max() / norms[smallest]), float(norms[smallest])
    if spread > GRADIENT_SPREAD:
        return "gradient_small", {"layer": layer, "value": value}
    if spread > GRADIENT_EVEN:
        return "gradient_spread", {"factor": spread, "layer": layer, "value": value}
    return "gradient_even" + ("_time" if time else ""), {"factor": spread}


def ranges(numbers: Sequence[int]) -> str:
    """Format ascending whole numbers as ranges: [1, 3, 4, 5] -> "1, 3–5"."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(f"{part[0]}–{part[-1]}" if len(part) > 1 else str(part[0]) for part in parts)
