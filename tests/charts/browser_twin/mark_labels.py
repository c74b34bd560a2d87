"""Labels of live changes: what a knob was before, and what it became."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bnviz.actions import ACTIONS, Scaling
from bnviz.change_log import ChangeLog
from bnviz.charts.binding import Marks
from bnviz.records import Change
from bnviz.words.numbers import write


def change_marks(one: Marks, changes: Sequence[Change]) -> list[tuple[int, str]]:
    """Step and label of each live change, or drag; knobs without a template have none."""
    known, marks = dict(one.start), []
    for gesture in ChangeLog({}, changes).gestures:
        words = []
        for knob, new in gesture.values.items():
            if knob in ACTIONS:
                words += _action_labels(knob, Scaling(*new), one)
                continue
            template = one.labels.get(knob) if knob in known else one.labels_new.get(knob)
            words += _change_labels(template, known.get(knob), new, one) if template else []
            known[knob] = new
        marks.append((gesture.step, ", ".join(words)))
    return marks


def _action_labels(name: str, scaling: Scaling, one: Marks) -> list[str]:
    template = one.labels.get(name if scaling.layer is None else f"{name}_layer")
    if not template:
        return []
    text = template.replace("{factor}", write(scaling.factor, "number"))
    return [text.replace("{layer}", str(scaling.layer))]


def _change_labels(template: str, old: Any, new: Any, one: Marks) -> list[str]:
    def fill(before: Any, after: Any, network: str = "") -> str:
        text = template.replace("{network}", network)
        text = text.replace("{old}", "" if before is None else write(before, "number"))
        return text.replace("{new}", write(after, "number"))

    if new is None:
        return []
    if not isinstance(new, list | tuple):
        return [fill(old, new)]
    before = old if isinstance(old, list | tuple) else [old] * len(new)
    rows = zip(one.networks.values(), before, new, strict=True)
    return [fill(was, now, name) for name, was, now in rows if was != now]
