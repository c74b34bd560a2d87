"""One quantity of every layer: at the step shown as a profile, and over time for a chosen layer.

Drift, saturation and gradient norms are this picture with other words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from bnviz.charts import theme as themes
from bnviz.charts.binding import Array, Binding, Clip, Label, Rows, Series
from bnviz.charts.chart import Chart, ChartView, Column, Table
from bnviz.charts.numbers import Format
from bnviz.charts.panels import arrange, narrowest, text_width
from bnviz.charts.percentiles import layer_selector
from bnviz.charts.scale import layer_ticks
from bnviz.charts.time_axis import (
    add_labels,
    add_line,
    add_marks,
    marks_axis,
    marks_room,
    step_axis,
)


@dataclass(frozen=True)
class Line:
    """One line of the chart.

    Attributes:
        field: the measured field.
        row: which row of a [2, L] field; None for [L].
        label: the words at its end; "" for none.
        what: what it is, for the data table.
        thin: drawn thin and pale, a companion of the network's main line.
    """

    norm: str
    field: str
    label: str
    what: str
    row: int | None = None
    thin: bool = False

    def index(self, part: str) -> str:
        """The index of all layers (":") or of the chosen one ("$layer")."""
        return part if self.row is None else f"{self.row},{part}"


@dataclass(frozen=True)
class Quantity:
    """What is measured, and on which axis it is drawn.

    Attributes:
        name: of the chart and of its words in charts.toml.
        axis: title with unit.
        value_axis: attributes of the axis (type, range, ticks).
        scale: from measured to drawn numbers.
        output: whether there is a value for the output layer too.
        style: how numbers stand in the data table.
    """

    name: str
    axis: str
    value_axis: dict[str, Any]
    needs: tuple[str, ...]
    scale: float = 1.0
    clip: Clip | None = None
    output: bool = False
    style: Format = "number"


def build_profile(
    view: ChartView, quantity: Quantity, lines: Sequence[Line], *, title: str, subtitle: str,
    panels: tuple[str, str], source: str,
) -> Chart:  # fmt: skip
    """The chart: profile on the left, the chosen layer over time on the right."""
    theme, sizes = themes.theme(view.dark), themes.type_sizes(large=view.large)
    styles, figure = theme.networks(view.norms), go.Figure()
    bindings = _profile(figure, view, quantity, lines, styles)
    bindings += _over_time(figure, view, quantity, lines, styles, theme, sizes)
    longest = max(len(line.label) for line in lines)
    figure.update_layout(_layout(view, theme, sizes, quantity, longest))
    arranged = arrange(
        figure, view,
        _placement(view, theme, sizes, panels, stacked=False),
        _placement(view, theme, sizes, panels, stacked=True),
    )  # fmt: skip
    say = view.texts["common"]["network_column"]
    columns = [Column(say.format(network=view.label(line.norm), what=line.what), line.field,
                      quantity.style, line.index(":")) for line in lines]  # fmt: skip
    return Chart(
        name=quantity.name, title=title, subtitle=subtitle, figure=figure, bindings=bindings,
        time=True, needs=quantity.needs, selectors=(layer_selector(view),),
        source=source, table=Table(subtitle, columns, "vector", _row_names(view, quantity)),
        **arranged,
    )  # fmt: skip


def _row_names(view: ChartView, quantity: Quantity) -> list[str]:
    names = list(layer_selector(view).options)
    return [*names, view.texts["common"]["output"]] if quantity.output else names


def _profile(
    figure: go.Figure, view: ChartView, quantity: Quantity, lines: Sequence[Line],
    styles: dict[str, themes.NetworkStyle],
) -> list[Binding]:  # fmt: skip
    bindings: list[Binding] = []
    names = _row_names(view, quantity)
    rows = [float(layer) for layer in range(1, len(names) + 1)]
    for line in lines:
        style = styles[line.norm]
        edges = {"low": "triangle-left", "inside": style.symbol, "high": "triangle-right"}
        bindings.append(
            Array(trace=len(figure.data), attr="x", field=line.field, index=line.index(":"),
                  scale=quantity.scale, clip=quantity.clip, edges=edges)
        )  # fmt: skip
        size = 4 if line.thin or view.config.depth > 24 else 7
        figure.add_trace(
            go.Scatter(
                x=[None] * len(rows), y=rows, mode="lines+markers", xaxis="x", yaxis="y",
                opacity=0.55 if line.thin else 1, hovertemplate="%{x:.3~g}<extra></extra>",
                line={"color": style.line, "width": 1 if line.thin else 1.8, "dash": style.dash},
                marker={"color": style.line, "size": size, "symbol": style.symbol},
            )
        )  # fmt: skip
    bindings.append(Rows(axis="y", centres=rows, half=0.5, names=names))
    return bindings


def _over_time(
    figure: go.Figure, view: ChartView, quantity: Quantity, lines: Sequence[Line],
    styles: dict[str, themes.NetworkStyle], theme: themes.Theme, sizes: themes.Type,
) -> list[Binding]:  # fmt: skip
    bindings: list[Binding] = []
    for line in lines:
        series = Series(trace=len(figure.data), field=line.field, index=line.index("$layer"),
                        scale=quantity.scale, clip=quantity.clip)  # fmt: skip
        bindings.append(
            add_line(figure, series, styles[line.norm], width=1.1 if line.thin else 2.4,
                     opacity=0.55 if line.thin else 1, x="x2", y="y3")
        )  # fmt: skip
    ends = [line for line in lines if line.label]
    labels = [Label(field=line.field, index=line.index("$layer"), text=line.label,
                    scale=quantity.scale, clip=quantity.clip) for line in ends]  # fmt: skip
    colours = [styles[line.norm].text for line in ends]
    bindings.append(add_labels(figure, view, sizes, labels, colours, x="x2", y="y3"))
    return bindings + add_marks(
        figure, view, theme, sizes, styles, x="x2", y="y2", plot=_panel(view)
    )


def _layout(
    view: ChartView, theme: themes.Theme, sizes: themes.Type, quantity: Quantity, longest: int
) -> dict[str, Any]:
    names = _row_names(view, quantity)
    out = view.texts["common"]["out_tick"] if quantity.output else None
    margin = {
        "l": round(text_width(names[0], sizes.base)) + 12,
        "r": round(text_width("0" * longest, sizes.base)) + 14,
        "t": round(1.7 * sizes.heading), "b": round(3.2 * sizes.base),
    }  # fmt: skip
    return themes.layout(
        theme, sizes, margin=margin,
        xaxis=themes.axis(theme, sizes, quantity.axis, anchor="y", **quantity.value_axis),
        yaxis=themes.axis(
            theme, sizes, range=[0.5, len(names) + 0.5], fixedrange=True, anchor="x",
            **layer_ticks(view.config.depth, first=names[0], output=out),
        ),
        xaxis2=step_axis(theme, sizes, view.texts["common"]["step"], anchor="y3"),
        yaxis3=themes.axis(theme, sizes, quantity.axis, anchor="x2", **quantity.value_axis),
        yaxis2=marks_axis("x2"),
    )  # fmt: skip


def _panel(view: ChartView) -> int:
    """Height of a panel in pixels."""
    return 280 if view.large else 200


def _placement(
    view: ChartView, theme: themes.Theme, sizes: themes.Type, panels: tuple[str, str],
    *, stacked: bool,
) -> tuple[int, dict[str, Any]]:  # fmt: skip
    """Height and flat layout changes: panels side by side, or one above the other on a phone."""
    panel, marks = _panel(view), marks_room(sizes)
    heading, bottom = round(1.7 * sizes.heading), round(3.2 * sizes.base)
    over_time = [0.0, panel / (panel + marks)]
    left, right, profile, top = [0.0, 0.3], [0.385, 1.0], over_time, 1.0
    height = heading + marks + panel + bottom
    if not stacked:
        # Between the panels there has to be room for an axis with its title.
        room = themes.left_margin(sizes, 5) / (0.72 * narrowest(view, "wide"))
        right = [0.3 + room, 1.0]
    else:
        plot = 2 * panel + marks + heading + bottom
        left = right = [0.0, 1.0]
        profile, top = [1 - panel / plot, 1.0], (panel + marks) / plot
        over_time = [0.0, panel / plot]
        height = heading + plot + bottom
    patch = {
        "xaxis.domain": left, "yaxis.domain": profile, "xaxis2.domain": right,
        "yaxis3.domain": over_time, "yaxis2.domain": [0.0, top],
        "xaxis2.nticks": 4 if stacked or view.large else 8,
    }  # fmt: skip
    places = ((left[0], profile[1]), (right[0], top))
    notes = [themes.heading(words, None, theme, sizes, x=x, y=y, yshift=2)
             for words, (x, y) in zip(panels, places, strict=True)]  # fmt: skip
    return height, {**patch, "annotations": notes}
