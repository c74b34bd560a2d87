"""Marks of charts over time: the words at live changes and at breaks.

The browser does the same in `assets/live/charts/marks.js`. A test compares both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from bnviz.actions import ACTIONS
from bnviz.change_log import ChangeLog, Gesture
from bnviz.charts.binding import Marks
from bnviz.records import CONSTANT, NetworkRecord, Snapshot
from bnviz.words.joining import in_list
from bnviz.words.numbers import write

Knobs = dict[str, Any]


class Mark(NamedTuple):
    """Vertical line at a step, with a label or ""."""

    step: int
    label: str


def change_marks(
    snapshot: Snapshot, binding: Marks, near: Callable[[int, int], bool]
) -> list[Mark]:
    """Return a mark for each live change; changes whose steps are `near` share one label."""
    known: Knobs = snapshot.config.model_dump()
    log, marks = ChangeLog(known, snapshot.changes), list[Mark]()
    for group in _grouped(log.gestures, near):
        label = in_list(_group_words(group, binding, known))
        marks += [Mark(one.step, "" if place else label) for place, one in enumerate(group)]
    return marks


def break_marks(record: NetworkRecord, binding: Marks) -> list[Mark]:
    """Return the mark of a network's first break, if it has one."""
    if record.broke is None:
        return []
    # The loss jumped but has fallen again.
    jumped = record.broke.key == "blown_up" and record.state == "learning"
    key = "recovered" if record.state == "recovered" else "jumped" if jumped else "break"
    key = CONSTANT if record.broke.key == CONSTANT else key
    return [Mark(record.broke.step, binding.labels.get(key, ""))]


def _grouped(gestures: list[Gesture], near: Callable[[int, int], bool]) -> Iterator[list[Gesture]]:
    """Yield groups in which each gesture is near the previous one."""
    group: list[Gesture] = []
    for gesture in gestures:
        if group and not near(group[-1].step, gesture.step):
            yield group
            group = []
        group.append(gesture)
    if group:
        yield group


def _group_words(group: list[Gesture], binding: Marks, known: Knobs) -> list[str]:
    """Return the words for the changes of a group, and add its new values to `known`."""
    before, values, actions = dict(known), Knobs(), list[str]()
    for gesture in group:
        for name, value in gesture.values.items():
            if name in ACTIONS:
                actions += _action_words(name, value, binding)
                continue
            # A drag is compared with the value before it began.
            if gesture.drag and name not in values and name in gesture.before:
                before[name] = gesture.before[name]
            values[name] = known[name] = value
            if name == "learning_rate":
                known["learning_rates"] = None
    words: list[str] = []
    for name, value in values.items():
        if value == before.get(name):
            continue
        if name == "learning_rates":
            words += _rate_words(before, value, binding)
        else:
            words += _knob_words(name, before.get(name), value, binding)
    return words + actions


def _knob_words(name: str, old: Any, value: Any, binding: Marks) -> list[str]:
    if isinstance(value, str):
        # A knob whose values are choices has one label per value.
        return [words for words in [binding.labels.get(f"{name}_{value}")] if words]
    template = (binding.labels_new if old is None else binding.labels).get(name)
    if not template or value is None:
        return []
    return [template.format(old=_written(old), new=_written(value))]


def _action_words(name: str, value: tuple[float, int | None], binding: Marks) -> list[str]:
    factor, layer = value
    template = binding.labels.get(name if layer is None else f"{name}_layer")
    return [template.format(factor=_factor(factor), layer=layer)] if template else []


def _rate_words(before: Mapping[str, Any], rates: Any, binding: Marks) -> Iterator[str]:
    """Yield the words for each network whose own learning rate changed."""

    def rate(of: Any, place: int) -> float:
        return float(of[place] if of is not None else before["learning_rate"])

    template = binding.labels.get("learning_rates", "")
    for place, network in enumerate(binding.networks.values()):
        old, new = rate(before["learning_rates"], place), rate(rates, place)
        if template and old != new:
            yield template.format(network=network, old=_written(old), new=_written(new))


def _written(value: Any) -> str:
    if isinstance(value, list | tuple):
        return in_list(map(_written, value))
    return write(value, "number") if isinstance(value, int | float) else str(value or "")


def _factor(value: float) -> str:
    """Format a factor with up to six significant digits."""
    return f"{value:.6g}"
