"""Charts of several panels: side by side, or one above the other on a phone.

A panel says what it draws and how many pixels it needs next to its plot for numbers and words; the
grid gives it axes and a place.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import plotly.graph_objects as go

from bnviz.charts import theme as themes
from bnviz.charts.binding import Binding
from bnviz.charts.chart import ChartView
from bnviz.charts.panels import (
    Block,
    Domain,
    arrange,
    axis_key,
    axis_name,
    narrowest,
    pile,
    text_width,
)
from bnviz.charts.theme import NetworkStyle, Theme, Type
from bnviz.charts.time_axis import marks_axis, marks_room

# Between rows, in sizes of type, beside what numbers and headings need.
APART = 0.6


@dataclass(frozen=True)
class Page:
    """What panels are drawn with.

    Attributes:
        plot: height of every panel's plot in pixels.
        stacked: the same where panels stand one above the other, on a phone.
    """

    view: ChartView
    theme: Theme
    sizes: Type
    styles: dict[str, NetworkStyle]
    plot: int
    stacked: int

    @classmethod
    def of(cls, view: ChartView, plot: int, plot_large: int, stacked: int | None = None) -> Page:
        """The page of a view, with the height of plots for its type."""
        theme, sizes = themes.theme(view.dark), themes.type_sizes(large=view.large)
        height = plot_large if view.large else plot
        lower = height if view.large or stacked is None else stacked
        return cls(view, theme, sizes, theme.networks(view.norms), height, lower)

    def style(self, norm: str | None) -> NetworkStyle:
        """How a network is drawn; None: what is the same for all of them."""
        if norm is None:
            return NetworkStyle(self.theme.muted, self.theme.muted, "3px,3px", "circle")
        return self.styles[norm]


@dataclass(frozen=True)
class Spot:
    """Names of a panel's axes.

    The axis of the marks comes before that of the values, so that the pointer finds the latter.
    """

    x: str
    marks: str
    y: str


@dataclass(frozen=True, kw_only=True)
class Panel(ABC):
    """One panel.

    Attributes:
        heading: words over it; "" for none.
        share: of the width of its row.
        of: the network in whose colour the heading is; None: ink.
        shares: panels with the same word here have one axis of values; "" for an own one.
    """

    heading: str = ""
    share: float = 1.0
    of: str | None = None
    shares: str = ""

    # Whether it draws over time, names marks above its plot, and fills the room that the marks of
    # others in its row leave above it.
    time = False
    names_marks = False
    tall = False

    @abstractmethod
    def left(self, page: Page) -> int:
        """Pixels left of the plot for its numbers and title."""

    def right(self, page: Page) -> int:
        """Pixels right of the plot for labels at the ends of its lines."""
        return page.sizes.base

    @abstractmethod
    def fill(self, figure: go.Figure, page: Page, spot: Spot) -> list[Binding]:
        """Add the traces."""

    @abstractmethod
    def axes(self, page: Page, spot: Spot) -> tuple[dict[str, Any], dict[str, Any]]:
        """The x and the y axis, without their places."""

    def numbers(self, page: Page, width: float) -> dict[str, Any]:
        """Attributes of the x axis that depend on how many pixels wide the plot is."""
        return {}

    def y_axis_in_row(self, page: Page, *, first: bool) -> dict[str, Any]:
        """Attributes of the y axis that depend on whether the panel is the first of its row."""
        return {}

    def shapes(self, page: Page, spot: Spot) -> list[dict[str, Any]]:
        """Lines and areas behind the traces, which frames do not change."""
        return []


Rows = Sequence[Sequence[Panel]]


def in_rows(panels: Sequence[Panel], across: int) -> list[Sequence[Panel]]:
    """Panels in rows of so many, the last of what is left."""
    return [panels[at : at + across] for at in range(0, len(panels), across)]


def zone(page: Page, spot: Spot, low: float, high: float) -> dict[str, Any]:
    """A shape behind a panel's plot, from one value of its axis to another."""
    return {
        "type": "rect", "layer": "below", "xref": spot.x, "x0": low, "x1": high,
        "yref": f"{spot.y} domain", "y0": 0, "y1": 1,
        "fillcolor": page.theme.zone, "line": {"width": 0},
    }  # fmt: skip


