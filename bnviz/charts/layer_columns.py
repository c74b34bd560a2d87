"""The columns of the layer chart: one network's traces in each of them.

Layer l stands at y = l, the output at y = depth + 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from bnviz.charts.binding import Array, Binding, Heat, Ridges, Spans, State, StateText, Text
from bnviz.charts.chart import ChartView
from bnviz.charts.layer_plan import MOST_RIDGES, gutter, share_type, zero_type
from bnviz.charts.scale import BIN_WIDTH, REACH
from bnviz.charts.theme import NetworkStyle, Theme, Type
from bnviz.probes.axis import BINS

# A row's area is the same for every distribution: all values in one bin would be this many rows
# high. A normal distribution of unit variance stands 0.45 rows high.
ROWS_PER_SHARE = 4.8
BASE = -0.44
LIMIT = 0.88

# The share of a layer's values in one bin at which a heat strip has its network's full colour.
HEAT_FULL = 0.15
HEAT_FULL_WORDS = "15 %"
# A smaller share of singular values that are zero is not worth its place.
LEAST_SHARE = 0.005
# The last place on a distributions' axis; words that start there stand beside the column.
BESIDE = REACH * 0.999
BESIDE_TYPE = 13
FULL_COUNT = 65535


@dataclass(frozen=True)
class Place:
    """One network's place in the chart."""

    view: ChartView
    theme: Theme
    sizes: Type
    norm: str
    style: NetworkStyle
    number: int

    @property
    def depth(self) -> int:
        """Rows without the output: hidden layers, or time steps."""
        return self.view.layers

    def offset(self) -> float:
        """How far this network's marks stand from a row's middle, so that none hides another."""
        count = len(self.view.norms)
        reach = 0.26 if count > 1 else 0.0
        return reach - 2 * reach * self.number / max(count - 1, 1)

    def rows(self, count: int) -> list[float]:
        """y of this network's marks in the lowest `count` rows."""
        return [row + self.offset() for row in range(1, count + 1)]


def spread_x(place: int) -> str:
    """x axis of a network's distributions."""
    return "x" if place == 0 else f"x{place + 1}"


def gradient_x(view: ChartView) -> str:
    """x axis of the gradient norms."""
    return f"x{len(view.norms) + 1}"


def jacobian_x(view: ChartView) -> str:
    """x axis of the singular values."""
    return f"x{len(view.norms) + 2}"


def distribution(figure: go.Figure, place: Place, *, heat: bool) -> list[Binding]:
    """A network's column of outlines or heat strips, with what stands printed beside them."""
    bindings = _heat(figure, place) if heat else _ridges(figure, place)
    return bindings + _words(figure, place, heat=heat)


def _ridges(figure: go.Figure, place: Place) -> list[Binding]:
    style, norm, trace = place.style, place.norm, len(figure.data)
    alive = {"line.color": style.line, "fillcolor": style.alpha(0.32)}
    figure.add_trace(
        go.Scatter(
            x=[], y=[], mode="lines", fill="toself", fillcolor=alive["fillcolor"],
            line={"color": style.line, "width": 1.2, "simplify": False}, hoverinfo="skip",
            xaxis=spread_x(place.number), yaxis="y",
        )
    )  # fmt: skip
    dead = {"line.color": place.theme.dead, "fillcolor": "rgba(128,128,128,0.25)"}
    return [
        Ridges(
            trace=trace, field=f"{norm}.histogram.nonlinearity_input", left=-REACH, right=REACH,
            base=[row + BASE for row in range(1, place.depth + 1)], scale=ROWS_PER_SHARE,
            limit=LIMIT,
        ),
        State(trace=trace, network=norm, when={"diverged": dead}, otherwise=alive),
    ]  # fmt: skip


