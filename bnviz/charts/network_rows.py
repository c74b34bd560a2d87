"""One network of the drawn network: its links, its hills or strips of heat, its words."""

from __future__ import annotations

import plotly.graph_objects as go

from bnviz.charts import theme as themes
from bnviz.charts.binding import Binding, Heat, Ridges, StateText, Text
from bnviz.charts.chart import ChartView
from bnviz.charts.distributions import (
    FILLED,
    FULL_COUNT,
    HEAT_FULL,
    filled_state,
    heat_scale,
    heat_state,
)
from bnviz.charts.network_plan import HALF, HALF_OUTPUT, OUTPUT, is_heat, reach
from bnviz.charts.nodes import Links
from bnviz.charts.panels import axis_name
from bnviz.charts.scale import BIN_WIDTH, REACH
from bnviz.probes.axis import BINS

# The gradients at which a link is thinnest and thickest, by powers of ten.
POWERS = (-9, 0)
BOUNDS = (10.0 ** POWERS[0], 10.0 ** POWERS[1])
# Shares of a node's height; in a stream all of it.
THIN, THICK, THICK_STREAM = 0.014, 0.8, 0.96
# Heights in a node: a normal distribution of unit variance fills half of it, a narrower one more.
SCALE, TOP, BASE = 5.4, 0.94, 0.02
# How much of its network's colour a link is filled with.
LINKED = 0.5


def rows_axis(number: int) -> str:
    """The axis of a network's nodes."""
    return axis_name("y", 2 * number)


def beside_axis(number: int) -> str:
    """The axis of the words over every second link, or of the stream under strips of heat."""
    return axis_name("y", 2 * number + 1)


def links(
    figure: go.Figure, view: ChartView, theme: themes.Theme, style: themes.NetworkStyle, number: int
) -> list[Binding]:
    """What comes back from each layer to the one before it."""
    heat, norm = is_heat(view), view.norms[number]
    axis = beside_axis(number) if heat else rows_axis(number)
    trace = _filled(figure, style, axis, width=0 if heat else 1, opacity=LINKED)
    rows = range(1, view.layers + 1)
    starts = [float(row) if heat else row + HALF for row in rows]
    ends = [float(row + 1) if heat else row + 1 - HALF for row in rows]
    ends[-1] = ends[-1] if heat else view.layers + OUTPUT - HALF_OUTPUT
    thick = THICK_STREAM if heat else THICK
    return [
        Links(trace=trace, field=f"{norm}.gradients.grad_pre_activation_rms", starts=starts,
              ends=ends, middle=0.5, bounds=BOUNDS, thin=THIN, thick=thick),
        filled_state(trace, norm, style, theme, LINKED),
    ]  # fmt: skip


def hills(
    figure: go.Figure, view: ChartView, theme: themes.Theme, style: themes.NetworkStyle, number: int
) -> list[Binding]:
    """What each layer receives, in its node."""
    norm, rows = view.norms[number], range(1, view.layers + 1)
    trace = _filled(figure, style, rows_axis(number), width=1.2, opacity=FILLED)
    return [
        Ridges(trace=trace, field=f"{norm}.histogram.nonlinearity_input",
               left=[row - HALF for row in rows], right=[row + HALF for row in rows],
               base=[BASE] * view.layers, scale=SCALE, limit=TOP),
        filled_state(trace, norm, style, theme),
    ]  # fmt: skip


def _filled(
    figure: go.Figure, style: themes.NetworkStyle, axis: str, *, width: float, opacity: float
) -> int:
    """Add closed outlines in a network's colour; returns the number of their trace."""
    figure.add_trace(
        go.Scatter(
            x=[], y=[], mode="lines", fill="toself", fillcolor=style.alpha(opacity),
            line={"color": style.line, "width": width, "simplify": False}, hoverinfo="skip",
            xaxis="x", yaxis=axis,
        )
    )  # fmt: skip
    return len(figure.data) - 1


def strips(
    figure: go.Figure, view: ChartView, theme: themes.Theme, style: themes.NetworkStyle, number: int
) -> list[Binding]:
    """The same as strips of heat that stand upright."""
    trace, norm = len(figure.data), view.norms[number]
    figure.add_trace(
        go.Heatmap(
            z=[[0.0] * BINS] * view.layers, transpose=True, x0=1, dx=1,
            y0=-REACH + BIN_WIDTH / 2, dy=BIN_WIDTH, zmin=0, zmax=HEAT_FULL, xgap=1,
            colorscale=heat_scale(style.alpha), showscale=False, hoverinfo="skip",
            xaxis="x", yaxis=rows_axis(number),
        )
    )  # fmt: skip
    return [
        Heat(trace=trace, field=f"{norm}.histogram.nonlinearity_input", scale=1 / FULL_COUNT),
        heat_state(trace, norm, style),
    ]


def words(
    figure: go.Figure, view: ChartView, sizes: themes.Type, style: themes.NetworkStyle, number: int
) -> list[Binding]:
    """The factors over the links, the loss in the output, and that the network has stopped."""
    said, norm, heat = view.texts["network"], view.norms[number], is_heat(view)
    font = {"color": style.text, "size": sizes.small}
    bindings = list[Binding]()
    stopped = view.texts["common"]["stopped_short"]
    # Over the middle of the row, as nothing is learned there any more.
    x, y, text = [sum(reach(view)) / 2], [0.0 if heat else 0.5], [""]
    place = ["middle center"]
    bindings.append(
        StateText(trace=len(figure.data), network=norm, at=0, when={"diverged": stopped})
    )
    if not heat:
        x, y, text = [*x, view.layers + OUTPUT], [*y, 0.5], [*text, ""]
        place = [*place, "middle center"]
        bindings.append(
            Text(trace=len(figure.data), field=f"{norm}.test_loss", format="number", at=1,
                 template=f"{said['loss']}<br>{{value}}", nonfinite=f"{said['loss']}<br>∞")
        )  # fmt: skip
    figure.add_trace(
        go.Scatter(x=x, y=y, text=text, mode="text", textposition=place, hoverinfo="skip",
                   cliponaxis=False, textfont=font, xaxis="x", yaxis=rows_axis(number))
    )  # fmt: skip
    if heat:
        return bindings
    for first, axis in ((0, rows_axis(number)), (1, beside_axis(number))):
        every = range(first + 1, view.layers + 1, 2)
        for at, link in enumerate(every):
            bindings.append(
                Text(trace=len(figure.data), field=f"{norm}.gradients.growth", format="number",
                     index=str(link - 1), at=at, template=said["factor"],
                     nonfinite=view.texts["common"]["nonfinite"])
            )  # fmt: skip
        if every:
            figure.add_trace(
                go.Scatter(
                    x=[link + 0.5 for link in every], y=[1] * len(every), text=[""] * len(every),
                    mode="text", textposition="top center", hoverinfo="skip", cliponaxis=False,
                    textfont=font, xaxis="x", yaxis=axis,
                )
            )  # fmt: skip
    return bindings