def lay_out(
    figure: go.Figure, page: Page, rows: Rows, medium_rows: Rows | None = None
) -> tuple[list[Binding], dict[str, Any]]:
    """Fill the figure with panels.

    Args:
        page: what they are drawn with.
        rows: the panels.
        medium_rows: the same panels in other rows, for places of medium width.

    Returns:
        The bindings, and `height`, `wide`, `medium` and `compact` of the chart.
    """
    panels = [panel for row in rows for panel in row]
    bindings: list[Binding] = []
    layout: dict[str, Any] = {}
    first, shared = None, dict[str, str]()
    for place, panel in enumerate(panels):
        spot = _spot(place)
        bindings += panel.fill(figure, page, spot)
        x, y = panel.axes(page, spot)
        if panel.time:
            layout[axis_key(spot.marks)] = marks_axis(spot.x)
            first, x["matches"] = first or spot.x, first
        if panel.shares in shared:
            y["matches"] = shared[panel.shares]
        elif panel.shares:
            shared[panel.shares] = spot.y
        layout |= {axis_key(spot.x): x, axis_key(spot.y): y}
    figure.layout = themes.layout(page.theme, page.sizes, **layout)
    rows_of = {"wide": rows, "medium": medium_rows or rows}
    wide, medium = (_side_by_side(page, placed, form) for form, placed in rows_of.items())
    arranged = arrange(figure, page.view, wide, _stacked(page, panels), medium)
    # A lower figure has less room between its rows, where numbers and headings stand.
    counts = {form: len(placed) for form, placed in rows_of.items()}
    for form, count in {**counts, "compact": len(panels)}.items():
        if count > 1:
            arranged[form]["least"] = arranged[form]["height"]
    return bindings, arranged


def _spot(place: int) -> Spot:
    return Spot(axis_name("x", place), axis_name("y", 2 * place), axis_name("y", 2 * place + 1))


def _side_by_side(page: Page, rows: Rows, form: str) -> tuple[int, dict[str, Any]]:
    margin = (max(row[0].left(page) for row in rows), max(row[-1].right(page) for row in rows))
    inner = narrowest(page.view, form) - sum(margin)
    blocks = [_block(page, row) for row in rows]
    most = max(len(row) for row in rows)
    columns = [domain for row in rows for domain in _columns(page, row, inner, most)]
    heights, domains = _heights(page, blocks, rows[0])
    spread = [domain for row, domain in zip(rows, domains, strict=True) for _ in row]
    panels = [panel for row in rows for panel in row]
    taller = {
        panels.index(panel) for row in rows for panel in row
        if panel.tall and any(other.names_marks for other in row)
    }  # fmt: skip
    return _patch(page, panels, columns, spread, (heights, margin, rows[0]), inner, taller)


def _stacked(page: Page, panels: Sequence[Panel]) -> tuple[int, dict[str, Any]]:
    page = replace(page, plot=page.stacked)
    margin = (max(panel.left(page) for panel in panels), max(p.right(page) for p in panels))
    inner = narrowest(page.view, "compact") - sum(margin)
    blocks = [_block(page, [panel]) for panel in panels]
    height, domains = _heights(page, blocks, panels[:1])
    columns: list[Domain] = [(0.0, 1.0)] * len(panels)
    return _patch(page, panels, columns, domains, (height, margin, panels[:1]), inner)