def _heat(figure: go.Figure, place: Place) -> list[Binding]:
    norm, trace = place.norm, len(figure.data)

    def scale(paint: Any) -> list[list[Any]]:
        # The root of the share, so that thin tails are seen.
        return [[share, paint(round(share**0.5, 3))] for share in (0, 0.02, 0.1, 0.25, 0.5, 1)]

    figure.add_trace(
        go.Heatmap(
            z=[[0.0] * BINS] * place.depth, x0=-REACH + BIN_WIDTH / 2, dx=BIN_WIDTH, y0=1, dy=1,
            zmin=0, zmax=HEAT_FULL, colorscale=scale(place.style.alpha), showscale=False,
            ygap=1, hoverinfo="skip", xaxis=spread_x(place.number), yaxis="y",
        )
    )  # fmt: skip
    dead = scale(lambda opacity: f"rgba(128,128,128,{opacity})")
    return [
        Heat(trace=trace, field=f"{norm}.histogram.nonlinearity_input", scale=1 / FULL_COUNT),
        State(
            trace=trace, network=norm, when={"diverged": {"colorscale": dead}},
            otherwise={"colorscale": scale(place.style.alpha)},
        ),
    ]  # fmt: skip


def _words(figure: go.Figure, place: Place, *, heat: bool) -> list[Binding]:
    """Saturated share, dead units, counts beyond the axis; one text trace a network."""
    texts, norm, depth = place.view.texts["layers"], place.norm, place.depth
    trace, phi = len(figure.data), place.view.config.activation
    upper, lower = (0.0, 0.0) if heat else (0.27, -0.1)
    outside = gutter(place.view, place.sizes) > 0
    share = BESIDE if outside else REACH
    lines: list[tuple[str, str | None, float, float, bool]] = []
    if phi in ("sigmoid", "tanh"):
        lines.append(("saturation.saturated", None, share, 0 if outside else upper, False))
    if phi == "relu":
        dead = None if outside else texts["dead"]
        lines.append(("saturation.dead", dead, share, 0 if outside else upper, True))
    lines.append(("histogram.overflow", texts["beyond_high"], REACH, lower, True))
    lines.append(("histogram.underflow", texts["beyond_low"], -REACH, upper, True))
    lines.append(("histogram.nonfinite", texts["nonfinite"], -REACH, lower, True))
    x, y, position, bindings = [], [], [], list[Binding]()
    for at, (field, template, side, up, blank) in enumerate(lines):
        x += [side if side == BESIDE else side * 0.985] * depth
        y += [row + up for row in range(1, depth + 1)]
        position += ["middle left" if side == REACH else "middle right"] * depth
        bindings.append(
            Text(trace=trace, field=f"{norm}.{field}", format="percent0", at=at * depth,
                 template=template, blank_zero=blank)
        )  # fmt: skip
    # A strip of heat is too low for two lines of words.
    stopped = place.view.texts["common"]["stopped_short" if heat else "stopped"]
    # What lies beyond the axis stands inside the column, where large type has no room.
    sizes = [share_type(place.view, place.sizes)] * (len(x) + 1)
    if outside:
        inside = min(sizes[0], BESIDE_TYPE)
        sizes = [sizes[0] if at == BESIDE else inside for at in x] + [inside]
    bindings.append(
        StateText(trace=trace, network=norm, at=len(x), when={"diverged": stopped})
    )  # fmt: skip
    figure.add_trace(
        go.Scatter(
            x=[*x, -REACH * 0.985], y=[*y, depth + 1.0], text=[""] * (len(x) + 1), mode="text",
            textposition=[*position, "middle right"], hoverinfo="skip", cliponaxis=False,
            xaxis=spread_x(place.number), yaxis="y",
            textfont={"color": place.style.text, "size": sizes},
        )
    )  # fmt: skip
    return bindings


