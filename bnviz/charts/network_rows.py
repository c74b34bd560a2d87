"""Traces of one network in the network chart: links, histograms or heat strips, and texts."""

from __future__ import annotations

import plotly.graph_objects as go

from bnviz.charts.binding import Bindings, Ridges, StateText, Text
from bnviz.charts.chart import ChartView
from bnviz.charts.distributions import add_filled, add_heat
from bnviz.charts.network_plan import HALF, HALF_OUTPUT, OUTPUT, is_heat, reach
from bnviz.charts.nodes import Links
from bnviz.charts.panels import add_words, axis_name
from bnviz.charts.scale import BIN_WIDTH, REACH

# Exponents of ten of the gradients at which a link is thinnest and thickest.
POWERS = (-9, 0)
BOUNDS = (10.0 ** POWERS[0], 10.0 ** POWERS[1])
# Minimum and maximum thickness of a link, as shares of a node's height, and maximum thickness of a
# stream, as a share of the stream's axis.
THIN, THICK, THICK_STREAM = 0.014, 0.8, 0.96
# Histogram in a node, as shares of the node's height: its highest bin, and its base.
TOP, BASE = 0.86, 0.02
# Opacity of a link's fill.
LINKED = 0.5


def rows_axis(number: int) -> str:
    return axis_name("y", 2 * number)


def beside_axis(number: int) -> str:
    """Return the y axis for the factors above every second link, or for the stream."""
    return axis_name("y", 2 * number + 1)


def links(figure: go.Figure, view: ChartView, number: int) -> Bindings:
    """Add links whose thickness shows the gradient at each layer."""
    heat, norm = is_heat(view), view.norms[number]
    axis = beside_axis(number) if heat else rows_axis(number)
    state = add_filled(
        figure, view, norm, width=0 if heat else 1, opacity=LINKED, xaxis="x", yaxis=axis
    )
    rows = range(1, view.layers + 1)
    starts = [float(row) if heat else row + HALF for row in rows]
    ends = [float(row + 1) if heat else row + 1 - HALF for row in rows]
    ends[-1] = ends[-1] if heat else view.layers + OUTPUT - HALF_OUTPUT
    thick = THICK_STREAM if heat else THICK
    return [
        Links(trace=state.trace, field=f"{norm}.gradients.grad_pre_activation_rms", starts=starts,
              ends=ends, middle=0.5, bounds=BOUNDS, thin=THIN, thick=thick),
        state,
    ]  # fmt: skip


def hills(figure: go.Figure, view: ChartView, number: int) -> Bindings:
    """Add to each node the histogram of the inputs of its layer's nonlinearity."""
    norm, rows = view.norms[number], range(1, view.layers + 1)
    state = add_filled(figure, view, norm, xaxis="x", yaxis=rows_axis(number))
    return [
        Ridges(trace=state.trace, field=f"{norm}.histogram.nonlinearity_input",
               left=[row - HALF for row in rows], right=[row + HALF for row in rows],
               base=[BASE] * view.layers, height=TOP,
               peaks=[f"{norm}.histogram.nonlinearity_input"]),
        state,
    ]  # fmt: skip


def strips(figure: go.Figure, view: ChartView, number: int) -> Bindings:
    """Add the same distributions as `hills`, as upright heat strips."""
    return add_heat(
        figure, view, view.norms[number], transpose=True, x0=1, dx=1, y0=-REACH + BIN_WIDTH / 2,
        dy=BIN_WIDTH, xgap=1, xaxis="x", yaxis=rows_axis(number),
    )  # fmt: skip


def words(figure: go.Figure, view: ChartView, number: int) -> Bindings:
    """Add the factors above links, the loss in the output, and the text about a stopped network."""
    said, norm, heat = view.texts["network"], view.norms[number], is_heat(view)
    font = {"color": view.styles[norm].text, "size": view.sizes.small}
    # The text about a stopped network covers its row, because the network no longer learns.
    x, y = [sum(reach(view)) / 2], [0.0 if heat else 0.5]
    if not heat:
        x, y = [*x, view.layers + OUTPUT], [*y, 0.5]
    trace = add_words(
        figure, x, y, textposition=["middle center"] * len(x), textfont=font, xaxis="x",
        yaxis=rows_axis(number),
    )  # fmt: skip
    stopped = {"diverged": view.text("stopped")}
    bindings: Bindings = [StateText(trace=trace, network=norm, at=0, when=stopped)]
    if heat:
        return bindings
    bindings.append(
        Text(trace=trace, field=f"{norm}.test_loss", format="number", at=1,
             template=f"{said['loss']}<br>{{value}}", nonfinite=f"{said['loss']}<br>∞")
    )  # fmt: skip
    for first, axis in ((1, rows_axis(number)), (2, beside_axis(number))):
        every = range(first, view.layers + 1, 2)
        if not every:
            continue
        trace = add_words(
            figure, [link + 0.5 for link in every], [1] * len(every), textposition="top center",
            textfont=font, xaxis="x", yaxis=axis,
        )  # fmt: skip
        bindings += [
            Text(trace=trace, field=f"{norm}.gradients.growth", format="number",
                 index=str(link - 1), at=at, template=said["factor"],
                 nonfinite=view.text("nonfinite"))
            for at, link in enumerate(every)
        ]  # fmt: skip
    return bindings
