"""Bindings of layers drawn as nodes in a row; the rules of `bnviz.charts.binding` apply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bnviz.charts.binding import Binding, Callout, MeasuredBinding

Span = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Links(MeasuredBinding):
    """Links between neighbouring nodes, whose thickness shows a number at each end.

    A vector of n + 1 numbers becomes n closed figures, separated by null. Link i extends from
    (starts[i], middle) to (ends[i], middle). Its thickness, in units of y, shows number i at its
    start and number i + 1 at its end: `thin` up to `bounds[0]`, `thick` from `bounds[1]`, and in
    between linear in the logarithm. For NaN, the last thickness is kept, or `thick` is used if
    there is none. Sets x and y (fill is "toself").
    """

    starts: Sequence[float]
    ends: Sequence[float]
    middle: float
    bounds: Span
    thin: float
    thick: float


@dataclass(frozen=True, kw_only=True)
class NodeCallout(Callout):
    """Frame around the node in which a network broke, and a text beside annotation `heading`.

    `spans` are the ends of each node on `x`, and `reach` the ends of all nodes on `y`.
    """

    spans: Sequence[Span]
    reach: Span
    heading: int


@dataclass(frozen=True, kw_only=True)
class Doors(Binding):
    """Buttons over `spans` of axis `x`; each sets an option of `selector` and opens `opens`."""

    x: str
    spans: Sequence[Span]
    names: Sequence[str]
    selector: str
    opens: Sequence[str]
    label: str