def _columns(page: Page, row: Sequence[Panel], inner: float, most: int) -> list[Domain]:
    """Where the panels of a row stand, with room between them for their numbers and words.

    A row that has fewer panels than another leaves the place of the others free.
    """
    shown = len(row)
    row = [*row, *[row[-1]] * (most - shown)]
    gaps = [row[i].right(page) + row[i + 1].left(page) for i in range(len(row) - 1)]
    free, shares = max(inner - sum(gaps), 0.4 * inner), sum(panel.share for panel in row)
    squeeze = (inner - free) / sum(gaps) if gaps else 0.0
    columns, start = list[Domain](), 0.0
    for panel, gap in zip(row, [*gaps, 0], strict=True):
        end = start + free * panel.share / shares
        columns.append((start / inner, min(end / inner, 1.0)))
        start = end + gap * squeeze
    return columns[:shown]


def _block(page: Page, row: Sequence[Panel]) -> Block:
    words = marks_room(page.sizes) if any(panel.names_marks for panel in row) else 0
    return Block(_top(page, row) + words, page.plot, bottom(page))


def _top(page: Page, row: Sequence[Panel]) -> int:
    return round(1.7 * page.sizes.heading) if any(panel.heading for panel in row) else 6


def bottom(page: Page) -> int:
    """Pixels below a plot: numbers and a title."""
    return round(3.2 * page.sizes.base)


def _heights(
    page: Page, blocks: Sequence[Block], first: Sequence[Panel]
) -> tuple[int, list[Domain]]:
    apart = [replace(block, below=block.below + round(APART * page.sizes.base))
             for block in blocks[:-1]]  # fmt: skip
    return pile([*apart, blocks[-1]], _top(page, first), bottom(page))


def _patch(
    page: Page, panels: Sequence[Panel], columns: Sequence[Domain], heights: Sequence[Domain],
    size: tuple[int, tuple[int, int], Sequence[Panel]], inner: float,
    taller: Set[int] = frozenset(),
) -> tuple[int, dict[str, Any]]:  # fmt: skip
    """Height and flat layout changes; `taller`: places of panels that are higher by the marks."""
    height, margin, first = size
    top, foot = _top(page, first), bottom(page)
    marks = marks_room(page.sizes) / (height - top - foot)
    patch: dict[str, Any] = {
        "margin.l": margin[0], "margin.r": margin[1], "margin.t": top, "margin.b": foot,
    }  # fmt: skip
    notes, shapes = [], []
    for place, (panel, x, y) in enumerate(zip(panels, columns, heights, strict=True)):
        spot = _spot(place)
        above = min(y[1] + marks, 1.0) if panel.names_marks or place in taller else y[1]
        patch[f"{axis_key(spot.x)}.domain"] = x
        patch[f"{axis_key(spot.y)}.domain"] = (y[0], above) if place in taller else y
        wide = (x[1] - x[0]) * inner
        if panel.time:
            patch[f"{axis_key(spot.marks)}.domain"] = (y[0], above)
        for name, value in panel.numbers(page, wide).items():
            patch[f"{axis_key(spot.x)}.{name}"] = value
        for name, value in panel.y_axis_in_row(page, first=x[0] == 0).items():
            patch[f"{axis_key(spot.y)}.{name}"] = value
        if panel.heading:
            right = [start for start, _ in columns[place + 1 : place + 2] if start > x[0]]
            end = right[0] * inner - page.sizes.base if right else inner + margin[1]
            room = end - x[0] * inner
            notes.append(_heading(page, panel, room, x=x[0], y=above))
        shapes += panel.shapes(page, spot)
    return height, {**patch, "annotations": notes, "shapes": shapes}


def _heading(page: Page, panel: Panel, room: float, **at: float) -> dict[str, Any]:
    """The words over a panel, smaller where they would reach to the next one."""
    style, sizes = page.styles[panel.of] if panel.of else None, page.sizes
    if text_width(panel.heading, sizes.heading, bold=True) > room:
        sizes = replace(sizes, heading=sizes.small)
    return themes.heading(panel.heading, style, page.theme, sizes, yshift=2, **at)
