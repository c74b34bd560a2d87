"""What each network answers at every point of the plane, with the examples it learns from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bnviz.charts import theme as themes
from bnviz.charts.binding import Binding, Heat
from bnviz.charts.chart import Chart, ChartView, Column, Points, Table
from bnviz.charts.panels import Domain, arrange, axis_key, axis_name, domains, tiles
from bnviz.probes.axis import GRID, GRID_SIZE

FULL_SCALE = 255
# Enough to see the classes; each point is drawn again with every frame.
MOST_POINTS = 240
# Height of a panel in pixels where they stand one above the other; lower in rows of two, so that
# all four are in sight.
PANEL, PANEL_OF_TWO = 240, 165
# A lower figure has its panels in one row without axis titles; a narrow one, as that of a lesson on
# a phone, has two in a row.
LOW, LOW_COMPACT, ACROSS = 260, 400, 2


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
        (330 if count < 3 else 270, _row(view, theme, sizes)),
        ((_panel(count) + _between(sizes)) * _rows(count), _stacked(view, theme, sizes)),
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
        low=_lower(view, theme, sizes) if count > 1 else None, **arranged,
    )  # fmt: skip


def _lower(view: ChartView, theme: themes.Theme, sizes: themes.Type) -> dict[str, Any]:
    return {
        "below": LOW, "layout": _low(view, theme, sizes),
        "compact": {"below": LOW_COMPACT, "layout": _low_compact(view, theme, sizes)},
    }  # fmt: skip


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
    reach, axes = float(GRID[-1]), dict[str, Any]()
    for place in range(len(view.norms)):
        x, y = axis_name("x", place), axis_name("y", place)
        shared: dict[str, Any] = {
            "range": [-reach, reach], "constrain": "domain", "showgrid": False,
        }  # fmt: skip
        across = {"anchor": y, "constraintoward": "left"}
        upward = {"anchor": x, "scaleanchor": x}
        axes[axis_key(x)] = themes.axis(theme, sizes, **{**shared, **across})
        axes[axis_key(y)] = themes.axis(theme, sizes, **{**shared, **upward})
    return themes.layout(theme, sizes, **axes)


def _between(sizes: themes.Type) -> int:
    """Pixels between panels one above the other: an axis with its title, and a heading."""
    return round(2.2 * sizes.heading) + round(3.2 * sizes.base)


def _rows(count: int) -> int:
    """How many rows of panels a narrow figure has: one panel a row, or two of more than two."""
    return count if count < 3 else math.ceil(count / ACROSS)


def _panel(count: int) -> int:
    """The height of a panel there."""
    return PANEL if count < 3 else PANEL_OF_TWO


def _row(view: ChartView, theme: themes.Theme, sizes: themes.Type) -> dict[str, Any]:
    """Side by side; four of them are narrow for large type."""
    tight = len(view.norms) > 2
    words = [view.short_label(norm) if tight and view.large else view.label(norm)
             for norm in view.norms]  # fmt: skip
    tiled = tiles(len(view.norms), 0.05, stacked=False)
    numbers = [-2, 0, 2] if view.large and tight else [-2, -1, 0, 1, 2]
    return _placement(view, theme, sizes, tiled, words, numbers, tight=tight)


def _stacked(view: ChartView, theme: themes.Theme, sizes: themes.Type) -> dict[str, Any]:
    """One above the other; more than two in rows of two."""
    count, between = len(view.norms), _between(sizes)
    rows, tight = _rows(count), count > 2
    gap = between / (_panel(count) * rows + between * (rows - 1))
    words = [view.short_label(norm) if tight else view.label(norm) for norm in view.norms]
    tiled = _tiles(count, ACROSS if tight else 1, 0.12, gap)
    numbers = [-2, 0, 2] if tight else [-2, -1, 0, 1, 2]
    return _placement(view, theme, sizes, tiled, words, numbers, tight=tight)


def _tiles(count: int, across: int, beside: float, apart: float) -> list[tuple[Domain, Domain]]:
    """(x, y) domains of panels in rows, the first at the upper left.

    Args:
        across: panels in a row.
        beside, apart: gaps between panels of a row and between rows, as shares of the whole.
    """
    rows = math.ceil(count / across)
    columns, lines = domains(across, beside), domains(rows, apart)
    return [(columns[at % across], lines[rows - 1 - at // across]) for at in range(count)]


def _low(view: ChartView, theme: themes.Theme, sizes: themes.Type) -> dict[str, Any]:
    """Side by side, with few numbers."""
    words = [view.short_label(norm) for norm in view.norms]
    tiled, tight = tiles(len(view.norms), 0.05, stacked=False), len(view.norms) > 2
    return _placement(view, theme, sizes, tiled, words, [-2, 0, 2], titled=False, tight=tight)


def _low_compact(view: ChartView, theme: themes.Theme, sizes: themes.Type) -> dict[str, Any]:
    """Two in a row, as large as they can be: without numbers, which say little here."""
    words = [view.short_label(norm) for norm in view.norms]
    tiled = _tiles(len(view.norms), ACROSS, 0.04, 2 * sizes.base / LOW)
    return _placement(view, theme, sizes, tiled, words, [], titled=False, tight=True)


def _placement(
    view: ChartView, theme: themes.Theme, sizes: themes.Type,
    tiled: Sequence[tuple[Domain, Domain]], words: Sequence[str], numbers: Sequence[float], *,
    titled: bool = True, tight: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Flat layout changes: where each network's panel stands, under its name.

    All of them are in every form, for a figure goes from one to another.

    Args:
        tiled: (x, y) domains of the panels.
        words: the networks' names.
        numbers: at the axes; none: they take no room.
        titled: whether the axes have titles, the upward one of the first panel alone.
        tight: whether headings are as small as other words.
    """
    texts, styles = view.texts["boundary"], theme.networks(view.norms)
    size = replace(sizes, heading=sizes.base) if tight else sizes
    patch: dict[str, Any] = {
        "margin.l": themes.left_margin(sizes, 2) if numbers else 4,
        "margin.r": 12 if numbers else 4,
        "margin.t": round(2.2 * sizes.heading) if numbers else round(1.6 * sizes.base),
        "margin.b": round(3.2 * sizes.base) if numbers else 4,
    }
    notes = []
    for place, (norm, (x, y)) in enumerate(zip(view.norms, tiled, strict=True)):
        across, upward = (axis_key(axis_name(letter, place)) for letter in "xy")
        patch |= {
            f"{across}.domain": x, f"{upward}.domain": y,
            f"{across}.tickvals": list(numbers), f"{upward}.tickvals": list(numbers),
            f"{across}.title.text": texts["axis_x"] if titled else "",
            f"{upward}.title.text": texts["axis_y"] if titled and place == 0 else "",
        }  # fmt: skip
        notes.append(themes.heading(words[place], styles[norm], theme, size,
                                    x=x[0], y=y[1], yshift=2))  # fmt: skip
    return {**patch, "annotations": notes}
