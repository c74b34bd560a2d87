"""A panel over time: lines of some numbers, their names at their ends, marks and the cursor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import plotly.graph_objects as go

from bnviz.charts.binding import Band, Bindings, Clip, Label
from bnviz.charts.chart import ChartView
from bnviz.charts.grid import Panel, Spot
from bnviz.charts.panels import add_trace, text_width
from bnviz.charts.theme import Attributes
from bnviz.charts.time_axis import add_labels, add_line, add_marks, end_labels, steps

# Letters of a number on the axis of the values.
NUMBER = 5
# Pixels that a number of steps takes, in sizes of type.
STEP_NUMBER = 5.5


@dataclass(frozen=True, kw_only=True)
class Trace:
    """One number over time.

    Attributes:
        norm: the network in whose colour it is; None: it is the same for all of them.
        label: the words at its end; "" for none.
        fill: how much of its colour the area between it and the line before it has.
        look: attributes of the line that are not the network's own ("dash", "shape").
        shared: whether `label` names the lines of all networks, and so is in nobody's colour.
    """

    norm: str | None
    field: str
    index: str | None = None
    label: str = ""
    width: float = 2.4
    opacity: float = 1.0
    fill: float = 0.0
    look: Attributes | None = None
    shared: bool = False


def network_traces(view: ChartView, value: str, **more: Any) -> list[Trace]:
    """A line with its network's name for each, of the field `<network>.<value>`."""
    ends = end_labels(view)
    return [
        Trace(norm=norm, field=f"{norm}.{value}", label=ends[norm], **more) for norm in view.norms
    ]


@dataclass(frozen=True, kw_only=True)
class OverTime(Panel):
    """Some numbers over time on one axis.

    Attributes:
        axis: title with unit.
        value_axis: attributes of the axis (type, range, ticks).
        scale, clip, transform: from measured to drawn numbers.
        level: a value to compare with, as a line; several: lines across.
        marks: the networks whose breaks are marked; None: all.
        names_marks: whether the marks are named; of several panels in a column, the first's are.
        numbered: whether the axis has numbers and a title; of panels side by side that share one,
            the first has them.
        ends: places of the lines whose names stand below each other in this order where they have
            met; empty: that of `lines`.
        beyond: whether values beyond the axis are common; their number stands beside the name.
    """

    lines: Sequence[Trace]
    axis: str
    value_axis: Attributes = field(default_factory=dict)
    scale: float = 1.0
    clip: Clip | None = None
    transform: Literal["asinh"] | None = None
    levels: Sequence[float] = ()
    marks: tuple[str, ...] | None = None
    names_marks: bool = True
    numbered: bool = True
    ends: Sequence[int] = ()
    beyond: bool = False

    time = True

    def left(self, view: ChartView) -> int:
        """Room for the numbers of its axis, and its title."""
        return view.left_margin(NUMBER) if self.numbered else view.sizes.base

    def right(self, view: ChartView) -> int:
        """Room for the names of its lines."""
        widest = max((text_width(line.label, view.sizes.base) for line in self.lines), default=0)
        number = text_width(" (0.003)", view.sizes.base) if self.beyond else 0
        return round(widest + number) + 14

    def fill(self, figure: go.Figure, view: ChartView, spot: Spot) -> Bindings:
        """Add lines, their names, marks and the cursor."""
        bindings: Bindings = []
        bands: Bindings = []
        axes = {"x": spot.x, "y": spot.y}
        same: Attributes = {
            "scale": self.scale, "clip": self.clip, "transform": self.transform
        }  # fmt: skip
        for place, line in enumerate(self.lines):
            # An area lies under both of its lines.
            if any(above.fill for above in self.lines[place + 1 : place + 2]):
                bands.append(self._band(figure, view, self.lines[place + 1], axes))
            bindings.append(
                add_line(
                    figure, view.style(line.norm), field=line.field, index=line.index,
                    width=line.width, opacity=line.opacity, look=line.look, may_end=line.shared,
                    **axes, **same,
                )
            )  # fmt: skip
        bindings += bands  # filled in between lines that are drawn
        ordered = [self.lines[place] for place in self.ends] if self.ends else self.lines
        ends = [line for line in ordered if line.label]
        labels = [
            Label(field=line.field, index=line.index, text=line.label, may_end=line.shared, **same)
            for line in ends
        ]
        colours = [view.theme.muted if line.shared else view.style(line.norm).text for line in ends]
        bindings.append(add_labels(figure, view, labels, colours, **axes))
        return bindings + add_marks(
            figure, view, networks=self.marks, x=spot.x,
            y=spot.marks, plot=spot.plot, names_marks=self.names_marks,
        )  # fmt: skip

    def _band(self, figure: go.Figure, view: ChartView, above: Trace, axes: dict[str, str]) -> Band:
        """Add the empty area between the next two lines."""
        trace = add_trace(figure, go.Scatter(
            x=[], y=[], mode="lines", line={"width": 0}, fill="toself", hoverinfo="skip",
            fillcolor=view.style(above.norm).alpha(above.fill), name="",
            xaxis=axes["x"], yaxis=axes["y"],
        ))  # fmt: skip
        return Band(trace=trace, low=trace + 1, high=trace + 2)

    def axes(self, view: ChartView, spot: Spot) -> tuple[Attributes, Attributes]:
        """The steps and the values."""
        return {"title": view.text("step"), **steps()}, {"title": self.axis, **self.value_axis}

    def numbers(self, view: ChartView, width: float) -> Attributes:
        """As many numbers of steps as there is room for."""
        return {"nticks": max(3, min(8, round(width / (STEP_NUMBER * view.sizes.base))))}

    def y_axis_in_row(self, *, first: bool) -> Attributes:
        """Numbers and a title, unless the panel to the left has them."""
        shown = self.numbered or first
        return {"showticklabels": shown, "title.text": self.axis if shown else ""}

    def shapes(self, view: ChartView, spot: Spot) -> list[Attributes]:
        """Lines at the values to compare with."""
        return [
            view.level(xref=f"{spot.x} domain", yref=spot.y, y0=level, y1=level)
            for level in self.levels
        ]
