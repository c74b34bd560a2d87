"""Percentiles over time, a panel per network on one axis: Ioffe & Szegedy 2015, Fig. 1 (b, c)."""

from __future__ import annotations

import math
from typing import Any

import plotly.graph_objects as go

from bnviz.charts import theme as themes
from bnviz.charts.binding import Binding, Label, Series
from bnviz.charts.chart import Chart, ChartView, Column, Selector, Table
from bnviz.charts.panels import arrange, axis_key, axis_name, tiles
from bnviz.charts.scale import REACH, asinh_ticks, zones
from bnviz.charts.time_axis import (
    add_labels,
    add_line,
    add_marks,
    marks_axis,
    marks_room,
    step_axis,
)
from bnviz.probes.axis import units

TICKS = (-1000.0, -300, -100, -30, -10, -3, -1, 0, 1, 3, 10, 30, 100, 300, 1000)
# Drawn in this order, so that the band is filled between the first two.
NAMES = (("p15", 0), ("p85", 2), ("p50", 1))
# The order of words at the ends of lines that have met.
TOP_DOWN = (("p85", 2), ("p50", 1), ("p15", 0))
PANEL = 150


def build(view: ChartView) -> Chart:
    """The 15th, 50th and 85th percentile of one unit's input to its nonlinearity."""
    selectors = (layer_selector(view), unit_selector(view))
    return _build(view, "percentiles", "unit", "$layer,$unit", selectors)


def build_layer(view: ChartView) -> Chart:
    """The same percentiles over all units of a layer."""
    return _build(view, "percentiles_layer", "layer", "$layer", (layer_selector(view),))


def layer_selector(view: ChartView) -> Selector:
    """Which hidden layer; the last one unless chosen."""
    return Selector("layer", view.word("layer"), view.layer_names(), view.layers - 1)


