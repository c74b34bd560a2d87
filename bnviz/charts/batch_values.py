"""Values of eight units of a layer for the examples of one mini-batch, one dot per example."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from bnviz.charts.binding import Array, Bindings, edge_marks
from bnviz.charts.chart import Chart, ChartView, Table
from bnviz.charts.grid import Panel, Spot, in_rows, lay_out
from bnviz.charts.panels import add_trace, widest
from bnviz.charts.percentiles import layer_selector, unit_selector
from bnviz.charts.scale import named_rows, with_ends
from bnviz.charts.theme import Attributes
from bnviz.networks.saturation_zones import FLAT_ZONES
from bnviz.probes.axis import BATCH_VALUES

PLOTS = (180, 225)
ON_PHONE = 120
MOST_ACROSS, ACROSS_ON_PHONE = 4, 2
# Plot width below which a plot shows fewer numbers, in multiples of the type size.
NARROW = 9
# Limit of the axis in both directions. Values beyond ±4 are drawn at its ends.
REACH = 4.0
TICKS = (-4, -2, -1, 0, 1, 2, 4)
FEW = (-4, -1, 1, 4)


def build(view: ChartView) -> Chart:
    texts = view.texts["batch_values"]
    panels = [
        Dots(heading=view.label(norm), norm=norm, named=place == 0)
        for place, norm in enumerate(view.norms)
    ]
    arranged = lay_out(
        view, PLOTS, in_rows(panels, MOST_ACROSS),
        stacked=ON_PHONE, phone_rows=in_rows(panels, ACROSS_ON_PHONE),
    )  # fmt: skip
    pooled = view.own(texts, "pooled")
    subtitle = view.say(texts["subtitle"], count=BATCH_VALUES, pooled=pooled)
    columns = view.columns(*(
        (texts[key], "batch_values.values", "number", f"$layer,:,{place}")
        for place, key in enumerate(("first", "second"))
    ))  # fmt: skip
    return Chart(
        subtitle=subtitle, selectors=(layer_selector(view),),
        table=Table(columns, unit_selector(view).options), **arranged,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Dots(Panel):
    """Panel of one network with one row per unit. If `named`, the units' names are on the left."""

    named: bool

    def left(self, view: ChartView) -> int:
        names = unit_selector(view).options if self.named else [""]
        return round(widest(names, view.sizes.base)) + 12

    def fill(self, figure: go.Figure, view: ChartView, spot: Spot) -> Bindings:
        style, count = view.styles[self.norm], len(unit_selector(view).options)
        trace = add_trace(figure, go.Scatter(
            x=[None] * count * BATCH_VALUES,
            y=[row for row in range(count, 0, -1) for _ in range(BATCH_VALUES)],
            mode="markers", cliponaxis=False, **spot.axes,
            marker=style.marker(7, opacity=0.7),
            hovertemplate="%{x:.3~g}<extra></extra>",
        ))  # fmt: skip
        return [
            Array(trace=trace, attr="x", field=f"{self.norm}.batch_values.values",
                  index="$layer", clip=(-REACH, REACH), edges=edge_marks(style.symbol))
        ]  # fmt: skip

    def axes(self, view: ChartView, spot: Spot) -> tuple[Attributes, Attributes]:
        names = unit_selector(view).options
        values = {
            "title": view.phi, "range": [-1.06 * REACH, 1.06 * REACH], "tickmode": "array",
            **_numbers(TICKS),
        }  # fmt: skip
        return values, {**named_rows(list(names)), "showgrid": None}

    def numbers(self, view: ChartView, width: float) -> Attributes:
        return _numbers(FEW if width < NARROW * view.sizes.base else TICKS)

    def y_axis_in_row(self, *, first: bool) -> Attributes:
        return {"showticklabels": self.named or first}

    def shapes(self, view: ChartView, spot: Spot) -> list[Attributes]:
        return [
            view.zone(
                xref=spot.x, x0=max(low, -1.06 * REACH), x1=min(high, 1.06 * REACH),
                yref=f"{spot.y} domain",
            )
            for low, high in FLAT_ZONES.get(view.config.activation, ())
        ]  # fmt: skip


def _numbers(ticks: Sequence[float]) -> Attributes:
    """Return ticks with numbers; the outermost numbers have ≤ and ≥ for values beyond the axis."""
    words = with_ends([f"{tick:g}".replace("-", "−") for tick in ticks])
    return {"tickvals": list(ticks), "ticktext": words}
