"""The widget *Cut the network*: lower layers of one step under upper layers of another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from bnviz.lessons.moving_targets import CUT, FROZEN, KEPT
from bnviz.records import NetworkRecord, Snapshot
from bnviz.ui.lesson_widgets.widget import WidgetState, network_colours

PROBE = "cut"
DIGITS = 7  # of a number that is sent: more than are shown, so that it is rounded once
FULL = 65535  # the count that stands for all values

_Share = Annotated[float, Field(ge=0, le=1)]
_Step = Annotated[int, Field(ge=0)]


class CutState(WidgetState):
    """What the visitor has chosen, and what was measured of it.

    Attributes:
        network: its norm.
        cut: the last layer of the lower half.
        s, t: steps of the lower and of the upper half.
        random: whether the lower half is that of step t, moved in a random direction as far as step
            s lies from it.
        accuracy: of the two halves together; None: not finite.
        own: accuracy of both halves of step t.
        wander: the shift of the median unit at the cut from t to s, in units of its spread.
    """

    network: Annotated[str, Field(max_length=40)]
    cut: Annotated[int, Field(ge=1, le=50)]
    s: _Step
    t: _Step
    random: bool
    accuracy: _Share | None
    own: _Share | None
    wander: float | None


def cut_network_data(
    snapshot: Snapshot | None,
    labels: Mapping[str, str],
    *,
    depth: int = 6,
    keep: Sequence[int] = KEPT,
    cut: int = CUT,
    t: int = FROZEN,
) -> dict[str, Any]:
    """The data of the widget. What was chosen in it stays chosen when the data change.

    Args:
        snapshot: the newest one; as long as it is None, or has no probe `cut`, the widget waits.
        labels: of the networks, by norm, in order.
        depth: hidden layers.
        keep: the steps whose weights are kept.
        cut: the last layer of the lower half, at first.
        t: the step of the upper half at first; the lower one has the newest.

    Raises:
        ValueError: names the argument, its value and what is allowed.
    """
    if depth < 2:
        raise ValueError(f"`depth` must be at least 2 to be cut, got {depth}.")
    if not 1 <= cut < depth:
        raise ValueError(f"`cut` must be from 1 to {depth - 1}, got {cut}.")
    records = snapshot.networks if snapshot is not None else {}
    return {
        "networks": {norm: _values(records.get(norm)) for norm in labels},
        "labels": dict(labels),
        "colours": network_colours(list(labels)),
        "depth": depth,
        "cuts": list(range(1, depth)),
        "keep": list(keep),
        "start": {"network": next(iter(labels)), "cut": cut, "s": None, "t": t, "random": False},
    }


def _values(record: NetworkRecord | None) -> dict[str, Any] | None:
    """The probe's values of a network, for JSON; None before it was measured."""
    found = record.probes.get(PROBE) if record is not None else None
    if not found:
        return None
    return {
        "steps": [int(step) for step in found["steps"]],
        "cuts": [int(cut) for cut in found["cuts"]],
        **{name: _plain(found[name]) for name in ("accuracy", "random", "wander")},
        "passes": _plain(found["passes"] / FULL),
        "edges": _plain(found["edges"]),
    }


def _plain(array: Any) -> Any:
    """An array as nested lists, with None for values that are not finite."""
    if array.ndim:
        return [_plain(part) for part in array]
    return round(float(array), DIGITS) if np.isfinite(array) else None