def gradient(figure: go.Figure, place: Place, bounds: tuple[float, float]) -> list[Binding]:
    """A network's gradient norms, output on top."""
    style, trace, heat = place.style, len(figure.data), place.depth > 24
    figure.add_trace(
        go.Scatter(
            x=[None] * (place.depth + 1), y=place.rows(place.depth + 1), mode="lines+markers+text",
            line={"color": style.line, "width": 1.3, "dash": style.dash},
            marker={"color": style.line, "size": 5 if heat else 8, "symbol": style.symbol},
            textposition="middle right", textfont={"color": style.text, "size": place.sizes.small},
            hovertemplate="%{x:.2~e}<extra></extra>", xaxis=gradient_x(place.view), yaxis="y2",
        )
    )  # fmt: skip
    return [
        Array(
            trace=trace, attr="x", field=f"{place.norm}.gradients.grad_weight_norm", clip=bounds,
            edges=_edges(style), edge_format="number",
        ),
        _state(place, trace, "line.color", "marker.color"),
    ]  # fmt: skip


def singular_values(figure: go.Figure, place: Place, bounds: tuple[float, float]) -> list[Binding]:
    """A network's singular values: 10 to 90 % as a bar, the median as a marker."""
    style, trace, depth = place.style, len(figure.data), place.depth
    rows = place.rows(depth)
    axes: dict[str, Any] = {"xaxis": jacobian_x(place.view), "yaxis": "y2"}
    width = 5 if depth <= 24 else 2.5
    figure.add_trace(
        go.Scatter(
            x=[None] * 3 * depth, y=[y for row in rows for y in (row, row, None)], mode="lines",
            line={"color": style.line, "width": width}, opacity=0.5, hoverinfo="skip", **axes,
        )
    )  # fmt: skip
    figure.add_trace(
        go.Scatter(
            x=[None] * depth, y=rows, mode="markers+text", hovertemplate="%{x:.2~e}<extra></extra>",
            textposition="top right", cliponaxis=False,
            textfont={"color": style.text, "size": min(place.sizes.small - 1, BESIDE_TYPE)},
            marker={"color": style.line, "size": 8 if depth <= 24 else 5, "symbol": style.symbol},
            **axes,
        )
    )  # fmt: skip
    field = f"{place.norm}.jacobian.percentiles"
    room = depth <= MOST_RIDGES and len(place.view.norms) < 3
    return [
        Spans(trace=trace, field=field, low=0, high=2, clip=bounds),
        _state(place, trace, "line.color"),
        Array(trace=trace + 1, attr="x", field=field, index=":,1", clip=bounds,
              edges=_edges(style), edge_format="number" if room else None),
        _state(place, trace + 1, "marker.color"),
    ]  # fmt: skip


def zeros(figure: go.Figure, places: list[Place], right: float) -> list[Binding]:
    """The share of singular values that are zero, printed to the right: a log axis has no zero."""
    view, depth = places[0].view, places[0].depth
    bindings, y, colours = list[Binding](), list[float](), list[str]()
    for place in places:
        # Four numbers need the row's full height.
        spread = 1.4 if len(places) > 2 else 1.0
        y += [row + spread * place.offset() for row in range(1, depth + 1)]
        colours += [place.style.text] * depth
        bindings.append(
            Text(trace=len(figure.data), field=f"{place.norm}.jacobian.zeros", format="percent0",
                 at=place.number * depth, blank_zero=True, least=LEAST_SHARE,
                 nonfinite=view.texts["common"]["nonfinite"])
        )  # fmt: skip
    small = zero_type(view, places[0].sizes)
    figure.add_trace(
        go.Scatter(
            x=[right] * len(y), y=y, text=[""] * len(y), mode="text", cliponaxis=False,
            textposition="middle right", textfont={"color": colours, "size": small},
            hoverinfo="skip", xaxis=jacobian_x(view), yaxis="y2",
        )
    )  # fmt: skip
    return bindings


def _edges(style: NetworkStyle) -> dict[str, str]:
    return {"low": "triangle-left", "inside": style.symbol, "high": "triangle-right"}


def _state(place: Place, trace: int, *attributes: str) -> State:
    dead = dict.fromkeys(attributes, place.theme.dead)
    alive = dict.fromkeys(attributes, place.style.line)
    return State(trace=trace, network=place.norm, when={"diverged": dead}, otherwise=alive)
