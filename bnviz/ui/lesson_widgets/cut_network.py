"""*Cut the network*: lower layers of one step under upper layers of another, as measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from bnviz.charts.theme import theme
from bnviz.lessons.moving_targets import CUT, FROZEN, KEPT
from bnviz.records import NetworkRecord, Snapshot
from bnviz.ui.lesson_widgets.widget import WidgetState

PROBE = "cut"
DIGITS = 7  # of what is sent: enough that it is rounded once only, where it is written
FULL = 65535  # a count that means every value

_Share = Annotated[float, Field(ge=0, le=1)]
_Step = Annotated[int, Field(ge=0)]


class CutState(WidgetState):
    """What is chosen, and what was measured of it.

    Attributes:
        network: its norm.
        cut: the last layer of the lower half.
        s, t: steps of the lower and of the upper half.
        random: whether the lower half is that of step t, moved at random as far as to step s.
        accuracy: of the two halves together; None: not finite.
        own: of both halves of step t.
        wander: by how much of its spread the median unit at the cut has shifted from t to s.
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
    """What the widget is mounted with. May be new at each rerun: what was chosen stays chosen.

    Args:
        snapshot: the newest one with probe `cut`; None, or one without: the widget says it waits.
        labels: of the networks, by norm, in order.
        depth: hidden layers.
        keep: the steps whose weights are kept.
        cut: the last layer of the lower half, at first.
        t: the step of the upper half at first; that of the lower one is the newest.

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
        "colours": {
            "dark" if dark else "light": {
                norm: {"line": style.line, "text": style.text}
                for norm, style in theme(dark).networks(list(labels)).items()
            }
            for dark in (False, True)
        },
        "depth": depth,
        "cuts": list(range(1, depth)),
        "keep": list(keep),
        "start": {"network": next(iter(labels)), "cut": cut, "s": None, "t": t, "random": False},
    }


def _values(record: NetworkRecord | None) -> dict[str, Any] | None:
    """What the probe found of a network, as JSON has it; None: nothing yet."""
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
    """Nested lists; what is not finite is None."""
    if array.ndim:
        return [_plain(part) for part in array]
    return round(float(array), DIGITS) if np.isfinite(array) else None
