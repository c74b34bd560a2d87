"""What each network answers at every point of the plane, with the examples it learns from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bnviz.charts import theme as themes
from bnviz.charts.binding import Binding, Heat
from bnviz.charts.chart import Chart, ChartView, Column, Points, Table
from bnviz.charts.panels import arrange, axis_key, axis_name, tiles
from bnviz.probes.axis import GRID, GRID_SIZE

FULL_SCALE = 255
# Enough to see the classes; each point is drawn again with every frame.
MOST_POINTS = 240
# Height of a panel in pixels where they stand one above the other.
PANEL = 240
# A lower figure, as that of a lesson on a phone, has its panels in one row without axis titles.
LOW = 260


def build(view: ChartView) -> Chart:
    """Probability of class 1 as a map, its boundary as a line, training examples on top."""
    theme, sizes = themes.theme(view.dark), themes.type_sizes(large=view.large)
    styles, texts = theme.networks(view.norms), view.texts["boundary"]
    points = view.points or _load(view)
    figure, bindings = go.Figure(), list[Binding]()
    for place, norm in enumerate(view.norms):
        axes = {"xaxis": axis_name("x", place), "yaxis": axis_name("y", place)}
        bindings += _map(figure, norm, styles[norm], theme, axes)
        _points(figure, points, theme, axes)
    count = len(view.norms)
    figure.layout = _layout(view, theme, sizes)
    arranged = arrange(
        figure, view,
        (330 if count < 3 else 270, _placement(view, theme, sizes, stacked=False)),
        (PANEL * count + _between(sizes) * count, _placement(view, theme, sizes, stacked=True)),
    )  # fmt: skip
    columns = [
        Column(view.texts["common"]["network_column"].format(
            network=view.label(norm), what=texts["accuracy"]), f"{norm}.test_accuracy", "percent1")
        for norm in view.norms
    ]  # fmt: skip
    return Chart(
        name="boundary", title=texts["title"], subtitle=texts["subtitle"], figure=figure,
        bindings=bindings, needs=("boundary",),
        table=Table(texts["subtitle"], columns, "vector", [texts["accuracy"]]),
        low={"below": LOW, "layout": _low(view, theme, sizes)} if count > 1 else None, **arranged,
    )  # fmt: skip


def _load(view: ChartView) -> Points:
    from bnviz.data.base import load

    data = load(view.config)
    return Points(data.train_inputs, data.train_labels)


def _map(
    figure: go.Figure, norm: str, style: themes.NetworkStyle, theme: themes.Theme,
    axes: dict[str, Any],
) -> list[Binding]:  # fmt: skip
    """Two traces on one field: the probability, and the line where it is one half."""
    step = float(GRID[1] - GRID[0])
    grid = {
        "x0": float(GRID[0]), "dx": step, "y0": float(GRID[0]), "dy": step, "showscale": False,
        "z": [[0.0] * GRID_SIZE] * GRID_SIZE, "hoverinfo": "skip", **axes,
    }  # fmt: skip
    field, first = f"{norm}.boundary.score", len(figure.data)
    colours = [[0, theme.zone], [0.5, style.alpha(0.12)], [1, style.alpha(0.6)]]
    figure.add_trace(go.Heatmap(zmin=0, zmax=1, zsmooth="fast", colorscale=colours, **grid))
    figure.add_trace(
        go.Contour(
            contours={"start": 0.5, "end": 0.5, "size": 1, "coloring": "none"},
            line={"color": style.line, "width": 2}, autocontour=False, **grid,
        )
    )  # fmt: skip
    return [
        Heat(trace=trace, field=field, scale=1 / FULL_SCALE) for trace in (first, first + 1)
    ]  # fmt: skip


def _points(figure: go.Figure, points: Points, theme: themes.Theme, axes: dict[str, Any]) -> None:
    """Class 1 filled, class 0 hollow."""
    chosen = np.linspace(0, len(points.labels) - 1, min(MOST_POINTS, len(points.labels)))
    chosen = chosen.round().astype(int)
    inputs, labels = points.inputs[chosen], points.labels[chosen]
    filled = theme.ink, "rgba(0,0,0,0)"
    figure.add_trace(
        go.Scatter(
            x=inputs[:, 0].round(3).tolist(), y=inputs[:, 1].round(3).tolist(), mode="markers",
            hoverinfo="skip", opacity=0.8,
            marker={"size": 5, "color": [filled[0] if label else filled[1] for label in labels],
                    "line": {"color": theme.ink, "width": 1}}, **axes,
        )
    )  # fmt: skip


def _layout(view: ChartView, theme: themes.Theme, sizes: themes.Type) -> dict[str, Any]:
    texts, reach, axes = view.texts["boundary"], float(GRID[-1]), dict[str, Any]()
    ticks = [-2, 0, 2] if view.large and len(view.norms) > 2 else [-2, -1, 0, 1, 2]
    for place in range(len(view.norms)):
        x, y = axis_name("x", place), axis_name("y", place)
        shared: dict[str, Any] = {"range": [-reach, reach], "tickvals": ticks,
                                  "constrain": "domain", "showgrid": False}  # fmt: skip
        axes[axis_key(x)] = themes.axis(
            theme, sizes, texts["axis_x"], anchor=y, constraintoward="left", **shared
        )
        axes[axis_key(y)] = themes.axis(
            theme, sizes, texts["axis_y"] if place == 0 else None, anchor=x, scaleanchor=x, **shared
        )
    margin = {"l": themes.left_margin(sizes, 2), "r": 12, "t": round(2.2 * sizes.heading),
              "b": round(3.2 * sizes.base)}  # fmt: skip
    return themes.layout(theme, sizes, margin=margin, **axes)


def _between(sizes: themes.Type) -> int:
    """Pixels between panels one above the other: an axis with its title, and a heading."""
    return round(2.2 * sizes.heading) + round(3.2 * sizes.base)


def _low(view: ChartView, theme: themes.Theme, sizes: themes.Type) -> dict[str, Any]:
    patch = _placement(view, theme, sizes, stacked=False, short=True)
    for place in range(len(view.norms)):
        x, y = axis_key(axis_name("x", place)), axis_key(axis_name("y", place))
        patch |= {f"{x}.title.text": "", f"{x}.tickvals": [-2, 0, 2], f"{y}.tickvals": [-2, 0, 2]}
        patch[f"{y}.title.text"] = ""
    return patch


def _placement(
    view: ChartView, theme: themes.Theme, sizes: themes.Type, *, stacked: bool, short: bool = False
) -> dict[str, Any]:
    count, styles = len(view.norms), theme.networks(view.norms)
    between = _between(sizes)
    gap = between / (PANEL * count + between * (count - 1)) if stacked else 0.05
    panels = tiles(count, gap, stacked=stacked)
    patch: dict[str, Any] = {}
    # Four panels side by side are narrow for large type.
    tight = count > 2 and not stacked
    words = [view.short_label(norm) if short or (tight and view.large) else view.label(norm)
             for norm in view.norms]  # fmt: skip
    size = replace(sizes, heading=sizes.base) if tight else sizes
    notes = []
    for place, (norm, (x, y)) in enumerate(zip(view.norms, panels, strict=True)):
        patch[f"{axis_key(axis_name('x', place))}.domain"] = x
        patch[f"{axis_key(axis_name('y', place))}.domain"] = y
        notes.append(themes.heading(words[place], styles[norm], theme, size,
                                    x=x[0], y=y[1], yshift=2))  # fmt: skip
    return {**patch, "annotations": notes}
