"""Charts with two panels per quantity: all layers at the step shown, and one layer over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import plotly.graph_objects as go

from bnviz.charts.binding import Array, Binding, Bindings, Clip, edge_marks, rows
from bnviz.charts.chart import Chart, ChartView, Column, Selector, Table
from bnviz.charts.grid import Panel, Spot, lay_out
from bnviz.charts.over_time import OverTime, PlotTrace
from bnviz.charts.panels import add_trace, text_width
from bnviz.charts.percentiles import layer_selector
from bnviz.charts.scale import layer_ticks
from bnviz.charts.theme import Attributes
from bnviz.charts.time_axis import end_labels
from bnviz.words.numbers import Format

# Share of the width that profiles take. The panels over time take the rest.
SHARE = 0.32
# Maximum number of layers for which markers are large.
MOST_MARKERS = 24
# Width below which a plot shows fewer numbers, as a multiple of the type size.
NARROW = 15
# Plot heights in pixels, with normal and large type, for one quantity and for several. The smaller
# height is also used on phones, where a plot with its numbers fits above the text of a lesson.
ONE, ONE_LARGE = 200, 280
MANY, MANY_LARGE = 150, 164
# Plot height for three quantities, so that all fit in the first screen of a small laptop.
THREE = 116


@dataclass(frozen=True)
class Line:
    """Line of a quantity.

    Attributes:
        norm: network, or None for a formula that is the same for all networks.
        what: name in the data table.
        row, column: row of a [2, L] field, or column of an [L, K] field.
        thin: whether the line is a thin, pale companion of the network's main line.
    """

    norm: str | None
    field: str
    label: str
    what: str
    row: int | None = None
    column: int | None = None
    thin: bool = False

    def index(self, part: str) -> str:
        """Return the index of all layers (":") or of the selected layer ("$layer")."""
        if self.column is not None:
            return f"{part},{self.column}"
        return part if self.row is None else f"{self.row},{part}"

    def over_time(self) -> PlotTrace:
        width = 1.1 if self.thin else 2.4 if self.norm else 1.8
        return PlotTrace(norm=self.norm, field=self.field, index=self.index("$layer"),
                     label=self.label, width=width, opacity=0.55 if self.thin else 1)  # fmt: skip


@dataclass(frozen=True)
class Quantity:
    """Measured quantity and the axis on which it is drawn.

    Attributes:
        value_axis: attributes of the axis (type, range, ticks).
        output: whether the output layer has a value.
        first: index of the lowest layer with a value.
        levels: reference values, drawn as lines.
        few: values that keep their number in a narrow plot, or None to keep every second number.
        beyond: whether values beyond `clip` are common.
    """

    axis: str
    value_axis: Attributes
    lines: Sequence[Line]
    heading: str = ""
    scale: float = 1.0
    clip: Clip | None = None
    output: bool = False
    first: int = 0
    style: Format = "number"
    levels: tuple[float, ...] = ()
    few: tuple[float, ...] | None = None
    beyond: bool = False


@dataclass(frozen=True, kw_only=True)
class Profile(Panel):
    """Panel of a quantity by layer at the step shown, with the output layer on top."""

    quantity: Quantity
    share: float = SHARE

    tall = True

    def left(self, view: ChartView) -> int:
        return round(text_width(view.layer_names()[0], view.sizes.base)) + 12

    def fill(self, figure: go.Figure, view: ChartView, spot: Spot) -> Bindings:
        names = view.layer_names(output=self.quantity.output)
        centres = [float(row) for row in range(1, len(names) + 1)]
        bindings = [self._line(figure, view, spot, line, centres) for line in self.quantity.lines]
        return [*bindings, rows(spot.y, names)]

    def _line(
        self, figure: go.Figure, view: ChartView, spot: Spot, line: Line, centres: list[float]
    ) -> Binding:
        quantity, style, expected = self.quantity, view.style(line.norm), line.norm is None
        places, part = centres[quantity.first :], f"{quantity.first}:" if quantity.first else ":"
        small = line.thin or view.layers > MOST_MARKERS
        edges = edge_marks(style.symbol)
        trace = add_trace(figure, go.Scatter(
            x=[None] * len(places), y=places, mode="lines" if expected else "lines+markers",
            opacity=0.55 if line.thin else 1, **spot.axes,
            hovertemplate="%{x:.3~g}<extra></extra>",
            connectgaps=True,
            line=style.stroke(1 if line.thin else 1.8),
            marker=style.marker(4 if small else 7),
        ))  # fmt: skip
        return Array(
            trace=trace, attr="x", field=line.field, index=line.index(part),
            scale=quantity.scale, clip=quantity.clip, edges=None if expected else edges,
        )  # fmt: skip

    def axes(self, view: ChartView, spot: Spot) -> tuple[Attributes, Attributes]:
        quantity = self.quantity
        names = view.layer_names(output=quantity.output)
        ticks = layer_ticks(
            view.layers, first=names[0], row=spot.plot / len(names), size=view.sizes.base,
            output=view.text("out_tick") if quantity.output else None,
        )  # fmt: skip
        return (
            {"title": quantity.axis, **quantity.value_axis},
            {"range": [0.5, len(names) + 0.5], "fixedrange": True, **ticks},
        )

    def numbers(self, view: ChartView, width: float) -> Attributes:
        """Return ticks; in a narrow plot, fewer of them have a number."""
        axis, narrow = self.quantity.value_axis, width < NARROW * view.sizes.base
        # With more ticks, Plotly would also number 2 to 9 within each power of ten.
        if "tickvals" not in axis and axis.get("type") == "log":
            return {"nticks": 2 if narrow else 3}
        if "tickvals" not in axis:
            return {"nticks": 4 if narrow else 5}
        if "ticktext" not in axis:
            return {"tickvals": axis["tickvals"][:: 2 if narrow else 1]}
        words = list(axis["ticktext"])
        few = self.quantity.few
        if narrow and few is not None:
            pairs = zip(axis["tickvals"], words, strict=True)
            words = [word if tick in few else "" for tick, word in pairs]
        elif narrow:
            numbered = [place for place, word in enumerate(words) if word]
            one = next((n for n, place in enumerate(numbered) if axis["tickvals"][place] == 1), 0)
            for number, place in enumerate(numbered):
                words[place] = words[place] if (number - one) % 2 == 0 else ""
        return {"ticktext": words}

    def shapes(self, view: ChartView, spot: Spot) -> list[Attributes]:
        return [
            view.level(yref=f"{spot.y} domain", xref=spot.x, x0=level, x1=level)
            for level in self.quantity.levels
        ]


def build_profile(
    view: ChartView, quantities: Sequence[Quantity], *, subtitle: str = "", title: str = "",
    more: Sequence[Column] = (), layer: int | None = None,
) -> Chart:  # fmt: skip
    """Build a chart with profiles on the left and the selected layer over time on the right.

    Args:
        more: columns of the data table in addition to the columns of the lines.
        layer: index of the layer that is selected at first, or None for the last hidden layer.
    """
    many = len(quantities) > 1
    plot = ONE if not many else MANY if len(quantities) == 2 else THREE
    panels = [_row(view, quantity, first=place == 0) for place, quantity in enumerate(quantities)]
    arranged = lay_out(view, (plot, MANY_LARGE if many else ONE_LARGE), panels, stacked=MANY)
    output = any(quantity.output for quantity in quantities)
    selector = _selector(view, quantities)
    if layer is not None:
        selector = replace(selector, default=layer)
    return Chart(
        title=title, subtitle=subtitle, selectors=(selector,),
        table=Table([*_columns(view, quantities), *more], view.layer_names(output=output)),
        **arranged,
    )  # fmt: skip


def _row(view: ChartView, quantity: Quantity, *, first: bool) -> list[Panel]:
    """Return the two panels of a quantity; only the first row labels marks and names the layer."""
    over_time = OverTime(
        heading=view.text("over_time") if first else "", axis=quantity.axis, names_marks=first,
        lines=[line.over_time() for line in quantity.lines], value_axis=quantity.value_axis,
        scale=quantity.scale, clip=quantity.clip, levels=quantity.levels, share=1 - SHARE,
        beyond=quantity.beyond,
    )  # fmt: skip
    return [Profile(heading=quantity.heading or view.text("over_layers"), quantity=quantity),
            over_time]  # fmt: skip


def _selector(view: ChartView, quantities: Sequence[Quantity]) -> Selector:
    """Return a selector of layers, including the output layer if all quantities exist there."""
    hidden = layer_selector(view)
    if not all(quantity.output for quantity in quantities):
        return hidden
    lowest = max(hidden.default, *(quantity.first for quantity in quantities))
    return Selector(hidden.name, hidden.label, view.layer_names(output=True), lowest)


def _columns(view: ChartView, quantities: Sequence[Quantity]) -> list[Column]:
    return [
        Column(view.column_words(line.norm, line.what) if line.norm else line.what, line.field,
               quantity.style, line.index(":"))
        for quantity in quantities for line in quantity.lines
    ]  # fmt: skip


def network_lines(view: ChartView, value: str, what: str, *, thin: bool = False) -> list[Line]:
    """Return one line per network for the field `<network>.<value>`; thin lines have no label."""
    ends = end_labels(view)
    return [
        Line(norm, f"{norm}.{value}", "" if thin else ends[norm], what, thin=thin)
        for norm in view.norms
    ]
