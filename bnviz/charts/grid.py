"""Layout of charts with several panels: axes and position of each panel."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from bnviz.charts.binding import Bindings
from bnviz.charts.chart import ChartView
from bnviz.charts.panels import (
    Arrangement,
    Block,
    Domain,
    arrange,
    axis_key,
    axis_name,
    flat,
    margins,
    narrowest,
    pile,
    text_width,
)
from bnviz.charts.theme import Attributes
from bnviz.charts.time_axis import marks_axis, marks_room

# Gap between rows of panels, as a multiple of the type size, in addition to the space for numbers
# and headings.
APART = 0.6


@dataclass(frozen=True)
class Spot:
    """Names of the axes of a panel, and the height of its plot in pixels."""

    x: str
    marks: str
    y: str
    plot: int

    @property
    def axes(self) -> Attributes:
        return {"xaxis": self.x, "yaxis": self.y}


@dataclass(frozen=True, kw_only=True)
class Panel(ABC):
    """Panel of a chart.

    Attributes:
        share: share of its row's width that the panel takes.
        norm: network that gives the heading its colour, or "" if the panel shows several networks.
        shares: panels with the same key share one axis of values; "" for a separate axis.
    """

    heading: str = ""
    share: float = 1.0
    norm: str = ""
    shares: str = ""

    # `time`: whether the panel draws over time. `names_marks`: whether the labels of its marks are
    # above the plot. `tall`: whether the panel extends into the space that its row leaves for such
    # labels.
    time = False
    names_marks = False
    tall = False

    @abstractmethod
    def left(self, view: ChartView) -> int:
        """Return the margin in pixels to the left of the plot, for numbers and a title."""

    def right(self, view: ChartView) -> int:
        """Return the margin in pixels to the right of the plot, for labels at line ends."""
        return view.sizes.base

    @abstractmethod
    def fill(self, figure: go.Figure, view: ChartView, spot: Spot) -> Bindings:
        """Add the traces and return their bindings."""

    @abstractmethod
    def axes(self, view: ChartView, spot: Spot) -> tuple[Attributes, Attributes]:
        """Return attributes of the x and y axes, `title` included, but without their domains."""

    def numbers(self, view: ChartView, width: float) -> Attributes:
        """Return attributes of the x axis that depend on the width of the plot in pixels."""
        return {}

    def y_axis_in_row(self, *, first: bool) -> Attributes:
        """Return attributes of the y axis that depend on the panel's place in its row."""
        return {}

    def shapes(self, view: ChartView, spot: Spot) -> list[Attributes]:
        """Return lines and areas behind the traces, which frames do not change."""
        return []


Rows = Sequence[Sequence[Panel]]


def in_rows(panels: Sequence[Panel], across: int) -> list[Sequence[Panel]]:
    """Split panels into rows of `across`; the last row may be shorter."""
    return [panels[at : at + across] for at in range(0, len(panels), across)]


def lay_out(
    view: ChartView, plots: tuple[int, int], rows: Rows, medium_rows: Rows | None = None, *,
    stacked: int | None = None, phone_rows: Rows | None = None,
) -> Attributes:  # fmt: skip
    """Build a figure from panels.

    Args:
        plots: height of each plot in pixels, with normal and with large type.
        medium_rows: rows in the medium form, or None for the same rows.
        stacked: height of each plot in the compact form, or None for the same height.
        phone_rows: rows in the compact form, or None for one panel per row.
    """
    panels = [panel for row in rows for panel in row]
    plot = plots[1] if view.large_type else plots[0]
    figure, bindings, layout = go.Figure(), Bindings(), Attributes()
    first, shared = None, dict[str, str]()
    for place, panel in enumerate(panels):
        spot = _spot(place, plot)
        bindings += panel.fill(figure, view, spot)
        x, y = panel.axes(view, spot)
        if panel.time:
            layout[axis_key(spot.marks)] = marks_axis(spot.x)
            first, x["matches"] = first or spot.x, first
        if panel.shares:
            y["matches"] = shared.get(panel.shares)
            shared.setdefault(panel.shares, spot.y)
        layout[axis_key(spot.x)] = view.axis(**x, anchor=spot.y)
        layout[axis_key(spot.y)] = view.axis(**y, anchor=spot.x)
    figure.layout = view.layout(**layout)
    on_phone = phone_rows or [[panel] for panel in panels]
    lower = plot if view.large_type or stacked is None else stacked
    forms: tuple[tuple[str, int, Rows], ...] = (
        ("wide", plot, rows), ("compact", lower, on_phone), ("medium", plot, medium_rows or rows),
    )  # fmt: skip
    arranged = arrange(
        figure, view, *(_arranged(view, height, placed, form) for form, height, placed in forms)
    )
    return {"figure": figure, "bindings": bindings, **arranged}


