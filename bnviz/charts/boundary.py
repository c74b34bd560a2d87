"""Prediction of each network at every point of the input plane, with training examples."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from bnviz.charts.binding import Bindings, Heat
from bnviz.charts.chart import Chart, ChartView, Points, Table
from bnviz.charts.panels import (
    Arrangement,
    Domain,
    add_trace,
    arrange,
    axis_key,
    axis_name,
    domains,
    flat,
    margins,
)
from bnviz.charts.theme import Attributes
from bnviz.probes.axis import GRID, GRID_SIZE

FULL_SCALE = 255
# Maximum number of training points drawn. They are enough to show the classes. More points would
# slow down the page, because every frame redraws all points.
MOST_POINTS = 240
# Panel height in pixels if rows have one panel, and if rows have two. With the smaller height, all
# four panels stay visible.
PANEL, PANEL_OF_TWO = 240, 165
# Height in pixels below which a figure has all panels in one row, without axis titles. If it is
# also narrower than `LOW_COMPACT` pixels, as in a lesson on a phone, rows have `ACROSS` panels.
LOW, LOW_COMPACT, ACROSS = 260, 400, 2
FEW, MANY = (-2, 0, 2), (-2, -1, 0, 1, 2)


def build(view: ChartView) -> Chart:
    texts = view.texts["boundary"]
    points, count = view.points or _load(view), len(view.norms)
    figure, bindings = go.Figure(), Bindings()
    for place, norm in enumerate(view.norms):
        axes = {"xaxis": axis_name("x", place), "yaxis": axis_name("y", place)}
        bindings += _map(figure, view, norm, axes)
        _points(figure, view, points, axes)
    figure.layout = _layout(view)
    arranged = arrange(
        figure, view, Arrangement(330 if count < 3 else 270, _row(view)), _stacked(view)
    )
    columns = view.columns((texts["accuracy"], "test_accuracy", "percent1"))
    return Chart(
        figure=figure, bindings=bindings, table=Table(columns, [texts["accuracy"]]),
        low=_low(view) if count > 1 else None, **arranged,
    )  # fmt: skip


def _load(view: ChartView) -> Points:
    from bnviz.data.base import load

    data = load(view.config)
    return Points(data.train_inputs, data.train_labels)


def _map(figure: go.Figure, view: ChartView, norm: str, axes: dict[str, str]) -> Bindings:
    """Add the map of probabilities and the line at probability 1/2, which read the same field."""
    step, style = float(GRID[1] - GRID[0]), view.styles[norm]
    grid = {
        "x0": float(GRID[0]), "dx": step, "y0": float(GRID[0]), "dy": step, "showscale": False,
        "z": [[0.0] * GRID_SIZE] * GRID_SIZE, "hoverinfo": "skip", **axes,
    }  # fmt: skip
    colours = [[0, view.theme.zone], [0.5, style.alpha(0.12)], [1, style.alpha(0.6)]]
    heat = go.Heatmap(zmin=0, zmax=1, zsmooth="fast", colorscale=colours, **grid)
    first = add_trace(figure, heat)
    second = add_trace(figure, go.Contour(
        contours={"start": 0.5, "end": 0.5, "size": 1, "coloring": "none"},
        line={"color": style.line, "width": 2}, autocontour=False, **grid,
    ))  # fmt: skip
    return [
        Heat(trace=trace, field=f"{norm}.boundary.score", scale=1 / FULL_SCALE)
        for trace in (first, second)
    ]  # fmt: skip


def _points(figure: go.Figure, view: ChartView, points: Points, axes: dict[str, str]) -> None:
    """Add the training points: class 1 filled, class 0 hollow."""
    chosen = np.linspace(0, len(points.labels) - 1, min(MOST_POINTS, len(points.labels)))
    chosen = chosen.round().astype(int)
    inputs, labels = points.inputs[chosen], points.labels[chosen]
    ink = view.theme.ink
    add_trace(figure, go.Scatter(
        x=inputs[:, 0].round(3).tolist(), y=inputs[:, 1].round(3).tolist(), mode="markers",
        hoverinfo="skip", opacity=0.8,
        marker={"size": 5, "line": {"color": ink, "width": 1},
                "color": [ink if label else "rgba(0,0,0,0)" for label in labels]}, **axes,
    ))  # fmt: skip


def _layout(view: ChartView) -> Attributes:
    reach, axes = float(GRID[-1]), Attributes()
    for place in range(len(view.norms)):
        x, y = axis_name("x", place), axis_name("y", place)
        shared: Attributes = {
            "range": [-reach, reach], "constrain": "domain", "showgrid": False,
        }  # fmt: skip
        axes[axis_key(x)] = view.axis(**shared, anchor=y, constraintoward="left")
        axes[axis_key(y)] = view.axis(**shared, anchor=x, scaleanchor=x)
    return view.layout(**axes)


def _row(view: ChartView) -> Attributes:
    """Return the layout with one row; more than two panels in large type have short names."""
    count = len(view.norms)
    short = view.large_type > 0 and count > 2
    return _placement(view, _tiles(count, count, 0.05, 0), FEW if short else MANY, short=short,
                      tight=count > 2)  # fmt: skip


def _stacked(view: ChartView) -> Arrangement:
    """Return the layout with one panel per row, or two per row for more than two networks."""
    count = len(view.norms)
    tight = count > 2
    across, panel = (ACROSS, PANEL_OF_TWO) if tight else (1, PANEL)
    rows = math.ceil(count / across)
    # Pixels between two rows of panels, which leave space for an axis with its title and a heading.
    between = round(2.2 * view.sizes.heading) + view.foot
    gap = between / (panel * rows + between * (rows - 1))
    tiled = _tiles(count, across, 0.12, gap)
    patch = _placement(view, tiled, FEW if tight else MANY, short=tight, tight=tight)
    return Arrangement((panel + between) * rows, patch)


def _low(view: ChartView) -> Attributes:
    """Return the layouts of a low figure: one row, or if it is also narrow, two panels per row."""
    count = len(view.norms)
    row, two = _tiles(count, count, 0.05, 0), _tiles(count, ACROSS, 0.04, 2 * view.sizes.base / LOW)
    return {
        "below": LOW, "layout": _placement(view, row, FEW, titled=False, tight=count > 2),
        "compact": {
            "below": LOW_COMPACT, "layout": _placement(view, two, (), titled=False, tight=True),
        },
    }  # fmt: skip


def _tiles(count: int, across: int, beside: float, apart: float) -> list[tuple[Domain, Domain]]:
    """Return (x, y) domains, row by row from the upper left; gaps are shares of the figure."""
    rows = math.ceil(count / across)
    columns, lines = domains(across, beside), domains(rows, apart)
    return [(columns[at % across], lines[rows - 1 - at // across]) for at in range(count)]


def _placement(
    view: ChartView, tiled: Sequence[tuple[Domain, Domain]], numbers: Sequence[float], *,
    titled: bool = True, short: bool = True, tight: bool,
) -> Attributes:  # fmt: skip
    """Return layout changes (dotted keys) that place the panels and their names.

    All layouts set the same keys, because a figure switches between layouts. Without `numbers`, no
    space is left for ticks on the axes. With `tight`, headings have the base type size.
    """
    texts, size = view.texts["boundary"], view.sizes.base if tight else None
    if numbers:
        patch = margins(view.left_margin(2), 12, round(2.2 * view.sizes.heading), view.foot)
    else:
        patch = margins(4, 4, round(1.6 * view.sizes.base), 4)
    notes = []
    for place, (norm, (x, y)) in enumerate(zip(view.norms, tiled, strict=True)):
        across = texts["axis_x"] if titled else ""
        upward = texts["axis_y"] if titled and place == 0 else ""
        patch |= flat(axis_name("x", place), domain=x, tickvals=numbers, title_text=across)
        patch |= flat(axis_name("y", place), domain=y, tickvals=numbers, title_text=upward)
        name = view.short_label(norm) if short else view.label(norm)
        notes.append(view.heading(name, norm, size, x=x[0], y=y[1], yshift=2))
    return {**patch, "annotations": notes}
