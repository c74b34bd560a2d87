"""Right-hand columns of the layer chart; layer l is at y = l, the output at y = depth + 1."""

from __future__ import annotations

import plotly.graph_objects as go

from bnviz.charts.binding import Array, Bindings, Spans, State, Text, edge_marks, grey
from bnviz.charts.chart import ChartView
from bnviz.charts.distributions import BESIDE_TYPE, NetworkPlace
from bnviz.charts.layer_plan import MOST_RIDGES, columns_hold_words, zero_type
from bnviz.charts.panels import add_trace, add_words
from bnviz.charts.theme import Attributes

# Smallest share of zero singular values that is printed.
LEAST_SHARE = 0.005


def gradient_x(view: ChartView) -> str:
    return f"x{len(view.norms) + 1}"


def jacobian_x(view: ChartView) -> str:
    return f"x{len(view.norms) + 2}"


def gradient(figure: go.Figure, place: NetworkPlace, bounds: tuple[float, float]) -> Bindings:
    """Add a network's gradient norms, with the output layer on top."""
    style, heat = place.style, place.depth > 24
    trace = add_trace(figure, go.Scatter(
        x=[None] * (place.depth + 1), y=place.rows(place.depth + 1), mode="lines+markers+text",
        line=style.stroke(1.3),
        marker=style.marker(5 if heat else 8),
        textposition="middle right",
        textfont={"color": style.text, "size": place.view.sizes.small},
        hovertemplate="%{x:.2~e}<extra></extra>", xaxis=gradient_x(place.view), yaxis="y2",
    ))  # fmt: skip
    return [
        Array(
            trace=trace, attr="x", field=f"{place.norm}.gradients.grad_weight_norm", clip=bounds,
            edges=edge_marks(style.symbol),
            edge_format="number" if columns_hold_words(place.view) else None,
            edge_upright="middle",
        ),
        _state(place, trace, "line.color", "marker.color"),
    ]  # fmt: skip


def singular_values(
    figure: go.Figure, place: NetworkPlace, bounds: tuple[float, float]
) -> Bindings:
    """Add singular values: a bar from the 10th to the 90th percentile, and the median."""
    style, depth = place.style, place.depth
    rows = place.rows(depth)
    axes: Attributes = {"xaxis": jacobian_x(place.view), "yaxis": "y2"}
    width = 5 if depth <= 24 else 2.5
    least = place.view.large_type or min(place.view.sizes.small - 1, BESIDE_TYPE)
    bars = add_trace(figure, go.Scatter(
        x=[None] * 3 * depth, y=[y for row in rows for y in (row, row, None)], mode="lines",
        line={"color": style.line, "width": width}, opacity=0.5, hoverinfo="skip", **axes,
    ))  # fmt: skip
    medians = add_trace(figure, go.Scatter(
        x=[None] * depth, y=rows, mode="markers+text", hovertemplate="%{x:.2~e}<extra></extra>",
        textposition="top right", cliponaxis=False,
        textfont={"color": style.text, "size": least},
        marker=style.marker(8 if depth <= 24 else 5),
        **axes,
    ))  # fmt: skip
    field = f"{place.norm}.jacobian.percentiles"
    room = depth <= MOST_RIDGES and len(place.view.norms) < 3
    return [
        Spans(trace=bars, field=field, low=0, high=2, clip=bounds),
        _state(place, bars, "line.color"),
        Array(trace=medians, attr="x", field=field, index=":,1", clip=bounds,
              edges=edge_marks(style.symbol), edge_format="number" if room else None,
              edge_upright="top"),
        _state(place, medians, "marker.color"),
    ]  # fmt: skip


def zeros(figure: go.Figure, places: list[NetworkPlace], right: float) -> Bindings:
    """Add the share of zero singular values at the right, because a log axis has no zero."""
    view, depth = places[0].view, places[0].depth
    # With more than two networks, the numbers need the full height of the row.
    spread = 1.4 if len(places) > 2 else 1.0
    y = [row + spread * place.offset() for place in places for row in range(1, depth + 1)]
    colours = [place.style.text for place in places for _ in range(depth)]
    trace = add_words(
        figure, [right] * len(y), y, xaxis=jacobian_x(view), yaxis="y2",
        textposition="middle right", textfont={"color": colours, "size": zero_type(view)},
    )  # fmt: skip
    return [
        Text(trace=trace, field=f"{place.norm}.jacobian.zeros", format="percent0",
             at=place.number * depth, blank_zero=True, least=LEAST_SHARE,
             nonfinite=view.text("nonfinite"))
        for place in places
    ]  # fmt: skip


def _state(place: NetworkPlace, trace: int, *attributes: str) -> State:
    alive, dead = place.style.line, place.view.theme.dead
    return grey(
        place.norm, trace, dict.fromkeys(attributes, alive), dict.fromkeys(attributes, dead)
    )