def _spot(place: int, plot: int) -> Spot:
    x, marks, y = axis_name("x", place), axis_name("y", 2 * place), axis_name("y", 2 * place + 1)
    return Spot(x, marks, y, plot)


def _arranged(view: ChartView, plot: int, rows: Rows, form: str) -> Arrangement:
    """Return the panels arranged in rows, for the smallest width at which a form is used."""
    left = max(row[0].left(view) for row in rows)
    right = max(row[-1].right(view) for row in rows)
    inner, most = narrowest(view, form) - left - right, max(len(row) for row in rows)
    top, foot, room = _top(view, rows[0]), view.foot, marks_room(view)
    blocks = [
        Block(_top(view, row) + (room if _names_marks(row) else 0), plot,
              foot + (round(APART * view.sizes.base) if row is not rows[-1] else 0))
        for row in rows
    ]  # fmt: skip
    height, domains = pile(blocks, top, foot)
    patch = margins(left, right, top, foot)
    notes, shapes, place = list[Attributes](), list[Attributes](), 0
    for row, y in zip(rows, domains, strict=True):
        columns = _columns(view, row, inner, most)
        above = min(y[1] + room / (height - top - foot), 1.0)
        for number, (panel, x) in enumerate(zip(row, columns, strict=True)):
            spot = _spot(place, plot)
            place += 1
            taller = panel.tall and _names_marks(row)
            high = (y[0], above if taller or panel.names_marks else y[1])
            numbers = panel.numbers(view, (x[1] - x[0]) * inner)
            beside = panel.y_axis_in_row(first=number == 0)
            patch |= flat(spot.x, domain=x, **numbers)
            patch |= flat(spot.y, domain=high if taller else y, **beside)
            patch |= flat(spot.marks, domain=high) if panel.time else {}
            if panel.heading:
                last = number == len(columns) - 1
                end = inner + right if last else columns[number + 1][0] * inner - view.sizes.base
                # Use smaller type if the heading would reach the next heading.
                wide = text_width(panel.heading, view.sizes.heading, bold=True)
                size = view.sizes.small if wide > end - x[0] * inner else None
                notes.append(
                    view.heading(panel.heading, panel.norm, size, x=x[0], y=high[1], yshift=2)
                )
            shapes += panel.shapes(view, spot)
    least = height if len(rows) > 1 else None
    return Arrangement(height, {**patch, "annotations": notes, "shapes": shapes}, least)


def _names_marks(row: Sequence[Panel]) -> bool:
    return any(panel.names_marks for panel in row)


def _top(view: ChartView, row: Sequence[Panel]) -> int:
    return round(1.7 * view.sizes.heading) if any(panel.heading for panel in row) else 6


def _columns(view: ChartView, row: Sequence[Panel], inner: float, most: int) -> list[Domain]:
    """Return the x domains of a row's panels; a shorter row leaves its last columns empty."""
    shown = len(row)
    row = [*row, *[row[-1]] * (most - shown)]
    gaps = [row[i].right(view) + row[i + 1].left(view) for i in range(len(row) - 1)]
    free, shares = max(inner - sum(gaps), 0.4 * inner), sum(panel.share for panel in row)
    squeeze = (inner - free) / sum(gaps) if gaps else 0.0
    columns, start = list[Domain](), 0.0
    for panel, gap in zip(row, [*gaps, 0], strict=True):
        end = start + free * panel.share / shares
        columns.append((start / inner, min(end / inner, 1.0)))
        start = end + gap * squeeze
    return columns[:shown]