def unit_selector(view: ChartView) -> Selector:
    """Which of the eight units that are measured in every layer."""
    name = view.word("unit_name")
    names = [name.format(number=unit + 1) for unit in units(view.config.width)]
    return Selector("unit", view.word("unit"), names, len(names) // 2)


def _build(
    view: ChartView, name: str, value: str, index: str, selectors: tuple[Selector, ...]
) -> Chart:
    theme, sizes = themes.theme(view.dark), themes.type_sizes(large=view.large)
    styles, texts = theme.networks(view.norms), view.texts[name]
    figure, bindings = go.Figure(), list[Binding]()
    count = len(view.norms)
    for place, norm in enumerate(view.norms):
        x, y = axis_name("x", place), axis_name("y", count + place)
        field = f"{norm}.percentiles.{value}"
        bindings += _band(figure, field, index, styles[norm], x, y)
        words = [Label(field=field, index=f"{index},{column}",
                       text=texts_of(view, key),
                       transform="asinh", clip=(-REACH, REACH))
                 for key, column in TOP_DOWN]  # fmt: skip
        colours = [styles[norm].text] * len(words)
        bindings.append(add_labels(figure, view, sizes, words, colours, x=x, y=y))
        bindings += add_marks(figure, view, theme, sizes, styles, networks=(norm,), x=x,
                              y=axis_name("y", place), plot=PANEL)  # fmt: skip
    words_phi = view.texts["phi"][view.config.activation]
    heading, bottom = round(1.7 * sizes.heading), round(3.2 * sizes.base)
    panel = heading + marks_room(sizes) + PANEL
    height = heading + marks_room(sizes) + round(PANEL * (1.5 if view.large else 1.2)) + bottom
    tall = panel * count + bottom * count
    figure.update_layout(_layout(view, theme, sizes, texts["axis"].format(input=words_phi)))
    arranged = arrange(
        figure, view, (height, _placement(view, theme, sizes, stacked=False)),
        (tall, _placement(view, theme, sizes, stacked=True)),
    )  # fmt: skip
    zone = view.config.activation in ("tanh", "sigmoid")
    subtitle = texts["subtitle_zone" if zone else "subtitle"].format(
        input=words_phi, probe=view.probe_words(), one_unit=view.word("one_unit"),
        all_units=view.word("all_units"),
    )  # fmt: skip
    return Chart(
        name=name, title=texts["title"], subtitle=subtitle, figure=figure, bindings=bindings,
        time=True, needs=("percentiles",),
        selectors=selectors, source=view.texts["source"]["percentiles"],
        table=_table(view, value, index, subtitle), **arranged,
    )  # fmt: skip


def texts_of(view: ChartView, key: str) -> str:
    """The words of one percentile ("50 %")."""
    return str(view.texts["percentiles"][key])


def _band(
    figure: go.Figure, field: str, index: str, style: themes.NetworkStyle, x: str, y: str
) -> list[Binding]:
    bindings: list[Binding] = []
    for key, column in NAMES:
        series = Series(trace=len(figure.data), field=field, index=f"{index},{column}",
                        transform="asinh", clip=(-REACH, REACH))  # fmt: skip
        middle, fill = key == "p50", dict[str, Any]()
        if key == "p85":
            fill = {"fill": "tonexty", "fillcolor": style.alpha(0.14)}
        bindings.append(
            add_line(figure, series, style, width=2.4 if middle else 1.0, x=x, y=y, **fill)
        )
    return bindings


def _layout(view: ChartView, theme: themes.Theme, sizes: themes.Type, title: str) -> dict[str, Any]:
    count, axes = len(view.norms), dict[str, Any]()
    for place in range(count):
        x, y = axis_name("x", place), axis_name("y", count + place)
        axes[axis_key(x)] = step_axis(theme, sizes, view.texts["common"]["step"], anchor=y,
                                  matches=None if place == 0 else "x")  # fmt: skip
        axes[axis_key(y)] = themes.axis(
            theme, sizes, title if place == 0 else None, anchor=x, autorange=True,
            autorangeoptions={"include": [-math.asinh(2), math.asinh(2)]},
            matches=None if place == 0 else axis_name("y", count), **asinh_ticks(TICKS),
        )  # fmt: skip
        axes[axis_key(axis_name("y", place))] = marks_axis(x)
    margin = {"l": themes.left_margin(sizes, 4), "r": round(6.6 * sizes.base),
              "t": round(1.7 * sizes.heading), "b": round(3.2 * sizes.base)}  # fmt: skip
    return themes.layout(theme, sizes, margin=margin, **axes)


def _placement(
    view: ChartView, theme: themes.Theme, sizes: themes.Type, *, stacked: bool
) -> dict[str, Any]:
    """Flat layout changes: panels side by side, or one above the other on a phone."""
    count, styles = len(view.norms), theme.networks(view.norms)
    gap = 0.13 if count < 3 else 0.2 / count
    marks, panel = marks_room(sizes), PANEL if stacked else 1.2 * PANEL
    if stacked:
        between = round(1.7 * sizes.heading) + round(3.2 * sizes.base)
        gap = between / ((panel + marks) * count + between * (count - 1))
    share = panel / (panel + marks)
    # Lines and no shaded zones: a shape that reaches to the axis' end would keep it that wide.
    edges = {edge for zone in zones(view.config.activation) for edge in zone if abs(edge) < REACH}
    patch: dict[str, Any] = {}
    notes, shapes = [], []
    for place, (norm, (x, y)) in enumerate(
        zip(view.norms, tiles(count, gap, stacked=stacked), strict=True)
    ):
        patch[f"{axis_key(axis_name('x', place))}.domain"] = x
        key = axis_key(axis_name("y", count + place))
        patch[f"{key}.domain"] = (y[0], y[0] + share * (y[1] - y[0]))
        patch[f"{axis_key(axis_name('y', place))}.domain"] = y
        patch[f"{key}.showticklabels"] = stacked or place == 0 or count < 3
        notes.append(themes.heading(view.label(norm), styles[norm], theme, sizes,
                                    x=x[0], y=y[1], yshift=2))  # fmt: skip
        shapes += [
            {"type": "line", "layer": "below", "xref": "paper", "x0": x[0], "x1": x[1],
             "yref": axis_name("y", count + place), "y0": edge, "y1": edge,
             "line": {"color": theme.muted, "width": 1, "dash": "dot"}}
            for edge in sorted(edges)
        ]  # fmt: skip
    return {**patch, "annotations": notes, "shapes": shapes}


def _table(view: ChartView, value: str, index: str, caption: str) -> Table:
    say, columns = view.texts["common"]["network_column"], []
    for norm in view.norms:
        for key, column in sorted(NAMES, key=lambda name: name[1]):
            words = say.format(network=view.label(norm), what=texts_of(view, key))
            columns.append(Column(words, f"{norm}.percentiles.{value}", "number",
                                  f"{index},{column}"))  # fmt: skip
    return Table(caption, columns, row_names=view.texts["common"]["step"])
