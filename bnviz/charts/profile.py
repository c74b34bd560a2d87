"""Quantities of every layer: at the step shown as profiles, and over time for a chosen layer.

Drift, saturation, gradient norms and most other measures are this picture with other words: a row
of two panels for each quantity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from bnviz.charts import profile_panels as panels
from bnviz.charts.binding import Clip
from bnviz.charts.chart import Chart, ChartView, Column, Table
from bnviz.charts.numbers import Format
from bnviz.charts.percentiles import layer_selector
from bnviz.charts.time_axis import end_words


@dataclass(frozen=True)
class Line:
    """One line of a quantity.

    Attributes:
        field: the measured field.
        row: which row of a [2, L] field; None for [L].
        label: the words at its end; "" for none.
        what: what it is, for the data table; "" keeps it out of there.
        thin: drawn thin and pale, a companion of the network's main line.
        expected: what a formula says, the same for all networks: in no network's colour.
    """

    norm: str
    field: str
    label: str
    what: str
    row: int | None = None
    thin: bool = False
    expected: bool = False

    def index(self, part: str) -> str:
        """The index of all layers (":") or of the chosen one ("$layer")."""
        return part if self.row is None else f"{self.row},{part}"


@dataclass(frozen=True)
class Quantity:
    """What is measured, and on which axis it is drawn.

    Attributes:
        axis: title with unit.
        value_axis: attributes of the axis (type, range, ticks).
        heading: what stands over its panels where there are several quantities.
        scale: from measured to drawn numbers.
        output: whether there is a value for the output layer too.
        style: how numbers stand in the data table.
        level: a value to compare with, drawn as a line across the panels.
    """

    axis: str
    value_axis: dict[str, Any]
    lines: Sequence[Line]
    heading: str = ""
    scale: float = 1.0
    clip: Clip | None = None
    output: bool = False
    style: Format = "number"
    level: float | None = None


def build_profile(
    view: ChartView, name: str, quantities: Sequence[Quantity], *, needs: tuple[str, ...],
    subtitle: str, title: str | None = None, more: Sequence[Column] = (),
) -> Chart:  # fmt: skip
    """A chart with profiles on the left and the chosen layer over time on the right.

    Args:
        name: of the chart, of its words and of its source in charts.toml.
        quantities: one below the other.
        more: columns of the data table beyond those of the lines.
    """
    figure = go.Figure()
    output = any(quantity.output for quantity in quantities)
    bindings = panels.fill(figure, view, quantities)
    arranged = panels.place(figure, view, quantities)
    columns = [*_columns(view, quantities), *more]
    return Chart(
        name=name, title=title or view.texts[name]["title"], subtitle=subtitle, figure=figure,
        bindings=bindings, time=True, needs=needs, selectors=(layer_selector(view),),
        source=view.texts["source"][name],
        table=Table(subtitle, columns, "vector", view.layer_names(output=output)), **arranged,
    )  # fmt: skip


def _columns(view: ChartView, quantities: Sequence[Quantity]) -> list[Column]:
    say = view.texts["common"]["network_column"]
    return [
        Column(say.format(network=view.label(line.norm), what=line.what), line.field,
               quantity.style, line.index(":"))
        for quantity in quantities for line in quantity.lines if line.what
    ]  # fmt: skip


def network_lines(view: ChartView, value: str, what: str, *, thin: bool = False) -> list[Line]:
    """A line for each network of the field `<network>.<value>`; thin ones are not named."""
    ends = end_words(view)
    return [
        Line(norm, f"{norm}.{value}", "" if thin else ends[norm], what, thin=thin)
        for norm in view.norms
    ]
