"""Change of each layer's weight gradient when an action multiplies the weights.

Left: ratio of the gradient just after the action to the gradient just before it, on the same
mini-batch. Right: the gradient of one layer over time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import plotly.graph_objects as go

from bnviz.charts.binding import Array, Bindings, Text
from bnviz.charts.chart import Chart, ChartView, Table
from bnviz.charts.grid import Spot, lay_out
from bnviz.charts.over_time import OverTime, network_traces
from bnviz.charts.percentiles import layer_selector
from bnviz.charts.profile import ONE, ONE_LARGE, Profile, Quantity, network_lines
from bnviz.charts.scale import factor_axis, log_axis
from bnviz.norms import NORMS

RATIO, NORM = "before_change.gradient_ratio", "gradients.grad_weight_norm"
# Values beyond these factors and norms are drawn at the edge; the table contains them.
CLIP_RATIO, CLIP_NORM = (1e-2, 1e2), (1e-3, 1e1)
TICKS = (0.01, 0.1, 1, 10, 100)
ALL = (-2.1, 2.1)
SHARE = 0.42


def build(view: ChartView) -> Chart:
    texts = view.texts["gradient_change"]
    ratio = Quantity(
        texts["axis_ratio"], factor_axis(TICKS, include=ALL, allowed=ALL),
        network_lines(view, RATIO, texts["ratio"]), clip=CLIP_RATIO, output=True, few=TICKS,
    )  # fmt: skip
    over_time = OverTime(
        heading=view.text("over_time"), axis=texts["axis_norm"], clip=CLIP_NORM, share=1 - SHARE,
        lines=network_traces(view, NORM, index="$layer"), beyond=True,
        value_axis=log_axis(-3, 1, include=(-2, 0.5), labelled=1),
    )  # fmt: skip
    factors = Factors(heading=texts["heading_ratio"], quantity=ratio, share=SHARE)
    names = view.layer_names(output=True)
    selector = replace(layer_selector(view), options=names, default=0)
    columns = view.columns(
        (texts["ratio"], RATIO, "number", ":"), (texts["norm"], NORM, "number", ":")
    )
    return Chart(
        selectors=(selector,), table=Table(columns, names),
        **lay_out(view, (ONE, ONE_LARGE), [[factors, over_time]], stacked=ONE),
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Factors(Profile):
    """Profile of factors, with numbers for networks that normalize with mini-batch statistics."""

    def fill(self, figure: go.Figure, view: ChartView, spot: Spot) -> Bindings:
        bindings = super().fill(figure, view, spot)
        names = view.layer_names(output=True)
        for line, drawn in zip(self.quantity.lines, [*bindings], strict=False):
            if line.norm is None or not isinstance(drawn, Array):
                continue
            if NORMS[line.norm].minimum_batch < 2:
                continue
            figure.data[drawn.trace].update(
                mode="lines+markers+text", text=[""] * len(names), textposition="middle right",
                textfont={"color": view.style(line.norm).text, "size": view.sizes.small},
            )  # fmt: skip
            bindings.append(
                Text(trace=drawn.trace, field=line.field, index=line.index(":"), format="number",
                     template=view.texts["gradient_change"]["times"])
            )  # fmt: skip
        return bindings
