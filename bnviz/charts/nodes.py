"""Bindings of layers that are drawn as nodes side by side: their links, and what opens from them.

Like those of `bnviz.charts.binding`, whose rules hold here too:

links       vector of n + 1 numbers -> n closed figures, parted by null: link i reaches from
            (starts[i], middle) to (ends[i], middle), and is as thick at its start as number i says,
            at its end as number i + 1 says: `thin` at `bounds[0]` or less, `thick` at `bounds[1]`
            or more, and evenly by decades between them. Thickness is in units of y. Infinity is
            thick; where a number is none, the one last drawn there counts, or else `thick`. Sets x
            and y (fill is "toself").
nodecallout no trace: once the network has broken, and the rule names one of `rows`, the page draws
            a frame round that node (`spans` are the left and right ends of each on `x`, `reach` the
            lower and upper end of all on `y`), and says the template of `words` for the rule that
            fired after the annotation with the number `heading`, on its line.
doors       no trace: each of `spans` on the axis `x` is a button as high as the plot, which opens
            the charts `opens` with that option of their selector `selector`. `names` is what the
            options are called, `label` what the button says, with "{name}".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bnviz.charts.binding import Binding, Callout, Measured

Span = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Links(Measured):
    """Links between neighbours, as thick as a number at each of their ends."""

    starts: Sequence[float]
    ends: Sequence[float]
    middle: float
    bounds: Span
    thin: float
    thick: float


@dataclass(frozen=True, kw_only=True)
class NodeCallout(Callout):
    """A frame round the node in which a network broke, and words over it."""

    spans: Sequence[Span]
    reach: Span
    heading: int


@dataclass(frozen=True, kw_only=True)
class Doors(Binding):
    """Buttons over the nodes, which open other charts."""

    x: str
    spans: Sequence[Span]
    names: Sequence[str]
    selector: str
    opens: Sequence[str]
    label: str
