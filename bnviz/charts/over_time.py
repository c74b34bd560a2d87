"""Panel of numbers over time: lines with labels at their ends, marks, and the cursor."""

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

# Width of a number on the axis of values, in characters.
NUMBER = 5
# Width of a step number on the axis, as a multiple of the type size.
STEP_NUMBER = 5.5


@dataclass(frozen=True, kw_only=True)
class PlotTrace:
    """Line of one number over time.

    Attributes:
        norm: network that gives the colour, or None for a line common to all networks.
        label: text at the end of the line, or "".
        fill: opacity of the area between this line and the previous one.
        line_style: line attributes that differ from the network's style ("dash", "shape").
        shared: whether the label is common to all networks and has a neutral colour.
    """

    norm: str | None
    field: str
    index: str | None = None
    label: str = ""
    width: float = 2.4
    opacity: float = 1.0
    fill: float = 0.0
    line_style: Attributes | None = None
    shared: bool = False


def network_traces(view: ChartView, value: str, **more: Any) -> list[PlotTrace]:
    """Return one labelled line per network for the field `<network>.<value>`."""
    ends = end_labels(view)
    return [
        PlotTrace(norm=norm, field=f"{norm}.{value}", label=ends[norm], **more)
        for norm in view.norms
    ]


@dataclass(frozen=True, kw_only=True)
class OverTime(Panel):
    """Panel of some numbers over time on one axis.

    Attributes:
        value_axis: attributes of the axis (type, range, ticks).
        levels: reference values, drawn as lines.
        marks: networks whose breaks are marked, or None for all networks.
        numbered: whether the axis has numbers and a title; a shared axis needs them once.
        ends: indices of `lines` from the top down, for ordering labels at the same height.
        beyond: whether values beyond the axis are common, so that labels need space for a number.
    """

    lines: Sequence[PlotTrace]
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
        return view.left_margin(NUMBER) if self.numbered else view.sizes.base

    def right(self, view: ChartView) -> int:
        widest = max((text_width(line.label, view.sizes.base) for line in self.lines), default=0)
        number = text_width(" (0.003)", view.sizes.base) if self.beyond else 0
        return round(widest + number) + 14

    def fill(self, figure: go.Figure, view: ChartView, spot: Spot) -> Bindings:
        bindings: Bindings = []
        bands: Bindings = []
        axes = {"x": spot.x, "y": spot.y}
        same: Attributes = {
            "scale": self.scale, "clip": self.clip, "transform": self.transform
        }  # fmt: skip
        for place, line in enumerate(self.lines):
            # Draw an area behind the two lines at its edges.
            if any(above.fill for above in self.lines[place + 1 : place + 2]):
                bands.append(self._band(figure, view, self.lines[place + 1], axes))
            bindings.append(
                add_line(
                    figure, view.style(line.norm), field=line.field, index=line.index,
                    width=line.width, opacity=line.opacity, line_style=line.line_style,
                    may_end=line.shared,
                    **axes, **same,
                )
            )  # fmt: skip
        bindings += bands  # bands follow the lines, because they use the points of the lines
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

    def _band(
        self, figure: go.Figure, view: ChartView, above: PlotTrace, axes: dict[str, str]
    ) -> Band:
        """Add the empty area between the two lines that are added next."""
        trace = add_trace(figure, go.Scatter(
            x=[], y=[], mode="lines", line={"width": 0}, fill="toself", hoverinfo="skip",
            fillcolor=view.style(above.norm).alpha(above.fill), name="",
            xaxis=axes["x"], yaxis=axes["y"],
        ))  # fmt: skip
        return Band(trace=trace, low=trace + 1, high=trace + 2)

    def axes(self, view: ChartView, spot: Spot) -> tuple[Attributes, Attributes]:
        return {"title": view.text("step"), **steps()}, {"title": self.axis, **self.value_axis}

    def numbers(self, view: ChartView, width: float) -> Attributes:
        return {"nticks": max(3, min(8, round(width / (STEP_NUMBER * view.sizes.base))))}

    def y_axis_in_row(self, *, first: bool) -> Attributes:
        shown = self.numbered or first
        return {"showticklabels": shown, "title.text": self.axis if shown else ""}

    def shapes(self, view: ChartView, spot: Spot) -> list[Attributes]:
        return [
            view.level(xref=f"{spot.x} domain", yref=spot.y, y0=level, y1=level)
            for level in self.levels
        ]
